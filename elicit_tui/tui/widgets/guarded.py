"""Input that may be turned away before a widget sees it, and keys that decide in their turn."""

from __future__ import annotations

from textual import events
from textual.message import Message
from textual.widget import Widget

_GUARDED = (events.Key, events.Paste, events.MouseDown, events.MouseUp, events.Click)


class InputGuard(Widget):
    """An ancestor that decides which input its guarded descendants get to see."""

    def admits(self, event: events.Event) -> bool:
        """Whether this input may pass; asked once for each event, when it comes in."""
        return True

    @property
    def listens(self) -> bool:
        """Whether input still counts when its turn comes: not behind a key that decided."""
        return True

    def turned_away(self, event: events.Event) -> None:
        """This input went nowhere."""

    def acts_on(self, event: events.Key) -> bool:
        """Run one of the guard's own actions, whatever key it is bound to; asked in its turn."""
        active = self.screen.active_bindings.get(event.key)
        if active is None or active.node is not self or not active.enabled:
            return False
        method = getattr(self, f"action_{active.binding.action}", None)
        if method is None:
            return False
        method()
        return True


class Guarded(Widget):
    """A widget whose input passes its nearest `InputGuard` first.

    A key that decides is acted on here, in the order of the keys: left to bubble up, it would be
    overtaken by letters typed behind it.
    """

    @property
    def _guard(self) -> InputGuard | None:
        for ancestor in self.ancestors:
            if isinstance(ancestor, InputGuard):
                return ancestor
        return None

    def check_message_enabled(self, message: Message) -> bool:
        """Turn input away that the guard does not admit."""
        if isinstance(message, _GUARDED):
            guard = self._guard
            if guard is not None and not guard.admits(message):
                return False
        return super().check_message_enabled(message)

    async def on_event(self, event: events.Event) -> None:
        """Let the guard act on its keys, and drop what was typed behind them."""
        if isinstance(event, _GUARDED):
            guard = self._guard
            if guard is not None:
                if not guard.listens:
                    guard.turned_away(event)
                    return
                if (
                    isinstance(event, events.Key)
                    and not event.is_printable
                    and guard.acts_on(event)
                ):
                    return
        await super().on_event(event)
