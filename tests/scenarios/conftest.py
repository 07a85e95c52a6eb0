"""One process with all of elicit-tui in memory, of which the runs of this room are forks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.scenarios.ready import ready_elicit_tui


@pytest.fixture(scope="session", autouse=True)
def _ready() -> Iterator[None]:
    with ready_elicit_tui():
        yield
