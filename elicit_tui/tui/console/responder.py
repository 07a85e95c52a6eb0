"""Answers the broker's questions through the console's screens."""

from __future__ import annotations

import asyncio
from typing import Protocol

from elicit_tui.elicitation import Deadline, Outcome, Question
from elicit_tui.tui.console.waiting import Waiting, WaitingQuestions


class Stage(Protocol):
    """Where questions are shown."""

    def question_came(self, waiting: Waiting) -> None:
        """Show it or announce it."""
        ...

    def question_went(self, waiting: Waiting) -> None:
        """Take it off the screen; what was typed is kept."""
        ...


class ConsoleResponder:
    """Holds each question as a future until a screen, or the queue, answers it."""

    def __init__(self, questions: WaitingQuestions, stage: Stage) -> None:
        self._questions = questions
        self._stage = stage

    async def respond(self, question: Question, deadline: Deadline) -> Outcome:
        """Queue the question and wait; when cancelled, the question leaves the screen."""
        future: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        waiting = Waiting(question, deadline, future)
        self._questions.add(waiting)
        try:
            self._stage.question_came(waiting)
            return await future
        finally:
            self._questions.remove(waiting)
            self._stage.question_went(waiting)
