"""The tokens that all machines of a store know: only its secret lets in, and shuts out for ever."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from elicit_tui.store.redis_store import RedisStore
from elicit_tui.store.redis_tokens import REVOKED, TOKENS, RedisTokens
from elicit_tui.store.store import Token
from tests.store.redis import SECRET, RedisProcess, needs_redis

pytestmark = [pytest.mark.anyio, needs_redis]

ONE = Token("agent", "a" * 64, "2026-11-01T12:00:00Z")
OTHER = Token("build", "b" * 64, "2026-11-02T12:00:00Z")


@pytest.fixture
async def machines(redis_process: RedisProcess) -> AsyncIterator[list[RedisTokens]]:
    redis_process.command("FLUSHALL")
    opened = [await RedisStore.open(redis_process.url, "listener", secret=SECRET) for _ in "ab"]
    found = [store.tokens for store in opened]
    yield [tokens for tokens in found if tokens is not None]
    for store in opened:
        await store.close()


async def test_a_token_lets_in_on_every_machine_until_it_is_revoked(
    machines: list[RedisTokens],
) -> None:
    here, there = machines
    assert await there.add(OTHER)
    assert await here.add(ONE)
    assert not await there.add(Token(ONE.name, "c" * 64, ONE.added))
    assert await there.read() == ((ONE, OTHER), frozenset())
    await there.revoke(ONE.sha256, ONE.name)
    assert await here.read() == ((OTHER,), frozenset({ONE.sha256}))
    # Its name is free again, and the token itself lets nobody in any more.
    assert await here.add(ONE)
    assert await here.read() == ((OTHER,), frozenset({ONE.sha256}))


async def test_tokens_are_listed_by_their_names(machines: list[RedisTokens]) -> None:
    (here, _) = machines
    for name in "cadb":
        assert await here.add(Token(name, name * 64, ONE.added))
    assert [token.name for token in (await here.read())[0]] == list("abcd")


async def test_a_token_of_no_entry_is_revoked_too(machines: list[RedisTokens]) -> None:
    here, there = machines
    await here.add(ONE)
    await here.revoke("d" * 64)
    assert await there.read() == ((ONE,), frozenset({"d" * 64}))


@pytest.mark.parametrize("part", ["name", "sha256", "added", "seal"])
async def test_whoever_writes_to_redis_without_the_secret_lets_nobody_in(
    machines: list[RedisTokens], redis_process: RedisProcess, part: str
) -> None:
    (here, _) = machines
    await here.add(ONE)
    words: Any = redis_process.command("HGET", TOKENS, ONE.name)
    entry = json.loads(words)
    name = ONE.name if part != "name" else "root"
    redis_process.command("HSET", TOKENS, name, json.dumps({**entry, part: "f" * 64}))
    redis_process.command("HSET", TOKENS, "nonsense", "no entry")
    tokens, _ = await here.read()
    assert tokens == ((ONE,) if part == "name" else ())


async def test_whoever_writes_to_redis_without_the_secret_shuts_nobody_out(
    machines: list[RedisTokens], redis_process: RedisProcess
) -> None:
    (here, _) = machines
    await here.add(ONE)
    await here.revoke(OTHER.sha256)
    seal: Any = redis_process.command("HGET", REVOKED, OTHER.sha256)
    redis_process.command("HSET", REVOKED, ONE.sha256, seal)
    assert await here.read() == ((ONE,), frozenset({OTHER.sha256}))


@pytest.mark.parametrize("word", ["no entry", "{}", '{"seal": "\\ud800"}', '{"sha256": "\\ud800"}'])
async def test_what_a_stranger_puts_in_the_place_of_an_entry_gives_place_to_it_again(
    machines: list[RedisTokens], redis_process: RedisProcess, word: str
) -> None:
    here, there = machines
    await here.add(ONE)
    await here.add(OTHER)
    redis_process.command("HSET", TOKENS, ONE.name, word)
    assert (await there.read())[0] == (OTHER,)
    assert await there.add(ONE)
    assert (await here.read())[0] == (ONE, OTHER)
    assert not await here.add(Token(ONE.name, "c" * 64, ONE.added))
