"""Asks once before leaving while questions wait or calls run."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from elicit_tui.tui.console.dialog import DialogButton, SureDialog
from elicit_tui.tui.console.outcome_words import plural
from elicit_tui.tui.widgets.key_row import KeyRow


class LeaveScreen(SureDialog):
    """Result: True to leave."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y,ctrl+q", "sure", "Leave", key_display="y", id="leave.sure"),
        Binding("escape,n", "leave", "Stay", key_display="n", id="leave.stay"),
    ]

    def __init__(self, ending: int, staying: int, running: int, *, drafts_kept: bool) -> None:
        """`ending`, `staying`: how many questions wait that end with this, and that do not.

        `running`: how many calls run; `drafts_kept`: whether the next run has what was typed.
        """
        super().__init__("Leave elicit-tui?")
        self._ending = ending
        self._staying = staying
        self._running_calls = running
        self._drafts_kept = drafts_kept

    def body(self) -> ComposeResult:
        """What leaving does to what is open."""
        words = []
        if self._ending:
            waiting, end = ("waits", "ends") if self._ending == 1 else ("wait", "end")
            words.append(
                f"{plural(self._ending, 'question')} {waiting} for you and {end} with this: the "
                "server is told that elicit-tui ended, not that you declined."
            )
        if self._staying:
            goes = "goes" if self._staying == 1 else "go"
            words.append(f"{plural(self._staying, 'question')} of agents {goes} on waiting.")
        if self._running_calls:
            words.append(f"{plural(self._running_calls, 'running call')} will be cancelled.")
        if self._ending:
            typed = ", with what you typed" if self._drafts_kept else ""
            words.append(
                f"History keeps what was asked. A tool that you call again asks again{typed}."
            )
        yield Static("\n\n".join(words), markup=False)
        with KeyRow(classes="buttons"):
            yield DialogButton("Stay", "leave.stay", id="stay", main=True)
            yield DialogButton("Leave", "leave.sure", id="sure")
