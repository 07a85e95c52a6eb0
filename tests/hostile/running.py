"""Runs of the real command line without a terminal, as in a build: many, and each a process."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import tempfile
from functools import lru_cache
from pathlib import Path

import pytest

SECONDS = 90
"""No attack may take longer, on a machine that is busy with other things."""


@lru_cache(maxsize=1)
def _forks() -> subprocess.Popen[str]:
    forks = subprocess.Popen(
        [sys.executable, "-m", "tests.hostile.forks"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    atexit.register(forks.communicate)
    return forks


def run(
    *arguments: str, seconds: float = SECONDS, most: int | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run `elicit-tui ARGUMENTS` in a build's environment; its exit code and what it wrote.

    `most`: MiB of memory that the run may take at its height, where that can be told.
    """
    environment = {**os.environ, "CI": "true"}
    if not hasattr(os, "fork"):
        return subprocess.run(
            [sys.executable, "-m", "elicit_tui", *arguments],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    with tempfile.TemporaryDirectory() as directory:
        out, told = (Path(directory, name) for name in ("stdout", "stderr"))
        for file in (out, told):
            file.touch()
        forks = _forks()
        assert forks.stdin is not None
        assert forks.stdout is not None
        job = {
            "arguments": arguments,
            "environment": environment,
            "stdout": str(out),
            "stderr": str(told),
            "seconds": seconds,
        }
        print(json.dumps(job), file=forks.stdin, flush=True)
        code, taken = map(int, forks.stdout.readline().split())
        assert most is None or taken < most, f"{arguments}: {taken} MiB"
        if code < 0:
            pytest.fail(f"{arguments}: ended by signal {-code}\n{told.read_bytes()[-2000:]!r}")
        return subprocess.CompletedProcess(arguments, code, out.read_bytes(), told.read_bytes())
