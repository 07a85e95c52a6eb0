"""10,000 questions of one server in one burst: what `call` needs of time and memory for them."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.measure import Runs, in_turn, table

SERVER = str(Path(__file__).parent / "flooding_server.py")


def call_with(questions: int) -> Runs:
    """A call whose server asks this many questions at once, with nobody there."""
    target = f"flooding={sys.executable} {SERVER} {questions}"
    command = [sys.executable, "-m", "elicit_tui", "--with", target, "call", "flooding", "flood"]
    return Runs(f"call, {questions:,} questions", [*command, "--output", "jsonl"])


def main(times: int = 3) -> None:
    """Print the cost of a burst against the same call with one question."""
    with tempfile.TemporaryDirectory() as home:
        runs = [call_with(1), call_with(10_000)]
        in_turn(runs, times, {**os.environ, "HOME": home})
        print("One burst of questions, nobody there (medians)")
        print(table(runs, runs[0]))


if __name__ == "__main__":
    main()
