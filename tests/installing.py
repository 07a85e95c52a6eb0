"""What `python -m tests` installs beside the tests: who needs it comes last and waits for it."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NODE = HERE / "node"
PYTHON = HERE / "python"
PLACE = "TESTS_INSTALLING"
"""The variable that names a folder; in it lies a file for each that is being installed."""
PATIENCE = 300.0

needs_node = pytest.mark.needs("node servers")
needs_python = pytest.mark.needs("python servers")
needs_agents = pytest.mark.needs("real agents")


def in_order(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """These tests; last come those that may have to wait."""
    return sorted(items, key=lambda item: item.get_closest_marker("needs") is not None)


def begin_when_installed(item: pytest.Item) -> None:
    """Wait for what this test needs while it is being installed."""
    end = time.monotonic() + PATIENCE
    while any(map(_in_the_making, _needs(item))) and time.monotonic() < end:
        time.sleep(0.1)


def skip_without(item: pytest.Item) -> None:
    """Leave a test out where what it needs is not installed."""
    for title in _needs(item):
        assert not _in_the_making(title), f"{title}: not installed after {PATIENCE:g} s"
        if not _is_there(title):
            pytest.skip(f"needs the packages of {title}")


def _needs(item: pytest.Item) -> list[str]:
    return [mark.args[0] for mark in item.iter_markers("needs")]


def _in_the_making(title: str) -> bool:
    place = os.environ.get(PLACE)
    return place is not None and Path(place, title).exists()


def _is_there(title: str) -> bool:
    if title == "node servers":
        return (NODE / "node_modules").exists() and shutil.which("node") is not None
    if title == "python servers":
        return (PYTHON / ".venv" / "bin" / "python").exists()
    return True  # Which of the agents are there, each test looks up for itself.
