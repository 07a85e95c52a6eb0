"""Asks once before leaving while questions wait or calls run."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from elicit_tui.tui.console.dialog import Dialog, DialogButton
from elicit_tui.tui.console.outcome_words import plural
from elicit_tui.tui.widgets.key_button import KeyButton
from elicit_tui.tui.widgets.key_row import KeyRow


class LeaveScreen(Dialog[bool]):
    """Result: True to leave."""

    wide = False

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y,ctrl+q", "sure", "Leave", key_display="y", id="leave.sure"),
        Binding("escape,n", "leave", "Stay", key_display="n", id="leave.stay"),
    ]

    def __init__(self, waiting: int, running: int) -> None:
        super().__init__("Leave elicit-tui?")
        self._waiting = waiting
        self._calls = running

    def body(self) -> ComposeResult:
        """What leaving does to what is open."""
        words = []
        if self._waiting:
            words.append(
                f"{plural(self._waiting, 'question')} "
                f"{'waits' if self._waiting == 1 else 'wait'} for you. The server is told that "
                "elicit-tui ended before an answer was given; nobody is said to have declined."
            )
        if self._calls:
            words.append(f"{plural(self._calls, 'running call')} will be cancelled.")
        yield Static("\n\n".join(words), markup=False)
        with KeyRow(classes="buttons"):
            yield DialogButton("Stay", "leave.stay", id="stay", main=True)
            yield DialogButton("Leave", "leave.sure", id="sure")

    def on_mount(self) -> None:
        """Staying is the harmless choice."""
        self.query_one("#stay").focus()

    @on(KeyButton.Pressed, "#sure")
    def action_sure(self) -> None:
        """Leave."""
        self.dismiss(True)

    @on(KeyButton.Pressed, "#stay")
    def _stay(self) -> None:
        self.dismiss(False)
