"""What was let in: each question from its arrival to its one outcome."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import field
from typing import TYPE_CHECKING, Any, Final

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import ElicitationRequest, Outcome, Pending, Question

if TYPE_CHECKING:
    from elicit_tui.policy import Decision

READING_TURNS: Final = 8
"""Turns of the event loop in which a message that has arrived is read, judged and acted on.

A line goes from the transport to the wire and from there to the broker, each in a turn or two of
its own; this is twice what that takes, and costs an accept less than a millisecond.
"""
MOST_UNASKED: Final = 1_000
"""Ends that are kept for who has yet to ask, the latest ones; older ones are those of servers that
are gone, for which nobody asks any more."""


@dataclass
class Admitted:
    """Where one request stands between being let in and its outcome."""

    question: Question
    """The request with what is known of it so far: what was found, then its form and draft."""
    arrived: float = field(default_factory=time.monotonic)
    """By the monotonic clock, in seconds."""
    trace: list[Decision] = field(default_factory=list)
    """What each step decided, in the order in which they were taken."""
    announced: bool = False
    """Whether watchers and the ledger know that it was asked."""
    waits: bool = True
    """Whether it counts among those that wait (`elicitation.limits.pending`)."""
    pending: Pending | None = None
    """Its place in the queue, while it is asked."""
    task: asyncio.Task[Any] | None = None
    ended: Outcome | None = None
    """An end that came from outside: withdrawn, gone or shut down."""
    over: asyncio.Event = field(default_factory=asyncio.Event)
    """Set with `ended`."""
    outcome: Outcome | None = None
    """What it came to; recorded once."""

    @property
    def request(self) -> ElicitationRequest:
        """What was asked."""
        return self.question.request

    @property
    def waited_ms(self) -> int:
        """Milliseconds since it arrived."""
        return round((time.monotonic() - self.arrived) * 1000)

    def is_over(self) -> bool:
        """Whether it was ended from outside, also where it is still on its way to its record."""
        pending = self.pending
        return self.ended is not None or (pending is not None and pending.settled.done())

    def end(self, outcome: Outcome) -> None:
        """End it from outside, unless that has happened: nobody is asked for it any more."""
        if self.ended is None:
            self.ended = outcome
            self.over.set()
            if self.pending is not None:
                self.pending.settle(outcome)

    async def still_wanted(self, outcome: Outcome) -> Outcome:
        """The outcome, or the end that its server gave it while it was judged and answered."""
        if outcome.action == "accept":
            # Judging keeps the loop from reading; what has come meanwhile is looked at first.
            for _ in range(READING_TURNS):
                await asyncio.sleep(0)
        # Only its server's own end counts: an end by shutdown takes no answer back.
        if self.ended is not None and self.ended.decided_by == "server":
            return self.ended
        return outcome


class OpenQuestions:
    """Those that have no outcome yet, oldest first."""

    def __init__(self, finish: Callable[[Admitted, Outcome], Outcome]) -> None:
        """`finish`: records the outcome of one that nobody sees through."""
        self._finish = finish
        self._entries: dict[str, Admitted] = {}
        self._unasked: dict[str, Outcome] = {}

    def __iter__(self) -> Iterator[Admitted]:
        return iter(tuple(self._entries.values()))

    def add(self, entry: Admitted) -> Admitted:
        """Let one in."""
        self._entries[entry.request.id] = entry
        return entry

    def remove(self, entry: Admitted) -> None:
        """Take one out, as it has its outcome."""
        self._entries.pop(entry.request.id, None)

    def find(self, request: ElicitationRequest) -> Admitted | Outcome | None:
        """The entry of a question; or the end that it was given before, which is told once."""
        found = self._entries.get(request.id)
        return self._unasked.pop(request.id, None) if found is None else found

    def end_where(self, matches: Callable[[ElicitationRequest], bool], outcome: Outcome) -> None:
        """End every matching question with this outcome, whichever step it has come to.

        Where nobody sees one through yet, perhaps nobody ever will: it is recorded at once, and
        whoever still comes to ask for it is told that end.
        """
        for entry in self:
            if not matches(entry.request):
                continue
            entry.end(outcome)
            if entry.task is None:
                self._unasked[entry.request.id] = self._finish(entry, entry.ended or outcome)
                if len(self._unasked) > MOST_UNASKED:
                    self._unasked.pop(next(iter(self._unasked)))
