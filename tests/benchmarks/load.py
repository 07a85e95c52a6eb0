"""What the console needs for much at once: 1,000 questions, a result of 5 MB, 100,000 log lines."""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.benchmarks.measure import surroundings
from tests.benchmarks.terminal import Terminal

SERVER = str(Path(__file__).parent / "busy_server.py")
TAB, HOME, END = b"\t", b"\x1b[H", b"\x1b[F"


@dataclass
class Load:
    """One tool of the busy server, and how the console is watched while it works."""

    tool: str
    count: int
    shown: bytes
    """Words that say that it is there."""
    keys: Sequence[tuple[bytes, bytes]]
    """Keys to press meanwhile, each with what it draws."""
    times: list[float] = field(default_factory=list)

    def run(self, directory: Path) -> tuple[float, float, float]:
        """Megabytes before and at most, and the seconds until it was shown."""
        config = directory / "config.toml"
        config.write_text(
            "[elicitation.limits]\npending = 10000\nper_minute = 100000\n"
            f'[mcp_servers.busy]\ncommand = "{sys.executable}"\n'
            f'args = ["{SERVER}", "{self.count}"]\nenabled_tools = ["{self.tool}"]\n'
        )
        environment = surroundings(HOME=str(directory), TERM="xterm-256color")
        command = [sys.executable, "-m", "elicit_tui", "--config", str(config)]
        with Terminal(command, environment) as terminal:
            terminal.until(b"0 arguments")
            terminal.press(b"\r", b"Enter Call")
            idle = peak = terminal.memory()
            started = time.perf_counter()
            terminal.press(b"\r", self.shown)
            shown = time.perf_counter() - started
            # What is typed in the first moments of a question is thrown away on purpose.
            time.sleep(0.5)
            for keys, drawn in self.keys:
                pressed = time.perf_counter()
                terminal.press(keys, drawn)
                self.times.append(time.perf_counter() - pressed)
                peak = max(peak, terminal.memory())
        return idle, peak, shown


TEXT = b"abcdefghijklmnopqrstuvwxyz0123456789"
LETTERS = [(TEXT[place : place + 1], TEXT[: place + 1]) for place in range(len(TEXT))]
PANELS = [(b"4", b"[4 Activity"), (b"3", b"[3 Calls")] * 15
# A long result is shown to a limit; behind it stands how long it is.
LINES = [(TAB, b"first"), *([(END, b"characters in all"), (HOME, b"the first line")] * 15)]


def loads() -> tuple[Load, ...]:
    """Each with a tenth of it first, so that what grows with it is seen."""
    return (
        Load("questions", 100, b"can be sent", LETTERS),
        Load("questions", 1_000, b"can be sent", LETTERS),
        Load("result", 500_000, b"the first line", LINES),
        Load("result", 5_000_000, b"the first line", LINES),
        Load("log", 1_000, b"[3 Calls", PANELS),
        Load("log", 100_000, b"[3 Calls", PANELS),
    )


def main() -> None:
    """Print memory, the time until it is shown, and what a key costs meanwhile."""
    print(
        f"{'in the console':28}{'idle MB':>9}{'most MB':>9}{'shown s':>9}"
        f"{'key ms':>9}{'slowest':>9}"
    )
    for load in loads():
        with tempfile.TemporaryDirectory() as home:
            idle, peak, shown = load.run(Path(home))
        key, slowest = statistics.median(load.times) * 1000, max(load.times) * 1000
        name = f"{load.tool} {load.count:,}"
        print(f"{name:28}{idle:9.0f}{peak:9.0f}{shown:9.2f}{key:9.0f}{slowest:9.0f}")


if __name__ == "__main__":
    main()
