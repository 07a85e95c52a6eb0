"""Words that are looked for in a result: their places are walked, a table narrows to them."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from elicit_tui.tui.console.bars import SearchLine
from elicit_tui.tui.console.dialog import Dialog
from elicit_tui.tui.console.found_lines import FoundLines
from elicit_tui.tui.console.markdown_page import MarkdownPage
from elicit_tui.tui.console.result_table import ResultTable
from elicit_tui.tui.console.result_tree import ResultTree
from elicit_tui.tui.console.screens.searched_text import WalkedPlaces

if TYPE_CHECKING:
    from textual.timer import Timer

    from elicit_tui.tui.console.pictures import PicturePage

View: TypeAlias = "FoundLines | MarkdownPage | ResultTable | ResultTree | PicturePage"


TYPING_SECONDS: Final = 0.15
"""So long after a letter what is typed is looked for."""


class SearchedResult(Dialog[None], WalkedPlaces):
    """Finds words in the view that is shown, and goes from one of their places to the next."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "end_search", "End search", key_display="Esc"),
        Binding("escape", "leave", "Back", id="dialog.back"),
        Binding("colon", "app.command_palette", "Commands", show=False),
        Binding("left,h", "out", "Back", show=False, id="result.out"),
        Binding("n", "step(1)", "Next", id="result.next"),
        Binding("N", "step(-1)", "Previous", id="result.previous"),
        Binding("f", "narrow", "Only these", id="result.narrow"),
        Binding("slash", "search", "Search", key_display="/", id="result.search"),
    ]

    _way: str
    """The view that is shown, by its name."""
    _will_search: Timer | None = None
    _begins_here = False
    """Whether the place that is gone to is the first from what is in sight on."""
    _only_these = False
    """Whether a table lists what is found alone, as the words become others."""
    _came_from: tuple[int, int] | None = None
    """The place where one was among those of the view before, and how many these were."""

    @property
    @abstractmethod
    def view(self) -> View:
        """The view that is shown."""

    @property
    def _has_words(self) -> bool:
        """Whether there are words in what is shown: in a picture there are none."""
        return self._way != "picture"

    @property
    def _narrows(self) -> ResultTable | None:
        """The table that lists what was found alone, or can."""
        view = self.view if self._way == "table" and self._places else None
        return view if isinstance(view, ResultTable) else None

    def body(self) -> ComposeResult:
        """The line to search in."""
        search = SearchLine("search", verb="Find", id="result-search")
        search.display = False
        yield search

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what makes sense for what was looked for."""
        if action in ("step", "end_search"):
            return bool(self._term)
        if action == "narrow":
            return self._narrows is not None
        if action == "search":
            # From its own line it leads to where one is.
            return self._has_words and not isinstance(self.focused, SearchLine)
        return super().check_action(action, parameters)

    def why_not(self, action: str) -> str:
        """There may be nothing that was looked for, or nothing to look for it in."""
        search = self.app.key_of("result.search")
        return {
            "step": f"Nothing is looked for: {search} searches.",
            "narrow": f"Lists only the rows of a table that were found: {search} searches first.",
            "search": "There are no words in a picture.",
        }.get(action, "")

    def worded(self, action: str) -> str | None:
        """The key that narrows also leads back; the line to search in is there already."""
        if action == "search" and self._term:
            return ""
        table = self._narrows if action == "narrow" else None
        return "All rows" if table is not None and table.narrowed else None

    def action_search(self) -> None:
        """Look for words in this view."""
        search = self.query_one("#result-search", SearchLine)
        search.display = True
        search.focus()

    def look_for(self, term: str) -> None:
        """Look for this, as if it had been typed."""
        search = self.query_one("#result-search", SearchLine)
        search.display = True
        with search.prevent(SearchLine.Changed):
            search.value = term
        self._to_what_is_found()

    @on(SearchLine.Changed, "#result-search")
    def _search_soon(self) -> None:
        """Look for it as it is typed, where that is quick; the keys do not wait for it."""
        self._stop_waiting()
        if isinstance(self.view, ResultTable) and self.view.searched_as_typed:
            self._will_search = self.set_timer(TYPING_SECONDS, self._search)

    def _stop_waiting(self) -> None:
        if self._will_search is not None:
            self._will_search.stop()

    def _search(self) -> None:
        term = self.query_one("#result-search", SearchLine).value.strip()
        self._all_rows()
        self._term = term
        self._came_from, self._places, self._place = None, (), 0
        self._begins_here = bool(term)
        self._find()
        if self._only_these:
            self._narrow(True)

    @on(SearchLine.Submitted, "#result-search")
    def _to_what_is_found(self) -> None:
        self._stop_waiting()
        self._search()
        self.view.focus()

    @on(SearchLine.Left, "#result-search")
    def _left_search(self, event: SearchLine.Left) -> None:
        if event.down:
            self._to_what_is_found()
        else:
            self.action_end_search()

    def find_anew(self) -> None:
        """Another view is shown: one goes on near the place where one was in the view before."""
        if self._places:
            self._came_from = self._place, len(self._places)
        self._place = 0
        self._find()

    @on(FoundLines.LaidOut)
    @on(ResultTable.Sorted)
    @on(MarkdownPage.Drawn)
    def _find(self) -> None:
        """Find the places of this view, and go to the one where one is; a picture has none."""
        if self._has_words:
            self._places = self.view.find(self._term)
        else:
            self._end_search()
        if self._places and self._came_from is not None:
            (place, count), self._came_from = self._came_from, None
            self._place = place * len(self._places) // count
        if self._places and self._begins_here:
            self._begins_here = False
            if isinstance(self.view, (FoundLines, MarkdownPage)):
                self._place = self.view.first_from_here(self._places)
        self._place = min(self._place, max(0, len(self._places) - 1))
        self.point()

    def action_end_search(self) -> None:
        """Nothing is looked for any more; the place stays."""
        self._stop_waiting()
        self._all_rows()
        self._end_search()
        if self._has_words:
            self.view.find("")
        self.view.focus()
        self.say()

    def _end_search(self) -> None:
        search = self.query_one("#result-search", SearchLine)
        with search.prevent(SearchLine.Changed):
            search.value = ""
        search.display = False
        self._term, self._places, self._came_from = "", (), None
        self._only_these = False

    def action_out(self) -> None:
        """Out of what was found, or of the result, where an arrow means nothing else."""
        if self._term:
            self.action_end_search()
        else:
            self.action_leave()

    def action_narrow(self) -> None:
        """List the rows that were found alone, or all of them."""
        if (table := self._narrows) is not None:
            self._only_these = not table.narrowed
            self._narrow(self._only_these)

    def _narrow(self, narrowed: bool) -> None:
        """The cursor stays in its row."""
        if (table := self._narrows) is not None:
            row = table.row
            table.narrow(narrowed)
            self._places = table.find(self._term)
            number = table.number_of(row)
            self._place = self._places.index(number) if number in self._places else 0
            table.go_to(number)
            self.say()

    def _all_rows(self) -> None:
        for table in self.query(ResultTable):
            if table.narrowed:
                row = table.row
                table.narrow(False)
                table.go_to(table.number_of(row))

    def go_to_place(self, place: Any) -> None:
        """Show it in the view."""
        self.view.go_to(place)
