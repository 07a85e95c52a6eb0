"""Seals every test from the developer's machine: no own config, home, state or CI setting."""

from __future__ import annotations

import gc
import itertools
import os
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests.forks import NOT_OURS, end_forks, hear_signals
from tests.installing import begin_when_installed, in_order, skip_without
from tests.textual_savings import save_work

if TYPE_CHECKING:
    from tests.store.redis import RedisProcess

# A busy machine is no finding: what a property allows in time, it says itself. A push is red for
# what it changed and not by chance, so examples are the same each time; `--long` looks for others.
settings.register_profile(
    "busy",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=os.environ.get("EXAMPLES") != "new",
)
settings.load_profile("busy")

hear_signals()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items[:] = in_order(items)


@pytest.hookimpl(wrapper=True, tryfirst=True)  # Before the clock of its timeout.
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    begin_when_installed(item)
    return (yield)


def pytest_runtest_setup(item: pytest.Item) -> None:
    skip_without(item)


def pytest_collection_finish() -> None:
    """What is loaded stays to the end: to look through it again takes a tenth of a run."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)
    save_work()


def pytest_sessionfinish() -> None:
    """Also of a run that only collects, for which a module may have made some ready."""
    end_forks()


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Homes that are not there yet; to number them by hand looks through none of those before."""
    directory = tmp_path_factory.mktemp("homes")
    return (directory / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def sealed_machine(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own for each test, so that nothing of the developer's is read or written."""
    home = next(homes)
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for name in NOT_OURS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    return home


@pytest.fixture(scope="session")
def redis_process() -> Iterator[RedisProcess]:
    """A Redis for all tests of this process; whoever takes it empties it first."""
    from tests.store.redis import RedisProcess

    process = RedisProcess()
    yield process
    process.end()
