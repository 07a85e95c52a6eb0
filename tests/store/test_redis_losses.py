"""What Redis loses without a word, refuses for a while, or is told twice."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from elicit_tui.elicitation import decline, now
from elicit_tui.errors import StoreError
from elicit_tui.store import redis_layout, redis_questions, redis_scripts, redis_store
from elicit_tui.store.redis_server import RedisAddress, RedisAway
from elicit_tui.store.redis_store import RedisStore
from elicit_tui.store.store import Asker
from tests.store.redis import SECRET
from tests.store.redis_pair import BOUND, REDIS_THAT_FAILS, Start, goes, two, until
from tests.store.test_transitions import ASKED as KNOWN
from tests.store.world import ASKER, ME, answer, put, question

pytestmark = [*REDIS_THAT_FAILS, pytest.mark.usefixtures("hurried")]


async def test_what_was_lost_without_a_cut_connection_is_put_again_at_the_next_look(
    start: Start,
) -> None:
    redis = start()
    async with two(redis) as (asking, answering):
        waiting = await put(asking)
        await asking.heartbeat()
        redis.command("DEL", f"et:{{{ASKER.session}}}:q:{waiting.id}")
        asking._restored_at = -1e9
        await asking.heartbeat()
        assert [one.id for one in await answering.waiting()] == [waiting.id]


@pytest.mark.parametrize(
    ("key", "field", "written"),
    [("meta", "key", b"\xff"), ("meta", "layout", b"zzz"), ("number", None, b"9" * 5_000)],
    ids=["key", "layout", "number"],
)
async def test_what_another_program_wrote_in_the_middle_of_the_store_is_an_error_of_the_store(
    start: Start, key: str, field: str | None, written: bytes
) -> None:
    redis = start()
    async with two(redis) as (asking, answering):
        waiting = await put(asking)
        place, fields = f"et:{{index}}:{key}", [field] if field else []
        get, set_ = ("HGET", "HSET") if field else ("GET", "SET")
        before = redis.command(get, place, *fields)
        redis.command(set_, place, *fields, written)
        with suppress(StoreError):
            await answering.heartbeat()
            await answering.changes(0, 0)
        redis.command(set_, place, *fields, before)
        await answering.heartbeat()
        assert [one.id for one in await answering.waiting()] == [waiting.id]


async def test_neither_a_claim_nor_an_answer_that_was_lost_is_made_up_by_who_asks(
    start: Start,
) -> None:
    redis = start()
    async with two(redis) as (asking, answering):
        held, answered = await put(asking), await put(asking, question("And this?"))
        await answering.claim(held.id, ME)
        await answering.answer(answered.id, answer(answered))
        # Who asks has seen both.
        assert {one.state for one in await asking.waiting()} == {"claimed", "answered"}
        redis.command("FLUSHALL")
        await asking.heartbeat()
        again = {one.id: one for one in await answering.waiting()}
        assert set(again) == {held.id, answered.id}
        for one in again.values():
            assert (one.state, one.held_by, one.answer_id, one.answered_by) == ("open", *[None] * 3)


@pytest.mark.parametrize("how", ["settled", "withdrawn"])
async def test_a_question_that_ends_while_redis_has_lost_it_is_not_put_again(
    start: Start, how: str
) -> None:
    redis = start()
    async with two(redis) as (asking, answering):
        ended, waits = await put(asking), await put(asking, question("And this?"))
        await asking.heartbeat()
        redis.command("FLUSHALL")
        if how == "settled":
            await asking.settle(ended.id, decline("user", "No."))
        else:
            await asking.withdraw(ended.id)
        await asking.heartbeat()
        assert [one.id for one in await answering.waiting()] == [waits.id]


async def test_what_is_settled_and_cleared_away_is_kept_by_no_process(start: Start) -> None:
    redis = start()
    async with two(redis) as (asking, answering):
        ended, waits = await put(asking), await put(asking, question("And this?"))
        await asking.settle(ended.id, decline("user", "No."))
        told = await answering.changes()
        assert {one.id for one in told.waiting} == {ended.id, waits.id}
        redis.command("DEL", f"et:{{{ASKER.session}}}:q:{ended.id}")
        answering._whole_look_at = -1e9
        await answering.changes(told.number)
        assert answering._told.keys() == answering._versions.keys() == {waits.id}


async def test_what_came_back_and_was_answered_while_one_puts_again_stays_as_it_is(
    start: Start,
) -> None:
    redis = start()
    async with two(redis) as (asking, answering):
        waiting = await put(asking)
        known = asking._known[waiting.id]
        await answering.answer(waiting.id, answer(waiting))
        fetch, at = asking._fetch, (await asking._present())[0]

        async def gone_at_first(*place: str) -> Any:
            asking._fetch = fetch  # type: ignore[method-assign]
            return at, None, b"0"

        asking._fetch = gone_at_first  # type: ignore[method-assign]
        await asking._restore_one(known)
        assert asking._known[waiting.id].state == "answered"
        (there,) = await answering.waiting()
        assert there.state == "answered"


async def test_what_is_lost_while_one_puts_again_is_put_again_at_the_next_beat(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    redis = start()
    async with two(redis) as (asking, answering):
        waiting = await put(asking)
        restore = asking.calls.restore

        async def and_loses(*, lost: bool) -> None:
            await restore(lost=lost)
            redis.command("DEL", f"et:{{{ASKER.session}}}:q:{waiting.id}")
            asking.server.interruptions += 1

        asking.server.interruptions += 1
        with monkeypatch.context() as meanwhile:
            meanwhile.setattr(asking.calls, "restore", and_loses)
            await asking.heartbeat()
        assert await answering.waiting() == ()
        await asking.heartbeat()
        assert [one.id for one in await answering.waiting()] == [waiting.id]


async def test_a_redis_that_began_anew_gives_no_number_again_that_somebody_holds(
    start: Start,
) -> None:
    redis = start()
    held = []
    async with two(redis) as (asking, _):
        for text in ("one?", "two?", "three?"):
            await put(asking, question(text))
            number: Any = redis.command("GET", redis_layout.NUMBER)
            held.append(int(number))
            redis.command("FLUSHALL")
    assert held == sorted(set(held))


async def test_a_question_that_was_put_twice_by_one_call_keeps_the_answer_between(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection was lost after the script had run, so that it is sent once more."""
    redis = start()
    async with two(redis) as (asking, answering):
        await asking.begin(ASKER)
        run, asked = asking.server.run, question()

        async def twice(script: Any, *more: Any) -> Any:
            done = await run(script, *more)
            if script is redis_scripts.CREATE:
                (seen,) = await answering.waiting()
                await answering.answer(seen.id, answer(seen))
                done = await run(script, *more)
            return done

        monkeypatch.setattr(asking.server, "run", twice)
        waiting = await asking.put(asked, ASKER)
        assert (waiting.state, waiting.answered_by) == ("answered", ME)


