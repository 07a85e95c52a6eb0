"""What was asked and called, and how it ended: also of earlier runs."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, ClassVar

from rich.cells import cell_len
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from elicit_tui.errors import LedgerError
from elicit_tui.paths import ledger_file
from elicit_tui.text import local_time, neutral_line
from elicit_tui.tui.console.bars import ClickBar, Part, SearchLine
from elicit_tui.tui.console.history_entries import AskedEntry, CalledEntry, HistoryEntry, in_turn
from elicit_tui.tui.console.panels.pane import SearchedPane
from elicit_tui.tui.console.place_in_list import PlacedList
from elicit_tui.tui.console.results import at_home
from elicit_tui.tui.console.spans import Line, apart, padded, shortened, text_of
from elicit_tui.tui.console.state import ConsoleState
from elicit_tui.tui.console.views import RowList
from elicit_tui.tui.console.wanted_words import has_all, wanted_words

if TYPE_CHECKING:
    from elicit_tui.ledger.rows import Row

KEPT_ROWS = 2_000
DAYS = 90
READ_SECONDS = 1.0
"""The ledger is read at most this often by itself."""
ROWS_AT_ONCE = 50
SHORT = 70
NOTHING_YET = "Nothing has been asked or called yet."
NOTHING_FOUND = "Nothing matches. Secrets are not searched."
SERVER_MOST = 20
"""Cells of the column of the servers' names; a longer name is cut."""


