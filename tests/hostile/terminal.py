"""A real pseudo-terminal around one command: what was typed goes in, every byte comes out."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType

from tests.cli.terminal import started


class Terminal:
    """One command on a terminal of its own; ended, with all its group, when the block ends."""

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        columns: int = 100,
        lines: int = 30,
    ) -> None:
        self._master, slave = pty.openpty()
        size = struct.pack("HHHH", lines, columns, 0, 0)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, size)
        self.process = started(command, environment, slave, None)
        os.close(slave)
        self.written = bytearray()
        """Every byte that reached the terminal."""

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(10)
        os.close(self._master)

    def type(self, keys: str) -> None:
        """Send keys, as a person's terminal would."""
        os.write(self._master, keys.encode())

    def read_for(self, seconds: float, most: float = 20.0) -> None:
        """Take what comes until it was quiet for `seconds`, or the command ended."""
        end = time.monotonic() + most
        while time.monotonic() < end and self._take(seconds):
            pass

    def read_while(self, true: Callable[[], bool], most: float) -> None:
        """Take what comes while something is so, at most for `most` seconds."""
        end = time.monotonic() + most
        while true() and time.monotonic() < end:
            self._take(0.02)

    def read_until(self, words: str, within: float) -> bool:
        """Take what comes until `words` are there; False when they did not come in time."""
        end = time.monotonic() + within
        while words.encode() not in self.written:
            left = end - time.monotonic()
            if left <= 0 or not self._take(left):
                return words.encode() in self.written
        return True

    def end(self, within: float) -> int | None:
        """Take everything until the command ends; its exit code, or None when it goes on."""
        end = time.monotonic() + within
        while self._take(max(0.0, end - time.monotonic())):
            pass
        try:
            return self.process.wait(max(0.1, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            return None

    def _take(self, seconds: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], seconds)
        if not ready:
            return False
        try:
            data = os.read(self._master, 65536)
        except OSError:  # Linux says so when the command closed its side
            return False
        self.written += data
        return bool(data)
