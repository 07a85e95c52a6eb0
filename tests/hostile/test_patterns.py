"""No pattern of ours is slow on a text that somebody wrote for that."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a limit of processor time")


def test_no_pattern_takes_longer_because_a_text_can_be_read_in_many_ways() -> None:
    tried = subprocess.run(
        [sys.executable, "-m", "tests.hostile.slow_patterns"],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    names = tried.stdout.splitlines()
    assert len(names) > 100
    assert (names[-1], tried.returncode) == ("all", 0), f"{names[-1]} is slow"
