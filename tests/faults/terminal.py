"""A program on a pseudo-terminal: what is on its screen, and whether all is as it was."""

from __future__ import annotations

import codecs
import fcntl
import os
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Any, Final

from tests.cli.terminal import WHERE_IS_THE_CURSOR, started
from tests.faults.screen import Screen
from tests.faults.stand import SECONDS
from tests.forks import Fork

ARE_FRAMES_WHOLE: Final = b"\x1b[?2026$p"
AGAIN_SECONDS: Final = 1.0
"""A key that nobody heeded is pressed again after this; a question is deaf when it opens."""


class Terminal:
    """One process on a terminal of its own, which it controls."""

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        *,
        stdout: IO[Any] | None = None,
        columns: int = 120,
        lines: int = 36,
        controls: bool = True,
    ) -> None:
        """`controls`: the system tells the process when the terminal goes away."""
        self._ours, theirs = os.openpty()
        self._open = True
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.screen = Screen(columns, lines)
        self.everything = ""
        self.resize(columns, lines)
        self._before = termios.tcgetattr(theirs)
        self._theirs = theirs
        # The size is the terminal's alone.
        named = {k: v for k, v in environment.items() if k not in ("COLUMNS", "LINES")}
        self.process: Fork | subprocess.Popen[bytes]
        if controls:
            self.process = started(command, named, theirs, stdout)
        else:
            shown = theirs if stdout is None else stdout
            self.process = subprocess.Popen(
                command,
                stdin=theirs,
                stdout=shown,
                stderr=theirs,
                env=named,
                start_new_session=True,
            )

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *details: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(SECONDS)
        self.hang_up()

    # What a person does

    def type(self, keys: str) -> None:
        """Type keys, as a terminal sends them."""
        os.write(self._ours, keys.encode())

    def press_until(self, keys: str, true: Callable[[], Any], what: str) -> None:
        """Press keys, again and again, until it is true."""
        end = time.monotonic() + SECONDS
        while not true():
            assert time.monotonic() < end, f"{what} did not come; on the screen:\n{self.text}"
            self.type(keys)
            again = time.monotonic() + AGAIN_SECONDS
            while not true() and time.monotonic() < again:
                self._take(0.05)

    def resize(self, columns: int, lines: int) -> None:
        """Another size of the window."""
        self.screen.resize(columns, lines)
        size = struct.pack("HHHH", lines, columns, 0, 0)
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, size)

    def hang_up(self) -> None:
        """Close the terminal, as a window that is closed does."""
        if self._open:
            self._open = False
            os.close(self._theirs)
            os.close(self._ours)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the program."""
        self.process.send_signal(number)

    # What a person sees

    @property
    def text(self) -> str:
        """What is on the screen."""
        return self.screen.text

    def until(self, true: Callable[[], Any], what: str, seconds: float = SECONDS) -> None:
        """Wait until it is true, at most so many seconds."""
        end = time.monotonic() + seconds
        while not true():
            left = end - time.monotonic()
            assert left > 0, f"{what} did not come; on the screen:\n{self.text}"
            self._take(0.05)

    def shows(self, *words: str) -> None:
        """Wait until all of these stand on the screen, each on one line."""
        self.until(lambda: all(word in self.text for word in words), repr(words))

    def end(self) -> int:
        """Wait until the program has ended; its exit code."""
        self.until(lambda: self.process.poll() is not None, "the end")
        while self._take(0):
            pass
        return self.process.returncode

    @property
    def as_it_was(self) -> bool:
        """The attributes are those of before, and every mode was switched back."""
        return not self.screen.left_on and termios.tcgetattr(self._theirs) == self._before

    def _take(self, seconds: float) -> bool:
        ready, _, _ = select.select([self._ours], [], [], seconds)
        if not ready:
            return False
        try:
            data = os.read(self._ours, 65_536)
        except OSError:
            return False
        text = self._decoder.decode(data)
        self.everything += text
        self.screen.feed(text)
        for _ in range(data.count(WHERE_IS_THE_CURSOR)):
            self.type("\x1b[1;1R")
        if ARE_FRAMES_WHOLE in data:
            self.type("\x1b[?2026;2$y")
        return bool(data)
