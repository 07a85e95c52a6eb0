"""Drawing on a terminal that may be hung up meanwhile."""

from __future__ import annotations

import contextlib
from typing import IO, Any

from textual.driver import Driver


class EnduringStream:
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


def enduring(driver: type[Driver]) -> type[Driver]:
    """The same driver on a stream that outlives its terminal."""

    class Enduring(driver):  # type: ignore[misc, valid-type]
        def __init__(self, *values: Any, **options: Any) -> None:
            super().__init__(*values, **options)
            stream = getattr(self, "_file", None)
            if stream is not None:
                self._file = EnduringStream(stream)

    return Enduring
