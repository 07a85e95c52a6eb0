"""A key that is bound where one is, and does nothing there just now, says why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.dom import DOMNode

from elicit_tui.tui.textual_terminal import keys_here

if TYPE_CHECKING:
    from elicit_tui.tui.ordered_app import OrderedApp


class SaysWhyNot(DOMNode):
    """What has keys that do not always fit: a pane, a dialog."""

    def why_not(self, action: str) -> str:
        """Why the key of an action does nothing just now, in a sentence; empty: no word of it."""
        return ""


def tell_why_not(app: OrderedApp[int], key: str) -> None:
    """Say why a key does nothing here, where the part of the screen that has it knows."""
    reasons = (
        node.why_not(binding.action.partition("(")[0])
        for node, bindings in keys_here(app)
        if isinstance(node, SaysWhyNot)
        for binding in bindings.key_to_bindings.get(key, ())
    )
    words = next(filter(None, reasons), "")
    if words and key not in app.screen.active_bindings:
        app.notify(words, markup=False)
