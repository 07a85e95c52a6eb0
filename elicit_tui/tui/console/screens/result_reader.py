"""A result on the whole screen: each way to read it, what is looked for, what is copied."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, Final

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.widgets import DataTable, Tree

from elicit_tui.text import CUT_ENDS, neutral, neutral_line, readable_json
from elicit_tui.tui.console.bars import keys_in_frame
from elicit_tui.tui.console.call_words import called_name, compared_words, shown_standing
from elicit_tui.tui.console.dialog import WAITING_SECONDS, waiting_in_words
from elicit_tui.tui.console.diffs import diff_lines
from elicit_tui.tui.console.found_lines import FoundLines
from elicit_tui.tui.console.made_beside import MadeBeside
from elicit_tui.tui.console.markdown_page import MarkdownPage, markdown_of
from elicit_tui.tui.console.outcome_words import plural
from elicit_tui.tui.console.result_data import (
    as_it_arrived,
    difference,
    readings,
    takes_long,
    unpacked,
)
from elicit_tui.tui.console.result_links import links_of, why_no_link
from elicit_tui.tui.console.result_table import ResultTable, Row, beside_the_table, table_of
from elicit_tui.tui.console.result_tree import ENVELOPE, ResultTree, TreePart
from elicit_tui.tui.console.results import binaries, whole_text
from elicit_tui.tui.console.screens.result_value import RowScreen, ValueScreen, copy_row
from elicit_tui.tui.console.screens.searched_result import SearchedResult, View
from elicit_tui.tui.console.spans import Line, fitting, readable
from elicit_tui.tui.console.taking import copy_command, copy_json, copy_text
from elicit_tui.tui.console.ways_to_read import COUNTED, TITLES, ways_to_read
from elicit_tui.tui.textual_terminal import write_subtitle

if TYPE_CHECKING:
    from elicit_tui.tui.console.calls import CallRecord

IN_FRAME: Final = {
    "save": ("result.save", "Save result"),
    "copy_json": ("result.copy_json", "Copy JSON"),
    "copy_command": ("result.copy_command", "Copy command"),
}
"""What is taken along: the frame names the keys where it has room."""
COPIES: Final[Mapping[str, Mapping[str, str]]] = {
    "table": {"copy": "Copy row", "copy_json": "Copy all rows"},
    "json": {"copy": "Copy value"},
    "markdown": {"copy": "Copy text"},
    "text": {"copy": "Copy text"},
}
"""What the keys that copy are called in each view, as what they copied is."""
CORNERS: Final = 8
"""Cells of the frame that its words do not have."""


class ResultScreen(SearchedResult):
    """Reads one result; nothing is decided here, so a question may open over it."""

    interruptible: ClassVar[bool] = True
    lies_below_questions: ClassVar[bool] = True
    AUTO_FOCUS = ""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "leave", "Back", show=False),
        Binding("t", "turn", "Other view", id="result.turn"),
        Binding("c", "copy", "Copy", id="result.copy"),
        Binding("d", "difference", "Compare", id="result.difference"),
        Binding("b", "choose_other", "Compare with…", id="result.other"),
        Binding("o", "open_link", "Link", id="result.open_link"),
        Binding("y", "copy_json", "Copy JSON", id="result.copy_json"),
        Binding("s", "save", "Save result", id="result.save"),
        Binding("v", "editor", "Your editor", show=False, id="result.editor"),
        Binding("e", "copy_command", "Copy command", id="result.copy_command"),
    ]

    def __init__(
        self,
        record: CallRecord,
        others: Sequence[CallRecord] = (),
        way: str | None = None,
        *,
        search: bool = False,
        term: str = "",
        share: float = 0.0,
    ) -> None:
        """`others`: those of the same that it can be compared with, first the likeliest.

        `way`: how it is read at first; None: the likeliest. `search`: begin to look for something.
        `term`: what is looked for in it already. `share`: how much of it is above what is in sight.
        """
        assert record.result is not None
        name, (sign, stands, role) = called_name(record), shown_standing(record)
        super().__init__(name if role == "good" else f"{sign} {stands} · {name}", record.server)
        self.set_class(role == "bad", "-failed")
        self._record = record
        self._result = record.result
        self._others = others
        self._other = next(iter(others), None)
        """The one that it is compared with."""
        self._markdown = markdown_of(self._result)
        data = unpacked(self._result)
        self._data = None if data is self._result else data
        self._rows = table_of(self._data)
        self._pictures = [part for part in binaries(self._result) if part.is_picture]
        self._ways = ways_to_read(
            self._result, self._data is not None, self._rows, bool(self._pictures)
        )
        self._call = (record.server, record.call.method, record.call.name)
        chosen = way or self.app.state.ways_to_read.get(self._call)
        self._read_as = chosen if chosen in self._ways else self._ways[0]
        """How the result is read, also while a difference lies over it."""
        self._way = "difference" if way == "difference" and others else self._read_as
        self._readings: list[str] = []
        """In which ways both results differ, the one that is shown first; of long ones in one."""
        self._views: dict[str, View] = {}
        self._begins_with_search = search
        self._begins_with = term
        self._begins_at = share
        self.in_frame = frozenset(IN_FRAME)
        """The actions whose keys the frame names."""
        self._sorts: str | None = None
        """What the key that sorts was last said to do."""

    def body(self) -> ComposeResult:
        """The search, and below it the view."""
        yield from super().body()
        yield Container(id="result-views")

    async def on_mount(self) -> None:
        """The likeliest view first; in its frame, what waits meanwhile."""
        await self._show(self._way)
        if self._begins_at and isinstance(self.view, (FoundLines, MarkdownPage)):
            self.view.begin_at(self._begins_at)
        self.set_interval(WAITING_SECONDS, self.on_resize)
        if self._begins_with and self._has_words:
            self.look_for(self._begins_with)
        elif self._begins_with_search and self._has_words:
            self.action_search()

    def on_resize(self) -> None:
        """The frame has room for other keys."""
        if self._way in self._views:
            self._name_place()

    # Views

    @property
    def view(self) -> View:
        """The view that is shown."""
        return self._views[self._way]

    @property
    def _listed_alone(self) -> Sequence[Row]:
        """The rows that a table was narrowed to; none where it lists all."""
        view = self._views.get(self._way)
        return view.listed if isinstance(view, ResultTable) and view.narrowed else ()

    async def _show(self, name: str) -> None:
        self._way = name
        if name not in self._views:
            view = self._views[name] = self._made(name)
            await self.query_one("#result-views", Container).mount(view)
        for way, view in self._views.items():
            view.display = way == name
        self.view.focus()
        self.find_anew()

    def _made(self, name: str) -> View:
        if name == "picture":
            from elicit_tui.tui.console.pictures import PicturePage

            return PicturePage(self._pictures)
        if name == "json":
            if self._data is None:
                return ResultTree(self._result)
            return ResultTree(self._data, partial(as_it_arrived, self._result))
        if name == "markdown":
            return MarkdownPage(self._markdown)
        if name == "table":
            return ResultTable(self._rows)
        if name == "difference" and takes_long(self._other_result, self._result):
            return MadeBeside(self._difference, "Comparing both results …")
        if name == "difference" and not self._readings:
            self._readings = readings(self._other_result, self._result)
        lines = FoundLines()
        if name == "text":
            lines.written = self._written
        lines.show(self._difference if name == "difference" else self._text)
        return lines

    def _text(self, width: int) -> list[Line]:
        return diff_lines(self._written, width)

    @cached_property
    def _written(self) -> str:
        return readable(whole_text(self._result))

    @property
    def _goes_on(self) -> bool:
        """Whether the text is longer than what of it is read, looked through and copied here."""
        return self._way == "text" and self._written.endswith(CUT_ENDS)

    @property
    def _other_result(self) -> Mapping[str, Any]:
        assert self._other is not None
        assert self._other.result is not None
        return self._other.result

    def _difference(self, width: int) -> list[Line]:
        assert self._other is not None
        lines = compared_words(self._other, self._record, width)
        if len(self._others) > 1:
            key = self.app.key_of("result.other")
            others = plural(len(self._others), "other call")
            lines.append(((f"  {key} chooses with which of {others} to compare", "dim"),))
        reading = self._readings[0] if self._readings else ""
        return [*lines, (), *difference(self._other_result, self._result, width, reading)]

    def action_choose_other(self) -> None:
        """Choose the call that it is compared with."""
        from elicit_tui.tui.console.screens.comparing import OtherCallScreen

        self.app.push_screen(OtherCallScreen(self._others, self._other), self._compare_with)

    async def _compare_with(self, other: CallRecord | None) -> None:
        if other is not None:
            self._other, self._readings = other, []
            await self._compare_anew()

    async def _compare_anew(self) -> None:
        if (shown := self._views.pop("difference", None)) is not None:
            await shown.remove()
        await self._show("difference")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what makes sense for this view."""
        if action == "difference":
            return bool(self._others)
        if action == "choose_other":
            return len(self._others) > 1 and self._way == "difference"
        if action == "open_link":
            return bool(links_of(self._record))
        if action == "copy":
            return self._way != "picture"
        if action == "turn":
            return len(self._readings if self._way == "difference" else self._ways) > 1
        return super().check_action(action, parameters)

    def why_not(self, action: str) -> str:
        """There may be one view alone, or nothing that was looked for."""
        compares = self._way == "difference"
        return {
            "difference": "There is no other result to compare with.",
            "choose_other": self._why_none_to_choose,
            "open_link": why_no_link(self._result),
            "copy": "There are no words in a picture.",
            "turn": f"There is no other view of this {'difference' * compares or 'result'}.",
        }.get(action, "") or super().why_not(action)

    @property
    def _why_none_to_choose(self) -> str:
        if not self._others:
            return "There is no other result to compare with."
        if len(self._others) == 1:
            return "There is one other result alone to compare with."
        key = self.app.key_of
        return f"{key('result.difference')} compares it first, then {key('result.other')} chooses."

    def worded(self, action: str) -> str | None:
        """The key that turns names where it leads; that which compares also leads back."""
        if action == "copy_json" and (alone := len(self._listed_alone)):
            return f"Copy {plural(alone, 'row')}"
        if action in ("copy", "copy_json"):
            return COPIES.get(self._way, {}).get(action)
        if self._way != "difference":
            return TITLES[self._following] if action == "turn" else super().worded(action)
        if action == "turn" and len(self._readings) > 1:
            return f"Compare {self._readings[1]}"
        if action == "difference":
            return f"Back to {TITLES[self._read_as]}"
        return super().worded(action)

    @property
    def _following(self) -> str:
        return self._ways[(self._ways.index(self._way) + 1) % len(self._ways)]

    async def action_turn(self) -> None:
        """Show the next view; the next result of the same call is read so too.

        A difference stays one, of something else; nobody wants to read each result as one.
        """
        if self._way == "difference":
            first, *others = self._readings
            self._readings = [*others, first]
            await self._compare_anew()
            return
        self._read_as = self.app.state.ways_to_read[self._call] = self._following
        await self._show(self._following)

    async def action_difference(self) -> None:
        """Show what is other than in the result that it is compared with; then, the result."""
        await self._show(self._read_as if self._way == "difference" else "difference")

    @on(Tree.NodeSelected)
    def _read_text(self, event: Tree.NodeSelected[TreePart]) -> None:
        """Enter on a text shows all of it."""
        part = event.node.data
        if part is not None and isinstance(part.value, str) and part.inside is None:
            self.app.push_screen(ValueScreen(str(part.key), part.value))

    @on(DataTable.CellSelected)
    def _read_row(self) -> None:
        """Enter in a row shows all of it."""
        if isinstance(self.view, ResultTable):
            self.app.push_screen(RowScreen(self.view))

    # The frame

    @cached_property
    def _left_out(self) -> Sequence[str]:
        """What is no part of the table of its data."""
        return beside_the_table(self._data, self._rows)

    def _title(self) -> str:
        """Where one is, in which view, and with what it is compared."""
        title, place = TITLES[self._way], getattr(self.view, "place", "")
        if place and not self._term:
            title = f"{place} · {title}"
        elif place and self._way == "table":
            title = f"{title}, row {place}"
        if self._way == "difference" and self._other is not None:
            what = f"{self._readings[0]} compared" if len(self._readings) > 1 else "compared"
            return f"{what.capitalize()} with the call at {self._other.at_second}"
        return title

    def say(self) -> None:
        """In the frame: which view it is, and which of the found places."""
        self._name_place()
        self.refresh_bindings()

    @on(DataTable.CellHighlighted)
    @on(Tree.NodeHighlighted)
    @on(FoundLines.InSight)
    @on(MarkdownPage.Scrolled)
    def _name_place(self) -> None:
        words = self._title()
        if isinstance(self.view, ResultTable):
            words += f" without {fitting(self._left_out, 40)}" if self._left_out else ""
        if self._goes_on:
            words = f"only the beginning, {self.app.key_of('result.save')} saves all · {words}"
        if self._term:
            count = len(self._places)
            looks = getattr(self.view, "unfinished", False)
            found = self.found + " so far" * looks if count or not looks else "looking …"
            found += COUNTED.get(self._way, "") if count > 1 else ""
            looked = self.looked_for + ", each alone" * getattr(self.view, "finds_each", False)
            if not count and isinstance(self.view, ResultTable) and self.view.names(self._term):
                looked += ", a column's name"
            words = f"{found} for {looked} · {words}"
        parts = (waiting_in_words(self.app), words, self._record.server)
        words, frame = " · ".join(filter(None, parts)), self.query_one(".dialog")
        room = self.app.size.width - CORNERS - cell_len(words) - 1
        ways = {do: (key, self.worded(do) or does) for do, (key, does) in IN_FRAME.items()}
        named = keys_in_frame(self.app, ways, room)
        keys = "  ".join(named.values())
        write_subtitle(frame, " · ".join(filter(None, (words, keys))), named.values())
        sorts = self.view.worded("sort") if isinstance(self.view, ResultTable) else None
        if (self.in_frame, self._sorts) != (frozenset(named), sorts):
            self.in_frame, self._sorts = frozenset(named), sorts
            self.refresh_bindings()

    # What is taken along

    def action_copy(self) -> None:
        """Copy what is read: the value or the row under the cursor, else the text."""
        view = self.view
        part = view.cursor_node.data if isinstance(view, ResultTree) and view.cursor_node else None
        if part is not None and part.key == ENVELOPE:
            copy_json(self.app, self._result, "The JSON as it arrived")
        elif part is not None and part.run is None and part.key is not None:
            self._copy_part(part.key, part.value)
        elif isinstance(view, ResultTable):
            copy_row(self.app, view)
        elif self._way == "json":
            self.action_copy_json()
        else:
            what = "The beginning of the text" if self._goes_on else "The text"
            copy_text(self.app, self._written, what)

    def _copy_part(self, key: str | int, value: Any) -> None:
        shown = f"[{key}]" if isinstance(key, int) else f"“{neutral_line(key, 40)}”"
        if isinstance(value, str):
            copy_text(self.app, value, f"The value of {shown}")
        else:
            copy_json(self.app, value, f"The JSON of {shown}")

    def action_copy_json(self) -> None:
        """Copy the data as JSON; of a result without data all that arrived.

        Of a table that lists some rows alone these.
        """
        if alone := self._listed_alone:
            what = f"{plural(len(alone), 'row')} of {len(self._rows):,}, as JSON"
            copy_json(self.app, list(alone), what)
            return
        what = f"All {len(self._rows):,} rows, as JSON" if self._way == "table" else "The JSON"
        copy_json(self.app, self._result if self._data is None else self._data, what)

    def action_editor(self) -> None:
        """Open it in $VISUAL or $EDITOR, to be read there; all else goes on meanwhile."""
        self.run_worker(self._read_in_editor())

    async def _read_in_editor(self) -> None:
        from elicit_tui.tui.widgets.own_editor import EditorTrouble, read_in_editor

        is_data = self._way in ("json", "table")
        data = self._result if self._data is None else self._data
        text = readable_json(data) if is_data else neutral(whole_text(self._result))
        try:
            await read_in_editor(self.app, text)
        except EditorTrouble as trouble:
            self.app.notify(str(trouble), severity="warning", markup=False)

    def action_copy_command(self) -> None:
        """Copy the call as a command."""
        copy_command(self.app, self._record)

    def action_open_link(self) -> None:
        """Read what the result points to, or ask whether its page is to be opened."""
        from elicit_tui.tui.console.screens.links import open_link

        open_link(self.app, self._record.server, links_of(self._record), self.action_leave)

    def action_save(self) -> None:
        """Save what is not text, or the text, to private files; a table also as it is shown."""
        from elicit_tui.tui.console.screens.saving import SaveScreen

        shown = self.view.listed if isinstance(self.view, ResultTable) else ()
        self.app.write_in(SaveScreen(self._record, self._result, shown, len(self._rows)))
