"""How fast a form is: from a request's arrival to its painted form, from a key to its verdict.

Measured inside one process: the whole console on the real broker, policy, guardian and ledger, on a
screen of 140x40. A time begins when the host has a request in its hands (what a server and its pipe
take is not in it) and ends when the bytes are handed to the terminal that complete the form: the
label of the last field that can be seen. A key's time ends with the bytes of its verdict. The first
question of a console and the first key of a form are told apart: they make what the next ones find
ready. The processor's time beside it is what is left of a figure on a machine that has nothing else
to do.
"""

from __future__ import annotations

import asyncio
import gc
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from textual import events
from textual.drivers import headless_driver

from elicit_tui.tui import FRAMES_PER_SECOND
from elicit_tui.tui.console.screen import ConsoleScreen
from elicit_tui.tui.question import QuestionScreen
from tests.benchmarks.measure import ROOT, surroundings
from tests.tui.console.stand import Stand, console
from tests.tui.question.asking import schema

SIZES = (5, 50, 200)
SEEN = 14
"""So many of the fields can be seen at once."""
KEYS = "abcdefghij"
IDLE_SECONDS = 1.0
"""A console idles before its first question; what it makes ready meanwhile is ready then."""
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")

Figures = dict[str, list[float]]


class Terminal(headless_driver.HeadlessDriver):
    """A terminal that keeps what is written to it."""

    written = ""

    @property
    def is_headless(self) -> bool:
        return False

    def write(self, data: str) -> None:
        Terminal.written += data


@contextmanager
def terminal() -> Iterator[None]:
    """Applications under test draw on it, byte for byte as on a real one."""
    real = headless_driver.HeadlessDriver
    headless_driver.HeadlessDriver = Terminal  # type: ignore[misc]
    try:
        yield
    finally:
        headless_driver.HeadlessDriver = real  # type: ignore[misc]


async def written(words: str) -> None:
    """Wait until these words were written."""
    await until(lambda: words in _CONTROL.sub("", Terminal.written))


async def until(true: Callable[[], bool]) -> None:
    """Wait until it is true; looks each time the loop is free."""
    while not true():  # noqa: ASYNC110 - a screen tells nobody when it is drawn
        await asyncio.sleep(0.001)


def fields(count: int) -> dict[str, Any]:
    """A form of this many fields, of five kinds in turn; the first one is a line of text."""
    kinds: list[dict[str, Any]] = [
        {"type": "string", "minLength": 2},
        {"type": "integer", "minimum": 1, "maximum": 9},
        {"type": "boolean"},
        {"type": "string", "enum": ["a", "b", "c"]},
        {"type": "string", "format": "email"},
    ]
    return schema((), **{f"field{number}": kinds[number % 5] for number in range(count)})


async def painted(stand: Stand, requested: Mapping[str, Any]) -> tuple[float, float]:
    """Seconds from a request to its painted form, by the clock and of the processor."""
    last = f"field{min(len(requested['properties']), SEEN) - 1}"
    gc.collect()
    Terminal.written = ""
    arrived, worked = time.perf_counter(), time.process_time()
    stand.ask(schema=requested)
    await written(last)
    return time.perf_counter() - arrived, time.process_time() - worked


async def once(count: int, folder: Path) -> Figures:
    """The figures of one console: its first question, another one, and keys in that."""
    figures: Figures = {}
    async with console(folder, size=(140, 40)) as stand:
        await asyncio.sleep(IDLE_SECONDS)
        figures["first"], figures["first work"] = map(_one, await painted(stand, fields(count)))
        await asyncio.sleep(IDLE_SECONDS / 2)
        stand.runtime.broker.decline_all("alpha", stand.runtime.broker.pending)
        await until(lambda: isinstance(stand.app.screen, ConsoleScreen))
        await asyncio.sleep(IDLE_SECONDS / 2)
        figures["next"], figures["next work"] = map(_one, await painted(stand, fields(count)))
        screen = stand.app.screen
        assert isinstance(screen, QuestionScreen)
        await until(lambda: not screen.view.deaf)
        await asyncio.sleep(IDLE_SECONDS / 2)
        for number, key in enumerate(KEYS, start=1):
            which = "first key" if number == 1 else "a key"
            Terminal.written = ""
            pressed, worked = time.perf_counter(), time.process_time()
            stand.app.post_message(events.Key(key, key))
            await written(f"now {number}")
            figures.setdefault(which, []).append(time.perf_counter() - pressed)
            figures.setdefault(f"{which} work", []).append(time.process_time() - worked)
        stand.runtime.broker.decline_all("alpha", stand.runtime.broker.pending)
    return figures


def _one(seconds: float) -> list[float]:
    return [seconds]


def in_a_process(count: int) -> Figures:
    """The figures of one console in a process of its own, where nothing is ready yet."""
    command = [sys.executable, "-m", "tests.benchmarks.form", str(count)]
    # As the console has it, whichever is loaded first here.
    environment = {"TEXTUAL_FPS": str(FRAMES_PER_SECOND), **surroundings()}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    figures: Figures = json.loads(done.stdout)
    return figures


def main(times: int = 7) -> None:
    """Print medians, 95th percentiles, processor's time, and ratios against 50 fields."""
    figures: dict[int, Figures] = {count: {} for count in SIZES}
    for _ in range(times):
        for count in SIZES:
            for name, values in in_a_process(count).items():
                figures[count].setdefault(name, []).extend(values)
    print("milliseconds: median (95th percentile) processor; ratio to 50 fields")
    shown = ("first", "next", "first key", "a key")
    print(" " * 10 + "".join(f"{name:>30}" for name in shown))
    for count in SIZES:
        row = f"{count} fields".ljust(10)
        for name in shown:
            values = figures[count][name]
            median = statistics.median(values)
            worst = statistics.quantiles(values, n=20, method="inclusive")[-1]
            own = statistics.median(figures[count][f"{name} work"])
            ratio = median / statistics.median(figures[50][name])
            row += f"{median * 1000:9.1f} ({worst * 1000:5.1f}) {own * 1000:5.1f};{ratio:5.2f}"
        print(row)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        with terminal(), tempfile.TemporaryDirectory() as home:
            print(json.dumps(asyncio.run(once(int(sys.argv[1]), Path(home)))))
    else:
        main()
