"""Every engine, as several processes see it; one more engine is one more class here."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.store import SqliteStore, Store
from elicit_tui.store.store import Role
from tests.ledger.world import Clock


class SqliteEngine:
    """Stores over one file; each `open` is one more process, as far as the store can tell."""

    def __init__(self, directory: Path, clock: Clock) -> None:
        self.path = directory / "state" / "store.sqlite3"
        self.clock = clock
        self.opened: list[Store] = []

    async def open(self, role: Role, **more: Any) -> Store:
        store = await SqliteStore.open(self.path, role, clock=self.clock, **more)
        self.opened.append(store)
        return store


@pytest.fixture(params=[SqliteEngine])
async def engine(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[SqliteEngine]:
    made: Callable[[Path, Clock], SqliteEngine] = request.param
    engine = made(tmp_path, Clock())
    yield engine
    for store in engine.opened:
        await store.close()


@pytest.fixture
async def asking(engine: SqliteEngine) -> Store:
    return await engine.open("asker")


@pytest.fixture
async def answering(engine: SqliteEngine) -> Store:
    return await engine.open("answerer")
