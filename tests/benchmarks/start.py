"""How fast a command starts and ends, and how soon the gateway answers an agent."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from tests.benchmarks.measure import ROOT, Runs, in_turn, ratio, surroundings, table

HERE = Path(__file__).parent
SERVER = str(HERE / "asking_server.py")


def clients() -> list[Runs]:
    """The floor first, then ours, then the peers that FASTMCP and INSPECTOR name."""
    ours = [sys.executable, "-m", "elicit_tui", "--with", f"asking={sys.executable} {SERVER}"]
    ours += ["call", "asking", "paint", "--approval-policy", "never", "--output", "json"]
    chosen = [
        Runs("smallest SDK client", [sys.executable, str(HERE / "smallest_client.py"), SERVER]),
        Runs("elicit-tui call", ours),
    ]
    if "FASTMCP" in os.environ:
        call = ["call", "--command", f"{sys.executable} {SERVER}", "--target", "paint"]
        chosen.append(Runs("fastmcp call", [os.environ["FASTMCP"], *call]))
    if "INSPECTOR" in os.environ:
        inspect = ["--cli", sys.executable, SERVER, "--method", "tools/call"]
        command = [os.environ["INSPECTOR"], *inspect, "--tool-name", "paint"]
        chosen.append(Runs("MCP Inspector --cli", command))
    return chosen


def able(runs: list[Runs], environment: dict[str, str]) -> list[Runs]:
    """Those that can do the work; who cannot is named."""
    chosen = []
    for each in runs:
        try:
            each.once(environment, count=False)
        except RuntimeError as error:
            print(f"{error}: it cannot do this work, and is left out")
        else:
            chosen.append(each)
    return chosen


@dataclass
class FirstAnswers:
    """How long after the start of a process it has answered `initialize` and `tools/list`."""

    name: str
    command: Sequence[str]
    initialized: list[float] = field(default_factory=list)
    listed: list[float] = field(default_factory=list)

    def once(self, environment: dict[str, str], count: bool = True) -> None:
        started = time.perf_counter()
        with subprocess.Popen(
            self.command,
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            after = []
            for messages in ([INITIALIZE], [INITIALIZED, LIST]):
                process.stdin.write(b"".join(messages))
                process.stdin.flush()
                process.stdout.readline()
                after.append(time.perf_counter() - started)
        if count:
            self.initialized.append(after[0])
            self.listed.append(after[1])


INITIALIZE = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",'
    b'"capabilities":{},"clientInfo":{"name":"benchmark","version":"1"}}}\n'
)
INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
LIST = b'{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n'


def first_answers(times: int, environment: dict[str, str]) -> str:
    """The table of first answers, against a bare Python process and the SDK's smallest server."""
    bare = Runs("python -c pass", [sys.executable, "-c", "pass"])
    smallest = FirstAnswers("smallest SDK server", [sys.executable, SERVER])
    command = [sys.executable, "-m", "elicit_tui", "--with", f"asking={sys.executable} {SERVER}"]
    gateway = FirstAnswers("elicit-tui gateway", [*command, "gateway", "asking"])
    # The first start of the gateway has no catalogue yet, and is no more than a warm-up.
    for counted in (False, *[True] * times):
        for each in (bare, smallest, gateway):
            each.once(environment, count=counted)
    lines = [f"{'':34}{'initialize s':>14}{'ratio':>8}{'tools/list s':>14}{'ratio':>8}"]
    rows = [(bare.name, bare.wall, bare.wall)]
    rows += [(each.name, each.initialized, each.listed) for each in (smallest, gateway)]
    for name, *columns in rows:
        figures = [f"{median(each):14.3f}{ratio(each, bare.wall):8.1f}" for each in columns]
        lines.append(f"{name:34}{''.join(figures)}")
    return "\n".join(lines)


def main(times: int = 9) -> None:
    """Print the tables of whole-process figures."""
    with tempfile.TemporaryDirectory() as home:
        environment = surroundings(HOME=home)
        runs = able(clients(), environment)
        in_turn(runs, times, environment)
        print("One tools/call on a Python stdio server, its question declined (medians)")
        print(table(runs, runs[0]))
        bare = Runs("python -c pass", [sys.executable, "-c", "pass"])
        version = Runs("elicit-tui --version", [sys.executable, "-m", "elicit_tui", "--version"])
        in_turn([bare, version], times, environment)
        print("\nThe lightest command")
        print(table([bare, version], bare))
        print("\nFrom the start of a process to its first answers (medians; ratio to bare Python)")
        print(first_answers(times, environment))


if __name__ == "__main__":
    main()
