"""The gateway's clock: one place where it takes the time and waits, so that a test can move it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Protocol


class Alarm(Protocol):
    """What rings at a moment, unless it is cancelled before."""

    def cancel(self) -> object:
        """Let it not ring any more."""
        ...


class Clock:
    """Monotonic seconds, and waiting for them."""

    def time(self) -> float:
        """Seconds since some fixed moment."""
        return time.monotonic()

    def alarm(self, moment: float, ring: Callable[[], object]) -> Alarm:
        """Have this rung when `time()` is that far."""
        loop = asyncio.get_running_loop()
        return loop.call_later(max(0.0, moment - self.time()), ring)

    async def sleep(self, seconds: float) -> None:
        """Return after so many seconds."""
        await asyncio.sleep(max(0.0, seconds))
