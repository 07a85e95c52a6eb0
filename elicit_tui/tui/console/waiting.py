"""The questions that wait for this console: oldest first, at most one of them open."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from elicit_tui.elicitation import Deadline, Outcome, Question


@dataclass(eq=False)
class Waiting:
    """One question and the future through which it is answered."""

    question: Question
    deadline: Deadline
    answer: asyncio.Future[Outcome]
    since: float = field(default_factory=time.monotonic)
    put_off: bool = False
    """The person said "later": it is not opened by itself again."""

    @property
    def server(self) -> str:
        """The configured name of the server that asks."""
        return self.question.request.server.name

    @property
    def age(self) -> float:
        """Seconds since it came."""
        return time.monotonic() - self.since


class WaitingQuestions:
    """The queue. The clock of its head always runs; the open one stays where it stands."""

    def __init__(self) -> None:
        self._entries: dict[str, Waiting] = {}
        self.open: Waiting | None = None

    def __iter__(self) -> Iterator[Waiting]:
        return iter(tuple(self._entries.values()))

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, question_id: str | None) -> Waiting | None:
        """The question with this id, if it still waits."""
        return None if question_id is None else self._entries.get(question_id)

    def add(self, waiting: Waiting) -> None:
        """Put a question at the end."""
        self._entries[waiting.question.id] = waiting
        self._start_head()

    def remove(self, waiting: Waiting) -> None:
        """Take a question out."""
        self._entries.pop(waiting.question.id, None)
        if self.open is waiting:
            self.open = None
        self._start_head()

    def _start_head(self) -> None:
        head = next(iter(self._entries.values()), None)
        if head is not None:
            head.deadline.start()

    def place(self, waiting: Waiting) -> tuple[int, int]:
        """(place from 1, how many)."""
        keys = list(self._entries)
        key = waiting.question.id
        return (keys.index(key) + 1 if key in self._entries else 1, max(1, len(keys)))

    def next_to_open(self) -> Waiting | None:
        """The oldest question that nobody put off."""
        return next((waiting for waiting in self if not waiting.put_off), None)

    def after(self, waiting: Waiting | None) -> Waiting | None:
        """The question that follows this one, from the end round to the start."""
        entries = list(self)
        if not entries:
            return None
        if waiting is None or waiting not in entries:
            return entries[0]
        return entries[(entries.index(waiting) + 1) % len(entries)]
