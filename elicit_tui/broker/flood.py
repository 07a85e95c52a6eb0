"""Step 4, flood: how many questions one server may ask (`[elicitation.limits]`)."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Final

from elicit_tui.elicitation.settings import ElicitationLimits

MINUTE: Final = 60.0


class FloodGate:
    """Counts, for each server, the questions of the last minute and those still open."""

    def __init__(
        self,
        limits: ElicitationLimits,
        *,
        count_rate: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limits = limits
        self._count_rate = count_rate
        self._clock = clock
        self._recent: dict[str, deque[float]] = {}
        self._open: dict[str, int] = {}

    def enter(self, server: str) -> str | None:
        """Let one question in, or say in a sentence which limit it is over."""
        if self._open.get(server, 0) >= self._limits.pending:
            return f"{self._limits.pending} questions wait already (elicitation.limits.pending)."
        if self._count_rate:
            recent = self._recent.setdefault(server, deque())
            now = self._clock()
            while recent and now - recent[0] >= MINUTE:
                recent.popleft()
            if len(recent) >= self._limits.per_minute:
                return (
                    f"More than {self._limits.per_minute} questions came within a minute "
                    "(elicitation.limits.per_minute)."
                )
            recent.append(now)
        self._open[server] = self._open.get(server, 0) + 1
        return None

    def leave(self, server: str) -> None:
        """Count a question of this server no more: it has its outcome."""
        self._open[server] = max(0, self._open.get(server, 0) - 1)
