"""A tool's own time limit, which stands still while a person is being asked."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final

TICK_SECONDS: Final = 0.1


async def wait_within(
    work: asyncio.Future[object], seconds: float, standing_still: Callable[[], bool]
) -> bool:
    """Wait for `work`; False when its time passed first. 0 seconds: no limit.

    Time counts only between two looks at which nobody was being asked.
    """
    spent = 0.0
    while not work.done():
        started = time.monotonic()
        still = standing_still()
        timeout = None if seconds <= 0 else min(TICK_SECONDS, max(0.0, seconds - spent))
        await asyncio.wait((work,), timeout=timeout)
        if work.done() or seconds <= 0:
            continue
        if not still and not standing_still():
            spent += time.monotonic() - started
            if spent >= seconds:
                return False
        elif timeout == 0:
            await asyncio.sleep(TICK_SECONDS)
    return True
