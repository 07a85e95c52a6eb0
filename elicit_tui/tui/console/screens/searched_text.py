"""Words that are looked for in a text over the console: their places are walked."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from elicit_tui.text import neutral_line
from elicit_tui.tui.console.bars import SearchLine
from elicit_tui.tui.console.dialog import TextDialog
from elicit_tui.tui.console.found_lines import FoundLines
from elicit_tui.tui.textual_terminal import write_subtitle


class WalkedPlaces:
    """The places that hold what is looked for; one goes from each to the next, and around."""

    _term = ""
    _places: Sequence[Any] = ()
    _place = 0

    @abstractmethod
    def go_to_place(self, place: Any) -> None:
        """Bring a place into sight."""

    @abstractmethod
    def say(self) -> None:
        """Tell which of the places one is at."""

    @property
    def found(self) -> str:
        """`2 of 7`, or that there is nothing."""
        count = len(self._places)
        return f"{self._place + 1:,} of {count:,}" if count else "nothing found"

    @property
    def looked_for(self) -> str:
        """What is looked for, in quotes."""
        return f"“{neutral_line(self._term, 40)}”"

    def action_step(self, by: int) -> None:
        """Go to the next place, or to the one before."""
        if self._places:
            self._place = (self._place + by) % len(self._places)
            self.point()

    def point(self) -> None:
        """Show the place where one is."""
        if self._places:
            self.go_to_place(self._places[self._place])
        self.say()


class SearchedText(TextDialog, WalkedPlaces):
    """A text to read in which one searches, as in a result."""

    AUTO_FOCUS = "#words"
    """Not the search, which is not shown yet."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "end_search", "End search", key_display="Esc"),
        Binding("escape", "leave", "Back", id="dialog.back"),
        Binding("n", "step(1)", "Next", id="text.next"),
        Binding("N", "step(-1)", "Previous", id="text.previous"),
        Binding("slash", "search", "Search", key_display="/", id="text.search"),
    ]

    def body(self) -> ComposeResult:
        """The search, which comes with its key, and the text."""
        search = SearchLine("search", verb="Find", id="text-search")
        search.display = False
        yield search
        yield FoundLines(id="words")

    @property
    def _text_lines(self) -> FoundLines:
        return self.query_one("#words", FoundLines)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what makes sense for what is looked for."""
        if action in ("step", "end_search"):
            return bool(self._term)
        if action == "search":
            return not isinstance(self.focused, SearchLine)
        return super().check_action(action, parameters)

    def why_not(self, action: str) -> str:
        """Nothing may be looked for."""
        key = self.app.key_of("text.search")
        return f"Nothing is looked for: {key} searches." if action == "step" else ""

    def action_search(self) -> None:
        """Look for words in the text."""
        self._show_search(shown=True)
        self.query_one(SearchLine).focus()

    def _show_search(self, *, shown: bool) -> None:
        self.room_taken = int(shown)
        self.query_one(SearchLine).display = shown
        self.on_resize()

    @on(SearchLine.Submitted, "#text-search")
    def _to_what_is_found(self) -> None:
        self._term, self._place = self.query_one(SearchLine).value.strip(), 0
        if not self._term:
            self._show_search(shown=False)
        self._text_lines.focus()
        self._find()

    @on(SearchLine.Left, "#text-search")
    def _left_search(self, event: SearchLine.Left) -> None:
        if event.down:
            self._to_what_is_found()
        else:
            self.action_end_search()

    @on(FoundLines.LaidOut)
    def _find(self) -> None:
        self._places = self._text_lines.find(self._term)
        self._place = min(self._place, max(0, len(self._places) - 1))
        self.point()

    def go_to_place(self, place: Any) -> None:
        """Scroll there."""
        self._text_lines.go_to(place)

    def action_end_search(self) -> None:
        """Nothing is looked for any more; the place stays."""
        self.query_one(SearchLine).value = ""
        self._to_what_is_found()

    def say(self) -> None:
        """In the frame: which of the places one is at."""
        told = f"{self.found} for {self.looked_for}" if self._term else ""
        words = " · ".join(filter(None, (told, self._frame_subtitle)))
        write_subtitle(self.query_one(".dialog"), words)
        self.refresh_bindings()
