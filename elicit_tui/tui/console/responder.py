"""Answers the broker's questions through the console's screens."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from elicit_tui.elicitation import Deadline, Outcome, Pending, Question, Queue


class Presenter(Protocol):
    """Where questions are shown."""

    def question_came(self, pending: Pending) -> None:
        """Show it or announce it."""
        ...

    def question_went(self) -> None:
        """Take off the screen what is no longer asked; what was typed is kept."""
        ...


class ConsoleResponder:
    """Waits for what a screen answers to a question in the queue."""

    def __init__(self, queue: Queue, presenter: Presenter) -> None:
        self._queue = queue
        self._presenter = presenter

    async def respond(self, question: Question, deadline: Deadline) -> Outcome:
        """Have the question shown and wait; when cancelled, it leaves the screen."""
        pending = self._queue.get(question.id)
        assert pending is not None, "the broker queues a question before it asks"
        try:
            self._presenter.question_came(pending)
            return replace(await pending.answered, via="console")
        finally:
            self._presenter.question_went()