async def test_changes_are_told_also_where_the_stream_is_ahead_of_its_numbers(
    start: Start,
) -> None:
    redis = start()
    async with two(redis) as (asking, answering):
        waiting = await put(asking)
        number = (await answering.changes()).number
        redis.command("SET", redis_layout.NUMBER, "5")
        await answering.claim(waiting.id, ME)
        seen = await until(asking, 0, lambda one: one.state == "claimed")
        assert seen.held_by == ME
        seen = await until(answering, number, lambda one: one.state == "claimed")
        # The stream goes on: what comes next is in it.
        last: Any = redis.command("XREVRANGE", redis_layout.LOG, "+", "-", "COUNT", "1")
        here: Any = redis.command("GET", redis_layout.NUMBER)
        assert [name for name, _ in last] == [here + b"-0"]


async def test_that_all_was_lost_is_seen_though_nothing_new_comes_and_nobody_beats(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_questions, "SWEEP_SECONDS", 1e9)
    redis = start()
    async with two(redis) as (asking, answering):
        waiting = await put(asking)
        number = (await answering.changes()).number
        # Its connections are made by now, which is no reason any more to look at everything.
        for _ in range(3):
            number = (await answering.changes(number, 0.01)).number
        redis.command("FLUSHALL")
        (ended,) = (await goes(answering.changes(number, BOUND))).waiting
        assert (ended.id, ended.state, ended.decided_by) == (waiting.id, "settled", "store")


@pytest.mark.parametrize("stale", ["yes", "no"], ids=["read only", "without its master"])
async def test_a_replica_that_takes_over_late_is_waited_for(start: Start, stale: str) -> None:
    redis = start("--replica-serve-stale-data", stale)
    async with two(redis) as (asking, answering):
        waiting = await put(asking)
        redis.command("REPLICAOF", "127.0.0.1", "1")
        given = asyncio.ensure_future(answering.answer(waiting.id, answer(waiting)))
        await asyncio.wait([given], timeout=0.3)
        assert not given.done()
        redis.command("REPLICAOF", "NO", "ONE")
        assert (await goes(given)).answered_by == ME


async def test_a_store_is_closed_at_once_while_redis_is_away(start: Start) -> None:
    redis = start()
    store = await RedisStore.open(redis.url, "asker", secret=SECRET)
    await put(store)
    store.server.patience_sec = 1e9
    redis.kill()
    await goes(store.close())


