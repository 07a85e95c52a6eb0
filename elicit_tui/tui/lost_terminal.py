"""A terminal that goes away: nothing waits for it, and whoever asks on it hears of it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
from collections.abc import Callable, Iterator
from typing import IO, Any, Final, TypeVar

from textual.driver import Driver

AnyDriver = TypeVar("AnyDriver", bound=Driver)
_STDIN: Final = 0
_LOOK_SECONDS: Final = 1.0
"""How often it is looked whether the terminal is still there."""


@contextlib.contextmanager
def watched_terminal(on_lost: Callable[[], None]) -> Iterator[None]:
    """While it is entered, call `on_lost` once the terminal of standard input is gone.

    The system tells of a hang-up only those whom the terminal controls; the others would read from
    nobody, without a pause and for ever.
    """
    if not os.isatty(_STDIN):
        yield
        return
    loop = asyncio.get_running_loop()
    watch: asyncio.TimerHandle

    def look() -> None:
        nonlocal watch
        if _is_terminal_gone():
            on_lost()
        else:
            watch = loop.call_later(_LOOK_SECONDS, look)

    watch = loop.call_later(_LOOK_SECONDS, look)
    try:
        yield
    finally:
        watch.cancel()


def _is_terminal_gone() -> bool:
    """Whether the terminal of standard input was closed; False where the system cannot tell."""
    if not hasattr(select, "poll"):
        return False
    poll = select.poll()
    poll.register(_STDIN, 0)
    return any(seen & (select.POLLHUP | select.POLLERR) for _, seen in poll.poll(0))


class OutlivingStream:
    """Writes to a stream for as long as there is one; what cannot be written is dropped.

    The library's writing thread ends at the first error, and whoever writes after it waits for
    ever: a closed window would leave a process behind.
    """

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        """Write, or drop it."""
        with contextlib.suppress(OSError, ValueError):
            self._stream.write(text)

    def flush(self) -> None:
        """Flush, where there is still somebody who reads."""
        with contextlib.suppress(OSError, ValueError):
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def outliving_terminal(driver: type[AnyDriver]) -> type[AnyDriver]:
    """The same driver on a stream that outlives its terminal."""

    class Outliving(driver):  # type: ignore[misc, valid-type]
        def __init__(self, *values: Any, **options: Any) -> None:
            super().__init__(*values, **options)
            stream = getattr(self, "_file", None)
            if stream is not None:
                self._file = OutlivingStream(stream)

    return Outliving
