"""An agent in a terminal of its own, as a person sits before it: what it shows, and keys for it."""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import struct
import termios
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pyte

from tests.agents.model import ScriptedModel
from tests.agents.real_agents import PROMPT

LINES: Final = 40
COLUMNS: Final = 120
ANSWERS: Final = ((b"\x1b[6n", b"\x1b[1;1R"), (b"\x1b[c", b"\x1b[?62;c"))
"""What a terminal is asked as a program starts, and says."""


Until = Callable[[Callable[[], Any], str, "Terminal"], None]
"""Returns as soon as something is so; else it fails with these words and what is shown."""


@dataclass
class Terminal:
    """One agent's terminal; only who started it reads its screen."""

    process: int
    descriptor: int
    drawn: bytearray = field(default_factory=bytearray)
    _screen: pyte.Screen = field(default_factory=lambda: pyte.Screen(COLUMNS, LINES))
    _fed: int = 0

    def __post_init__(self) -> None:
        self._stream = pyte.ByteStream(self._screen)

    def read(self) -> None:
        """Take what it draws, until it ends."""
        with suppress(OSError):
            while piece := os.read(self.descriptor, 65536):
                self.drawn += piece
                for asked, answer in ANSWERS:
                    if asked in piece:
                        os.write(self.descriptor, answer)

    @property
    def shown(self) -> str:
        """What stands on the screen, line by line."""
        piece = bytes(self.drawn[self._fed :])
        self._fed += len(piece)
        self._stream.feed(piece)
        return "\n".join(line.rstrip() for line in self._screen.display)

    @property
    def written(self) -> str | None:
        """What stands in the line in which one writes; None: it is not there yet."""
        lines = [line.lstrip("│ ") for line in self.shown.splitlines()]
        return next((line for line in reversed(lines) if line.startswith(("❯", "›"))), None)

    def types(self, text: str) -> None:
        os.write(self.descriptor, text.encode())

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.process, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(self.process, 0)


@contextmanager
def terminal(
    program: Sequence[str], environment: Mapping[str, str], folder: Path
) -> Iterator[Terminal]:
    """The program in its terminal; it is killed at the end."""
    process, descriptor = pty.fork()
    if process == 0:
        os.chdir(folder)
        os.execve(program[0], list(program), dict(environment))
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    started = Terminal(process, descriptor)
    threading.Thread(target=started.read, daemon=True).start()
    try:
        yield started
    finally:
        started.kill()


def has_it_call(started: Terminal, model: ScriptedModel, until: Until) -> None:
    """Tell an agent to call its tool; once more where the tool's server was not connected yet."""
    until(lambda: started.written is not None, "it does not start", started)
    while not any(name.endswith(model.wanted) for turn in model.work for name in turn.tools):
        turns = len(model.work)
        started.types(PROMPT)
        until(lambda: PROMPT in (started.written or ""), "what is typed does not come", started)
        started.types("\r")
        until(lambda: len(model.work) > turns, "its model is not asked", started)  # noqa: B023
