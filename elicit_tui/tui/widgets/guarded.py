"""Input that may be turned away before a widget sees it."""

from __future__ import annotations

from textual import events
from textual.message import Message
from textual.widget import Widget

_GUARDED = (events.Key, events.Paste, events.MouseDown, events.MouseUp, events.Click)


class InputGuard(Widget):
    """An ancestor that decides which input its guarded descendants get to see."""

    def admits(self, event: events.Event) -> bool:
        """Whether this input may pass; asked once for each event."""
        return True


class Guarded(Widget):
    """A widget whose input passes its nearest `InputGuard` first."""

    def check_message_enabled(self, message: Message) -> bool:
        """Turn input away that the guard does not admit."""
        if isinstance(message, _GUARDED):
            for ancestor in self.ancestors:
                if isinstance(ancestor, InputGuard):
                    if not ancestor.admits(message):
                        return False
                    break
        return super().check_message_enabled(message)
