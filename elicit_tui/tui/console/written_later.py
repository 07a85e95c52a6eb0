"""Files of the console that are written while it goes on: in one thread, one after the other.

Another console may write the same file at this moment, and is waited for there.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final, TypeVar

Result = TypeVar("Result")

_WRITER: Final = ThreadPoolExecutor(1, "write")
_FAILED: Final = deque[Exception]()


def write_later(work: Callable[..., None], *given: Any) -> None:
    """Have it written behind all that is to be written before; the end of the program waits."""
    _WRITER.submit(work, *given).add_done_callback(_done)


def _done(written: Future[None]) -> None:
    """Nobody awaits these: what nobody foresaw waits for whoever tells it."""
    if isinstance(error := written.exception(), Exception):
        _FAILED.append(error)


def unforeseen() -> Iterator[Exception]:
    """What nobody foresaw while something was written; each comes once."""
    while _FAILED:
        yield _FAILED.popleft()


async def once_written(work: Callable[[], Result]) -> Result:
    """What this comes to, in the same thread, behind all that is to be written by now."""
    return await asyncio.wrap_future(_WRITER.submit(work))


def until_written(seconds: float | None = None) -> None:
    """Return once all is written that was to be by now. Raises TimeoutError."""
    _WRITER.submit(lambda: None).result(seconds)
