"""The calls, of other runs too: running ones with their progress, ended ones with their result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from rich.cells import cell_len
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from elicit_tui.text import quoted
from elicit_tui.tui.console.bars import SearchLine, keys_in_frame
from elicit_tui.tui.console.call_telling import CallTelling
from elicit_tui.tui.console.call_words import (
    SEARCHED_CHARACTERS,
    TITLE_CELLS,
    called_name,
    search_words,
)
from elicit_tui.tui.console.calls import CallRecord
from elicit_tui.tui.console.found_lines import FoundLines
from elicit_tui.tui.console.panels.chosen_call import ChosenCall
from elicit_tui.tui.console.place_in_list import PlacedList
from elicit_tui.tui.console.result_links import links_of, why_no_link
from elicit_tui.tui.console.spans import Line, text_lines
from elicit_tui.tui.console.state import ConsoleState
from elicit_tui.tui.console.taking import copy_result
from elicit_tui.tui.console.views import RowList
from elicit_tui.tui.console.wanted_words import has_all, wanted_words
from elicit_tui.tui.textual_terminal import write_subtitle

FILTERS: Final = ("", "failed", "cancelled or refused", "running", "done")
"""Which calls are listed, in the order in which the key goes through them; empty: all."""
IN_FRAME: Final = {
    "keep": ("calls.keep", "Keep call"),
    "copy_command": ("calls.copy_command", "Copy command"),
    "save": ("calls.save", "Save result"),
    "note": ("calls.note", "Note"),
    "copy_json": ("calls.copy_json", "Copy JSON"),
}
"""What is taken along of a call: the frame around it names the keys, as far as it has room."""
AIR: Final = 2
"""Cells between two keys that a frame names."""
CORNERS: Final = 4
"""Cells of the frame that its words do not have."""
ACTIONS: Final = frozenset(
    {*IN_FRAME, *"to_found list read cancel again remove restart turn whole copy open_link".split()}
)
"""Those that are of the call under the cursor."""


def _fits(keys: Sequence[str], room: int) -> bool:
    """Between two of them, and around both, there is air."""
    return sum(cell_len(key) + AIR for key in keys) <= room


class CallsPane(ChosenCall):
    """The list of calls, and beside it the chosen one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "end_search", "All calls", key_display="Esc"),
        Binding("n", "to_found", "To what is found", id="calls.found"),  # As in a pager.
        Binding("left,h", "end_search", "", show=False),
        Binding("escape,left,h", "list", "Calls", key_display="Esc", id="calls.list"),
        Binding("right,l", "read", "Read", show=False, id="calls.read"),
        Binding("x", "cancel", "Cancel call", id="calls.cancel"),
        Binding("z", "whole", "Whole", id="calls.whole"),
        Binding("a", "again", "Again", id="calls.again"),
        Binding("r", "restart", "Start server", id="calls.restart"),
        Binding("o,enter", "open_link", "Link", key_display="o", id="calls.open_link"),
        Binding("d", "difference", "Compare", id="calls.difference"),
        Binding("c", "copy", "Copy", id="calls.copy"),
        Binding("slash", "search", "Search calls", key_display="/", id="calls.search"),
        Binding("t", "turn", "Text/JSON", id="calls.turn"),
        Binding("s", "save", "Save result", show=False, id="calls.save"),
        Binding("enter", "whole", "Whole", show=False),  # Where there is no link.
        Binding("f", "filter", "Filter", id="calls.filter"),
        Binding("w", "keep", "Keep call", show=False, id="calls.keep"),
        Binding("W", "kept", "Calls kept in files", show=False, id="calls.kept"),
        Binding("n", "note", "Note", show=False, id="calls.note"),
        Binding("y", "copy_json", "Copy JSON", show=False, id="calls.copy_json"),
        Binding("e", "copy_command", "Copy command", show=False, id="calls.copy_command"),
        Binding("escape,left,h", "came_from", "Back", key_display="Esc", id="calls.back"),
    ]

    named_last = frozenset({"came_from"})
    """The actions whose keys the bar names behind those of the call."""

    def __init__(self, state: ConsoleState) -> None:
        super().__init__(state, id="calls-pane")
        self._as_json: set[str] = set()
        """The calls whose results are shown as JSON."""
        self._filter = ""
        self._keys_for: object = None
        self._told = ""
        """The call that is told of beside the list, by its id."""
        self._brought = "", ""
        """The call in which what was searched for was brought into sight, and these words."""
        self._telling = CallTelling(state, self.app)

    def on_mount(self) -> None:
        """Have the calls of earlier runs, then draw."""
        self.have_earlier_calls()
        super().on_mount()

    def compose(self) -> ComposeResult:
        """The search, the list and the chosen call."""
        search = SearchLine("search", id="call-search")
        search.display = False
        yield search
        calls = PlacedList(row_height=2, verb="Read", follow=True, id="call-list")
        calls.add_class("box", "first")
        calls.border_title = "Calls"
        yield calls
        detail = FoundLines(id="call-detail")
        detail.add_class("box")
        yield detail

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """In a low and narrow window the half with the keys has the room."""
        self.set_class(event.widget.id == "call-detail", "-within")
        self._draw_detail()

    @property
    def record(self) -> CallRecord | None:
        """The call under the cursor."""
        return self.state.calls.get(self.query_one("#call-list", RowList).key)

    @property
    def _nothing(self) -> str:
        """Where the list would be."""
        if self._search.value and len(self.state.calls):
            searched_of_each = f"{SEARCHED_CHARACTERS:,} characters"
            return f"Nothing matches. The first {searched_of_each} of each result are searched."
        if self._filter and len(self.state.calls):
            return f"No call is {self._filter}. {self.app.key_of('calls.filter')} goes on."
        return f"No call yet. Choose a tool of a server ({self.app.key_of('pane.servers')})."

    def action_filter(self) -> None:
        """List the calls of the next state that some are in; after the last one all of them."""
        if not self._filter_ways:
            self.app.notify("All calls are alike: there is nothing to filter.", markup=False)
        self._filter = self._next_filter
        self.draw()
        self.refresh_bindings()

    @property
    def _next_filter(self) -> str:
        there = {record.filed_under for record in self.state.calls}
        following = FILTERS[FILTERS.index(self._filter) + 1 :]
        return next((state for state in following if state in there), "")

    @property
    def _filter_ways(self) -> Sequence[str]:
        """What the key that filters lists next, the longest way to say it first.

        None where all are listed and alike.
        """
        alike = len({record.filed_under for record in self.state.calls}) < 2
        if alike and not self._filter:
            return ()
        key, following = self.app.key_of("calls.filter"), self._next_filter
        short = following.partition(" or ")[0]
        only = (f"{key} Only {following}", f"{key} {following}", f"{key} {short}")
        return only if following else (f"{key} All calls",)

    @property
    def _ways(self) -> Sequence[Sequence[str]]:
        """What the frame of the list names, the longest way first; both keys before long words."""
        key, filters = self.app.key_of("calls.kept"), self._filter_ways
        kept = [f"{key} Kept calls"], [f"{key} Kept"]
        both = [[*way, *more] for way in zip(filters) for more in kept]
        return [*both, *map(list, zip(filters))] or kept

    def _named_within(self, room: int) -> Sequence[str]:
        """Both keys, rather than where one is in the list."""
        every, whole = self._ways, self.query_one("#call-list").outer_size.width - CORNERS
        both = (way for way in every if len(way) == len(every[0]) and _fits(way, room))
        alone = (way for way in every if _fits(way, whole))
        return next(both, None) or next(alone, every[-1])

    @property
    def _search(self) -> SearchLine:
        return self.query_one("#call-search", SearchLine)

    @property
    def _searches_result(self) -> bool:
        """Whoever reads a result searches that, and not the calls."""
        return bool(self.query_one("#call-detail").has_focus and self.record and self.record.result)

    def action_search(self) -> None:
        """Search the calls; whoever reads a result searches that."""
        if self._searches_result:
            self.action_whole(search=True)
            return
        self._search.display = True
        self._search.focus()

    @on(SearchLine.Submitted, "#call-search")
    def _found(self) -> None:
        """Enter goes to the list, to the first that was found; the next one reads it."""
        if self._search.value.strip():
            self.query_one("#call-list", RowList).cursor = 0
            self._left_search()
        else:
            self.action_end_search()

    @on(SearchLine.Left, "#call-search")
    def _left_search(self) -> None:
        self._search.display = bool(self._search.value)
        self.action_list()
        self.refresh_bindings()

    def action_end_search(self) -> None:
        """List all of them again; the cursor stays on what was found."""
        found = self.record
        self._search.value = self._filter = ""
        self.draw()
        if found is not None:
            self.query_one("#call-list", RowList).point_at(found.call.id)
        self._left_search()

    @on(SearchLine.Changed, "#call-search")
    def _searched(self) -> None:
        """Whoever searches wants the first that is found."""
        self.draw()
        if self._search.value:
            self.query_one("#call-list", RowList).cursor = 0

    def draw(self) -> None:
        """The list, and the chosen call."""
        if self.ready:
            words = wanted_words(self._search.value)
            listed = (r for r in self.state.calls if self._filter in ("", r.filed_under))
            keys = tuple(r.call.id for r in listed if not words or has_all(words, search_words(r)))
            calls = self.query_one("#call-list", PlacedList)
            shown = f" · {self._filter}, {len(keys)} of {len(self.state.calls)}"
            calls.border_title = "Calls" + shown * bool(self._filter)
            calls.beside = lambda room: "  ".join(self._named_within(room))
            calls.named = lambda: {way for ways in self._ways for way in ways}
            calls.empty = self._nothing
            calls.show(keys, self._row, words)
            verb = "To the list" if keys else ""
            if verb != self._search.verb:
                self._search.verb = verb
                self.refresh_bindings()
            hides = bool(self._filter or words)
            if self.state.pointed_call and self.state.pointed_call not in keys and hides:
                self._filter = ""  # One that was just made is not hidden.
                self._search.value = ""
                self._search.display = False
                self.draw()
            elif self.state.pointed_call in keys:
                calls.point_at(self.state.pointed_call)
                self.state.pointed_call = ""
            self._draw_detail()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what makes sense for the call under the cursor."""
        if action == "came_from" and self.ready:
            return self.way_back is not None and self.query_one("#call-list").has_focus
        if action == "end_search" and self.ready:
            narrowed = bool(self._search.value or self._filter)
            return narrowed and not self.query_one("#call-detail").has_focus
        if action in ("filter", "search") and not len(self.state.calls):
            return False
        if action == "difference":
            return self.state.calls.can_compare(self.record)
        if action in ("note", "to_found") and self.ready and self.record is not None:
            finds = bool(self._search.value.strip())
            return not finds if action == "note" else finds and self.record.result is not None
        if not self.ready or action not in ACTIONS:
            return super().check_action(action, parameters)
        if action in ("list", "read"):
            return self.query_one("#call-detail").has_focus == (action == "list")
        record = self.record
        if record is None:
            return False
        if action == "again" and record.server not in self.state.servers:
            return False
        if action in ("cancel", "again", "remove"):
            return (record.state == "running") == (action == "cancel")
        if action == "restart":
            return self.state.has_ended(record.server)
        if action in ("keep", "note", "copy_command"):
            return action != "keep" or record.call.tool is not None
        if action == "open_link":
            return bool(links_of(record))
        return record.result is not None

    def why_not(self, action: str) -> str:
        """There may be no call, or no result of it."""
        if action in ("end_search", "list", "read", "restart", "came_from"):
            return ""
        if (record := self.record) is None:
            return "There is no call here."
        if action in ("keep", "cancel"):
            return "Only the call of a tool is kept." if action == "keep" else "This call is over."
        if action == "again" and record.server not in self.state.servers:
            return f"No server here is called {quoted(record.server, 80)}."
        if record.state == "running":
            return f"It still runs: {self.app.key_of('calls.cancel')} cancels it."
        if record.result is None:
            return "This call has no result."
        again = f"{self.app.key_of('calls.again')} calls it again"
        nothing = f"There is no other result to compare with: {again}."
        return nothing if action == "difference" else why_no_link(record.result)

    @property
    def in_frame(self) -> frozenset[str]:
        """The frame around the chosen call names what is taken along of it, that of the list."""
        return frozenset({*self._in_frame, *(["filter"] if self._filter_ways else ()), "kept"})

    @property
    def _in_frame(self) -> Mapping[str, str]:
        detail = self.query("#call-detail")
        if self.record is None or not detail:
            return {}
        ways = {name: way for name, way in IN_FRAME.items() if self.check_action(name, ())}
        return keys_in_frame(self.app, ways, detail.first().outer_size.width - CORNERS)

    @property
    def remedies(self) -> frozenset[str]:
        """What starts a server that has ended; in a narrow window what ends a running call."""
        runs = self.ready and self.record is not None and self.record.state == "running"
        return frozenset({"restart", "cancel"} if runs and self.stacked else {"restart"})

    def worded(self, action: str) -> str | None:
        """The key that turns says what comes; there may be nothing to compare with."""
        if action == "read":
            return ""  # Enter does it, and is named.
        if action == "end_search":
            return "End search" if self._search.value else None
        if action == "came_from":
            narrowed = self.check_action("end_search", ())
            return "" if narrowed or self.way_back is None else self.way_back[1]
        if action == "search" and self._searches_result:
            return "Search result"
        if self.record is None:
            return None
        if action != "turn":
            return None
        return "Text" if self.record.call.id in self._as_json else "JSON"

    @on(RowList.Highlighted, "#call-list")
    def _draw_detail(self) -> None:
        detail = self.query_one("#call-detail", FoundLines)
        record = self.record
        ended = record is not None and self.state.has_ended(record.server)
        id_and_state = (record.call.id, record.state) if record else ("", "")
        state = *id_and_state, bool(record and record.result is not None), ended, self.way_back
        if state != self._keys_for:
            self._keys_for = state
            self.refresh_bindings()
        self._name_frame()
        same = record is not None and record.call.id == self._told
        self._told = record.call.id if record is not None else ""
        detail.show(self._lines, keep_place=same)

    def _name_frame(self) -> None:
        """In the frame of the chosen call: what that is, and keys, as far as there is room now."""
        detail, record, keys = self.query_one("#call-detail"), self.record, self._in_frame.values()
        whose = "Call" if record is None else f"{record.server} · "
        room = (detail.outer_size.width or TITLE_CELLS) - CORNERS - AIR - cell_len(whose)
        title = f"{whose}{called_name(record, room) if record else ''}"
        detail.border_title = title.replace("[", "\\[")
        write_subtitle(detail, "  ".join(keys), keys)

    @on(FoundLines.LaidOut)
    def _set_off(self) -> None:
        """What was searched for stands out in the chosen call, and is in sight at first."""
        self._name_frame()
        detail, term = self.query_one("#call-detail", FoundLines), self._search.value.strip()
        places = detail.find(term) or detail.find_each(wanted_words(term))
        if places and (self._told, term) != self._brought:
            self._brought = self._told, term
            detail.go_to(places[0])

    def _row(self, key: str, width: int) -> list[Line]:
        record = self.state.calls.get(key)
        return [()] if record is None else self._telling.row(record, width)

    @property
    def _has_few_rows(self) -> bool:
        """Whether the list has most of a low and narrow window."""
        return self.stacked and self.screen.has_class("-low") and not self.has_class("-within")

    def _lines(self, width: int) -> list[Line]:
        record = self.record
        if record is None:
            return text_lines("\nA call's progress, log and result stand here.", width, "dim")
        as_json = record.call.id in self._as_json
        if self._has_few_rows:
            return self._telling.brief_lines(record, width, as_json=as_json)
        return self._telling.lines(record, width, as_json=as_json)

    @on(RowList.Chosen, "#call-list")
    def action_read(self) -> None:
        """Go to the call beside the list."""
        self.query_one("#call-detail").focus()

    def action_list(self) -> None:
        """Back to the list of calls."""
        self.query_one("#call-list").focus()

    def action_turn(self) -> None:
        """Show this result as text or as JSON."""
        if self.record is not None:
            self._as_json ^= {self.record.call.id}
            self._draw_detail()
            self.refresh_bindings()

    def action_copy(self) -> None:
        """Copy the result as it is shown."""
        if self.record is not None:
            copy_result(self.app, self.record, as_json=self.record.call.id in self._as_json)

    def action_to_found(self) -> None:
        """Go to what was searched for, in all of the result."""
        self.action_whole()

    @property
    def _found_in_result(self) -> str:
        """What was searched for, where the result has it as it was written, or its words there."""
        term, said = self._search.value.strip(), (self.record and self.record.result_words) or ""
        words = [word for word in wanted_words(term) if word in said]
        return term if term.casefold() in said else " ".join(words)

    def action_whole(self, way: str | None = None, *, search: bool = False) -> None:
        """Read the result on the whole screen. `search`: to look for something in it.

        What calls were searched for is looked for in it too.
        """
        from elicit_tui.tui.console.screens.result_reader import ResultScreen

        record = self.record
        if record is not None and record.result is not None:
            others, looks_anew = self.state.calls.like(record), search or way is not None
            term = "" if looks_anew else self._found_in_result
            detail = self.query_one("#call-detail", FoundLines)
            share = detail.scroll_y / max(1, detail.max_scroll_y) if search else 0.0
            reader = ResultScreen(record, others, way, search=search, term=term, share=share)
            self.app.push_screen(reader)

    def action_difference(self) -> None:
        """Read what differs from another result of the same, the last one before it at first."""
        self.action_whole("difference")
