"""What was asked and how it ended, from the ledger: also of earlier runs."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, ClassVar

from rich.cells import cell_len
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from elicit_tui.elicitation.finding import MASK, Review
from elicit_tui.elicitation.keeping import kept_arguments
from elicit_tui.elicitation.outcome import SIGNS
from elicit_tui.errors import LedgerError
from elicit_tui.paths import ledger_file
from elicit_tui.text import local_time, neutral_line, quoted, readable_json
from elicit_tui.tui.console.bars import ClickBar, Part, SearchLine
from elicit_tui.tui.console.outcome_words import ROLES, ending
from elicit_tui.tui.console.panels.pane import SearchedPane
from elicit_tui.tui.console.place_in_list import PlacedList
from elicit_tui.tui.console.results import at_home
from elicit_tui.tui.console.spans import Line, apart, padded, shortened
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
NOTHING_YET = "No question has been recorded yet."
NOTHING_FOUND = "Nothing matches. Secrets are not searched."
SEARCHED_CHARACTERS = 4_000
"""Of an answer; what is longer is no answer that one searches for."""
SERVER_MOST = 20
"""Cells of the column of the servers' names; a longer name is cut."""


class HistoryPane(SearchedPane):
    """The newest rows first; Enter shows one whole."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("u", "refresh", "Refresh", id="history.read"),
        Binding("slash", "search", "Search", key_display="/", id="history.search"),
    ]

    def __init__(self, state: ConsoleState) -> None:
        super().__init__(state, id="history-pane")
        self._rows: dict[str, Row] = {}
        self._texts: dict[str, str] = {}
        """What is searched of each row, once it was."""
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
        if self._rows:
            self._draw_rows()

    def draw(self) -> None:
        """Read the ledger again once more questions have ended, a while after the last time."""
        if not self.ready or self.state.ended == self._read_at:
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
        """Read the ledger when it is looked at."""
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
            f"{NOTHING_YET} What a server asks stands here once it has ended, and is kept in "
            f"{place}. {servers} leads to the servers, whose tools ask."
        )

    def action_refresh(self) -> None:
        """Read the ledger, and say that it was read."""
        self.action_read()
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
        self._rows = {row.id: row for row in reversed(newest)}
        self._texts = {}
        self._draw_rows()

    @on(SearchLine.Changed, "#history-search")
    def _draw_rows(self) -> None:
        words = wanted_words(self.search.value)
        keys = [key for key in self._rows if not words or has_all(words, self._searched(key))]
        rows = self.query_one("#history-rows", RowList)
        rows.row_height = 2 if self.stacked else 1
        rows.empty = NOTHING_FOUND if self._rows else self._why_empty
        listed = [self._rows[key] for key in keys]
        alike = Counter((local_time(row.asked_at), row.server, row.message) for row in listed)
        self._seconds = max(alike.values(), default=0) > 1
        names = {"server", *(row.server for row in listed)}
        self._server_width = min(SERVER_MOST, max(map(cell_len, names)))
        rows.show(keys, self._row)
        self.search.verb = "To the list" if keys else ""
        self.refresh_bindings()
        head = self.query_one("#history-head", ClickBar)
        head.display = bool(keys) and not self.stacked
        when = "when".ljust(len(_moment("2026-11-22 09:30", self.size.width)) + 3 * self._seconds)
        asked: Line = ((f" {when}   {padded('server', self._server_width)}  question", "dim"),)
        head.show([Part(asked)], [Part((("ended, decided by ", "dim"),))])

    def _searched(self, key: str) -> str:
        if key not in self._texts:
            self._texts[key] = _searched(self._rows[key])
        return self._texts[key]

    def _row(self, key: str, width: int) -> list[Line]:
        row = self._rows[key]
        when = _moment(local_time(row.asked_at, seconds=self._seconds), width)
        sign, role = SIGNS.get(row.action, "–"), ROLES.get(row.action, "dim")
        ended = ending(row)
        message = quoted(row.message, 300) if row.message else ""
        if self.stacked:
            left: Line = ((f" {sign} ", role), (row.server, "strong"))
            first = apart(left, ((f"{ended} ", "dim"),), width)
            asked = shortened(message, width - 5 - len(when))
            return [first, ((f"   {when} ", "dim"), (asked, "plain"))]
        server = padded(row.server, self._server_width)
        left = ((f" {when} ", "dim"), (f"{sign} ", role), (f"{server}  {message}", "plain"))
        return [apart(left, ((f" {ended} ", "dim"),), width)]

    @on(RowList.Chosen, "#history-rows")
    def _look(self, event: RowList.Chosen) -> None:
        from elicit_tui.tui.console.screens.records import RecordScreen

        row = self._rows.get(event.key)
        if row is not None:
            self.app.push_screen(RecordScreen(row))

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


def _answered(row: Row) -> str:
    """What was sent for a question, or with what a tool was to be called; no secrets of it.

    The record of an owner who keeps all of it has them too.
    """
    found = [*row.findings, *row.details.get("outgoing", ())]
    places = [str(finding.get("where", "")) for finding in found if isinstance(finding, Mapping)]
    told = (
        kept_arguments(given, Review(), "redacted") or {}
        for given in (row.content, row.details.get("arguments"))
        if isinstance(given, Mapping)
    )
    values = [
        value
        for given in told
        for name, value in given.items()
        if value != MASK and not any(name in place.split(".") for place in places)
    ]
    return readable_json(values, indent=None)[:SEARCHED_CHARACTERS] if values else ""


def _searched(row: Row) -> str:
    """What its line says, the words that the ledger has for it, and what was answered."""
    said = (local_time(row.asked_at), ending(row), _answered(row))
    note = row.details.get("note")
    parts = (row.server, row.tool, row.message, row.action, row.decided_by, note, *said)
    return " ".join(str(part) for part in parts if part).casefold()
