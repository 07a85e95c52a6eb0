"""A request that was let in and has no outcome yet."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from elicit_tui.elicitation import ElicitationRequest, Outcome, Pending, Question

if TYPE_CHECKING:
    from elicit_tui.policy import Decision

READING_TURNS: Final = 8
"""Turns of the event loop in which a message that has arrived is read, judged and acted on."""


@dataclass
class Admitted:
    """Where one request stands between being let in and its outcome."""

    question: Question
    """The request with what is known of it so far: what was found, then its form and draft."""
    arrived: float = field(default_factory=time.monotonic)
    """By the monotonic clock, in seconds."""
    trace: list[Decision] = field(default_factory=list)
    """What each step decided, in the order in which they were taken."""
    told: bool = False
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

    @property
    def request(self) -> ElicitationRequest:
        """What was asked."""
        return self.question.request

    @property
    def waited_ms(self) -> int:
        """Milliseconds since it arrived."""
        return round((time.monotonic() - self.arrived) * 1000)

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
        if self.ended is not None and self.ended.decided_by == "server":
            return self.ended
        return outcome
