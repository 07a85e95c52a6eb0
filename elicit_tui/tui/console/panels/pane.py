"""What every pane has in common, and every one with a search line."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar, Final

from textual import on, work
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.widget import Widget

from elicit_tui.tui.console.bars import SearchLine
from elicit_tui.tui.console.state import ConsoleState
from elicit_tui.tui.console.unfit_keys import SaysWhyNot
from elicit_tui.tui.textual_terminal import HearsOn

if TYPE_CHECKING:
    from collections.abc import Iterable

    from elicit_tui.tui.console.calls import CallRecord
    from elicit_tui.tui.console.controller import Controller
    from elicit_tui.tui.console.kept_calls import KeptCalls


NARROW: Final = 60
"""Columns; in fewer a row of a list has two lines."""
CORNERS: Final = 8
"""Cells of a border that its words do not have."""


class Pane(Container, SaysWhyNot, HearsOn):
    """One view of the console's state; `draw` is called when that changed."""

    app: Controller

    lists_calls: ClassVar[bool] = False
    """Whether it lists calls, also those of other runs."""

    def __init__(self, state: ConsoleState, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.state = state
        self.ready = False
        """Whether its parts are there to be drawn."""
        self.came_from: Pane | None = None
        """The one from which a call, or what else was done there, led here; None: its key did."""

    @property
    def stacked(self) -> bool:
        """Whether what else stands beside each other in a row stands below each other."""
        return self.size.width < NARROW

    def on_mount(self) -> None:
        """Draw what is known already."""
        self.ready = True
        self.draw()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whoever stands in the search line is where the key that searches leads."""
        return action != "search" or not isinstance(self.app.focused, SearchLine)

    @property
    def in_frame(self) -> frozenset[str]:
        """The actions whose keys a frame of its own names: they need no room in the bar."""
        return frozenset()

    @property
    def remedies(self) -> frozenset[str]:
        """The actions that mend what is wrong just now: the bar names them first."""
        return frozenset()

    def worded(self, action: str) -> str | None:
        """What the key of an action does just now, where its usual words would be wrong.

        Empty: nothing, so that no bar names it.
        """
        return None

    def chosen(self) -> None:
        """The person came to it by its key."""

    def opened(self) -> None:
        """The person looks at it."""

    def draw(self) -> None:
        """Show the state as it stands."""

    def each_second(self) -> None:
        """A second went by in which it was shown: another console may have kept a call."""
        if self.lists_calls and self._kept.written_at != self.state.calls_read_at:
            self._read_on()

    @property
    def _kept(self) -> KeptCalls:
        from elicit_tui.tui.console.kept_calls import KeptCalls

        return KeptCalls(self.state.settings.history.content)

    def have_calls(self, kept: Iterable[CallRecord]) -> None:
        """Have these calls of other runs too."""
        self.state.have_calls(kept)

    def have_earlier_calls(self) -> None:
        """Have the calls of other runs, by now; what takes a while is read beside the loop."""
        self.state.remember_calls()
        self._read_on()

    @work(exclusive=True, group="earlier calls")
    async def _read_on(self) -> None:
        from elicit_tui.tui.console.kept_results import UNREADABLE, read_result
        from elicit_tui.tui.console.written_later import once_written

        kept = self._kept
        if (written_at := kept.written_at) != self.state.calls_read_at:
            self.state.calls_read_at = written_at
            self.have_calls(await once_written(kept.read))
        for call in self.state.calls:
            if call.result_file:
                result = await asyncio.to_thread(read_result, call.result_file)
                call.came_back(result, UNREADABLE)
                self.state.changed()

    def take_focus(self) -> None:
        """Give the focus at once to the widget that one most likely wants."""
        for widget in self.query(Widget):
            if widget.focusable and widget.has_class("first"):
                self.screen.set_focus(widget)
                return


class SearchedPane(Pane):
    """One with a search line above what it lists: Escape ends the search from there too."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "end_search", "End search", key_display="Esc"),
        Binding("left,h", "end_search", "", show=False),
        # Whatever is listed was found.
        Binding("n", "step(1)", "Next", show=False),
        Binding("N", "step(-1)", "Previous", show=False),
    ]

    searched_as: ClassVar[str]
    """How the id of the key begins that searches."""

    @property
    def search(self) -> SearchLine:
        """The line with what is searched for."""
        return self.query_one(SearchLine)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A search ends, and what it found is walked, where there is one."""
        if action in ("end_search", "step"):
            return self.ready and bool(self.search.value)
        return super().check_action(action, parameters)

    def why_not(self, action: str) -> str:
        """Nothing may be looked for."""
        key = self.app.key_of(f"{self.searched_as}.search")
        return f"Nothing is looked for: {key} searches." if action == "step" else ""

    def action_search(self) -> None:
        """Put the focus on the search line."""
        self.search.focus()

    @abstractmethod
    def action_step(self, by: int) -> None:
        """Go to the next that was found, or to the one before."""

    def action_end_search(self) -> None:
        """List all of it again."""
        self.search.value = ""
        self.take_focus()

    @on(SearchLine.Changed)
    def _search_changed(self) -> None:
        self.refresh_bindings()
