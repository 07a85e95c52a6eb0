"""The first moments of a question: nothing meant for something else may reach it.

Two rules. Input made before the question was painted is thrown away, and with it the rest of a
burst of typing that had begun before (a person who types on blindly). And Send, Decline, Cancel
and Later are deaf for a moment after each painting.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ClassVar, Final

DEAF_SECONDS: Final = 0.3
"""How long Send, Decline, Cancel and Later stay deaf after a painting."""

BURST_SECONDS: Final = 2.0
"""No burst is thrown away for longer than this."""


class Quiet:
    """Keeps the times of one question; seconds of the monotonic clock that events carry.

    Keys closer together than half the deaf time belong to one burst of typing.
    """

    last_input: ClassVar[float] = float("-inf")
    """When anything was last typed or clicked: there is one keyboard for all questions."""

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        deaf_seconds: float = DEAF_SECONDS,
    ) -> None:
        self._clock = clock
        self._deaf_seconds = deaf_seconds
        self._gap = deaf_seconds / 2
        self._first_painted: float | None = None
        self._painted: float | None = None
        self._last_dropped = float("-inf")

    @classmethod
    def heard(cls, made_at: float) -> None:
        """Something was typed or clicked, whoever got it."""
        cls.last_input = max(cls.last_input, made_at)

    def painted(self) -> None:
        """Something that can be decided was painted just now."""
        self._painted = self._clock()
        if self._first_painted is None:
            self._first_painted = self._painted
            self._last_dropped = max(self._last_dropped, Quiet.last_input)

    def hidden(self) -> None:
        """A new page is about to be painted; until then nothing can be decided."""
        self._painted = None

    @property
    def deaf(self) -> bool:
        """Whether it is too early to decide anything."""
        return self._painted is None or self._clock() - self._painted < self._deaf_seconds

    def drops(self, made_at: float) -> bool:
        """Whether input made at this time was meant for something else."""
        self.heard(made_at)
        painted = self._first_painted
        early = painted is None or made_at < painted
        if not early and painted is not None:
            in_burst = made_at - self._last_dropped < self._gap
            early = in_burst and made_at - painted < BURST_SECONDS
        if early:
            self._last_dropped = max(self._last_dropped, made_at)
        return early
