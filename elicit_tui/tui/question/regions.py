"""Parts of the frame that scroll by themselves, so that nothing pushes the fields away."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from elicit_tui.tui.widgets.guarded import Guarded


class Region(VerticalScroll, Guarded, can_focus=False):
    """A text with a limit to its height; it takes the focus only when it has more to scroll."""

    BINDINGS: ClassVar[list[BindingType]] = []

    DEFAULT_CSS = """
    Region {
        height: auto; width: 100%; scrollbar-size-vertical: 1; overflow-x: hidden;
        border-left: blank; padding: 0 0 0 1;
        &:focus { border-left: outer $accent; }
        & > Static { height: auto; width: 100%; }
    }
    """

    def __init__(self, text: Content, *, id: str) -> None:
        super().__init__(id=id)
        self._text = Static(text, markup=False)
        self._hears_the_keys = False

    def compose(self) -> list[Static]:
        """The text."""
        return [self._text]

    def tell(self, text: Content) -> None:
        """Show another text."""
        self._text.update(text)

    def hear_the_keys(self) -> None:
        """Take the focus, and stay able to: nothing else in the question can, so keys would die."""
        self._hears_the_keys = self.can_focus = True
        self.focus()

    @property
    def overflows(self) -> bool:
        """Whether there is more than can be seen."""
        return self.max_scroll_y > 0

    def on_resize(self, event: events.Resize) -> None:
        """A Tab stop only while there is something to scroll."""
        self.call_after_refresh(self._settle)

    def _settle(self) -> None:
        self.can_focus = self.overflows or self._hears_the_keys
