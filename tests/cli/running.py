"""Runs the real command line as a process of its own, sealed from the developer's machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import elicit_tui.demo
from tests.forks import COMMAND, ready_elicit_tui, ready_python

SECONDS = 60
DEMO = f"demo={' '.join(ready_python())} {Path(elicit_tui.demo.__file__).parent / '__main__.py'}"


@dataclass(frozen=True)
class Ended:
    """How a run ended."""

    code: int
    stdout: str
    stderr: str

    @property
    def document(self) -> Any:
        """The one JSON document on stdout; fails when there is anything else."""
        return json.loads(self.stdout)

    @property
    def events(self) -> list[dict[str, Any]]:
        """The lines of `--output jsonl`."""
        return [json.loads(line) for line in self.stdout.splitlines()]


def environment(**more: str) -> dict[str, str]:
    """This test's sealed environment, with some names set."""
    return {**os.environ, **more}


def run(
    *arguments: str,
    stdin: str | None = None,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    seconds: float = SECONDS,
    fresh: bool = False,
) -> Ended:
    """Run `elicit-tui ARGUMENTS` without a terminal; stdin is empty unless given.

    `fresh`: by an interpreter of its own, for what belongs to the start or to who started it.
    """
    command = COMMAND if fresh else ready_elicit_tui()
    done = subprocess.run(
        [*command, *arguments],
        input="" if stdin is None else stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=seconds,
        env=environment(**(env or {})),
        cwd=cwd,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def run_program(program: str, *arguments: str, **more: Any) -> Ended:
    """Run a Python program of the test's own; `more` goes to the process."""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env=environment(),
        check=False,
        **more,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def call_demo(
    tool: str, *arguments: str, stdin: str | None = None, env: Mapping[str, str] | None = None
) -> Ended:
    """Run `elicit-tui --with demo=… call demo TOOL ARGUMENTS`."""
    return run("--with", DEMO, "call", "demo", tool, *arguments, stdin=stdin, env=env)
