"""What was called, on a Redis that forgets, fills up, and is asked from several machines."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from elicit_tui.errors import StoreError
from elicit_tui.store import redis_calls, redis_layout, redis_store
from elicit_tui.store.redis_store import RedisStore
from tests.store.redis import SECRET, RedisProcess, needs_redis

pytestmark = [pytest.mark.anyio, needs_redis]

OWNER, KEY = "owner", b'["tools/call","erase",{"path":"secret-project"}]'


@pytest.fixture
async def stores(redis_process: RedisProcess) -> AsyncIterator[list[RedisStore]]:
    redis_process.command("CONFIG", "SET", "maxmemory", "0")
    redis_process.command("FLUSHALL")
    opened = [await RedisStore.open(redis_process.url, "listener", secret=SECRET) for _ in "ab"]
    yield opened
    redis_process.command("CONFIG", "SET", "maxmemory", "0")
    for store in opened:
        await store.close()


def moved(redis: RedisProcess, store: RedisStore, machine: str = "another") -> None:
    """What a process last said, as if it were one of another machine."""
    life = store.calls.process
    said: Any = redis.command("HGET", redis_layout.PROCESSES, life)
    about = json.dumps({**json.loads(said), "machine": machine})
    redis.command("HSET", redis_layout.PROCESSES, life, about)


async def begins(store: RedisStore, name: str, since: float | None = None) -> tuple[str, float]:
    found = await store.calls.begin(OWNER, name, KEY, since=since)
    return found.what, found.at


async def test_a_call_of_another_machine_is_waited_for_until_that_is_heard_of(
    stores: list[RedisStore], redis_process: RedisProcess
) -> None:
    one, other = stores
    await begins(one, "a")
    await one.calls.called(OWNER, "a")
    moved(redis_process, one)
    what, at = await begins(other, "b")
    assert what == "unsure"
    assert (await begins(other, "b", at))[0] == "unsure"
    await one.heartbeat()
    moved(redis_process, one)
    # It lives, so the two are side by side.
    assert (await begins(other, "b", at))[0] == "begins"


async def test_a_call_of_another_process_of_this_machine_is_never_unsure(
    stores: list[RedisStore],
) -> None:
    one, other = stores
    await begins(one, "a")
    await one.calls.called(OWNER, "a")
    # It has said nothing since, and the system knows that it lives.
    assert (await begins(other, "b"))[0] == "begins"


def forgets_last(redis: RedisProcess, before: Any) -> None:
    """A replica takes over that lacks the last writes: the book is what it was before them."""
    book = f"et:{{{OWNER}}}:calls"
    redis.command("DEL", book)
    redis.command("HSET", book, *(part for pair in before.items() for part in pair))


async def test_what_a_call_had_become_is_put_again_where_redis_lost_that_alone(
    stores: list[RedisStore], redis_process: RedisProcess
) -> None:
    one, other = stores
    await begins(one, "a")
    await one.heartbeat()
    for change, state in (
        (one.calls.called(OWNER, "a"), "called"),
        (one.calls.paused(OWNER, "a", b"waits"), "called"),
        (one.calls.ended(OWNER, "a", b"done"), "ended"),
    ):
        before = redis_process.command("HGETALL", f"et:{{{OWNER}}}:calls")
        await change
        forgets_last(redis_process, before)
        one.server.interruptions += 1
        await one.heartbeat()
        seen = await other.calls.look(OWNER, "a")
        assert seen is not None
        assert (seen.call.state, seen.maker) == (state, "lives")
    assert (seen.call.has_id, seen.outcome) == (True, b"done")


async def test_a_call_that_changes_while_it_is_put_again_stays_what_it_became(
    stores: list[RedisStore],
) -> None:
    one, other = stores
    await begins(one, "a")
    one.server.interruptions += 1
    async with one.calls._turns[OWNER]:
        # Both wait for their turn: the change, and after it the look at what Redis may have lost.
        ended = asyncio.ensure_future(one.calls.ended(OWNER, "a", b"done"))
        await asyncio.sleep(0)
        again = asyncio.ensure_future(one.calls.restore(lost=True))
        await asyncio.sleep(0)
    await asyncio.gather(ended, again)
    seen = await other.calls.look(OWNER, "a")
    assert seen is not None
    assert (seen.call.state, seen.outcome) == ("ended", b"done")


async def test_that_nobody_knows_is_told_also_where_the_reply_of_redis_was_lost(
    stores: list[RedisStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection was lost after the script had run, so that it is sent once more."""
    one, other = stores
    await begins(one, "a")
    await one.calls.called(OWNER, "a")
    await one.calls.abandon(OWNER, "a")
    run, lost = other.server.run, [redis_calls.CHANGE]

    async def twice(script: Any, *more: Any, **how: Any) -> Any:
        done = await run(script, *more, **how)
        if script in lost:
            lost.clear()
            # Meanwhile another process of the same owner changes the book, too.
            await one.calls.begin(OWNER, "c", b"another")
            done = await run(script, *more)
        return done

    monkeypatch.setattr(other.server, "run", twice)
    assert (await begins(other, "b"))[0] == "not known"
    assert (await begins(other, "b"))[0] == "begins"


