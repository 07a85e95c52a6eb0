"""How keys, calls and what a server writes are spelled on every screen."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from textual.binding import Binding
from textual.widget import Widget

# What a key is called on the screen: the one that the owner has given to an action.

_NAMES: Final = {
    "escape": "Esc",
    "shift+tab": "Shift+Tab",
    "slash": "/",
    "question_mark": "?",
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


# The calls that a question may belong to: up to 2025-11-25 a server does not say which it is.


def joined_by_or(calls: Sequence[str]) -> str:
    """The one call; of several `a, b or c`; empty for a question outside of calls."""
    *others, last = calls or ("",)
    return f"{', '.join(others)} or {last}" if others else last


# A server's text cannot pass for a verdict of ours: our signs in it stand in quotation marks.
#
# What elicit-tui found, judged or chose begins with a sign (`✓ ready to send`, `▲ This acts on
# production`). A line of a message that begins with one would be taken for it, on its own line or
# wherever the text wraps.

_SIGNS: Final = "✓✔☑✅🗸✗✘✖☒❌▲△⚠■▪◼●○◉◌◐•▌▎▏█│┃"
_ALONE: Final = re.compile(rf"(?<!\S)([{_SIGNS}]\ufe0f?)(?!\S)")


def quoting_signs(text: str) -> str:
    """The text, with each sign that stands like a word in it in quotation marks."""
    return text if text.isascii() else _ALONE.sub(r"“\1”", text)
