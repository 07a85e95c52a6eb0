"""Whoever waits for Redis can be cancelled at any moment, and is then cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from elicit_tui.store.redis_store import RedisStore
from tests.store.redis import SECRET, RedisProcess, needs_redis
from tests.store.world import put

pytestmark = [pytest.mark.anyio, needs_redis]

MOST_STEPS = 60
"""So many turns of the loop take more than one round trip."""


@pytest.fixture
async def store(redis_process: RedisProcess) -> AsyncIterator[RedisStore]:
    redis_process.command("FLUSHALL")
    opened = await RedisStore.open(redis_process.url, "answerer", secret=SECRET)
    yield opened
    await opened.close()


@pytest.mark.parametrize("what", ["questions", "calls", "changes", "presence"])
async def test_a_cancel_ends_it_at_whatever_step_it_comes(store: RedisStore, what: str) -> None:
    await put(store)
    works: dict[str, Callable[[], Awaitable[Any]]] = {
        "questions": store.waiting,
        "calls": lambda: store.calls.look("owner", "call"),
        "changes": lambda: store.changes(0, 0.0),
        "presence": store.heartbeat,
    }

    async def for_ever() -> None:
        while True:
            await works[what]()

    for steps in (*range(MOST_STEPS), *range(MOST_STEPS)):
        going = asyncio.ensure_future(for_ever())
        for _ in range(steps):
            await asyncio.sleep(0)
        going.cancel()
        ended, _ = await asyncio.wait([going], timeout=1)
        assert ended, f"It went on after it was cancelled at step {steps}."
        assert going.cancelled()
    assert len(await store.waiting()) == 1
