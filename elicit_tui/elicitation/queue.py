"""The one queue of questions: what waits, what is open, what a person put off."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import field
from typing import TYPE_CHECKING, Literal

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation.outcome import Outcome
from elicit_tui.elicitation.question import Deadline, Question

if TYPE_CHECKING:
    import asyncio


def _future() -> asyncio.Future[Outcome]:
    # What never waits, as `check`, starts without the machinery of waiting.
    import asyncio

    return asyncio.get_running_loop().create_future()


@dataclass(eq=False)
class Pending:
    """One question that waits for its outcome; made where a loop runs."""

    question: Question
    deadline: Deadline
    state: Literal["waiting", "open", "put_off"] = "waiting"
    """`open`: a person looks at it; `put_off`: it is not opened by itself again."""
    asked_at: float = field(default_factory=time.monotonic)
    """By the monotonic clock, in seconds."""
    settled: asyncio.Future[Outcome] = field(default_factory=_future)
    """Ends it from outside, whatever its responder is doing."""
    answered: asyncio.Future[Outcome] = field(default_factory=_future)
    """For a responder whose screens answer: what they came to."""

    def settle(self, outcome: Outcome) -> None:
        """End the question with this outcome, which is not judged."""
        if not self.settled.done():
            self.settled.set_result(outcome)

    def answer(self, outcome: Outcome) -> None:
        """Give a person's answer, which the broker judges; the first one counts."""
        if not self.answered.done():
            self.answered.set_result(outcome)

    @property
    def was_answered(self) -> bool:
        """Whether a screen answered it; who waits for that may have been cancelled instead."""
        return self.answered.done() and not self.answered.cancelled()

    @property
    def over(self) -> bool:
        """Whether it has an end or an answer, and only has to leave the queue."""
        return self.settled.done() or self.answered.done()

    @property
    def server(self) -> str:
        """The configured name of the server that asks."""
        return self.question.request.server.name

    @property
    def age(self) -> float:
        """Seconds since it was put to whoever answers."""
        return time.monotonic() - self.asked_at


class Queue:
    """Questions in the order they came, at most one of them open.

    The clock of the first one always runs: it can be answered.
    """

    def __init__(self) -> None:
        self._entries: dict[str, Pending] = {}

    def __iter__(self) -> Iterator[Pending]:
        # Who goes through it may end what it finds.
        return iter(tuple(self._waiting()))

    def __len__(self) -> int:
        return sum(1 for _ in self._waiting())

    def _waiting(self) -> Iterator[Pending]:
        """Each in its order, no further than it is asked for: a burst brings ten thousand."""
        return (entry for entry in self._entries.values() if not entry.over)

    def get(self, question_id: str | None) -> Pending | None:
        """The question with this id, if it still waits."""
        entry = self._entries.get(question_id) if question_id is not None else None
        return None if entry is None or entry.over else entry

    def add(self, pending: Pending) -> None:
        """Put a question at the end."""
        self._entries[pending.question.id] = pending
        self._start_first()

    def remove(self, pending: Pending) -> None:
        """Take a question out; the next one can now be answered."""
        if self._entries.get(pending.question.id) is pending:
            del self._entries[pending.question.id]
        self._start_first()

    def settle_where(self, matches: Callable[[Pending], bool], outcome: Outcome) -> int:
        """End every matching question with this outcome; how many there were."""
        chosen = [pending for pending in self if matches(pending)]
        for pending in chosen:
            pending.settle(outcome)
        return len(chosen)

    @property
    def open(self) -> Pending | None:
        """The question that a person looks at."""
        return next((entry for entry in self._waiting() if entry.state == "open"), None)

    def show(self, pending: Pending | None) -> None:
        """Make this one open, and no other; None: none is."""
        for entry in self._entries.values():
            if entry.state == "open":
                entry.state = "waiting"
        if pending is not None:
            pending.state = "open"

    def put_off(self, pending: Pending) -> Pending | None:
        """Open the one after it and return that; None when no other waits, and nothing changes."""
        following = self.after(pending)
        if following is None or following is pending:
            return None
        self.show(following)
        pending.state = "put_off"
        return following

    def next_to_open(self) -> Pending | None:
        """The oldest question that nobody put off."""
        return next((entry for entry in self._waiting() if entry.state != "put_off"), None)

    def after(self, pending: Pending | None) -> Pending | None:
        """The question that follows this one, from the end round to the start."""
        entries = list(self._waiting())
        if not entries:
            return None
        if pending is None or pending not in entries:
            return entries[0]
        return entries[(entries.index(pending) + 1) % len(entries)]

    def place(self, pending: Pending) -> tuple[int, int]:
        """(place from 1, how many)."""
        entries = list(self._waiting())
        place = entries.index(pending) + 1 if pending in entries else 1
        return place, max(1, len(entries))

    def _start_first(self) -> None:
        first = next(self._waiting(), None)
        if first is not None:
            first.deadline.start()
