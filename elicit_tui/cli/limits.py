"""`--timeout`: a limit for a whole run that stands still while a person is asked."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeVar

from elicit_tui.errors import LimitReached
from elicit_tui.text import in_seconds

Result = TypeVar("Result")

LOOK_SECONDS: Final = 0.2
"""How often it is looked whether a person is being asked."""


async def within(
    seconds: float, work: Coroutine[Any, Any, Result], asking: Callable[[], bool]
) -> Result:
    """Do the work within so many seconds of its own time. Raises LimitReached."""
    task = asyncio.ensure_future(work)
    left = seconds
    try:
        while not task.done() and left > 0:
            still = asking()
            before = time.monotonic()
            await asyncio.wait({task}, timeout=min(LOOK_SECONDS, left))
            if not (still and asking()):
                left -= time.monotonic() - before
        if task.done():
            return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task})
    raise LimitReached(f"The call did not end within {in_seconds(seconds)} (--timeout).")