class HistoryPane(SearchedPane):
    """The newest rows first; Enter shows one whole."""

    searched_as = "history"
    lists_calls = True

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("u", "refresh", "Refresh", id="history.read"),
        Binding("slash", "search", "Search", key_display="/", id="history.search"),
    ]

    def __init__(self, state: ConsoleState) -> None:
        super().__init__(state, id="history-pane")
        self._asked: list[AskedEntry] = []
        """What the ledger has, the newest first."""
        self._entries: dict[str, HistoryEntry] = {}
        self._called: object = None
        """The calls that are listed, and how they stand."""
        self._server_width = 0
        self._seconds = False
        """Whether times have seconds: the same was asked twice in a minute."""
        self._read_at = -1
        self._not_before = 0.0
        self._will_read = False
        self._why_empty = NOTHING_YET

    def compose(self) -> ComposeResult:
        """The search and the rows."""
        with Vertical(classes="box") as box:
            box.border_title = "History"
            yield SearchLine("search", verb="To the list", id="history-search")
            yield ClickBar(id="history-head", classes="heading")
            rows = PlacedList(verb="Look", follow=True, id="history-rows")
            rows.add_class("first")
            yield rows

    def on_resize(self) -> None:
        """Where it is narrow a row has two lines."""
        if self._entries:
            self._draw_rows()

    def draw(self) -> None:
        """Read the ledger again once more questions have ended, a while after the last time."""
        if not self.ready:
            return
        if self._calls_now != self._called:
            self._list()
        if self.state.ended == self._read_at:
            return
        wait = self._not_before - time.monotonic()
        if wait > 0:
            if not self._will_read:
                self._will_read = True
                self.set_timer(wait, self._read_late)
            return
        self._read_at = self.state.ended
        self._not_before = time.monotonic() + READ_SECONDS
        self.action_read()

    def _read_late(self) -> None:
        """What ended right behind the last reading; nothing else may come to draw it."""
        self._will_read = False
        self.draw()

    def opened(self) -> None:
        """Read the ledger when it is looked at, and have the calls of earlier runs."""
        self.have_earlier_calls()
        self.action_read()

    def action_read(self) -> None:
        """Read the ledger; long ones in pieces, so that the keys stay quick."""
        if self.ready and self.app.runtime is not None:
            self._read()

    @property
    def _nothing_yet(self) -> str:
        """That nothing is recorded yet, what comes to be, and where it is kept."""
        place = neutral_line(at_home(ledger_file(self.state.settings.history.path)), 300)
        servers = self.app.key_of("pane.servers")
        return (
            f"{NOTHING_YET} What you call stands here, and what a server asks once it has ended, "
            f"which is kept in {place}. {servers} leads to the servers and their tools."
        )

    def action_refresh(self) -> None:
        """Read the ledger, and say that it was read."""
        self.opened()
        self.app.notify("The history is read again.", markup=False)

    @work(exclusive=True)
    async def _read(self) -> None:
        assert self.app.runtime is not None
        ledger = self.app.runtime.ledger
        newest: deque[Row] = deque(maxlen=KEPT_ROWS)
        self._why_empty = self._nothing_yet
        try:
            since = datetime.now(timezone.utc) - timedelta(days=DAYS)
            rows = _rows_of(ledger, since)
            for number, row in enumerate(rows):
                newest.append(row)
                if number % ROWS_AT_ONCE == 0:
                    await asyncio.sleep(0)
        except LedgerError as error:
            self._why_empty = f"The ledger cannot be read: {neutral_line(str(error), 300)}"
        called_now = self.app.remembered.called_now
        self._asked = [
            AskedEntry(row, called_now(row.server, row.asked_at or "")) for row in reversed(newest)
        ]
        self._list()

    @property
    def _calls_now(self) -> object:
        calls = self.state.calls
        return [(each.call.id, each.standing, each.result is None) for each in calls]

    def _list(self) -> None:
        """What was asked and what was called, each in its turn."""
        self._called = self._calls_now
        entries = in_turn(self._asked, self.state.calls)
        self._entries = {entry.key: entry for entry in entries}
        self._draw_rows()

    @on(SearchLine.Changed, "#history-search")
    def _searched(self) -> None:
        """List what is found, or all of it again: then the cursor stays on what was found."""
        rows = self.query_one("#history-rows", PlacedList)
        found = rows.key
        self._draw_rows()
        if found is not None and not self.search.value:
            rows.point_at(found)

    def _draw_rows(self) -> None:
        words = wanted_words(self.search.value)
        keys = [
            key
            for key, entry in self._entries.items()
            if not words or has_all(words, entry.searched)
        ]
        rows = self.query_one("#history-rows", PlacedList)
        rows.row_height = 2 if self.stacked else 1
        rows.empty = NOTHING_FOUND if self._entries else self._why_empty
        listed = [self._entries[key] for key in keys]
        alike = Counter((local_time(each.at), each.server, each.words) for each in listed)
        self._seconds = max(alike.values(), default=0) > 1
        names = {"server", *(each.server for each in listed)}
        self._server_width = min(SERVER_MOST, max(map(cell_len, names)))
        rows.show(keys, self._row, words)
        self.search.verb = "To the list" if keys else ""
        self.refresh_bindings()
        head = self.query_one("#history-head", ClickBar)
        head.display = bool(keys) and not self.stacked
        when = "when".ljust(len(_moment("2026-11-22 09:30", self.size.width)) + 3 * self._seconds)
        server = padded("server", self._server_width)
        what = "question, or call" if self.size.width >= SHORT else "what"
        asked: Line = ((f" {when}   {server}  {what}", "dim"),)
        head.show([Part(asked)], [Part((("ended, decided by ", "dim"),))])

    def _row(self, key: str, width: int) -> list[Line]:
        entry = self._entries[key]
        when = _moment(local_time(entry.at, seconds=self._seconds), width)
        sign, ended, role = entry.end
        if self.stacked:
            left: Line = ((f" {sign} ", role), (entry.server, "strong"))
            ended = shortened(ended, width * 2 // 3)
            first = apart(left, ((f"{ended} ", "dim"),), width)
            said = entry.told(width - 5 - len(when))
            return [first, ((f"   {when} ", "dim"), (said, "plain"))]
        server = padded(entry.server, self._server_width)
        head: Line = ((f" {when} ", "dim"), (f"{sign} ", role), (f"{server}  ", "plain"))
        # However much is said of its end, what it was is told too.
        ended = shortened(ended, (width - cell_len(text_of(head))) * 2 // 3)
        said = entry.told(width - cell_len(f"{text_of(head)} {ended} ") - 1)
        return [apart((*head, (said, "plain")), ((f" {ended} ", "dim"),), width)]

    @on(RowList.Chosen, "#history-rows")
    async def _look(self, event: RowList.Chosen) -> None:
        """A question is shown whole; a call is under Calls."""
        from elicit_tui.tui.console.screens.records import RecordScreen

        entry = self._entries.get(event.key)
        if isinstance(entry, CalledEntry):
            self.app.point_at_call(entry.record.call.id)
            await self.app.show_pane("calls")
        elif entry is not None:
            self.app.push_screen(RecordScreen(entry.row, entry.server))

    def action_step(self, by: int) -> None:
        """Point at the next that was found, or the one before."""
        self.query_one("#history-rows", RowList).action_move(by)

    @on(SearchLine.Submitted, "#history-search")
    def _found(self, event: SearchLine.Submitted) -> None:
        """Enter goes to the list, to the first that was found; the next one looks at it."""
        if event.value.strip():
            self.query_one("#history-rows", RowList).cursor = 0
        self._to_rows()

    @on(SearchLine.Left, "#history-search")
    def _to_rows(self) -> None:
        self.query_one("#history-rows").focus()


def _moment(when: str, width: int) -> str:
    """A local time as there is room for it: without the year in a narrow row."""
    return when[5:] if width < SHORT else when


def _rows_of(ledger: Any, since: datetime) -> Iterator[Row]:
    """The rows; a ledger that could not be opened has none, and says why."""
    if not hasattr(ledger, "rows"):
        raise LedgerError(str(getattr(ledger, "reason", "it is not open")))
    rows: Iterator[Row] = ledger.rows(since=since)
    return rows
