"""Asks once before all waiting questions of a server are declined."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from elicit_tui.text import neutral_line
from elicit_tui.tui.console.dialog import DialogButton, SureDialog
from elicit_tui.tui.console.outcome_words import plural
from elicit_tui.tui.widgets.key_row import KeyRow


class DeclineAllScreen(SureDialog):
    """Result: True to decline those that waited when this was asked."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "sure", "Decline", key_display="y", id="decline_all.sure"),
        Binding("escape,n", "leave", "Back", key_display="n", id="decline_all.stay"),
    ]

    def __init__(self, server: str, waiting: int, typed: int) -> None:
        """`waiting`: how many questions it declines; `typed`: in how many of them there is text."""
        self._server = neutral_line(server, 40)
        super().__init__(f"Decline {plural(waiting, 'question')} of {self._server}?")
        self._waiting = waiting
        self._typed = typed

    def body(self) -> ComposeResult:
        """What it does to how many questions."""
        each = "it" if self._waiting == 1 else "each of them"
        words = [
            f"{self._server} is told that you declined {each}. What it asks later still waits."
        ]
        if self._typed:
            holds = "holds" if self._typed == 1 else "hold"
            words.append(f"{self._typed:,} of {self._waiting:,} {holds} what you typed.")
        yield Static("\n\n".join(words), markup=False)
        with KeyRow(classes="buttons"):
            yield DialogButton("Back", "decline_all.stay", id="stay", main=True)
            yield DialogButton("Decline", "decline_all.sure", id="sure")
