"""Keeps what a person answered, so that `--record` can write it as an answers file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from elicit_tui.elicitation import Deadline, Outcome, Question, Responder


@dataclass(frozen=True)
class RecordedAnswer:
    """One decision of the person."""

    question: Question
    outcome: Outcome

    @property
    def content(self) -> Mapping[str, Any] | None:
        """The accepted content; None for url mode and refusals."""
        return self.outcome.content


class AnswerRecorder:
    """Passes every question on to a responder and remembers what the person decided, in order."""

    def __init__(self, responder: Responder) -> None:
        self._responder = responder
        self._answers: list[RecordedAnswer] = []

    async def respond(self, question: Question, deadline: Deadline) -> Outcome:
        """The inner responder's outcome; one that content failed the judge is asked again."""
        outcome = await self._responder.respond(question, deadline)
        if outcome.decided_by == "user":
            self._forget(question.id)
            self._answers.append(RecordedAnswer(question, outcome))
        return outcome

    def _forget(self, question_id: str) -> None:
        """The same question asked again replaces what was answered before."""
        self._answers = [held for held in self._answers if held.question.id != question_id]

    @property
    def answers(self) -> tuple[RecordedAnswer, ...]:
        """What the person decided, oldest first."""
        return tuple(self._answers)
