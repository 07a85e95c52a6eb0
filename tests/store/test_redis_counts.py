"""Each time that Redis may have lost something is counted; what is tried for ever is given up."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from elicit_tui.errors import StoreError
from elicit_tui.store import (
    redis_layout,
    redis_questions,
    redis_scripts,
    redis_server,
    redis_store,
)
from elicit_tui.store.living import PRESENCE_SECONDS
from elicit_tui.store.redis_layout import LOG
from elicit_tui.store.redis_server import RedisAddress, RedisServer
from elicit_tui.store.redis_store import RedisStore, server_at
from tests.store.redis import SECRET
from tests.store.redis_pair import REDIS_THAT_FAILS, Start, goes, two
from tests.store.world import ME, put, question

pytestmark = [*REDIS_THAT_FAILS, pytest.mark.usefixtures("hurried")]


async def test_a_loss_is_counted_by_whoever_meets_it_also_where_no_connection_is_made_again(
    start: Start,
) -> None:
    redis = start()
    server = RedisServer(RedisAddress.read(redis.url))
    await server.open()
    server.patience_sec = 0.2
    await server.stream(LOG, 0, 0)
    await server.is_there()
    redis.kill()
    for look in (
        lambda: server.stream(LOG, 0, 0),
        server.is_there,
        lambda: server.run(redis_scripts.LAST, [redis_layout.NUMBER]),
        lambda: server.all_of([("GET", "key")]),
    ):
        before = server.interruptions
        with pytest.raises(StoreError, match="cannot be reached"):
            await goes(look())
        assert server.interruptions > before
    await server.close()


async def test_a_connection_that_is_made_anew_without_a_word_is_counted(start: Start) -> None:
    redis = start()
    server = RedisServer(RedisAddress.read(redis.url))
    await server.open()
    for look in (lambda: server.stream(LOG, 0, 0), server.is_there):
        with suppress(StoreError):  # It may be told of the cut, and is connected then.
            await goes(look())
        await goes(look())
        before = server.interruptions
        await goes(look())
        assert server.interruptions == before
        redis.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        with suppress(StoreError):
            await goes(look())
        await goes(look())
        assert server.interruptions > before
    await server.close()


async def test_a_watch_that_sees_nothing_is_no_loss(start: Start) -> None:
    server = RedisServer(RedisAddress.read(start().url))
    await server.open()
    await server.stream(LOG, 0, 0)
    before = server.interruptions
    assert await goes(server.stream(LOG, 0, 60)) == []
    assert server.interruptions == before
    await server.close()


async def test_no_connection_stays_behind_that_was_given_back_or_never_served(
    start: Start,
) -> None:
    redis = start("--maxmemory-policy", "allkeys-lru")

    def ours() -> int:
        clients: Any = redis.command("CLIENT", "LIST")
        text = clients.decode() if isinstance(clients, bytes) else str(clients)
        return text.count("name=elicit-tui")

    with pytest.raises(StoreError, match="must be noeviction"):
        await RedisStore.open(redis.url, "asker", secret=SECRET)
    assert ours() == 0
    redis.command("CONFIG", "SET", "maxmemory-policy", "noeviction")
    store = await RedisStore.open(redis.url, "asker", secret=SECRET)
    await store.changes()
    assert ours() > 0
    await store.close()
    assert ours() == 0
    async with server_at(redis.url):
        assert ours() > 0
    assert ours() == 0


async def test_a_question_that_too_many_change_at_once_is_given_up_and_stays_as_it_is(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    redis = start()
    async with two(redis) as (asking, answering):
        waiting = await put(asking, question())
        run = answering.server.run

        async def beaten(script: Any, *more: Any) -> Any:
            return 0 if script is redis_scripts.CHANGE else await run(script, *more)

        monkeypatch.setattr(answering.server, "run", beaten)
        with pytest.raises(StoreError, match="is being changed by too many at once"):
            await goes(answering.claim(waiting.id, ME))
        monkeypatch.undo()
        (still,) = await asking.waiting()
        assert (still.state, still.held_by) == ("open", None)


# As shipped: the tests of this file run with shorter times.
BLOCK, PATIENCE = redis_server.BLOCK_SECONDS, redis_server.PATIENCE_SECONDS
SOCKET, RESTORE = redis_server.SOCKET_SECONDS, redis_questions.RESTORE_SECONDS


async def test_a_look_for_a_change_is_held_at_the_server_for_no_longer_than_a_beat_may_take(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Any] = []

    class Watcher:
        async def xread(self, streams: Any, *, count: int, block: int | None) -> list[Any]:
            asked.append(block)
            return []

    server = RedisServer(RedisAddress.read("redis://localhost"))
    monkeypatch.setattr(server, "_watcher", Watcher())
    monkeypatch.setattr(redis_server, "BLOCK_SECONDS", BLOCK)
    for seconds in (-1, 0, 0.0001, 2, 1_000):
        await server.stream(LOG, 0, seconds)
    assert asked == [None, None, 1, 2_000, BLOCK * 1_000]


def test_who_is_patient_or_looks_seldom_is_not_taken_for_dead() -> None:
    assert BLOCK < redis_questions.SWEEP_SECONDS
    assert SOCKET < PATIENCE
    # Who puts again what was lost has waited for Redis before.
    assert redis_questions.SWEEP_SECONDS < RESTORE < PATIENCE
    assert PATIENCE + redis_questions.SWEEP_SECONDS < redis_store.DEAD_SECONDS
    assert redis_questions.LOOK_SECONDS < redis_store.DEAD_SECONDS
    assert redis_store.DEAD_SECONDS < redis_store.LONG_DEAD_SECONDS <= PRESENCE_SECONDS
    assert redis_questions.BACKSTOP_SECONDS <= 2 * 60 * 60
    assert redis_questions.LOST_SECONDS < 1
