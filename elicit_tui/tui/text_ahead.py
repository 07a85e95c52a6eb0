"""Text typed for the first question before it could be seen: none of it is lost.

Text in a line answers nothing by itself, so it may wait for the line. A key that could accept or
choose something may not: with the first one that is no text this ends, and it and all behind it
are thrown away as ever.
"""

from __future__ import annotations

from textual import events

from elicit_tui.tui.pasted import PASTE_SECONDS
from elicit_tui.tui.question.view import QuestionView
from elicit_tui.tui.typed_ahead import LEAVE
from elicit_tui.tui.widgets.typed_control import TypedControl


class TextAhead:
    """Keeps letters until the question is painted, and writes them into the field that it opens."""

    def __init__(self, *, keeps: bool) -> None:
        """`keeps`: no other question was there for which they could have been meant."""
        self._keeps = keeps
        self._ended = False
        """Whether another key came behind the text."""
        self._letters: list[events.Key] = []

    def takes(self, event: events.Event) -> bool:
        """Whether this input is kept."""
        if not self._keeps or not isinstance(event, (events.InputEvent, events.Paste)):
            return False
        if isinstance(event, events.Key) and event.key in LEAVE:
            return False
        if not isinstance(event, events.Key) or not event.is_printable:
            self._keeps, self._ended = False, True
            return False
        self._letters.append(event)
        return True

    def write_into(self, view: QuestionView) -> None:
        """It is painted: put what was kept where the person would type; else it was not heard."""
        self._keeps = False
        letters, self._letters = self._letters, []
        line = view.screen.focused
        if letters and isinstance(line, TypedControl):
            line.write("".join(letter.character or "" for letter in letters))
            if self._ended:
                # What was written hushes what is said.
                view.set_timer(PASTE_SECONDS, view.was_not_heard)
        elif letters:
            view.admits(letters[-1])
