"""Questions that wait for a person, oldest first."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from elicit_tui.elicitation import Deadline, Outcome, Question


@dataclass(eq=False)
class Pending:
    """One question that waits: its deadline, and a way to end it from outside the responder."""

    question: Question
    deadline: Deadline
    settled: asyncio.Future[Outcome]
    asked_at: float = field(default_factory=time.monotonic)

    def settle(self, outcome: Outcome) -> None:
        """End the question with this outcome, whatever its responder is doing."""
        if not self.settled.done():
            self.settled.set_result(outcome)


class PendingQueue:
    """The pending questions in the order they came; the clock of the first one always runs."""

    def __init__(self) -> None:
        self._entries: dict[str, Pending] = {}

    def __iter__(self) -> Iterator[Pending]:
        return iter(tuple(self._entries.values()))

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, request_id: str) -> Pending | None:
        """The pending question of this request, if it still waits."""
        return self._entries.get(request_id)

    def add(self, pending: Pending) -> None:
        """Put a question at the end."""
        self._entries[pending.question.id] = pending
        self._start_first()

    def remove(self, pending: Pending) -> None:
        """Take a question out; the next one can now be answered."""
        self._entries.pop(pending.question.id, None)
        self._start_first()

    def settle_where(self, matches: Callable[[Pending], bool], outcome: Outcome) -> int:
        """End every matching question with this outcome; how many there were."""
        chosen = [pending for pending in self if matches(pending)]
        for pending in chosen:
            pending.settle(outcome)
        return len(chosen)

    def _start_first(self) -> None:
        first = next(iter(self._entries.values()), None)
        if first is not None:
            first.deadline.start()
