"""The line above a list or a text that narrows it to what is searched for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input


class SearchLine(Input):
    """Narrows what stands below it; Enter takes what is found, Escape ends the search."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "To what is found"),
        Binding("escape", "leave(True)", "End search", key_display="Esc"),
        Binding("down", "leave", "Down", show=False),
    ]

    @dataclass
    class Left(Message):
        """The person goes on to what stands below it."""

        line: SearchLine
        down: bool
        """Whether it was by the arrow that goes down."""

        @property
        def control(self) -> SearchLine:
            """The search line."""
            return self.line

    def __init__(self, placeholder: str, *, verb: str = "To the list", id: str) -> None:
        """`verb`: what Enter does, for the bar of keys; empty while it does nothing."""
        super().__init__(placeholder=placeholder, classes="search", id=id, compact=True)
        self.verb = verb

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enter takes what is found, if anything is."""
        if action == "submit" and not self.verb:
            return False
        return super().check_action(action, parameters)

    def action_leave(self, clear: bool = False) -> None:
        """Go on to what stands below; `clear`: all of it, no longer what was searched for."""
        if clear:
            self.value = ""
        self.post_message(self.Left(self, down=not clear))
