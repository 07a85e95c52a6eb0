"""Every engine, as several processes see it; one more engine is one more class here."""

from __future__ import annotations

import signal
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.store import redis_questions, redis_server
from elicit_tui.store.redis_store import RedisStore
from elicit_tui.store.sqlite import SqliteStore
from elicit_tui.store.store import Role, Store
from tests.ledger.world import Clock
from tests.store.redis import (
    SECRET,
    VALKEY,
    RedisCluster,
    RedisProcess,
    needs_redis,
    needs_valkey,
)
from tests.store.redis_pair import Start


class SqliteEngine:
    """Stores over one file; each `open` is one more process, as far as the store can tell."""

    def __init__(self, directory: Path, clock: Clock) -> None:
        self.path = directory / "state" / "store.sqlite3"
        self.clock = clock
        self.opened: list[Store] = []

    @property
    def place(self) -> str:
        """Where it is, for `tests.store.waiting`."""
        return str(self.path)

    async def open(self, role: Role, **more: Any) -> Store:
        store = await SqliteStore.open(self.path, role, clock=self.clock, **more)
        self.opened.append(store)
        return store


class TimedRedisStore(RedisStore):
    """One whose server's clock is the test's."""

    def _seconds(self, reply: Sequence[bytes]) -> float:
        return self._now()


class RedisEngine:
    """Stores over one Redis, or one cluster, which was emptied."""

    def __init__(self, server: RedisProcess | RedisCluster, clock: Clock) -> None:
        server.command("FLUSHALL")
        self.server = server
        self.clock = clock
        self.opened: list[Store] = []

    @property
    def place(self) -> str:
        return self.server.url

    async def open(self, role: Role, **more: Any) -> Store:
        more = {"secret": SECRET, **more}
        store = await TimedRedisStore.open(self.server.url, role, clock=self.clock, **more)
        self.opened.append(store)
        return store


Engine = SqliteEngine | RedisEngine
ON_REDIS = [pytest.param(name, marks=needs_redis) for name in ("redis", "cluster")]
not_on_valkey = pytest.mark.parametrize("engine", ["sqlite", *ON_REDIS], indirect=True)
only_sqlite = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)


@pytest.fixture(scope="session")
def redis_cluster() -> Iterator[RedisCluster]:
    cluster = RedisCluster()
    yield cluster
    cluster.end()


@pytest.fixture(scope="session")
def valkey_process() -> Iterator[RedisProcess]:
    process = RedisProcess(program=VALKEY)
    yield process
    process.end()


@pytest.fixture(params=["sqlite", *ON_REDIS, pytest.param("valkey", marks=needs_valkey)])
async def engine(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Engine]:
    engines: dict[str, Callable[[], Engine]] = {
        "sqlite": lambda: SqliteEngine(tmp_path, Clock()),
        "redis": lambda: RedisEngine(request.getfixturevalue("redis_process"), Clock()),
        "valkey": lambda: RedisEngine(request.getfixturevalue("valkey_process"), Clock()),
        "cluster": lambda: RedisEngine(request.getfixturevalue("redis_cluster"), Clock()),
    }
    engine = engines[request.param]()
    yield engine
    for store in engine.opened:
        await store.close()


@pytest.fixture
async def asking(engine: Engine) -> Store:
    return await engine.open("asker")


@pytest.fixture
async def answering(engine: Engine) -> Store:
    return await engine.open("answerer")


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts a Redis of one's own."""
    started: list[RedisProcess] = []

    def process(*options: str) -> RedisProcess:
        started.append(RedisProcess(*options))
        return started[-1]

    yield process
    for each in started:
        with suppress(ProcessLookupError):
            each.signal(signal.SIGCONT)
        each.end()


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes half a minute as shipped takes a second or two here."""
    monkeypatch.setattr(redis_server, "PATIENCE_SECONDS", 6.0)
    monkeypatch.setattr(redis_server, "SOCKET_SECONDS", 0.5)
    monkeypatch.setattr(redis_server, "BLOCK_SECONDS", 0.3)
    monkeypatch.setattr(redis_questions, "BLOCK_SECONDS", 0.3)
    monkeypatch.setattr(redis_questions, "RESTORE_SECONDS", 1.0)
