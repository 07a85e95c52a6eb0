"""Both eras upwards on both transports, both eras downwards; two servers that all tests share."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from itertools import product

import pytest

from tests.gateway.held import HeldSession
from tests.gateway.http_world import Gateway, many_agents
from tests.gateway.world import ERAS, HANDSHAKE, MODERN, SHARED, WAYS
from tests.host.world import http_server

PAIRS = (*product(ERAS, ERAS), (f"{HANDSHAKE}+http", MODERN), (f"{MODERN}+http", HANDSHAKE))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """`upwards` alone: every way an agent comes; with `downwards`: the pairs of eras.

    A test that says its own is left alone.
    """
    if any("upwards" in mark.args[0] for mark in metafunc.definition.iter_markers("parametrize")):
        return
    names = [name for name in ("upwards", "downwards") if name in metafunc.fixturenames]
    if len(names) == 2:
        ids = [f"{up}-over-{down}" for up, down in PAIRS]
        metafunc.parametrize(names, PAIRS, ids=ids)
    elif names:
        metafunc.parametrize("upwards", WAYS, ids=WAYS)


@pytest.fixture(scope="session", autouse=True)
def shared_servers() -> Iterator[None]:
    with http_server("asking.py") as asking, http_server("workshop.py") as workshop:
        SHARED.update({"asking.py": asking, "workshop.py": workshop})
        yield


@pytest.fixture
async def gateway() -> AsyncIterator[Gateway]:
    """A gateway over HTTP, with nobody on it yet."""
    async with many_agents() as here:
        yield here


@pytest.fixture(params=["pipe", "http"])
def way(request: pytest.FixtureRequest) -> str:
    """How the agent comes."""
    return str(request.param)


@pytest.fixture
async def session() -> AsyncIterator[HeldSession]:
    session = HeldSession()
    yield session
    await session.close()
