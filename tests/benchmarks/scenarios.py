"""How long scenarios take against as many single calls, on one Python server."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.benchmarks.measure import surroundings

SERVER = f"asking={sys.executable} {Path(__file__).parent / 'asking_server.py'}"
OURS = (sys.executable, "-m", "elicit_tui", "--with", SERVER)
SCENARIO = """
[[scenario]]
name = "paints {number}"
server = "asking"
call = "paint"
expect = {{ text = "accept", questions = 1 }}
[[scenario.answers]]
content = {{ colour = "red" }}
"""
ANSWERS = '[[answers]]\ncontent = { colour = "red" }\n'


def seconds(environment: dict[str, str], *arguments: str) -> float:
    """The time of one whole process that must end well."""
    began = time.perf_counter()
    subprocess.run(
        [*OURS, *arguments],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
    )
    return time.perf_counter() - began


def main(times: int = 50) -> None:
    """Print both totals and their ratio."""
    with tempfile.TemporaryDirectory() as home:
        environment = surroundings(HOME=home)
        file, answers = Path(home, "paints.toml"), Path(home, "answers.toml")
        file.write_text("\n".join(SCENARIO.format(number=number) for number in range(times)))
        answers.write_text(ANSWERS)
        tested = seconds(environment, "test", str(file))
        call = ("call", "asking", "paint", "--answers", str(answers), "--strict")
        called = sum(seconds(environment, *call) for _ in range(times))
    print(f"{times} scenarios in one run  {tested:7.2f} s   {tested / called:.2f}")
    print(f"{times} times elicit-tui call {called:7.2f} s   1.00")


if __name__ == "__main__":
    main()
