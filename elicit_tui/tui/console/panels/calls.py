"""The calls of this run: running ones with their progress, ended ones with their result."""

from __future__ import annotations

from typing import ClassVar, Final

from rich.cells import cell_len
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from elicit_tui.text import neutral, neutral_line, readable_json
from elicit_tui.text.hostile_json import bounded_json
from elicit_tui.tui.console.bars import SearchLine
from elicit_tui.tui.console.call_words import bar, briefly, how, log_words, question_words, searched
from elicit_tui.tui.console.calls import CallRecord
from elicit_tui.tui.console.diffs import diff_lines
from elicit_tui.tui.console.outcome_words import duration
from elicit_tui.tui.console.panels.pane import Pane
from elicit_tui.tui.console.result_links import links_of
from elicit_tui.tui.console.results import as_text, binaries
from elicit_tui.tui.console.spans import (
    Line,
    apart,
    joined,
    labelled,
    shortened,
    shortened_within,
    text_lines,
    text_of,
)
from elicit_tui.tui.console.state import ConsoleState
from elicit_tui.tui.console.taking import copy_command, copy_json, copy_text, save
from elicit_tui.tui.console.views import LineView, RowList

ROOMY: Final = 40
"""Cells of a row; with fewer a bar of progress leaves room for the arguments."""
FILTERS: Final = ("", "running", "done", "failed", "cancelled or refused")
"""Which calls are listed, in the order in which the key goes through them; empty: all."""
ACTIONS: Final = frozenset(
    "list cancel again turn whole save copy copy_json copy_command keep note open_link".split()
)
"""Those that are of the call under the cursor."""


