"""What a key is called on the screen: the one that the owner has given to an action."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from textual.binding import Binding
from textual.widget import Widget

_NAMES: Final = {
    "escape": "Esc",
    "shift+tab": "Shift+Tab",
    "slash": "/",
    "enter": "Enter",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
}


def key_name(key: str) -> str:
    """The first of these keys as every screen spells it: `^S`, `F2`, `Esc`."""
    key = key.partition(",")[0]
    if key.startswith("ctrl+") and len(key) == 6:
        return f"^{key[-1].upper()}"
    return _NAMES.get(key, key.capitalize() if len(key) > 1 else key)


def key_of(node: Widget, binding: Binding) -> str:
    """The name of the key that this binding has in the app of `node`, also where it was changed."""
    own: Mapping[str, str] = getattr(node.app, "own_keys", {})
    return key_name(own.get(binding.id or "", binding.key))
