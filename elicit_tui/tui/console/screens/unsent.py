"""An answer that did not go out: why, and what was typed for it."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from elicit_tui.text import neutral, neutral_line
from elicit_tui.tui.console.shared_questions import Unsent
from elicit_tui.tui.console.spans import Line, joined, labelled, text_lines
from elicit_tui.tui.console.text_dialog import TextDialog


class UnsentScreen(TextDialog):
    """Stays until the person has read it; what was typed can be copied."""

    interruptible = False

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c", "copy", "Copy what you typed", id="unsent.copy"),
    ]

    def __init__(self, unsent: Unsent) -> None:
        super().__init__("Not sent", neutral_line(unsent.question.request.server.name, 60))
        self._unsent = unsent

    def words(self, width: int) -> list[Line]:
        """Why it did not go out, then what was typed."""
        typed: list[Line] = []
        for title, text in self._unsent.typed:
            typed.extend(labelled(neutral_line(title, 40), neutral(text, 20_000), width))
        message = neutral(self._unsent.question.request.message, 4_000)
        return joined(
            [
                text_lines(self._unsent.sentence, width, "warn"),
                text_lines(message, width, "strong"),
                [(("what you typed", "accent"),), *typed],
            ]
        )

    def action_copy(self) -> None:
        """Copy what was typed, a line for each field."""
        lines = [f"{title}: {text}" for title, text in self._unsent.typed]
        self.app.copy_to_clipboard("\n".join(lines))
        self.app.notify("What you typed is copied.", markup=False)
