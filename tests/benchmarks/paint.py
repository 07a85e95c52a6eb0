"""How soon the console paints: from the start of the process to its first words on a terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import statistics
import struct
import sys
import tempfile
import termios
import time
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.measure import ROOT, ratio

HERE = Path(__file__).parent
SERVER = str(HERE / "asking_server.py")
WORDS = b"elicit-tui"
BOUND = 30.0


def first_paint(command: Sequence[str], environment: dict[str, str]) -> float:
    """Seconds until the words stand in what a 140x40 terminal was sent."""
    started = time.perf_counter()
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(ROOT)
        os.execvpe(command[0], list(command), environment)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 140, 0, 0))
    seen = b""
    try:
        while time.perf_counter() - started < BOUND:
            if select.select([terminal], [], [], 1)[0]:
                seen += os.read(terminal, 65536)
                # The alternate screen is on from here; words before it are not a paint.
                if WORDS in seen.partition(b"\x1b[?1049h")[2]:
                    return time.perf_counter() - started
        raise RuntimeError(f"{command[0]} painted nothing within {BOUND:.0f} s")
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(terminal)


def main(times: int = 9) -> None:
    """Print the first paint of the console against a bare Textual app."""
    bare = [sys.executable, str(HERE / "bare_app.py")]
    console = [sys.executable, "-m", "elicit_tui", "--with", f"asking={sys.executable} {SERVER}"]
    figures: dict[str, list[float]] = {"bare Textual app": [], "elicit-tui": []}
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "HOME": home, "TERM": "xterm-256color"}
        for command in (bare, console):
            first_paint(command, environment)
        for _ in range(times):
            figures["bare Textual app"].append(first_paint(bare, environment))
            figures["elicit-tui"].append(first_paint(console, environment))
    print("First paint on a terminal (medians)")
    for name, values in figures.items():
        against = ratio(values, figures["bare Textual app"])
        print(f"{name:34}{statistics.median(values):9.3f} s{against:8.2f}")


if __name__ == "__main__":
    main()
