"""Each time that Redis may have lost something is counted; what is tried for ever is given up."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any

import pytest

from elicit_tui.errors import StoreError
from elicit_tui.store import redis_layout, redis_scripts
from elicit_tui.store.redis_layout import LOG
from elicit_tui.store.redis_server import RedisAddress, RedisServer
from elicit_tui.store.redis_store import RedisStore, server_at
from tests.store.redis import SECRET, needs_redis
from tests.store.redis_pair import Start, goes, two
from tests.store.world import ME, put, question

pytestmark = [
    pytest.mark.anyio,
    needs_redis,
    pytest.mark.skipif(sys.platform == "win32", reason="signals and sockets of POSIX"),
    pytest.mark.usefixtures("hurried"),
]


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
