"""What several tests of scenarios look at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from elicit_tui.scenarios.lane import Lane


@pytest.fixture
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """A deadline passes as soon as it is looked at."""
    monkeypatch.setattr("elicit_tui.scenarios.script.DEADLINE_SECONDS", 0.01)


@pytest.fixture
def open_lanes(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[Lane]]:
    """The lanes that were connected and are not closed; in the end there are none."""
    still: set[Lane] = set()
    connect, close = Lane.connect, Lane.close

    async def connected(self: Lane) -> Any:
        still.add(self)
        return await connect(self)

    async def closed(self: Lane) -> None:
        await close(self)
        still.discard(self)

    monkeypatch.setattr(Lane, "connect", connected)
    monkeypatch.setattr(Lane, "close", closed)
    yield still
    assert still == set()