async def test_a_note_is_kept_for_an_hour_and_a_call_for_a_week(
    stores: list[RedisStore], redis_process: RedisProcess
) -> None:
    one, other = stores
    await begins(one, "a")
    await one.calls.paused(OWNER, "a", b"waits")
    await other.calls.leave_note(OWNER, "a", b"noted")
    left = {
        name: redis_process.command("PTTL", f"et:{{{OWNER}}}:{name}")
        for name in ("calls", "call:a", "notes")
    }
    week, hour = 7 * 24 * 3_600_000, 3_600_000
    assert left["calls"] == pytest.approx(week, abs=60_000)
    assert left["call:a"] == pytest.approx(week, abs=60_000)
    assert left["notes"] == pytest.approx(hour, abs=60_000)
    await one.calls.ended(OWNER, "a", b"done")
    assert redis_process.command("HKEYS", f"et:{{{OWNER}}}:call:a") == [b"outcome"]
    await one.calls.drop(OWNER, "a")
    assert redis_process.command("EXISTS", f"et:{{{OWNER}}}:call:a") == 0


async def test_of_many_that_change_one_book_none_is_lost(stores: list[RedisStore]) -> None:
    one, other = stores
    works = [
        store.calls.begin(OWNER, f"{name}{number}", f"{name}{number}".encode())
        for name, store in (("a", one), ("b", other))
        for number in range(6)
    ]
    found = await asyncio.gather(*works)
    assert {each.what for each in found} == {"begins"}
    for store in stores:
        assert await store.calls.look(OWNER, "a5") is not None
        assert await store.calls.look(OWNER, "b5") is not None


async def test_a_call_of_another_machine_that_is_silent_is_not_known_once(
    stores: list[RedisStore], redis_process: RedisProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = stores
    await begins(one, "a")
    await one.calls.called(OWNER, "a")
    moved(redis_process, one)
    monkeypatch.setattr(redis_store, "LONG_DEAD_SECONDS", -1.0)
    monkeypatch.setattr(redis_store, "WATCHED_SECONDS", 0.0)
    assert (await begins(other, "b"))[0] == "not known"
    assert (await begins(other, "b"))[0] == "begins"


async def test_a_process_number_of_another_machine_means_nothing_here(
    stores: list[RedisStore], redis_process: RedisProcess
) -> None:
    one, other = stores
    await begins(one, "a")
    await one.calls.called(OWNER, "a")
    said: Any = redis_process.command("HGET", redis_layout.PROCESSES, one.calls.process)
    about = {**json.loads(said), "number": 2**22 + 1}
    for machine, maker in (("another", "lives"), (about["machine"], "dead")):
        text = json.dumps({**about, "machine": machine})
        redis_process.command("HSET", redis_layout.PROCESSES, one.calls.process, text)
        seen = await other.calls.look(OWNER, "a")
        assert seen is not None
        assert seen.maker == maker


async def test_who_makes_a_call_puts_again_what_redis_forgot_and_nothing_that_was_read(
    stores: list[RedisStore], redis_process: RedisProcess
) -> None:
    one, other = stores
    for name in "abc":
        await one.calls.begin(OWNER, name, name.encode())
        await one.calls.called(OWNER, name)
        await one.calls.paused(OWNER, name, b"waits")
    await one.calls.ended(OWNER, "b", b"done")
    await one.calls.ended(OWNER, "c", b"done")
    await other.calls.read(OWNER, "c")
    one._restored_at = -1e9
    await one.heartbeat()
    redis_process.command("FLUSHALL")
    await one.heartbeat()
    waits, ended = [await other.calls.look(OWNER, name) for name in "ab"]
    assert waits is not None
    assert (waits.call.state, waits.maker, waits.paused) == ("called", "lives", b"waits")
    assert ended is not None
    assert ended.outcome == b"done"
    assert await other.calls.look(OWNER, "c") is None


async def test_what_an_agent_was_answered_before_its_tool_was_called_is_put_again_with_the_call(
    stores: list[RedisStore], redis_process: RedisProcess
) -> None:
    one, other = stores
    await begins(one, "a")
    # Answered while the approval waits; the call that follows brings no answer of its own.
    await one.calls.paused(OWNER, "a", b"a task", is_task=True)
    await one.calls.called(OWNER, "a")
    redis_process.command("FLUSHALL")
    await one.heartbeat()
    seen = await other.calls.look(OWNER, "a")
    assert seen is not None
    assert (seen.call.state, seen.call.is_task, seen.paused) == ("called", True, b"a task")


async def test_a_call_that_another_process_forgot_is_not_put_again(
    stores: list[RedisStore],
) -> None:
    one, other = stores
    await begins(one, "a")
    await one.calls.paused(OWNER, "a", b"waits")
    await one.heartbeat()
    await other.calls.drop(OWNER, "a")
    one._restored_at = -1e9
    await one.heartbeat()
    assert await other.calls.look(OWNER, "a") is None


async def test_a_call_that_its_agent_was_told_all_of_is_not_put_again(
    stores: list[RedisStore], redis_process: RedisProcess
) -> None:
    one, other = stores
    await begins(one, "a")
    await one.calls.ended(OWNER, "a", b"done")
    await one.calls.drop(OWNER, "a")
    redis_process.command("FLUSHALL")
    await one.heartbeat()
    # What it came to is over: an equal call is a new one.
    assert (await begins(other, "b"))[0] == "begins"


async def test_a_full_redis_lets_nothing_begin_and_keeps_what_a_call_came_to(
    stores: list[RedisStore], redis_process: RedisProcess
) -> None:
    one, other = stores
    await begins(one, "a")
    redis_process.command("CONFIG", "SET", "maxmemory", "1")
    with pytest.raises(StoreError, match="is full"):
        await begins(other, "b")
    await one.calls.called(OWNER, "a")
    await one.calls.paused(OWNER, "a", b"waits")
    await other.calls.leave_note(OWNER, "a", b"noted")
    await one.calls.ended(OWNER, "a", b"done")
    seen = await other.calls.look(OWNER, "a")
    assert seen is not None
    assert seen.outcome == b"done"
    await other.calls.read(OWNER, "a")
