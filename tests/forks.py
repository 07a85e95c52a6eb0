"""Processes of Python programs that need not start from nothing: forks of one that is loaded."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path

PATIENCE = 60
NURSERY = Path(__file__).with_name("nursery.py")
COMMAND = (sys.executable, "-m", "elicit_tui")

_forks = ExitStack()
"""What this process of the tests started for itself; closed at its end."""


@contextmanager
def forks_of(*program: str | Path, python: str | Path = sys.executable) -> Iterator[list[str]]:
    """The words that start a fork of this program, while the block runs.

    `python`: the interpreter with what the program needs.
    """
    # A socket's name has to be short.
    with tempfile.TemporaryDirectory() as place:
        socket = Path(place, "forks")
        nursery = subprocess.Popen(
            [python, *program, socket], stdin=subprocess.DEVNULL, start_new_session=True
        )
        try:
            end = time.monotonic() + PATIENCE
            while not socket.exists():
                assert nursery.poll() is None
                assert time.monotonic() < end
                time.sleep(0.02)
            yield [sys.executable, "-S", str(NURSERY), str(socket)]
        finally:
            if nursery.poll() is None:
                os.killpg(nursery.pid, signal.SIGKILL)
            nursery.wait(PATIENCE)


@cache
def ready_elicit_tui() -> Sequence[str]:
    """The words that run `elicit-tui` without a start of its own, where processes can fork."""
    if not hasattr(os, "fork"):
        return COMMAND
    return _forks.enter_context(forks_of(NURSERY, "--forks"))


def end_forks() -> None:
    """End what was started for the tests of this process."""
    _forks.close()
