"""A request that was let in and has no outcome yet."""

from __future__ import annotations

import asyncio
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

    request: ElicitationRequest
    arrived: float
    """By the monotonic clock, in seconds."""
    question: Question = field(init=False)
    """The request with what is known of it so far: what was found, then its form and draft."""
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
    """An end that came before the question was asked: withdrawn, gone or shut down."""

    def __post_init__(self) -> None:
        self.question = Question(self.request)

    async def still_wanted(self, outcome: Outcome) -> Outcome:
        """The outcome, or the end that its server gave it while it was judged and answered."""
        if outcome.action == "accept":
            # Judging keeps the loop from reading; what has come meanwhile is looked at first.
            for _ in range(READING_TURNS):
                await asyncio.sleep(0)
        if self.ended is not None and self.ended.decided_by == "server":
            return self.ended
        return outcome
