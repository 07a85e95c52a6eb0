"""A command on a pseudo-terminal of 140x40, timed from its first byte."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.measure import ROOT

BOUND = 60.0
COLOURS = re.compile(rb"\x1b\[[0-9;]*m")
"""They may stand in the middle of words that are looked for."""


class Terminal:
    """Starts the command, reads what it draws, and ends it when left."""

    def __init__(self, command: Sequence[str], environment: dict[str, str]) -> None:
        self.started = time.perf_counter()
        self._process, self._terminal = pty.fork()
        if self._process == 0:
            os.chdir(ROOT)
            os.execvpe(command[0], list(command), environment)
        size = struct.pack("HHHH", 40, 140, 0, 0)
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, size)
        self._seen = b""

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *exc: object) -> None:
        os.kill(self._process, signal.SIGKILL)
        os.waitpid(self._process, 0)
        os.close(self._terminal)

    def until(self, words: bytes, after: bytes = b"") -> None:
        """Read until the words were drawn (behind `after`, where it is given)."""
        end = time.perf_counter() + BOUND
        while words not in (self._seen.partition(after)[2] if after else self._seen):
            if time.perf_counter() > end:
                raise RuntimeError(f"{words!r} was never drawn")
            if select.select([self._terminal], [], [], 1)[0]:
                self._seen = COLOURS.sub(b"", self._seen + os.read(self._terminal, 65536))

    def type(self, keys: bytes) -> None:
        """Send keys, and forget what was drawn before them."""
        self._seen = b""
        os.write(self._terminal, keys)

    def press(self, keys: bytes, words: bytes) -> None:
        """Send keys and read until the words were drawn after them."""
        self.type(keys)
        self.until(words)

    def memory(self) -> float:
        """The resident memory of the process, in MB (Linux)."""
        for line in Path(f"/proc/{self._process}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1000
        return 0.0

    def processor_seconds(self) -> float:
        """The processor time of the process (Linux)."""
        times = Path(f"/proc/{self._process}/stat").read_text().rpartition(")")[2].split()
        return (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")
