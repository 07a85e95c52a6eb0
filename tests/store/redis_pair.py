"""Who asks and who answers over one Redis, for tests."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import pytest

from elicit_tui.errors import StoreError
from elicit_tui.store.redis_store import RedisStore
from elicit_tui.store.store import Store, Waiting
from tests.store.redis import SECRET, RedisProcess, needs_redis

BOUND = 20.0
REDIS_THAT_FAILS: Final = [
    pytest.mark.anyio,
    needs_redis,
    pytest.mark.skipif(sys.platform == "win32", reason="signals and sockets of POSIX"),
]
"""The marks of a module whose tests stop, kill and start a Redis."""
Start = Callable[..., RedisProcess]
"""Starts a Redis of one's own, with these options."""


@asynccontextmanager
async def two(
    redis: RedisProcess, url: str | None = None, **more: Any
) -> AsyncIterator[tuple[RedisStore, RedisStore]]:
    """Who asks and who answers, as two processes."""
    stores = [
        await RedisStore.open(url or redis.url, role, **{"secret": SECRET, **more})
        for role in ("asker", "answerer")
    ]
    try:
        yield stores[0], stores[1]
    finally:
        for store in stores:
            await store.close()


async def goes(work: Awaitable[Any]) -> Any:
    return await asyncio.wait_for(work, BOUND)


async def until(store: Store, number: int, holds: Callable[[Waiting], bool]) -> Waiting:
    """The question that changes so, as its watcher reads it, who tries again as `StoreReader`."""

    async def look() -> Waiting:
        nonlocal number
        while True:
            with suppress(StoreError):
                changes = await store.changes(number, 1.0)
                number = changes.number
                for one in changes.waiting:
                    if holds(one):
                        return one
                await store.heartbeat()

    found: Waiting = await goes(look())
    return found