async def test_calls_that_wait_for_each_other_are_told_together_that_redis_is_away(
    start: Start,
) -> None:
    redis = start()
    store = await RedisStore.open(redis.url, "listener", secret=SECRET)
    store.server.patience_sec = 2.0
    redis.kill()
    begins = (store.calls.begin("owner", f"call {name}", name.encode()) for name in "abcdefgh")
    told = await asyncio.wait_for(asyncio.gather(*begins, return_exceptions=True), 6.0)
    assert {type(error) for error in told} == {RedisAway}
    # Who comes later waits for it as long as the first one did.
    late = asyncio.ensure_future(store.calls.begin("owner", "late", b"late"))
    await asyncio.wait([late], timeout=1.0)
    assert not late.done()
    with pytest.raises(RedisAway):
        await goes(late)
    await store.close()


async def test_where_redis_is_full_sessions_begin_and_end_and_changes_are_read(
    start: Start,
) -> None:
    redis = start()
    async with two(redis) as (asking, answering):
        waiting = await put(asking)
        redis.command("CONFIG", "SET", "maxmemory", "1")
        await asking.begin(Asker("session-two"))
        seen = await goes(answering.changes())
        assert [one.id for one in seen.waiting] == [waiting.id]
        await asking.end(ASKER.session)
        ended = await answering.get(waiting.id)
        assert ended is not None
        assert ended.state == "settled"


async def test_a_key_is_as_old_as_it_is_whatever_the_clock_of_its_machine(start: Start) -> None:
    redis = start()

    def ahead() -> datetime:
        return now() + timedelta(hours=1)

    asking = await RedisStore.open(redis.url, "asker", secret=SECRET)
    answering = await RedisStore.open(redis.url, "answerer", secret=SECRET, clock=ahead)
    try:
        await answering.heartbeat(ahead() - timedelta(minutes=11))
        assert not await asking.somebody_is_there()
        await answering.heartbeat(ahead() - timedelta(minutes=9))
        assert await asking.somebody_is_there()
        # Whoever holds a question pressed its key just now, by every clock.
        waiting = await put(asking)
        claimed = await answering.claim(waiting.id, ME)
        assert claimed is not None
        assert claimed.last_key_at is not None
        assert abs(claimed.last_key_at - ahead()) < timedelta(seconds=3)
    finally:
        await answering.close()
        await asking.close()


async def test_a_user_who_may_not_look_leaves_no_connection_behind(start: Start) -> None:
    redis = start()
    redis.command("ACL", "SETUSER", "poor", "on", ">swordfish", "~et:*", "-@all", "+ping")
    redis.command("ACL", "SETUSER", "poor", "+client|setname", "+auth")
    with pytest.raises(StoreError, match="lacks a right"):
        await RedisStore.open(f"unix://poor:swordfish@{redis.socket}", "asker", secret=SECRET)
    told: Any = redis.command("CLIENT", "LIST")
    assert "user=poor" not in (told.decode() if isinstance(told, bytes) else str(told))


def test_a_look_of_an_earlier_attempt_that_comes_late_is_not_what_a_question_looks_like() -> None:
    address = RedisAddress.read("redis://localhost")
    store = RedisStore(address, "asker", SECRET, now)
    for attempt in (1, 2, 1):
        store._learn(replace(KNOWN, attempt=attempt))
    assert store._known[KNOWN.id].attempt == 2


def test_a_clock_that_is_clearly_another_one_is_learned_and_a_slow_answer_moves_no_times() -> None:
    here = [1_000.0]
    store = RedisStore(
        RedisAddress.read("redis://localhost"),
        "asker",
        SECRET,
        lambda: datetime.fromtimestamp(here[0], timezone.utc),
    )
    learned = []
    for seconds in (1_000.0, 1_000.9, 1_005.0, 1_004.5, 1_005.9, 990.0):
        here[0] = seconds
        assert store._seconds([b"999", b"500000"]) == 999.5
        learned.append(store._ahead)
    assert learned == pytest.approx([0.0, 1.4, 5.5, 5.5, 5.5, -9.5])


def test_what_was_settled_and_is_gone_was_cleared_away_and_what_is_open_again_was_lost() -> None:
    settled = replace(KNOWN, state="settled")
    for there, known, lost in (
        (None, settled, False),
        (settled, settled, False),
        (KNOWN, settled, True),
        (None, KNOWN, True),
        (KNOWN, KNOWN, False),
    ):
        assert redis_store._is_lost(there, known) is lost
