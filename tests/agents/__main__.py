"""Runs the real agents behind the gateway.

python -m tests.agents [AGENT…]            all of each, and the table of docs/agents.md
python -m tests.agents install [AGENT…]    their packages, below tests/agents/installed;
                                               --ci: of those that CI runs
python -m tests.agents starts [AGENT…] [-n 20] [--busy 4]
whether the first turn has the tools, by starts
"""

from __future__ import annotations

import argparse
import multiprocessing
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.agents.bench import Bench, TooLate, bench
from tests.agents.real_agents import ALL, RealAgent

HEAD = (
    *("agent", "first turn", "answered", "nobody there", "paused"),
    *("as a task", "killed", "uninstall"),
)


@contextmanager
def home() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="agents-", ignore_cleanup_errors=True) as folder:
        yield Path(folder) / "home"


def tried(agent: RealAgent, later: float) -> list[str]:
    """One row of the table; `later`: seconds that a task waits for its answer."""
    steps = (answered, nobody_there, paused, as_a_task, killed)
    cells: list[str] = []
    for step in steps:
        with home() as place, bench(agent, place) as here:
            here.later = later
            try:
                cells += step(here)
            except (AssertionError, subprocess.SubprocessError) as error:
                print(f"{agent.key}, {step.__name__}: {error}", file=sys.stderr)
                cells += ["no"] * (3 if step is answered else 1)
    first, result, uninstall, *others = cells
    return [f"{agent.key} {agent.version}", first, result, *others, uninstall]


def answered(here: Bench) -> list[str]:
    """The tools at the first turn, a person's answer, and what uninstall leaves."""
    here.install()
    with here.person():
        process = here.starts()
        here.until(lambda: bool(here.first_turn), "its model was not asked")
        first = "tools" if here.has("asking__one") else "no tools"
        here.until(lambda: "from-the-agent" in here.read, "no answer arrived")
    here.kill(process)
    return [first, "yes", here.uninstall()]


def nobody_there(here: Bench) -> list[str]:
    """Where a question goes when no inbox is open: to the client's own form, or to the store."""
    here.install()
    process = here.starts()
    here.until(lambda: bool(here.waiting()) or bool(here.read), "nothing was asked")
    if here.read and not here.waiting():
        return [f"its own answer: {here.read[:60]}"]
    with here.person():
        here.until(lambda: "from-the-agent" in here.read, "no answer arrived")
    here.kill(process)
    return ["asked in the inbox"]


def paused(here: Bench) -> list[str]:
    """A call that is answered "paused", and picked up again."""
    here.configure(hold="2")
    here.install()
    process = here.starts()
    here.until(lambda: "elicit_resume with id" in here.read, "no call was paused")
    with here.person():
        here.until(lambda: "from-the-agent" in here.read, "no answer arrived")
    here.kill(process)
    return ["resumed"]


def as_a_task(here: Bench) -> list[str]:
    """A call that is answered with a task: the turn ends, and the answer comes by itself."""
    if not here.agent.in_terminal:  # It was paused, and would have been given a task.
        return ["declares none"]
    here.configure(ask_via="console")
    here.install()
    with here.in_terminal() as started:
        here.until(lambda: bool(here.waiting()), "nothing was asked", started)
        here.until(lambda: bool(here.read), "the turn does not end", started)
        here.wait_for_person()
        assert here.waiting(), "the task waits no longer"
        with here.person():
            here.until(lambda: "from-the-agent" in here.told, "no answer arrived", started)
        assert "elicit_resume" not in here.read
    return ["in a terminal"]


def killed(here: Bench) -> list[str]:
    """What waits of an agent that is killed leaves the inbox."""
    here.install()
    process = here.starts()
    here.until(lambda: bool(here.waiting()), "nothing was asked")
    here.kill(process)
    began = time.monotonic()
    here.until(lambda: not here.waiting(), "the question of a dead agent still waits")
    return [f"gone in {time.monotonic() - began:.0f} s"]


def starts(agent: RealAgent, number: int, busy: int) -> str:
    """So many starts of an agent, with so many busy processes beside it."""
    ours = direct = 0
    with busy_processes(busy):
        for _ in range(number):
            with home() as place, bench(agent, place) as here:
                here.install(beside=True)
                process = here.starts()
                try:
                    here.until(lambda: bool(here.first_turn), "its model was not asked")
                except TooLate as error:
                    print(error, file=sys.stderr)
                ours += here.has("asking__one")
                direct += here.has("fast")
                here.kill(process)
    beside = f"{busy} busy beside it" if busy else "idle"
    row = f"{agent.key} {agent.version}, {beside}: gateway {ours} of {number}, direct {direct}"
    print(row, flush=True)
    return row


def _spin() -> None:
    while True:
        pass


@contextmanager
def busy_processes(number: int) -> Iterator[None]:
    processes = [multiprocessing.Process(target=_spin, daemon=True) for _ in range(number)]
    for process in processes:
        process.start()
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.join()


def table(rows: list[list[str]]) -> str:
    lines = [list(HEAD), ["---"] * len(HEAD), *rows]
    return "\n".join(f"| {' | '.join(re.sub('[|]', '/', cell) for cell in row)} |" for row in lines)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.agents", description=__doc__)
    parser.add_argument("words", nargs="*", metavar="install | starts | AGENT")
    parser.add_argument("-n", type=int, default=20)
    parser.add_argument("--later", type=float, default=0.0, help="seconds that a task waits")
    parser.add_argument("--ci", action="store_true")
    parser.add_argument("--busy", type=int, default=0)
    chosen = parser.parse_args()
    command = chosen.words[0] if chosen.words[:1] in (["install"], ["starts"]) else ""
    names = chosen.words[1:] if command else chosen.words
    agents = [ALL[name] for name in names or ALL]
    if chosen.ci:
        agents = [agent for agent in agents if agent.in_ci]
    if command == "install":
        failures = {agent.key: agent.install() for agent in agents}
        for key, why in failures.items():
            print(f"{key}: {why or 'installed'}")
        return 1 if any(failures[agent.key] and not agent.not_run for agent in agents) else 0
    there = [agent for agent in agents if not agent.missing]
    for agent in agents:
        if agent.missing:
            print(f"{agent.key}: not run, {agent.missing}")
    if command == "starts":
        for agent in there:
            starts(agent, chosen.n, chosen.busy)
        return 0
    rows = []
    for agent in there:
        rows.append(tried(agent, chosen.later))
        print(" | ".join(rows[-1]), flush=True)
    print(table(rows))
    return 1 if any("no" in row for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
