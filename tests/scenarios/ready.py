"""Runs `elicit-tui` and the servers of the lab as processes that need not start from nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.cli.running import COMMAND, SECONDS, Ended

CLIENT = Path(__file__).with_name("nursery.py")
_elicit_tui: list[str] = []


@contextmanager
def forks_of(*program: str | Path) -> Iterator[list[str]]:
    """The words that start a fork of this program, while the block runs."""
    # A socket's name has to be short.
    with tempfile.TemporaryDirectory() as place:
        socket = Path(place, "forks")
        nursery = subprocess.Popen(
            [sys.executable, *program, socket], stdin=subprocess.DEVNULL, start_new_session=True
        )
        try:
            end = time.monotonic() + SECONDS
            while not socket.exists():
                assert nursery.poll() is None
                assert time.monotonic() < end
                time.sleep(0.02)
            yield [sys.executable, "-S", str(CLIENT), str(socket)]
        finally:
            if nursery.poll() is None:
                os.killpg(nursery.pid, signal.SIGKILL)
            nursery.wait(SECONDS)


@contextmanager
def ready_elicit_tui() -> Iterator[None]:
    """Within this, `run` needs no start of its own."""
    with forks_of(CLIENT, "--forks") as words:
        _elicit_tui[:] = words
        yield
        _elicit_tui.clear()


def run(*arguments: str, seconds: float = SECONDS, **more: Any) -> Ended:
    """Run `elicit-tui ARGUMENTS` without a terminal, as `tests.cli.running.run` does."""
    done = subprocess.run(
        [*(_elicit_tui or COMMAND), *arguments],
        input="",
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=seconds,
        check=False,
        **more,
    )
    return Ended(done.returncode, done.stdout, done.stderr)
