"""A pseudo-terminal with a process on it: type, and wait for what appears, always bounded."""

from __future__ import annotations

import codecs
import fcntl
import os
import re
import select
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Mapping, Sequence
from typing import IO, Any

from tests.cli.running import COMMAND, environment
from tests.forks import Fork

SECONDS = 30.0

WHERE_IS_THE_CURSOR = b"\x1b[6n"

# The child makes the pseudo-terminal its controlling one, so that Ctrl+C is a signal as it is
# for a person.
ADOPT = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "os.execv(sys.argv[1], sys.argv[1:])"
)
CONTROL = re.compile(
    r"\x1b\[[0-9;?<>=]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][A-Z0-9]|\r"
)


def started(
    command: Sequence[str], environment: Mapping[str, str], terminal: int, stdout: IO[Any] | None
) -> Fork | subprocess.Popen[bytes]:
    """The command on a terminal that it controls; of `elicit-tui` a fork of one that is loaded."""
    shown = terminal if stdout is None else stdout.fileno()
    program, arguments = tuple(command[: len(COMMAND)]), command[len(COMMAND) :]
    if program == COMMAND and hasattr(os, "fork"):
        return Fork(arguments, environment, (terminal, shown, terminal))
    return subprocess.Popen(
        [sys.executable, "-c", ADOPT, *command],
        stdin=terminal,
        stdout=shown,
        stderr=terminal,
        start_new_session=True,
        env=environment,
    )


class Terminal:
    """One process with stdin and stderr on a pseudo-terminal; stdout there too unless given."""

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        stdout: IO[Any] | None = None,
        columns: int = 80,
        lines: int = 24,
        command: Sequence[str] = COMMAND,
        **env: str,
    ) -> None:
        self._ours, theirs = os.openpty()
        self.resize(columns, lines)
        self.process = started([*command, *arguments], environment(**env), theirs, stdout)
        os.close(theirs)
        self.raw = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._seen = 0

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *details: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(SECONDS)
        os.close(self._ours)

    @property
    def shown(self) -> str:
        """Everything written so far, without control sequences."""
        return CONTROL.sub("", self.raw)

    def read(self, seconds: float) -> bool:
        """Take in what is there; False once the process has let go of the terminal."""
        ready, _, _ = select.select([self._ours], [], [], seconds)
        if not ready:
            return True
        try:
            chunk = os.read(self._ours, 65_536)
        except OSError:
            return False
        self.raw += self._decoder.decode(chunk)
        for _ in range(chunk.count(WHERE_IS_THE_CURSOR)):
            os.write(self._ours, b"\x1b[1;1R")
        return bool(chunk)

    def wait_for(self, text: str, seconds: float = SECONDS) -> str:
        """Wait until this text appears after what was waited for before."""
        end = time.monotonic() + seconds
        alive = True
        while (place := self.shown.find(text, self._seen)) < 0:
            left = end - time.monotonic()
            if left <= 0 or not alive:
                raise AssertionError(f"{text!r} did not appear in:\n{self.shown[self._seen :]}")
            alive = self.read(min(left, 0.2))
        found = self.shown[self._seen : place + len(text)]
        self._seen = place + len(text)
        return found

    def type(self, text: str) -> None:
        """Type text as it is; Enter is part of it."""
        os.write(self._ours, text.encode())

    def resize(self, columns: int, lines: int) -> None:
        """Give the window another size; the process is told."""
        size = struct.pack("HHHH", lines, columns, 0, 0)
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, size)

    def answer(self, prompt: str, line: str) -> str:
        """Wait for a prompt, then type a line; what was shown up to the prompt."""
        shown = self.wait_for(prompt)
        self.type(line + "\n")
        return shown

    @property
    def flow_control(self) -> bool:
        """Whether Ctrl+S would stop what the terminal shows."""
        return bool(termios.tcgetattr(self._ours)[0] & termios.IXON)

    def hang_up(self) -> None:
        """Close the terminal, as a window that is closed does."""
        os.close(self._ours)

    def end(self, seconds: float = SECONDS) -> int:
        """Wait until the process has ended; its exit code."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.read(0.1):
            if self.process.poll() is not None and not select.select([self._ours], [], [], 0)[0]:
                break
        return self.process.wait(max(0.1, end - time.monotonic()))


class ReadTerminal(Terminal):
    """A terminal that somebody looks at all the time, so that its program never waits to draw."""

    def __enter__(self) -> ReadTerminal:
        self._looking = True
        self._old = 0
        self._reader = threading.Thread(target=self._look)
        self._reader.start()
        return self

    def _look(self) -> None:
        while self._looking and self.read(0.05):
            pass

    def look_from_here(self) -> None:
        """What was shown so far is none of the `news`."""
        self._old = len(self.shown)

    @property
    def news(self) -> str:
        return self.shown[self._old :]

    def __exit__(self, *details: object) -> None:
        self._looking = False
        self._reader.join()
        super().__exit__(*details)
