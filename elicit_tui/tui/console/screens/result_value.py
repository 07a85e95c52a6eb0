"""One value of a result, read whole; the rows of a table one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from elicit_tui.text import neutral_line
from elicit_tui.text.hostile_json import bounded_json
from elicit_tui.tui.console.dialog import TextDialog
from elicit_tui.tui.console.result_table import ResultTable
from elicit_tui.tui.console.screens.searched_text import SearchedText
from elicit_tui.tui.console.spans import Line, readable, text_lines
from elicit_tui.tui.console.taking import copy_json
from elicit_tui.tui.console.views import LineView

if TYPE_CHECKING:
    from elicit_tui.tui.console.controller import Controller


class ValueScreen(SearchedText):
    """One value of a result, whole."""

    def __init__(self, title: str, value: Any) -> None:
        super().__init__(neutral_line(title, 60))
        text = value if isinstance(value, str) else bounded_json(value)
        self._text = readable(text)

    def lines(self, width: int) -> list[Line]:
        """The text, or the JSON."""
        return text_lines(self._text, width)


def copy_row(app: Controller, table: ResultTable) -> None:
    """Copy the row that the cursor of a table is in, as JSON."""
    copy_json(app, dict(table.row), f"Row {table.number_in_all + 1:,}, as JSON")


class RowLines(LineView):
    """A row of a table; the arrow keys go to the next one, those of a page scroll."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "screen.step(1)", "Next row", id="row.next"),
        Binding("up,k", "screen.step(-1)", "Previous row", id="row.previous"),
        Binding("c,y", "screen.copy", "Copy row", key_display="c", id="row.copy"),
    ]


class RowScreen(TextDialog):
    """The row that the cursor of a table is in, whole; the cursor goes along."""

    def __init__(self, table: ResultTable) -> None:
        super().__init__(f"row {table.place}")
        self._table = table

    def body(self) -> ComposeResult:
        """The row alone."""
        yield RowLines(id="words")

    def lines(self, width: int) -> list[Line]:
        """Its JSON."""
        return text_lines(readable(bounded_json(dict(self._table.row))), width)

    def action_copy(self) -> None:
        """Copy the row."""
        copy_row(self.app, self._table)

    def action_step(self, by: int) -> None:
        """Show the next row, or the one before."""
        following = self._table.number + by
        if 0 <= following < self._table.count:
            self._table.go_to(following)
            self.query_one(".dialog").border_title = f"row {self._table.place}"
            view = self.query_one(RowLines)
            view.show(self.lines)
            view.refresh(layout=True)
