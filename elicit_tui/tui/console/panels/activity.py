"""What happened in this run."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from elicit_tui.tui.console.line_view import LineView
from elicit_tui.tui.console.panels.pane import Pane
from elicit_tui.tui.console.search_line import SearchLine
from elicit_tui.tui.console.spans import Line
from elicit_tui.tui.console.state import ConsoleState


class ActivityPane(Pane):
    """The newest lines, following the end until one scrolls up; a search above them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", "Search", key_display="/", id="activity.search"),
    ]

    def __init__(self, state: ConsoleState) -> None:
        super().__init__(state, id="activity-pane")

    def compose(self) -> ComposeResult:
        """The search and the lines."""
        with Vertical(classes="box") as box:
            box.border_title = "Activity of this run"
            yield SearchLine("search", verb="To the lines", id="activity-search")
            lines = LineView(follow=True, id="activity-lines")
            lines.add_class("first")
            yield lines

    @on(SearchLine.Changed, "#activity-search")
    def draw(self) -> None:
        """The lines that match the search."""
        if self.ready:
            self.query_one("#activity-lines", LineView).show(self._lines, keep_place=True)

    def _lines(self, width: int) -> list[Line]:
        activity = self.state.activity
        words = self.query_one("#activity-search", SearchLine).value
        found = activity.matching(words)
        shown = [part for each in found for part in each.drawn(width, activity.names)]
        if not shown:
            return [((("Nothing matches." if words else "Nothing has happened yet."), "dim"),)]
        if activity.let_go and not words:
            shown.insert(0, ((f"{activity.let_go:,} older lines are not kept", "dim"),))
        return shown

    def action_search(self) -> None:
        """Put the focus on the search line."""
        self.query_one("#activity-search").focus()

    @on(SearchLine.Submitted, "#activity-search")
    @on(SearchLine.Left, "#activity-search")
    def _to_lines(self) -> None:
        self.query_one("#activity-lines").focus()
