"""What every pane of the console can do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.containers import Container
from textual.widget import Widget

from elicit_tui.tui.console.search_line import SearchLine

if TYPE_CHECKING:
    from elicit_tui.tui.console.controller import Controller
    from elicit_tui.tui.console.state import ConsoleState

NARROW: Final = 60
"""Columns; in fewer a row of a list has two lines."""
CORNERS: Final = 8
"""Cells of a border that its words do not have."""


class Pane(Container):
    """One view of the console's state; `draw` is called when that changed."""

    app: Controller

    def __init__(self, state: ConsoleState, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.state = state
        self.ready = False
        """Whether its parts are there to be drawn."""

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

    def worded(self, action: str) -> str | None:
        """What the key of an action does just now, where its usual words would be wrong."""
        return None

    def chosen(self) -> None:
        """The person came to it by its key."""

    def opened(self) -> None:
        """The person looks at it."""

    def draw(self) -> None:
        """Show the state as it stands."""

    def take_focus(self) -> None:
        """Give the focus to the widget that one most likely wants."""
        for widget in self.query(Widget):
            if widget.focusable and widget.has_class("first"):
                widget.focus()
                return
