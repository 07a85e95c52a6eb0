"""How fast a command starts and ends: `call` against the smallest SDK client and its peers."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.measure import Runs, in_turn, surroundings, table

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


if __name__ == "__main__":
    main()
