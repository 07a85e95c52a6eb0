"""A scrolling page of text in place of the fields."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from elicit_tui.tui.question.seen import SeenText
from elicit_tui.tui.widgets.guarded import Guarded


class Page(SeenText, Guarded, can_focus=True):
    """Text that takes the focus, so that arrows scroll it and keys find the question."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "page_down", "A page down", show=False),
    ]

    DEFAULT_CSS = """
    Page {
        height: 1fr; width: 100%; padding: 0 0 0 2; scrollbar-size-vertical: 1;
        overflow-x: hidden;
        & > Static { height: auto; width: 100%; padding: 0 1 0 0; }
    }
    """

    decides: Content | None = None
    """The beginning of the text that has to be seen before it is decided about; None: all of it."""

    def __init__(self, text: Content, *, id: str) -> None:
        super().__init__(id=id)
        self._text = Static(text, markup=False, id=f"{id}-text")

    @property
    def lines_to_see(self) -> int:
        """As many as say what is decided about."""
        if self.decides is None:
            return super().lines_to_see
        width = self._text.content_size.width
        return len(self.decides.wrap(max(width, 1))) if self.decides else 0

    def compose(self) -> list[Static]:
        """The text."""
        return [self._text]

    @property
    def keys(self) -> tuple[tuple[str, str], ...]:
        """Scrolling, while there is something to scroll."""
        return (("↑↓", "scroll"),) if self.max_scroll_y else ()

    def tell(self, text: Content, decides: Content | None = None) -> None:
        """Show another text, from its beginning."""
        self.decides = decides
        self._text.update(text)
        self.forget_seen()
        self.scroll_home(animate=False)
