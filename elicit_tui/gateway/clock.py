"""The gateway's clock: one place where it takes the time and waits, so that a test can move it."""

from __future__ import annotations

import asyncio
import time


class Clock:
    """Monotonic seconds, and waiting for them."""

    def time(self) -> float:
        """Seconds since some fixed moment."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Return after so many seconds."""
        await asyncio.sleep(max(0.0, seconds))

    async def until(self, end: float) -> None:
        """Return when `time()` is that far."""
        await self.sleep(end - self.time())
