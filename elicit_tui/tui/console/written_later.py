"""Files of the console that are written while it goes on: in one thread, one after the other.

Another console may write the same file at this moment, and is waited for there.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

_WRITER: Final = ThreadPoolExecutor(1, "write")


def write_later(work: Callable[..., None], *given: Any) -> None:
    """Have it written behind all that is to be written before; the end of the program waits."""
    _WRITER.submit(work, *given)


def until_written(seconds: float) -> None:
    """Return once all is written that was to be by now. Raises TimeoutError."""
    _WRITER.submit(lambda: None).result(seconds)
