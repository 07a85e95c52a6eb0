"""Tools, prompts and resources of one server; a search in those of all, the words about each."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical

from elicit_tui.text import neutral_line, quoted
from elicit_tui.tui.console.bars import SearchLine
from elicit_tui.tui.console.place_in_list import PlacedList
from elicit_tui.tui.console.server_words import DESTRUCTIVE, offer_words
from elicit_tui.tui.console.servers import VERBS, Offer, found_by, searched_for
from elicit_tui.tui.console.spans import (
    Line,
    Role,
    Span,
    apart,
    in_columns,
    joined,
    padded,
    shortened,
    shortened_within,
    text_lines,
)
from elicit_tui.tui.console.views import LineView, RowList
from elicit_tui.tui.console.wanted_words import telling_words

if TYPE_CHECKING:
    from elicit_tui.tui.console.controller import Controller
    from elicit_tui.tui.console.servers import ServerRecord

ONLY_TASK = "only as task"
HINT_ROLES: dict[str, Role] = {"destructive": "warn", "read-only": "good", ONLY_TASK: "dim"}
HINT_WIDTH = 14
SUMMARY_LEAST = 39
"""Cells for name and summary; with no more than these the hints give way to the summary."""
TITLE_LEAST = 10
"""Cells; with fewer beside the names, a name stands alone."""
ORDINARY_NAME = 24
LONGEST_NAME = 36
"""Cells; no name that is longer widens the column of all."""
NAME_LEAST = 12
SOME = "none has all of these words"
SIGNS = {"tool": "⚒", "prompt": "❝", "resource": "▤", "template": "▥"}


class OffersBox(Vertical):
    """A search line, the list, and the description of what the cursor is on."""

    app: Controller

    pointed: Callable[[], None] = staticmethod(lambda: None)
    """Called once the cursor is on something else, of whichever server."""

    def __init__(self) -> None:
        super().__init__(id="offers")
        self._record: ServerRecord | None = None
        self._shown: dict[str, Offer] = {}
        self._elsewhere: dict[str, ServerRecord] = {}
        """Of what a search found: the other servers that offer it."""
        self._widths: list[int] = []
        """Cells of each name, in order, searched for or not: no column moves by a search."""
        self._known: Callable[[int], str] = lambda room: ""
        self._ready = False
        self._wanted = ""
        """The part that is to have the keys once it is there."""

    def compose(self) -> ComposeResult:
        """The parts from top to bottom."""
        yield SearchLine("search tools, prompts, resources", id="offer-search")
        yield PlacedList(empty="nothing here matches", verb="Call", id="offer-list")
        yield LineView(id="offer-words")

    def on_mount(self) -> None:
        """Draw what was shown before it was there."""
        self._ready = True
        self._draw_list()
        if self._wanted:
            self.query_one(self._wanted).focus()
            self.app.keys_go_on()

    @property
    def offer(self) -> Offer | None:
        """What the cursor is on."""
        key = self.query_one("#offer-list", RowList).key
        return None if key is None else self._shown.get(key)

    @property
    def record(self) -> ServerRecord | None:
        """Whose it is what the cursor is on."""
        key = self.query_one("#offer-list", RowList).key
        return self._elsewhere.get(key or "", self._record)

    def show(self, record: ServerRecord | None, known: Callable[[int], str]) -> None:
        """Show what this server offers; what is `known` of it stands in the frame."""
        self._known = known
        another = record is not self._record
        if another:
            self.end_search()
        self._record = record
        if self._ready:
            self._draw_list()
            if another:
                self.query_one("#offer-list", RowList).cursor = 0

    @on(SearchLine.Changed, "#offer-search")
    def _searched(self, event: SearchLine.Changed) -> None:
        """Whoever searches wants the first that is found."""
        self._draw_list()
        self.query_one("#offer-list", RowList).cursor = 0
        self.refresh_bindings()

    def _draw_list(self) -> None:
        words = self._search_line.value
        offers = self._record.offers if self._record else ()
        every = [*offers, *(it for record in self._others(words) for it in record.offers)]
        looked_for, least = searched_for(words, every)
        found = list(found_by(words, offers, looked_for, least))
        if not words.strip():
            # Among what was searched for the nearest stands first: Enter goes to it.
            found.sort(key=lambda offer: not self._is_favourite(offer))
        self._shown = {offer.key: offer for offer in found}
        self._elsewhere = {}
        for record, offer in self._found_elsewhere(words, looked_for, least):
            key = f"{record.name} {offer.key}"
            self._shown[key], self._elsewhere[key] = offer, record
        # What has most of the words stands first, whose ever it is.
        wanted = telling_words(words)
        if least < len(wanted):
            nearest = sorted(self._shown.items(), key=lambda shown: -shown[1].has(wanted))
            self._shown = dict(nearest)
        first = next(iter(self._shown.values()), None)
        has_all = first is None or first.has(wanted) == len(wanted)
        self._widths = sorted(cell_len(offer.shown) for offer in offers)
        listing = self.query_one("#offer-list", PlacedList)
        listing.beside = self._known if has_all else lambda room: SOME * (len(SOME) <= room)
        listing.empty = self._no_match if offers else self._nothing
        listing.show(tuple(self._shown), self._row, looked_for)
        self._draw_words()

    def _others(self, words: str) -> list[ServerRecord]:
        """The other servers that are searched as well."""
        every = self.app.state.servers.values() if words.strip() else ()
        return [it for it in every if it is not self._record and it.state == "ready"]

    def _found_elsewhere(
        self, words: str, looked_for: Sequence[str], least: int
    ) -> Iterator[tuple[ServerRecord, Offer]]:
        """Behind what this server has of what is searched for: what the others have."""
        for record in self._others(words):
            for offer in found_by(words, record.offers, looked_for, least):
                yield record, offer

    @property
    def _no_match(self) -> str:
        """That nothing was found, of no server where there are others."""
        others = len(self.app.state.servers) > 1
        return "no tool, prompt or resource matches" if others else "nothing here matches"

    @property
    def _nothing(self) -> str:
        """Why there is nothing to choose from."""
        if self._record is not None and self._record.list_failed:
            return "what it offers could not be read: the activity says why"
        if self._record is None or self._record.offers_read:
            return "this server offers nothing"
        return f"{quoted(self._record.name, 60)} is starting …"

    @on(SearchLine.Submitted, "#offer-search")
    def _found(self, event: SearchLine.Submitted) -> None:
        """Enter goes to the list, to the first that was found; only the next one calls it."""
        listing = self.query_one("#offer-list", RowList)
        if event.value.strip():
            listing.cursor = 0
        listing.focus()

    @on(RowList.Highlighted, "#offer-list")
    def _draw_words(self) -> None:
        words = self.query_one("#offer-words", LineView)
        words.set_class(self.offer is None, "-nothing")
        words.show(self._lines)
        listing, search = self.query_one("#offer-list", RowList), self._search_line
        verb = "Call" if self.offer is None else VERBS[self.offer.kind]
        if self.offer is not None and self._not_callable(self.offer, self.record):
            verb = "Why not"
        searched = "To the list" if self._shown else ""
        if (listing.verb, search.verb) != (verb, searched):
            listing.verb, search.verb = verb, searched
            self.refresh_bindings()
        self.pointed()

    @property
    def _search_line(self) -> SearchLine:
        return self.query_one("#offer-search", SearchLine)

    def _row(self, key: str, width: int) -> list[Line]:
        offer, owner = self._shown[key], self._elsewhere.get(key)
        called = f"{neutral_line(owner.name, 40)}: {offer.shown}" if owner else offer.shown
        hint = next((hint for hint in offer.hints if hint in HINT_ROLES), "")
        if self._not_callable(offer, owner):
            hint = ONLY_TASK
        role = HINT_ROLES.get(hint, "dim")
        hint = DESTRUCTIVE if hint == "destructive" else hint
        sign = "★" if self._is_favourite(offer, owner) else SIGNS[offer.kind]
        name: Line = ((f" {sign} ", "dim"), (called, "strong"))
        mark = (f"{hint} " if hint else " ", role)
        room = width - 4 - HINT_WIDTH
        summary = offer.own_title or in_columns(offer.description.partition("\n")[0])
        if room <= SUMMARY_LEAST:
            return [self._short_row(offer, name, summary, mark, width)]
        # It is called by its name: of a long one the summary leaves over what it can.
        shown = shortened_within(called, room)
        name_width = max(self._column(room), cell_len(shown))
        beside = room - name_width
        said = f"  {summary}" if beside >= TITLE_LEAST else ""
        left: Line = (name[0], (padded(shown, name_width), "strong"))
        if not hint:
            return [(*left, (shortened(said, beside + HINT_WIDTH - 1), "dim"))]
        said = padded(shortened(said, beside - 1), beside)
        return [(*left, (said, "dim"), (hint.rjust(HINT_WIDTH - 1), role))]

    def _column(self, room: int) -> int:
        """Cells for the names, as far as most have them: a name that is longer goes beyond it."""
        ordinary = bisect_right(self._widths, min(LONGEST_NAME, max(ORDINARY_NAME, 2 * room // 5)))
        return max(NAME_LEAST, self._widths[ordinary - 1] if ordinary else 0)

    def _short_row(self, offer: Offer, name: Line, summary: str, mark: Span, width: int) -> Line:
        """What it is called and what it shows; that it destroys is a sign there, words below."""
        room = width - 4 - self._widths[-1] - 2
        if room < TITLE_LEAST or not summary or name[1][0] != offer.shown:
            before, (shown, role) = name
            if offer.destructive and 4 + cell_len(shown) + cell_len(mark[0]) > width:
                mark = ("▲ ", "warn")
            shown = shortened_within(shown, width - 4 - cell_len(mark[0]))
            return apart((before, (shown, role)), (mark,), width)
        sign = "▲ " if offer.destructive else ""
        return (
            name[0],
            (padded(offer.shown, self._widths[-1]), "strong"),
            (f"  {sign}", "warn"),
            (shortened(summary, room - len(sign)), "dim"),
        )

    def _lines(self, width: int) -> list[Line]:
        if self.offer is None:
            return []
        why_not = self._not_callable(self.offer, self.record)
        said = text_lines(why_not, width, "warn") if why_not else []
        return joined([said, offer_words(self.offer, width)])

    def _not_callable(self, offer: Offer, owner: ServerRecord | None) -> str:
        record = owner or self._record
        return record.not_callable(offer) if record is not None else ""

    def _is_favourite(self, offer: Offer, owner: ServerRecord | None = None) -> bool:
        record = owner or self._record
        server = record.name if record is not None else ""
        return (server, offer.key) in self.app.remembered.favourites

    @property
    def at_favourite(self) -> bool:
        """Whether what the cursor is on is one."""
        return self.offer is not None and self._is_favourite(self.offer, self.record)

    def point_at(self, offer: Offer) -> None:
        """Put the cursor on this one, as far as it is listed."""
        self.query_one("#offer-list", RowList).point_at(offer.key)

    def toggle_favourite(self) -> None:
        """Put what the cursor is on to the top from now on, or back to its place."""
        offer, record = self.offer, self.record
        if offer is not None and record is not None:
            self.app.remembered.toggle_favourite(record.name, offer.key)
            key = self.query_one("#offer-list", RowList).key
            self._draw_list()
            self.query_one("#offer-list", RowList).point_at(key or offer.key)

    def search(self) -> None:
        """Put the focus on the search line, as soon as it is there."""
        self._focus("#offer-search")

    @property
    def narrowed(self) -> bool:
        """Whether a search leaves some of them out."""
        # Asked for its keys once more, a box that goes has no line any more.
        return self._ready and any(line.value for line in self.query(SearchLine))

    @property
    def finds_nothing(self) -> bool:
        """Whether a search has found nothing."""
        return self.narrowed and self.offer is None

    def end_search(self) -> None:
        """Show all of them again; the cursor stays on what was found of this server."""
        if self.narrowed:
            search = self.query_one("#offer-search", SearchLine)
            with search.prevent(SearchLine.Changed):
                search.value = ""
            self._draw_list()

    @on(SearchLine.Left, "#offer-search")
    def _left(self, event: SearchLine.Left) -> None:
        """Down goes on from the row that Enter would take."""
        self.take_focus()
        if event.down:
            self.query_one("#offer-list", RowList).action_move(1)

    def take_focus(self) -> None:
        """Put the focus on the list, as soon as it is there."""
        self._focus("#offer-list")

    def _focus(self, part: str) -> None:
        if self._ready:
            self.screen.set_focus(self.query_one(part))
        else:
            self._wanted = part
            self.app.hold_keys()

    @on(RowList.Chosen, "#offer-list")
    def call(self, event: RowList.Chosen) -> None:
        """Call what was chosen; its arguments are asked first. A search stays."""
        offer = self._shown.get(event.key)
        record = self._elsewhere.get(event.key, self._record)
        if record is not None and offer is not None:
            self.app.call_offer(record.name, offer)
        else:
            self.app.notify("It is no longer offered.", markup=False)
