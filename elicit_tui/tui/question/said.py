"""What became of a key, said in the line above the buttons of a question."""

from __future__ import annotations

from typing import Any, Final

from textual import events

from elicit_tui.tui.question.status import StatusLine
from elicit_tui.tui.question.title import Titled

NOT_HEARD: Final = "Too early, not heard: this was shown only just."
"""Quietly, at the question, until the next key: a key that did nothing looks like a broken one."""


class SaysWhy(Titled):
    """A frame that says something until something else is done; each key moves its deadline."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.decided = False
        self._status = StatusLine()
        self._not_heard = False
        self._first_key: float | None = None
        self._acted = False
        """Whether more than one key was heard."""

    def say(self, sentence: str, style: str = "bold $warning") -> None:
        """Say something above the buttons, until something else is done."""
        self._status.say(sentence, style)

    def hush(self) -> None:
        """What was said is done: how far the answer is stands there again."""
        self._status.hush()

    def heard(self, event: events.Event) -> None:
        """Each key moves the deadline."""
        if self._not_heard:
            self._not_heard = False
            self._status.hush()
        if isinstance(event, (events.Key, events.Paste)):
            self.deadline.touch()
            if not self.deaf:
                self._acted = self._acted or self._first_key not in (None, event.time)
                self._first_key = event.time

    def turned_away(self, event: events.Event) -> None:
        """Say that it went nowhere, unless the question is on its way out."""
        if not self.decided:
            self._not_heard = True
            self.say(NOT_HEARD, "$warning")

    @property
    def listens(self) -> bool:
        """Nothing counts behind a decision, or while another page is being painted."""
        return not self.decided and super().listens
