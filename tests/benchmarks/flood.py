"""10,000 questions of one server in one burst: what `call` and the console need for them."""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

from tests.benchmarks.measure import Runs, in_turn, surroundings, table
from tests.benchmarks.terminal import Terminal

SERVER = str(Path(__file__).parent / "flooding_server.py")
BURST = 10_000


def target(questions: int) -> str:
    return f"flooding={sys.executable} {SERVER} {questions}"


def call_with(questions: int) -> Runs:
    """A call whose server asks this many questions at once, with nobody there."""
    command = [sys.executable, "-m", "elicit_tui", "--with", target(questions)]
    command += ["call", "flooding", "flood", "--output", "jsonl"]
    return Runs(f"call, {questions:,} questions", command)


def console(environment: dict[str, str]) -> None:
    """The console's memory before, during and after the burst, and its keys meanwhile."""
    command = [sys.executable, "-m", "elicit_tui", "--with", target(BURST)]
    with Terminal(command, environment) as terminal:
        terminal.until(b"0 arguments")
        terminal.press(b"\r", b"Enter Call")
        idle = terminal.memory()
        terminal.type(b"\r")
        terminal.until(b"can be sent")
        # What is typed in the first moments of a question is thrown away on purpose.
        time.sleep(0.5)
        keys, peak = [], idle
        for key in b"abcdefghijklmnopqrstuvwxyz0123456789":
            pressed = time.perf_counter()
            terminal.press(bytes([key]), bytes([key]))
            keys.append(time.perf_counter() - pressed)
            peak = max(peak, terminal.memory())
    print(f"console: idle {idle:.0f} MB, at most {peak:.0f} MB")
    print(
        f"a key meanwhile: median {statistics.median(keys) * 1000:.0f} ms, "
        f"slowest {max(keys) * 1000:.0f} ms"
    )


def main(times: int = 3) -> None:
    """Print the cost of a burst against the same call with one question."""
    with tempfile.TemporaryDirectory() as home:
        environment = surroundings(HOME=home, TERM="xterm-256color")
        runs = [call_with(1), call_with(BURST)]
        in_turn(runs, times, environment)
        print("One burst of questions, nobody there (medians)")
        print(table(runs, runs[0]))
        console(environment)


if __name__ == "__main__":
    main()
