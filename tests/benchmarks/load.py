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
TAB, HOME, END, PAGE_DOWN = b"\t", b"\x1b[H", b"\x1b[F", b"\x1b[6~"


@dataclass
class Load:
    """One tool of the busy server, and how the console is watched while it works."""

    tool: str
    count: int
    shown: bytes
    """Words that say that it is there."""
    keys: Sequence[tuple[bytes, bytes]]
    """Keys to press meanwhile, each with what it draws."""
    opens: tuple[bytes, bytes] | None = None
    """A key that shows it in another way first, and what that draws; then this is timed."""
    times: list[float] = field(default_factory=list)
    processor: float = 0.0
    """Milliseconds of it that a key took, on average."""

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
            if self.opens is not None:
                time.sleep(0.5)
                started = time.perf_counter()
                terminal.press(*self.opens)
            shown = time.perf_counter() - started
            # What is typed in the first moments of a question is thrown away on purpose.
            time.sleep(0.5)
            peak = max(peak, self._press_keys(terminal))
        return idle, peak, shown

    def _press_keys(self, terminal: Terminal) -> float:
        """Press each of them; the megabytes at most."""
        peak, before = 0.0, terminal.processor_seconds()
        for keys, drawn in self.keys:
            pressed = time.perf_counter()
            terminal.press(keys, drawn)
            self.times.append(time.perf_counter() - pressed)
            peak = max(peak, terminal.memory())
        self.processor = (terminal.processor_seconds() - before) * 1000 / len(self.keys)
        return peak


TEXT = b"abcdefghijklmnopqrstuvwxyz0123456789"
LETTERS = [(TEXT[place : place + 1], TEXT[: place + 1]) for place in range(len(TEXT))]
PANELS = [(b"4", b"[4 Activity"), (b"3", b"[3 Calls")] * 15
# A long result is shown to a limit; behind it stands of how many characters it is, in words that
# may stand on two lines.
LINES = [(TAB, b"first"), *([(END, b"characters"), (HOME, b"the first line")] * 15)]
# On the whole screen all of it is read, page by page: each shows lines that were out of sight.
PAGES = [(PAGE_DOWN, b" is line %d " % (page * 37 + 20)) for page in range(1, 31)]

# A table moves by its own height, less its heading.
ROWS = [(PAGE_DOWN, b"host %07d" % (page * 36 + 10)) for page in range(1, 21)]


def loads() -> tuple[Load, ...]:
    """Each with a tenth of it first, so that what grows with it is seen."""
    return (
        Load("questions", 100, b"can be sent", LETTERS),
        Load("questions", 1_000, b"can be sent", LETTERS),
        Load("result", 500_000, b"the first line", LINES),
        Load("result", 5_000_000, b"the first line", LINES),
        Load("result", 500_000, b"the first line", PAGES, opens=(b"z", b" is line 30 ")),
        Load("result", 5_000_000, b"the first line", PAGES, opens=(b"z", b" is line 30 ")),
        Load("rows", 500_000, b"[3 Calls", ROWS, opens=(b"z", b"Table")),
        Load("rows", 5_000_000, b"[3 Calls", ROWS, opens=(b"z", b"Table")),
        Load("log", 1_000, b"[3 Calls", PANELS),
        Load("log", 100_000, b"[3 Calls", PANELS),
    )


def main() -> None:
    """Print memory, the time until it is shown, and what a key costs meanwhile."""
    print(
        f"{'in the console':28}{'idle MB':>9}{'most MB':>9}{'shown s':>9}"
        f"{'key ms':>9}{'slowest':>9}{'cpu ms':>9}"
    )
    for load in loads():
        with tempfile.TemporaryDirectory() as home:
            idle, peak, shown = load.run(Path(home))
        key, slowest = statistics.median(load.times) * 1000, max(load.times) * 1000
        name = f"{load.tool} {load.count:,}" + " whole" * (load.opens is not None)
        print(
            f"{name:28}{idle:9.0f}{peak:9.0f}{shown:9.2f}{key:9.0f}{slowest:9.0f}"
            f"{load.processor:9.1f}"
        )


if __name__ == "__main__":
    main()
