"""A new ledger, where it lies, and the clock that it records by."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from elicit_tui.ledger import Ledger
from tests.ledger.world import Clock


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "elicit-tui" / "ledger.sqlite3"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ledger(path: Path, clock: Clock) -> Iterator[Ledger]:
    with closing(Ledger.open(path, clock=clock)) as opened:
        yield opened
