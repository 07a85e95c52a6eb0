"""Lines that a person types, without ever blocking the event loop."""

from __future__ import annotations

import asyncio
import os
import threading
from typing import Final, TextIO

READ_BYTES: Final = 65_536
LINE_BYTES: Final = 1_000_000
"""A longer line is handed over in pieces; nobody types that much, and memory stays bounded."""


class InputGone(Exception):
    """The input failed rather than ended: the terminal is not there any more."""


class Lines:
    """Reads one line at a time from a terminal or a pipe.

    `next` may be cancelled at any moment and loses nothing: what was typed stays for the next
    reader, unless `discard` throws it away.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._buffer = bytearray()
        self._thread: threading.Thread | None = None
        self._arrived: asyncio.Queue[bytes | OSError] | None = None

    async def next(self) -> str | None:
        """The next line without its end; None at the end of input. Raises InputGone."""
        while True:
            line = self._take_line()
            if line is not None:
                return line
            chunk = await self._chunk()
            if not chunk:
                rest, self._buffer = self._buffer, bytearray()
                return self._decoded(bytes(rest)) if rest else None
            self._buffer += chunk

    def discard(self) -> None:
        """Throw away what was typed before anyone asked for it."""
        self._buffer.clear()
        while self._arrived is not None and not self._arrived.empty():
            self._arrived.get_nowait()
        if self._stream.isatty():
            _flush_terminal(self._stream.fileno())

    def _take_line(self) -> str | None:
        end = self._buffer.find(b"\n")
        if end < 0 and len(self._buffer) < LINE_BYTES:
            return None
        cut = end if end >= 0 else LINE_BYTES
        line = bytes(self._buffer[:cut])
        del self._buffer[: cut + 1 if end >= 0 else cut]
        return self._decoded(line)

    def _decoded(self, line: bytes) -> str:
        return line.decode(self._stream.encoding or "utf-8", "replace").rstrip("\r")

    async def _chunk(self) -> bytes:
        if self._thread is None:
            loop = asyncio.get_running_loop()
            readable = asyncio.Event()
            descriptor = self._stream.fileno()
            try:
                loop.add_reader(descriptor, readable.set)
            except (NotImplementedError, PermissionError):
                # Windows' loop watches no console, and no system watches a regular file.
                self._read_in_thread(descriptor)
            else:
                try:
                    await readable.wait()
                finally:
                    loop.remove_reader(descriptor)
                return _read(descriptor)
        assert self._arrived is not None
        arrived = await self._arrived.get()
        if isinstance(arrived, OSError):
            raise InputGone(str(arrived)) from arrived
        return arrived

    def _read_in_thread(self, descriptor: int) -> None:
        loop = asyncio.get_running_loop()
        arrived: asyncio.Queue[bytes | OSError] = asyncio.Queue()

        def read() -> None:
            chunk: bytes | OSError = b"?"
            while chunk and not isinstance(chunk, OSError):
                try:
                    chunk = os.read(descriptor, READ_BYTES)
                except OSError as error:
                    chunk = error
                try:
                    loop.call_soon_threadsafe(arrived.put_nowait, chunk)
                except RuntimeError:
                    return  # The loop has ended; so has the need for lines.

        self._arrived = arrived
        self._thread = threading.Thread(target=read, daemon=True)
        self._thread.start()


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, READ_BYTES)
    except OSError as error:
        raise InputGone(str(error)) from error


def _flush_terminal(descriptor: int) -> None:
    """Drop what the terminal holds; a system without such terminals has nothing to drop."""
    try:
        import termios
    except ImportError:
        return
    try:
        termios.tcflush(descriptor, termios.TCIFLUSH)
    except termios.error:
        return
