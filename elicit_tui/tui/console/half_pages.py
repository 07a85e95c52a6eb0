"""Half a page and a line up or down, by the keys of vim and less."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widget import Widget


class HalfPages(Widget):
    """Text that scrolls by them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+d", "half_page(1)", "Half a page down", show=False),
        Binding("ctrl+u", "half_page(-1)", "Half a page up", show=False),
        Binding("ctrl+e", "scroll_by(1)", "A line down", show=False),
        Binding("ctrl+y", "scroll_by(-1)", "A line up", show=False),
    ]

    def action_half_page(self, by: int) -> None:
        """Go on by half of what is in sight."""
        self.go_on_by(by * max(1, self.size.height // 2))

    def go_on_by(self, lines: int) -> None:
        """Go on by so many lines."""
        self.action_scroll_by(lines)

    def action_scroll_by(self, lines: int) -> None:
        """Bring so many more lines into sight; a cursor stays where it is."""
        self.scroll_to(y=self.scroll_y + lines, animate=False)


class HalfPagesOfRows(HalfPages):
    """Rows with a cursor, which half a page leads."""

    @abstractmethod
    def action_cursor_down(self) -> None:
        """Go to the next row."""

    @abstractmethod
    def action_cursor_up(self) -> None:
        """Go to the row before."""

    def go_on_by(self, lines: int) -> None:
        """What is in sight and the cursor go on by so many rows."""
        top = self.scroll_y + lines
        for _ in range(abs(lines)):
            (self.action_cursor_down if lines > 0 else self.action_cursor_up)()
        self.scroll_to(y=top, animate=False, immediate=True)