class CallsPane(Pane):
    """The list of calls, and beside it the chosen one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "end_search", "End search", key_display="Esc"),
        Binding("escape,left", "list", "Calls", key_display="Esc", id="calls.list"),
        Binding("x", "cancel", "Cancel call", id="calls.cancel"),
        Binding("z", "whole", "Whole", id="calls.whole"),
        Binding("a", "again", "Again", id="calls.again"),
        Binding("t", "turn", "Text/JSON", id="calls.turn"),
        Binding("c", "copy", "Copy", id="calls.copy"),
        Binding("s", "save", "Save", show=False, id="calls.save"),
        Binding("o,enter", "open_link", "Link", key_display="o", id="calls.open_link"),
        Binding("f", "filter", "Filter", id="calls.filter"),
        Binding("slash", "search", "Search", key_display="/", id="calls.search"),
        Binding("w", "keep", "Keep call", show=False, id="calls.keep"),
        Binding("n", "note", "Note", show=False, id="calls.note"),
        Binding("d", "difference", "Difference", show=False, id="calls.difference"),
        Binding("y", "copy_json", "Copy JSON", show=False, id="calls.copy_json"),
        Binding("e", "copy_command", "Command", show=False, id="calls.copy_command"),
    ]

    def __init__(self, state: ConsoleState) -> None:
        super().__init__(state, id="calls-pane")
        self._as_json: set[str] = set()
        """The calls whose results are shown as JSON."""
        self._filter = ""
        self._keys_for: object = None
        self._laid_out: tuple[object, int, list[Line]] = (None, 0, [])

    def on_mount(self) -> None:
        """Have the calls of earlier runs, then draw."""
        self.state.remember_calls()
        super().on_mount()

    def compose(self) -> ComposeResult:
        """The search, the list and the chosen call."""
        search = SearchLine("search", verb="Read", id="call-search")
        search.display = False
        yield search
        calls = RowList(
            row_height=2,
            verb="Read",
            follow=True,
            id="call-list",
        )
        calls.add_class("box", "first")
        calls.border_title = "Calls"
        yield calls
        detail = LineView(id="call-detail")
        detail.add_class("box")
        yield detail

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """In a low and narrow window the half with the keys has the room."""
        self.set_class(event.widget.id == "call-detail", "-within")

    @property
    def record(self) -> CallRecord | None:
        """The call under the cursor."""
        return self.state.calls.get(self.query_one("#call-list", RowList).key)

    @property
    def _nothing(self) -> str:
        """Where the list would be."""
        if self._search.value and len(self.state.calls):
            return "Nothing matches."
        if self._filter and len(self.state.calls):
            return f"No call is {self._filter}. {self.app.key_of('calls.filter')} goes on."
        return f"No call yet. Choose a tool of a server ({self.app.key_of('pane.servers')})."

    def action_filter(self) -> None:
        """List the calls of the next state alone; after the last one all of them."""
        self._filter = FILTERS[(FILTERS.index(self._filter) + 1) % len(FILTERS)]
        self.draw()

    @property
    def _search(self) -> SearchLine:
        return self.query_one("#call-search", SearchLine)

    def action_search(self) -> None:
        """Put the focus on the search line."""
        self._search.display = True
        self._search.focus()

    @on(SearchLine.Submitted, "#call-search")
    def _found(self) -> None:
        """Enter reads what was searched for; without a word it goes to the list."""
        if self._search.value.strip():
            self.query_one("#call-list", RowList).cursor = 0
            self._to_detail()
        else:
            self.action_end_search()

    @on(SearchLine.Left, "#call-search")
    def _left_search(self) -> None:
        self._search.display = bool(self._search.value)
        self.action_list()
        self.refresh_bindings()

    def action_end_search(self) -> None:
        """List all of them again; the cursor stays on what was found."""
        self._search.value = ""
        self._left_search()

    @on(SearchLine.Changed, "#call-search")
    def draw(self) -> None:
        """The list, and the chosen call."""
        if self.ready:
            words = self._search.value.casefold()
            listed = (r for r in self.state.calls if self._filter in ("", r.filed_under))
            keys = tuple(r.call.id for r in listed if not words or words in searched(r))
            calls = self.query_one("#call-list", RowList)
            calls.border_title = f"Calls · {self._filter}" if self._filter else "Calls"
            calls.empty = self._nothing
            calls.show(keys, self._row)
            verb = ("Read" if words.strip() else "To the list") if keys else ""
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
        if action == "end_search" and self.ready:
            return bool(self._search.value) and not self.query_one("#call-detail").has_focus
        if action in ("filter", "search", "difference") and not len(self.state.calls):
            return False
        if not self.ready or action not in ACTIONS:
            return super().check_action(action, parameters)
        if action == "list":
            return self.query_one("#call-detail").has_focus
        record = self.record
        if record is None:
            return False
        if action in ("cancel", "again"):
            return (record.state == "running") == (action == "cancel")
        if action in ("keep", "note", "copy_command"):
            return True
        if action == "open_link":
            return bool(links_of(record))
        return record.result is not None

    def worded(self, action: str) -> str | None:
        """The key that turns says what comes; there may be nothing to compare with."""
        if self.record is None:
            return None
        if action == "difference" and self.state.calls.before(self.record) is None:
            return ""
        if action != "turn":
            return None
        return "Text" if self.record.call.id in self._as_json else "JSON"

    @on(RowList.Highlighted, "#call-list")
    def _draw_detail(self) -> None:
        detail = self.query_one("#call-detail", LineView)
        record = self.record
        title = f"{record.server} · {neutral_line(record.call.name, 60)}" if record else "Call"
        state = (record.call.id, record.state, record.result is not None) if record else None
        if state != self._keys_for:
            self._keys_for = state
            self.refresh_bindings()
        detail.border_title = title.replace("[", "\\[")
        detail.show(self._lines, keep_place=True)

    @on(RowList.Chosen, "#call-list")
    def _to_detail(self) -> None:
        self.query_one("#call-detail").focus()

    def _row(self, key: str, width: int) -> list[Line]:
        record = self.state.calls.get(key)
        if record is None:
            return [()]
        name = neutral_line(record.call.name, 200)
        sign, _, role = how(record)
        before: Line = ((f" {sign} ", role), (f"{record.at}  ", "dim"))
        room = width - cell_len(text_of(before)) - 1
        took = f"{duration(record.elapsed)} "
        if cell_len(name) + cell_len(took) > room:
            took = ""
        left: Line = (*before, (shortened_within(name, room), "strong"))
        first = apart(left, ((took, "dim"),), width)
        return [first, ((f"   {self._about(record, width - 4)}", "dim"),)]

    def _about(self, record: CallRecord, width: int) -> str:
        """How it stands, what it was made with, and whose it is where there is room for that too.

        What tells two calls of one tool apart has the room before what the chosen one says anyway.
        """
        waits = self._waits_for(record)
        waits = waits or ("waits for its turn" if self._before(record) else "")
        cells = 10 if width >= ROOMY else 4
        stands = waits or (bar(record, cells) if record.state == "running" else how(record)[1])
        room = width - cell_len(stands) - 3
        more = shortened(neutral_line(record.note, 80), room)
        more = more or briefly(record.call.arguments, room)
        about = f"{stands} · {more}" if more else stands
        whole = f"{about} · {record.server}" if len(self.state.servers) > 1 else about
        return whole if cell_len(whole) <= width else shortened(about, width)

    def _lines(self, width: int) -> list[Line]:
        record = self.record
        if record is None:
            return text_lines("A call's progress, its log and its result stand here.", width, "dim")
        return joined(
            [
                self._head(record, width),
                question_words(record, width),
                self._result(record, width),
                log_words(record, width),
            ]
        )

    def _head(self, record: CallRecord, width: int) -> list[Line]:
        arguments = readable_json(dict(record.call.arguments), indent=None)
        sign, state, role = how(record)
        fails = "the tool says that it failed" if record.is_error else ""
        if fails and record.refusal is None:
            state, fails = fails, ""
        rounds = f" · round {record.round}" if record.round > 1 else ""
        took = f"{duration(record.elapsed)}{rounds}"
        head: list[Line] = [((f"{sign} {state}", role), (f"  {took}", "dim"))]
        if cell_len(text_of(head[0])) > width:
            head = [((f"{sign} {state}", role),), ((took, "dim"),)]
        if fails:
            head.extend(text_lines(f"{fails[0].upper()}{fails[1:]}.", width, "bad"))
        if waits := self._waits_for(record):
            head.extend(text_lines(f"It {waits} to answer.", width, "warn"))
        elif before := self._before(record):
            words = (
                f"It waits for its turn: {before} is not done yet. Of two calls at once nobody "
                "could say which one a question of this server belongs to."
            )
            head.extend(text_lines(words, width, "dim"))
        if record.state == "running":
            if record.progress is not None:
                room = max(10, min(60, width - 20))
                head.append(((bar(record, room), "accent"),))
            if record.progress_message:
                head.extend(text_lines(record.progress_message, width))
        if record.call.arguments:
            head.extend(labelled("arguments", neutral(arguments, 4_000), width))
        if record.note:
            head.extend(labelled("your note", neutral(record.note, 1_000), width))
        if record.withheld:
            head.extend(labelled("not kept", ", ".join(record.withheld), width))
        if record.confirmation:
            head.extend(labelled("this call", record.confirmation, width))
        if record.failure:
            head.extend(text_lines(neutral(record.failure, 4_000), width, "bad"))
        return head

    def _before(self, record: CallRecord) -> str:
        """The call that has its turn before this one, by name; empty where it has gone out."""
        if record.state != "running" or not self.state.waits_for_turn(record):
            return ""
        earlier = (
            call.call.name
            for call in self.state.calls.running
            if call.server == record.server and not self.state.waits_for_turn(call)
        )
        return neutral_line(next(earlier, "another call"), 60)

    def _waits_for(self, record: CallRecord) -> str:
        """That a running call waits for the person, or may; empty where none of its questions is.

        Of a question that may be another call's nobody knows which of them waits.
        """
        if record.state != "running":
            return ""
        asked = [
            request
            for waiting in self.state.questions
            if (request := self.state.as_it_stands(waiting.question.request)).may_belong_to(
                record.call.id
            )
        ]
        if any(len(request.calls) == 1 for request in asked):
            return "waits for you"
        return "may wait for you" if asked else ""

    def _result(self, record: CallRecord, width: int) -> list[Line]:
        if record.result is None:
            return self._no_result(record, width)
        as_json = record.call.id in self._as_json
        key = (record, as_json)
        if self._laid_out[:2] != (key, width):
            text = bounded_json(record.result) if as_json else as_text(record.result)
            lines = diff_lines(text, width)
            found = binaries(record.result)
            if found:
                words = f"{self.app.key_of('calls.save')} saves what is not text"
                if pictures := sum(part.is_picture for part in found):
                    shows = f"shows the picture{'s' if pictures > 1 else ''}"
                    words = f"{self.app.key_of('calls.whole')} {shows} · {words}"
                lines.extend(text_lines(words, width, "dim"))
            of_run = "  of an earlier run" if record.ended_as else ""
            if of_run and self.state.settings.history.content == "redacted":
                of_run += ", secrets masked"
            head: Line = (("result", "accent"), (of_run + "  as JSON" * as_json, "dim"))
            self._laid_out = (key, width, [head, *lines])
        return self._laid_out[2]

    def _no_result(self, record: CallRecord, width: int) -> list[Line]:
        if not record.ended_as:
            return []
        again, why = self.app.key_of("calls.again"), record.no_result
        words = f"A call of an earlier run{why and f': {why}'}. {again} calls it again."
        return text_lines(words, width, "dim")

    def action_list(self) -> None:
        """Back to the list of calls."""
        self.query_one("#call-list").focus()

    def action_cancel(self) -> None:
        """Cancel the call under the cursor."""
        if self.record is not None:
            self.app.cancel_call(self.record.call.id)

    def action_turn(self) -> None:
        """Show this result as text or as JSON."""
        if self.record is not None:
            self._as_json ^= {self.record.call.id}
            self._draw_detail()
            self.refresh_bindings()

    def action_copy(self) -> None:
        """Copy the result as it is shown."""
        record = self.record
        if record is None or record.result is None:
            return
        if record.call.id in self._as_json:
            copy_json(self.app, record.result)
        else:
            copy_text(self.app, as_text(record.result))

    def action_copy_json(self) -> None:
        """Copy the result as JSON."""
        if self.record is not None and self.record.result is not None:
            copy_json(self.app, self.record.result)

    def action_copy_command(self) -> None:
        """Copy the call as a command."""
        if self.record is not None:
            copy_command(self.app, self.record)

    def action_save(self) -> None:
        """Save the result's binary parts, or its text, to private files."""
        if self.record is not None and self.record.result is not None:
            save(self.app, self.record.result)

    def action_whole(self, way: str | None = None) -> None:
        """Read the result on the whole screen."""
        from elicit_tui.tui.console.screens.result_reader import ResultScreen

        record = self.record
        if record is not None and record.result is not None:
            self.app.push_screen(ResultScreen(record, self.state.calls.before(record), way))

    def action_difference(self) -> None:
        """Read what differs from the result of the same call before."""
        if self.record is not None and self.state.calls.before(self.record) is not None:
            self.action_whole("difference")
        else:
            self.app.notify("There is no result of the same call before it.", markup=False)

    def action_open_link(self) -> None:
        """Read what the result points to, or ask whether its page is to be opened."""
        from elicit_tui.tui.console.screens.links import open_link

        if self.record is not None and self.record.result is not None:
            open_link(self.app, self.record.server, links_of(self.record))

    def action_keep(self) -> None:
        """Write the call to a file, to be made again here and by `elicit-tui call @FILE`."""
        from elicit_tui.tui.console.screens.keep_call import KeepCallScreen

        if self.record is not None and self.record.call.tool is None:
            self.app.notify("Only the call of a tool is kept in a file.", markup=False)
        elif self.record is not None:
            self.app.write_in(KeepCallScreen(self.record))

    def action_note(self) -> None:
        """Write down what one wants to know of this call later."""
        from elicit_tui.tui.console.screens.keep_call import NoteScreen

        if self.record is not None:
            self.app.write_in(NoteScreen(self.record, self.state.settings.history.content))

    def action_again(self) -> None:
        """Call the same tool again; the arguments can be changed first."""
        if self.record is not None:
            self.app.call_again(self.record)
