"""Tokens that several machines know by their Redis: who is let in, and who no more."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.errors import StoreError, UsageError
from elicit_tui.gateway import tokens as module
from elicit_tui.gateway.tokens import SharedTokens
from elicit_tui.store.redis_store import RedisStore
from elicit_tui.store.redis_tokens import REVOKED, TOKENS
from tests.store.redis import SECRET, RedisProcess, needs_redis

pytestmark = [pytest.mark.anyio, needs_redis]


@pytest.fixture
async def stores(redis_process: RedisProcess) -> AsyncIterator[list[RedisStore]]:
    redis_process.command("FLUSHALL")
    opened = [await RedisStore.open(redis_process.url, "listener", secret=SECRET) for _ in "ab"]
    yield opened
    for store in opened:
        await store.close()


@pytest.fixture
def machines(stores: list[RedisStore], tmp_path: Path) -> list[SharedTokens]:
    """Two machines, each with a folder of its own."""
    return [
        SharedTokens(store.tokens, tmp_path / name / "tokens")
        for store, name in zip(stores, "ab", strict=True)
    ]


async def test_a_token_of_one_machine_lets_in_on_all(machines: list[SharedTokens]) -> None:
    one, other = machines
    shown = await one.add_everywhere("agent")
    await other.refresh()
    found = other.token_of(shown)
    assert found is not None
    assert found.name == "agent"
    assert other.token_of(f"{shown}x") is None
    with pytest.raises(UsageError, match="already"):
        await other.add_everywhere("agent")


async def test_a_revoked_token_lets_in_nowhere_also_after_redis_forgot_it(
    machines: list[SharedTokens], redis_process: RedisProcess, tmp_path: Path
) -> None:
    one, other = machines
    shown = await one.add_everywhere("agent")
    await other.refresh()
    backup: Any = redis_process.command("HGETALL", TOKENS)
    assert other.token_of(shown) is not None
    await one.revoke_everywhere("agent")
    await other.refresh()
    assert other.token_of(shown) is None
    # An older Redis takes over: the entry is there again, its end is not.
    redis_process.command("DEL", REVOKED)
    for name, entry in backup.items():
        redis_process.command("HSET", TOKENS, name, entry)
    await other.refresh()
    assert other.token_of(shown) is None
    # It was put again, and a machine that never heard of it knows it too.
    third = SharedTokens(one._entries, tmp_path / "c" / "tokens")
    await third.refresh()
    assert third.token_of(shown) is None
    # A machine that starts anew remembers it by itself.
    redis_process.command("DEL", REVOKED)
    again = SharedTokens(one._entries, tmp_path / "b" / "tokens")
    await again.refresh()
    assert again.token_of(shown) is None
    with pytest.raises(UsageError, match="no token"):
        await one.revoke_everywhere("agent")


async def test_a_token_in_use_is_put_again_where_redis_forgot_it_and_no_other(
    machines: list[SharedTokens], redis_process: RedisProcess
) -> None:
    one, other = machines
    used, unused, renewed, ended = [
        await one.add_everywhere(name) for name in ("used", "unused", "renewed", "ended")
    ]
    await other.refresh()
    assert all(other.token_of(shown) for shown in (used, renewed, ended))
    await one.revoke_everywhere("ended")
    await other.refresh()
    redis_process.command("DEL", TOKENS, REVOKED)
    await one.refresh()
    # Its owner made it anew meanwhile: that one counts.
    new = await one.add_everywhere("renewed")
    await other.refresh()
    assert other.token_of(ended) is None
    for machine in (other, one):
        await machine.refresh()
        assert machine.token_of(used) is not None
        assert machine.token_of(new) is not None
        assert not any(machine.token_of(shown) for shown in (unused, renewed, ended))


async def test_who_can_write_to_redis_and_has_no_secret_lets_nobody_in_and_shuts_nobody_out(
    machines: list[SharedTokens], redis_process: RedisProcess
) -> None:
    one, other = machines
    shown = await one.add_everywhere("agent")
    entries: Any = redis_process.command("HGETALL", TOKENS)
    entry = json.loads(entries[b"agent"])
    strangers = module.PREFIX + "stranger"
    for changed in ({"sha256": module._digest(strangers)}, {"seal": "0" * 64}, {"added": "now"}):
        redis_process.command("HSET", TOKENS, "stranger", json.dumps({**entry, **changed}))
        await other.refresh()
        assert [token.name for token in other.listed()] == ["agent"]
        assert other.token_of(strangers) is None
    redis_process.command("HSET", TOKENS, "renamed", entries[b"agent"])
    redis_process.command("HSET", REVOKED, entry["sha256"], "0" * 64)
    await other.refresh()
    assert [token.name for token in other.listed()] == ["agent"]
    assert other.token_of(shown) is not None


async def test_without_redis_nobody_new_is_let_in_and_who_is_in_stays(
    machines: list[SharedTokens], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = machines
    known, late, new = [await one.add_everywhere(name) for name in ("known", "late", "new")]
    local = other.add("local")
    await other.refresh()
    assert other.token_of(known) is not None
    began = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: began + module.STALE_SECONDS - 10)
    assert other.token_of(late) is not None
    monkeypatch.setattr(time, "monotonic", lambda: began + module.STALE_SECONDS + 0.5)
    assert other.token_of(known) is not None
    assert other.token_of(new) is None
    assert other.token_of(local) is not None


async def test_of_a_shared_token_only_its_digest_is_kept(
    machines: list[SharedTokens], redis_process: RedisProcess
) -> None:
    shown = await machines[0].add_everywhere("agent")
    assert shown.encode() not in redis_process.everything()


async def test_a_store_that_cannot_be_asked_makes_no_token(
    machines: list[SharedTokens], redis_process: RedisProcess
) -> None:
    redis_process.command("CONFIG", "SET", "maxmemory", "1")
    try:
        with pytest.raises(StoreError, match="is full"):
            await machines[0].add_everywhere("agent")
    finally:
        redis_process.command("CONFIG", "SET", "maxmemory", "0")
