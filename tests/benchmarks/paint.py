"""How soon the console paints: from the start of the process to its first words on a terminal."""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.measure import ratio, surroundings
from tests.benchmarks.terminal import Terminal

HERE = Path(__file__).parent
SERVER = str(HERE / "asking_server.py")
WORDS = b"elicit-tui"


def first_paint(command: Sequence[str], environment: dict[str, str]) -> float:
    """Seconds until the words stand on the alternate screen of a terminal."""
    with Terminal(command, environment) as terminal:
        terminal.until(WORDS, after=b"\x1b[?1049h")
        return time.perf_counter() - terminal.started


def main(times: int = 9) -> None:
    """Print the first paint of the console against a bare Textual app."""
    bare = [sys.executable, str(HERE / "bare_app.py")]
    console = [sys.executable, "-m", "elicit_tui", "--with", f"asking={sys.executable} {SERVER}"]
    figures: dict[str, list[float]] = {"bare Textual app": [], "elicit-tui": []}
    with tempfile.TemporaryDirectory() as home:
        environment = surroundings(HOME=home, TERM="xterm-256color")
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
