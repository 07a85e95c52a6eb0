"""Runs commands in turn, as whole processes, and compares them pair by pair."""

from __future__ import annotations

import compileall
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
SLOWING = ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")
"""With the first one an editable checkout is compiled at every start, which no installed one is."""


def surroundings(**more: str) -> dict[str, str]:
    """The environment of what is measured: nothing that slows down, and the code compiled."""
    compileall.compile_dir(ROOT / "elicit_tui", quiet=2)
    compileall.compile_dir(ROOT / "tests", maxlevels=2, quiet=2)
    kept = {name: value for name, value in os.environ.items() if name not in SLOWING}
    return {**kept, **more}


@dataclass
class Runs:
    """What one command took: wall seconds and peak memory (MB, largest single process)."""

    name: str
    command: Sequence[str]
    wall: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)

    def once(self, environment: dict[str, str], count: bool = True) -> None:
        started = time.perf_counter()
        process = subprocess.Popen(
            self.command,
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert process.stdout is not None
        process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise RuntimeError(f"{self.name} ended with {process.returncode}")
        if count:
            self.wall.append(time.perf_counter() - started)
            scale = 1 if sys.platform == "darwin" else 1024
            self.memory.append(usage.ru_maxrss * scale / 1e6)


def in_turn(runs: Sequence[Runs], times: int, environment: dict[str, str]) -> None:
    """One warm-up of each, then A B C A B C …, so that a drifting machine drifts for all."""
    for each in runs:
        each.once(environment, count=False)
    for _ in range(times):
        for each in runs:
            each.once(environment)


def ratio(values: Sequence[float], baseline: Sequence[float]) -> float:
    """The median of the ratios, pair by pair."""
    return statistics.median(a / b for a, b in zip(values, baseline, strict=True))


def table(runs: Sequence[Runs], baseline: Runs) -> str:
    """Medians and ratios against the baseline, as text."""
    lines = [f"{'':34}{'wall s':>9}{'ratio':>8}{'peak MB':>10}{'ratio':>8}"]
    lines += [
        f"{each.name:34}{statistics.median(each.wall):9.3f}{ratio(each.wall, baseline.wall):8.2f}"
        f"{statistics.median(each.memory):10.1f}{ratio(each.memory, baseline.memory):8.2f}"
        for each in runs
    ]
    return "\n".join(lines)
