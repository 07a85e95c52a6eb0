"""What is asked, called and answered can be read nowhere on a Redis: in no key, log or command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import replace

import pytest

from elicit_tui.store.redis_store import RedisStore
from tests.store.redis import SECRET, RedisProcess, needs_redis
from tests.store.world import ME, answer, put, question, sent, typed

pytestmark = [pytest.mark.anyio, needs_redis]

WORDS = (b"Which environment", b"secret-project", b"stag", b"production", b"pts/3", b"laptop")


@pytest.fixture
def redis() -> Iterator[RedisProcess]:
    process = RedisProcess("--appendonly", "yes", "--appendfsync", "always", "--save", "")
    yield process
    process.end()


async def two(stack: AsyncExitStack, redis: RedisProcess) -> list[RedisStore]:
    stores = [
        await RedisStore.open(redis.url, role, secret=SECRET) for role in ("asker", "answerer")
    ]
    for store in stores:
        stack.push_async_callback(store.close)
    return stores


def assert_tells_nothing(redis: RedisProcess, heard: list[bytes], dumps: list[bytes]) -> None:
    """Once nothing is sent any more; `dumps`: every key with its value, at some moments."""
    places = {"dump": b"".join(dumps), "log": redis.log, "wire": b"".join(heard)}
    assert b"evalsha" in places["wire"].lower()
    for place, told in places.items():
        assert len(told) > 1_000, place
        for word in WORDS:
            assert word not in told, (place, word)


async def test_nothing_of_a_question_can_be_read(redis: RedisProcess) -> None:
    async with AsyncExitStack() as stack:
        heard = stack.enter_context(redis.overheard())
        asking, answering = await two(stack, redis)
        asked = question(draft=typed("stag"))
        waiting = await put(asking, asked)
        await answering.claim(waiting.id, ME, typed("staging"))
        await answering.answer(waiting.id, answer(waiting, "production"))
        dumps = [redis.everything()]
        await asking.reopen(replace(asked, attempt=2, note="Which environment again"))
        dumps.append(redis.everything())
        await asking.settle(waiting.id, sent())
        dumps.append(redis.everything())
    assert_tells_nothing(redis, heard, dumps)
    assert all(waiting.id.encode() in told for told in (dumps[0], redis.log, b"".join(heard)))
    assert b"asked" not in dumps[-1]


async def test_nothing_of_a_call_can_be_read(redis: RedisProcess) -> None:
    key = b'["tools/call","deploy",{"path":"/home/me/secret-project","to":"production"}]'
    async with AsyncExitStack() as stack:
        heard = stack.enter_context(redis.overheard())
        making, other = await two(stack, redis)
        for name in "ab":
            await making.calls.begin("owner", name, key + name.encode())
            await making.calls.called("owner", name)
            await making.calls.paused("owner", name, b"Which environment? (secret-project)")
            await other.calls.leave_note("owner", name, b"staging, by somebody at laptop, pts/3")
        dumps = [redis.everything()]
        assert await making.calls.notes("owner", ["a"])
        await making.calls.ended("owner", "a", b"secret-project is in production")
        dumps.append(redis.everything())
        seen = await other.calls.look("owner", "a")
        assert seen is not None
        assert seen.outcome == b"secret-project is in production"
        await other.calls.read("owner", "a")
        dumps.append(redis.everything())
        await making.calls.drop("owner", "b")
        dumps.append(redis.everything())
    assert_tells_nothing(redis, heard, dumps)
    assert b"outcome" in dumps[1]
