"""A request that a person is to decide, and the contract of whoever shows it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from elicit_tui.elicitation.finding import Review
from elicit_tui.elicitation.outcome import Outcome
from elicit_tui.elicitation.request import ElicitationRequest

KEY_GRACE_SECONDS = 60.0


@dataclass(frozen=True)
class Question:
    """A request with the guardian's findings; a plain value that any process could show."""

    request: ElicitationRequest
    review: Review = field(default_factory=Review)
    note: str | None = None
    """Why it is asked although a rule or answer met it, where that is so."""

    @property
    def id(self) -> str:
        """The request's id; a question is asked once."""
        return self.request.id


class Deadline:
    """How long a question may wait, in seconds; 0 means for ever.

    The clock stands still until `start` (the question can be answered: it is shown, or heads the
    queue). Each key moves the end to at least 60 s ahead.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds = seconds
        self._clock = clock
        self._end: float | None = None
        self.on_start: Callable[[], None] | None = None
        """Told once, when the clock begins to run."""

    def start(self) -> None:
        """The question can now be answered; later calls change nothing."""
        if self._end is None and self.seconds > 0:
            self._end = self._clock() + self.seconds
            if self.on_start is not None:
                self.on_start()

    def touch(self) -> None:
        """The person pressed a key on this question."""
        if self._end is not None:
            self._end = max(self._end, self._clock() + KEY_GRACE_SECONDS)

    @property
    def started(self) -> bool:
        """Whether the clock runs."""
        return self._end is not None

    @property
    def remaining(self) -> float | None:
        """Seconds left, at least 0; None while nothing counts."""
        return None if self._end is None else max(0.0, self._end - self._clock())


class Responder(Protocol):
    """Whoever answers a question: a screen, plain prompts, or nobody.

    `respond` is cancelled when the question is withdrawn, its deadline passes or the host shuts
    down; it then takes the question off the screen, keeps what was typed, and lets the
    cancellation through. It calls `deadline.start()` once the question can be answered and
    `deadline.touch()` on each key.
    """

    async def respond(self, question: Question, deadline: Deadline) -> Outcome:
        """Answer one question; several may be open at once."""
        ...
