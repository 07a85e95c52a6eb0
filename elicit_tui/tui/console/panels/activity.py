"""What happened in this run, line by line: one is pointed at, read on, and copied."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import ClassVar, Final

from rich.segment import Segment
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from elicit_tui.errors import LedgerError
from elicit_tui.text import neutral
from elicit_tui.tui.console.activity import About, Happening
from elicit_tui.tui.console.bars import SearchLine
from elicit_tui.tui.console.panels.pane import SearchedPane
from elicit_tui.tui.console.spans import Line, marked, pattern_of
from elicit_tui.tui.console.state import ConsoleState
from elicit_tui.tui.console.taking import copy_text
from elicit_tui.tui.console.views import LineView, with_pointer
from elicit_tui.tui.console.wanted_words import wanted_words
from elicit_tui.tui.textual_terminal import write_subtitle

LEADS_TO: Final = {"call": "Its call", "question": "Its record", "server": "Its server"}
"""What Enter shows, by what a line is about."""


class Happenings(LineView):
    """The lines, of which one is pointed at: the last one, until one goes to another."""

    DEFAULT_CSS = """
    Happenings { padding: 0; }
    """

    class Pointed(Message):
        """Another one is pointed at."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(follow=True, id=id)
        self._shown: Sequence[Happening] = ()
        self._begins: Sequence[int] = ()
        """In which row each of them begins."""
        self.pointed: Happening | None = None

    def show_those(self, shown: Sequence[Happening], names: int, words: Sequence[str]) -> None:
        """Draw these; `names`: cells for whose they are, `words`: what stands out in them."""
        is_last = not self._shown or self.pointed is self._shown[-1]
        self._shown = shown
        if is_last or not any(each is self.pointed for each in shown):
            self.pointed = shown[-1] if shown else None
        pattern = pattern_of(*words) if words else None

        def rows(width: int) -> Sequence[Line]:
            lines: list[Line] = []
            begins = []
            for each in shown:
                begins.append(len(lines))
                drawn = (marked(line, pattern) for line in each.drawn(width - 1, names))
                lines.extend(((" ", "plain"), *line) for line in drawn)
            self._begins = begins
            nothing = " Nothing matches." if words else " Nothing has happened yet."
            return lines or [((nothing, "dim"),)]

        self.show(rows, keep_place=True)

    @property
    def number(self) -> int:
        """The place of the one that is pointed at, among those that are shown."""
        return next((n for n, each in enumerate(self._shown) if each is self.pointed), 0)

    @property
    def count(self) -> int:
        """How many are shown."""
        return len(self._shown)

    def _rows_of(self, number: int) -> range:
        if number >= len(self._begins):
            return range(0)  # It is not laid out yet.
        ends = (*self._begins[1:], len(self._lines))
        return range(self._begins[number], ends[number])

    def point(self, number: int) -> None:
        """Point at another one, which comes into sight."""
        if not self._begins:
            return
        number = max(0, min(len(self._shown) - 1, number))
        self.pointed = self._shown[number]
        rows = self._rows_of(number)
        region = Region(0, rows.start, 1, len(rows))
        self.scroll_to_region(region, animate=False, immediate=True, force=True, x_axis=False)
        self._sticks = number == len(self._shown) - 1
        self.refresh()
        self.post_message(self.Pointed())

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Whoever points at an earlier line does not follow the end."""
        super().watch_scroll_y(old_value, new_value)
        self._sticks = self._sticks and bool(self._shown) and self.pointed is self._shown[-1]

    def render_line(self, y: int) -> Strip:
        """One line of what is seen; those of the one that is pointed at are set off."""
        row = y + self.scroll_offset.y
        strip = super().render_line(y)
        if self.pointed is None or row not in self._rows_of(self.number):
            return strip
        over = Segment.apply_style(strip, None, self.cursor_style)
        return Strip(over, strip.cell_length)

    def line_at(self, number: int) -> Line:
        """A line as it is drawn: a bar marks the one that is pointed at without colours too."""
        line = super().line_at(number)
        is_pointed = self.pointed is not None and number in self._rows_of(self.number)
        return with_pointer(line, self.has_focus) if is_pointed else line

    def action_scroll_up(self) -> None:
        """Point at the line before."""
        self.point(self.number - 1)

    def action_scroll_down(self) -> None:
        """Point at the next line."""
        self.point(self.number + 1)

    def action_page_up(self) -> None:
        """Point a screen further up."""
        self._by_rows(-self.size.height)

    def action_page_down(self) -> None:
        """Point a screen further down."""
        self._by_rows(self.size.height)

    def _by_rows(self, rows: int) -> None:
        if self._begins:
            begins = self._rows_of(self.number).start
            self.point(bisect_right(self._begins, max(0, begins + rows)) - 1)

    def action_scroll_home(self) -> None:
        """Point at the first line."""
        self.point(0)

    def action_scroll_end(self) -> None:
        """Point at the last line."""
        self.point(len(self._shown) - 1)

    def on_click(self, event: events.Click) -> None:
        """A click points; a second one on the same line opens what it is about."""
        inside = event.get_content_offset(self)
        if inside is None or not self._begins:
            return
        self.point(bisect_right(self._begins, inside.y + self.scroll_offset.y) - 1)
        if event.chain > 1:
            self.app.call_later(self.app.run_action, "open", self.parent)


class ActivityPane(SearchedPane):
    """The newest lines, following the end until one goes up; a search above them."""

    searched_as = "activity"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "Open", id="activity.open"),
        Binding("c", "copy", "Copy line", id="activity.copy"),
        Binding("slash", "search", "Search", key_display="/", id="activity.search"),
    ]

    def __init__(self, state: ConsoleState) -> None:
        super().__init__(state, id="activity-pane")

    def compose(self) -> ComposeResult:
        """The search and the lines."""
        with Vertical(classes="box") as box:
            box.border_title = "Activity of this run"
            yield SearchLine("search", verb="To the lines", id="activity-search")
            lines = Happenings(id="activity-lines")
            lines.add_class("first")
            yield lines

    @property
    def lines(self) -> Happenings:
        """What is listed."""
        return self.query_one("#activity-lines", Happenings)

    @on(SearchLine.Changed, "#activity-search")
    def draw(self) -> None:
        """The lines that match the search."""
        if self.ready:
            activity, words = self.state.activity, wanted_words(self.search.value)
            self.lines.show_those(activity.matching(words), activity.names, words)
            self._name_place()

    def on_resize(self) -> None:
        """Once its lines are laid out it is known how much of them is in sight."""
        self.call_after_refresh(self._name_place)

    @on(Happenings.Pointed)
    def _name_place(self) -> None:
        if not self.is_attached:
            return
        lines, searches = self.lines, bool(self.search.value.strip())
        number, count = lines.number + 1, lines.count
        place = f"end of {count:,} lines" if number == count else f"line {number:,} of {count:,}"
        found = f"{count:,} found" if searches else ""
        let_go = self.state.activity.let_go
        older = f"{let_go:,} older lines are not kept" if let_go and not searches else ""
        shown = place if lines.max_scroll_y else ""
        words = " · ".join(filter(None, (found, older, shown)))
        write_subtitle(self.query_one(".box", Vertical), words)
        self.refresh_bindings()

    @property
    def _about(self) -> About | None:
        """What the line is about that is pointed at; None where that cannot be shown here."""
        line = self.lines.pointed if self.ready else None
        if line is None:
            return None
        about = line.about or ("server", line.server)
        known = {
            "call": self.app.has_pane("calls") and self.state.calls.get(about[1]) is not None,
            "question": True,
            "server": self.app.has_pane("servers") and about[1] in self.state.servers,
        }
        return about if known[about[0]] else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A line may be about nothing that can be shown."""
        if action == "open":
            return self._about is not None
        if action == "copy":
            return self.ready and self.lines.pointed is not None
        return super().check_action(action, parameters)

    def why_not(self, action: str) -> str:
        """There may be no line, or none that leads anywhere."""
        if action == "open":
            return "This line is about no call, question or server that is listed here."
        return "There is no line here." if action == "copy" else super().why_not(action)

    def worded(self, action: str) -> str | None:
        """Where Enter leads."""
        about = self._about if action == "open" else None
        return LEADS_TO[about[0]] if about is not None else super().worded(action)

    async def action_open(self) -> None:
        """Show the call, the record of the question or the server that the line is about."""
        kind, which = self._about or ("", "")
        if kind == "question":
            self._open_record(which)
        elif kind == "server":
            self.state.pointed_server = which
            await self.app.show_pane("servers")
            self.state.changed()
        elif kind == "call":
            self.app.point_at_call(which)
            await self.app.show_pane("calls")

    def _open_record(self, question: str) -> None:
        from elicit_tui.ledger import Ledger
        from elicit_tui.tui.console.screens.records import RecordScreen

        ledger = self.app.runtime.ledger if self.app.runtime is not None else None
        if not isinstance(ledger, Ledger):
            self.app.notify("The ledger is not open.", severity="warning", markup=False)
            return
        try:
            row = ledger.row(question)
            now = self.app.remembered.called_now(row.server, row.asked_at or "")
            self.app.push_screen(RecordScreen(row, now))
        except LedgerError as error:
            self.app.notify(neutral(str(error), 400), severity="warning", markup=False)

    def action_copy(self) -> None:
        """Copy the line that is pointed at."""
        if (line := self.lines.pointed) is not None:
            copy_text(self.app, line.words, "The line")

    def action_step(self, by: int) -> None:
        """Point at the next line, or the one before."""
        self.lines.point(self.lines.number + by)

    @on(SearchLine.Submitted, "#activity-search")
    @on(SearchLine.Left, "#activity-search")
    def _to_lines(self) -> None:
        self.lines.focus()
