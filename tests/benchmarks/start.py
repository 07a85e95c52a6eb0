"""How fast a command starts and ends: `call` against the smallest SDK client and its peers."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.measure import ROOT, Runs, in_turn, table

HERE = Path(__file__).parent
SERVER = str(HERE / "asking_server.py")
INSPECTOR = ROOT / "tests" / "node" / "node_modules" / ".bin" / "mcp-inspector"


def clients() -> list[Runs]:
    """The floor first, then ours, then the peers that are installed here."""
    ours = [sys.executable, "-m", "elicit_tui", "--with", f"asking={sys.executable} {SERVER}"]
    ours += ["call", "asking", "paint", "--approval-policy", "never", "--output", "json"]
    chosen = [
        Runs("smallest SDK client", [sys.executable, str(HERE / "smallest_client.py"), SERVER]),
        Runs("elicit-tui call", ours),
    ]
    fastmcp = shutil.which("fastmcp", path=str(Path(sys.executable).parent)) or os.environ.get(
        "FASTMCP"
    )
    if fastmcp:
        call = [fastmcp, "call", "--command", f"{sys.executable} {SERVER}", "--target", "paint"]
        chosen.append(Runs("fastmcp call", call))
    if INSPECTOR.exists():
        inspect = [str(INSPECTOR), "--cli", sys.executable, SERVER, "--method", "tools/call"]
        chosen.append(Runs("MCP Inspector --cli", [*inspect, "--tool-name", "paint"]))
    return chosen


def main(times: int = 9) -> None:
    """Print the tables of whole-process figures."""
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "HOME": home}
        runs = clients()
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
