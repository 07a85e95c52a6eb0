"""How long scenarios take against as many single calls, and every way through one of them."""

from __future__ import annotations

import json
import os
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
TESTS = Path(__file__).parents[1]
NODE = TESTS / "node" / "node_modules" / "node" / "bin" / "node"
SERVERS = {
    "Python SDK": (sys.executable, TESTS / "scenarios" / "table_server.py"),
    "TypeScript SDK": (NODE, TESTS / "node" / "table_server.mjs"),
}
"""Servers of which every way is tried, in both eras."""
BOOKS = """
[[scenario]]
name = "books {number}"
server = "table"
call = "book"
expect = {{ structured = {{ "/booked" = true }}, questions = 1 }}
[[scenario.answers]]
content = {{ guests = 3 }}
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


def every_way(environment: dict[str, str], home: str) -> None:
    """Print how many ways through two scenarios were tried, and how long that took."""
    file = Path(home, "books.toml")
    file.write_text("".join(BOOKS.format(number=number) for number in range(2)))
    for name, (program, script) in SERVERS.items():
        if not Path(program).exists():
            print(f"{name}: not installed")
            continue
        added = ("--with", f"table={program} {script}")
        options = ("--branches", "--answers-gone-wrong", "--eras", "both", "--output", "json")
        began = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "elicit_tui", *added, "test", str(file), *options],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
        )
        took = time.perf_counter() - began
        ways = len(json.loads(done.stdout)["runs"])
        print(f"{ways} ways, {name:15} {took:13.2f} s   {took / ways * 1000:.0f} ms each")


def main(times: int = 50) -> None:
    """Print both totals and their ratio, then every way of two servers."""
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    with tempfile.TemporaryDirectory() as home:
        environment = surroundings(HOME=home)
        file, answers = Path(home, "paints.toml"), Path(home, "answers.toml")
        file.write_text("\n".join(SCENARIO.format(number=number) for number in range(times)))
        answers.write_text(ANSWERS)
        tested = seconds(environment, "test", str(file))
        call = ("call", "asking", "paint", "--answers", str(answers), "--strict")
        called = sum(seconds(environment, *call) for _ in range(times))
        every_way(environment, home)
    print(f"{times} scenarios in one run  {tested:7.2f} s   {tested / called:.2f}")
    print(f"{times} times elicit-tui call {called:7.2f} s   1.00")


if __name__ == "__main__":
    main()
