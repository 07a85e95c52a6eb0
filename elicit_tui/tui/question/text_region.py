"""Parts of the frame that scroll by themselves, so that nothing pushes the fields away."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from elicit_tui.tui.question.seen import SeenText
from elicit_tui.tui.widgets.guarded import Guarded

_AROUND = 8
"""Cells of the screen's width that a region's text does not have."""
_SCROLLBAR = 2
"""With the blank beside it; kept free whether it is there or not, so that nothing wraps anew."""


class TextRegion(SeenText, Guarded, can_focus=False):
    """A text with a limit to its height; it takes the focus only when it has more to scroll."""

    BINDINGS: ClassVar[list[BindingType]] = []

    DEFAULT_CSS = """
    TextRegion {
        height: auto; width: 100%; scrollbar-size-vertical: 1; overflow-x: hidden;
        border-left: blank; padding: 0 0 0 1;
        &:focus { border-left: outer $accent; }
        & > Static { height: auto; width: 100%; padding: 0 1 0 0; }
    }
    """

    def __init__(
        self, text: Content | Callable[[int], Content], *, id: str, left_out: int = 0
    ) -> None:
        """`text` may be drawn for a width in cells, where it has columns of its own.

        `left_out`: characters of it that are not there, because it is too long.
        """
        super().__init__(id=id)
        self.called = f"the {id}"
        self.left_out = left_out
        self._draw = text if callable(text) else None
        self._drawn_for = 0
        self._text = Static("" if callable(text) else text, markup=False)
        self._hears_the_keys = False

    def compose(self) -> list[Static]:
        """The text, for the width that it will most likely have."""
        self._draw_for(self.app.size.width - _AROUND)
        return [self._text]

    def _draw_for(self, width: int) -> None:
        if self._draw is not None and width != self._drawn_for:
            self._drawn_for = width
            self._text.update(self._draw(max(width, 8)))

    @property
    def keys(self) -> tuple[tuple[str, str], ...]:
        """Scrolling, while there is something to scroll."""
        return (("↑↓", "scroll"),) if self.overflows else ()

    def hear_the_keys(self) -> None:
        """Take the focus, and stay able to: nothing else in the question can, so keys would die."""
        self._hears_the_keys = self.can_focus = True
        self.focus()

    @property
    def overflows(self) -> bool:
        """Whether there is more than can be seen."""
        return self.max_scroll_y > 0

    def on_resize(self, event: events.Resize) -> None:
        """Draw it for this width; a Tab stop only while there is something to scroll."""
        self._draw_for(self.content_region.width - _SCROLLBAR)
        self.call_after_refresh(self._settle)

    def _settle(self) -> None:
        self.can_focus = self.overflows or self._hears_the_keys

    def draw_again(self) -> None:
        """What it says has changed."""
        self._drawn_for = 0
        self._draw_for(self.content_region.width - _SCROLLBAR)


def scroll_hidden(parts: Sequence[VerticalScroll], pages_down: int) -> None:
    """Scroll the first of these parts that hides something in this direction, from the top."""
    if pages_down > 0:
        hiding = [part for part in parts if part.scroll_y < part.max_scroll_y]
    else:
        hiding = [part for part in reversed(parts) if part.scroll_y > 0]
    for part in hiding[:1]:
        (part.scroll_page_down if pages_down > 0 else part.scroll_page_up)(animate=False)
