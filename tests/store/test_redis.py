"""What a Redis does that a file does not: it goes away, forgets, fills up, refuses."""

from __future__ import annotations

import asyncio
import signal
import time
from dataclasses import replace
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from elicit_tui.elicitation import now
from elicit_tui.errors import StoreError
from elicit_tui.store import redis_layout, redis_questions, redis_store
from elicit_tui.store.redis_store import RedisStore
from elicit_tui.store.store import Asker
from elicit_tui.store.transitions import KEPT_SECONDS
from tests.store.redis import SECRET, free_ports
from tests.store.redis_pair import BOUND, REDIS_THAT_FAILS, Start, goes, two, until
from tests.store.world import ASKER, ME, answer, put, question, sent, typed

pytestmark = [*REDIS_THAT_FAILS, pytest.mark.usefixtures("hurried")]


async def test_a_server_that_was_killed_and_remembers_goes_on_where_it_was(start: Start) -> None:
    redis = start("--appendonly", "yes", "--appendfsync", "always", "--save", "")
    async with two(redis) as (asking, answering):
        waiting = await put(asking)
        number = (await answering.changes()).number
        redis.kill()
        given = asyncio.ensure_future(answering.answer(waiting.id, answer(waiting)))
        redis.start()
        won = await goes(given)
        assert (won.state, won.answered_by) == ("answered", ME)
        assert (await asking.answer_of(waiting.id)).by == ME  # type: ignore[union-attr]
        await asking.settle(waiting.id, sent())
        ended = await until(answering, number, lambda one: one.state == "settled")
        assert (ended.action, ended.decided_by) == ("accept", "user")


@pytest.mark.parametrize("loss", ["restart", "flush"])
async def test_who_asked_puts_again_under_its_id_what_redis_forgot(start: Start, loss: str) -> None:
    redis = start()
    async with two(redis) as (asking, answering):
        asked = question(draft=typed("stag"))
        waiting = await put(asking, asked)
        number = (await answering.changes()).number
        await answering.answer(waiting.id, answer(waiting))
        if loss == "restart":
            redis.kill()
            redis.start()
        else:
            redis.command("FLUSHALL")
        await asking.heartbeat()
        again = await until(answering, number, lambda one: one.state == "open")
        assert (again.id, again.question, again.answer_id) == (waiting.id, asked, None)
        won = await answering.answer(waiting.id, answer(again, "production"))
        assert won is not None
        assert won.state == "answered"
        taken = await asking.answer_of(waiting.id)
        assert taken is not None
        assert taken.outcome.content == {"environment": "production"}
        await asking.settle(waiting.id, sent())
        assert await answering.waiting() == ()


@pytest.mark.parametrize("comes_back", [True, False])
async def test_an_answer_waits_for_the_question_that_redis_forgot_and_not_for_ever(
    start: Start, monkeypatch: pytest.MonkeyPatch, comes_back: bool
) -> None:
    monkeypatch.setattr(redis_questions, "RESTORE_SECONDS", BOUND if comes_back else 0.3)
    redis = start()
    async with two(redis) as (asking, answering):
        waiting = await put(asking)
        await answering.changes()
        redis.command("FLUSHALL")
        given = asyncio.ensure_future(answering.answer(waiting.id, answer(waiting)))
        await asyncio.wait([given], timeout=0.1)
        assert not given.done()
        if comes_back:
            await asking.heartbeat()
        won = await goes(given)
        if not comes_back:
            assert won is None
            return
        assert (won.state, won.answered_by) == ("answered", ME)
        taken = await asking.answer_of(waiting.id)
        assert taken is not None
        assert taken.outcome.content == {"environment": "staging"}


async def test_an_answer_to_what_has_ended_is_told_at_once_that_it_is_gone(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_questions, "RESTORE_SECONDS", 2 * BOUND)
    redis = start()
    async with two(redis) as (asking, answering):
        waiting = await put(asking)
        await asking.settle(waiting.id, sent())
        assert await answering.get(waiting.id) is not None
        redis.command("FLUSHALL")
        assert await goes(answering.answer(waiting.id, answer(waiting))) is None


async def test_what_redis_forgot_and_nobody_puts_again_leaves_every_screen(start: Start) -> None:
    redis = start()
    async with two(redis) as (asking, answering):
        waiting = await put(asking)
        number = (await answering.changes()).number
        await asking.server.close()
        redis.command("FLUSHALL")
        await answering.heartbeat()
        ended = await until(answering, number, lambda one: one.state == "settled")
        assert (ended.id, ended.action, ended.decided_by) == (waiting.id, None, "store")


async def test_what_was_cut_off_the_stream_unread_is_looked_for_at_once(start: Start) -> None:
    redis = start()
    async with two(redis) as (asking, answering):
        await put(asking)
        number = (await answering.changes()).number
        cut, kept = await put(asking), await put(asking)
        redis.command("XTRIM", redis_layout.LOG, "MAXLEN", "=", "1")
        changes = await goes(answering.changes(number, 1.0))
        assert [one.id for one in changes.waiting] == [cut.id, kept.id]


async def test_an_end_that_redis_forgot_is_told_again_and_no_answer_counts_twice(
    start: Start,
) -> None:
    """A replica took over that lacked the last writes."""
    port, spare = free_ports(2)
    primary = start("--port", str(port), "--repl-diskless-sync-delay", "0")
    replica = start("--port", str(spare), "--replicaof", "127.0.0.1", str(port))
    async with two(primary) as (asking, answering):
        asked = question()
        reopened, settled = await put(asking, asked), await put(asking, question("And this?"))
        for one in (reopened, settled):
            await answering.answer(one.id, answer(one))
        # Both have two copies by now; what follows will be lost.
        assert int(str(primary.command("WAIT", "1", "10000"))) == 1
        replica.command("REPLICAOF", "NO", "ONE")
        await asking.reopen(replace(asked, attempt=2, note="Not that one."))
        await asking.settle(settled.id, sent())
        number = (await answering.changes()).number
        primary.kill()
        replica.socket.rename(primary.socket)
        await goes(asking.heartbeat())
        again = await until(answering, number, lambda one: one.attempt == 2)
        assert (again.id, again.state, again.answer_id) == (reopened.id, "open", None)
        assert again.question is not None
        assert again.question.note == "Not that one."
        late = await answering.answer(reopened.id, answer(reopened))
        assert late is not None
        assert (late.state, late.answer_id) == ("open", None)
        ended = await answering.get(settled.id)
        assert ended is not None
        assert (ended.state, ended.action) == ("settled", "accept")


async def test_a_server_that_stands_still_is_told_of_and_nobody_counts_as_dead_after_it(
    start: Start,
) -> None:
    redis = start()
    async with two(redis) as (asking, answering):
        waiting = await put(asking)
        number = (await answering.changes()).number
        redis.signal(signal.SIGSTOP)
        for work in (answering.changes(number, 5.0), answering.heartbeat()):
            with pytest.raises(StoreError, match="does not answer"):
                await goes(work)
        claimed = asyncio.ensure_future(answering.claim(waiting.id, ME, typed("stag")))
        redis.signal(signal.SIGCONT)
        held = await goes(claimed)
        assert held.held_by == ME
        await asking.heartbeat()
        (still,) = await asking.waiting()
        assert (still.state, still.held_by) == ("claimed", ME)


async def test_a_server_that_stays_away_ends_what_is_put_and_what_is_answered(
    start: Start,
) -> None:
    redis = start()
    async with two(redis) as (asking, answering):
        waiting = await put(asking)
        for store in (asking, answering):
            store.server.patience_sec = 1.0
        redis.kill()
        for work in (
            asking.put(question("Another?"), ASKER),
            answering.answer(waiting.id, answer(waiting)),
        ):
            with pytest.raises(StoreError, match="cannot be reached"):
                await goes(work)


async def test_beats_that_are_late_because_redis_was_away_end_nobody(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_store, "machine_id", lambda: "another machine")
    redis = start()
    async with two(redis) as (asking, answering):
        monkeypatch.undo()
        # The time that is faked here passes on no clock of the process.
        monkeypatch.setattr(redis_store, "WATCHED_SECONDS", 0.0)
        await put(asking)
        seconds = redis_store.RedisStore._seconds
        for ahead, left in ((0, 1), (55, 1), (65, 1), (200, 1)):
            late = lambda self, reply, by=ahead: seconds(self, reply) + by  # noqa: E731
            monkeypatch.setattr(redis_store.RedisStore, "_seconds", late)
            await answering.heartbeat()
            assert len(await answering.waiting()) == left
        for ahead in (220, 240, 261):
            late = lambda self, reply, by=ahead: seconds(self, reply) + by  # noqa: E731
            monkeypatch.setattr(redis_store.RedisStore, "_seconds", late)
            await answering.heartbeat()
        assert await answering.waiting() == ()


async def test_nobody_is_there_whose_machine_died_without_a_word(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_store, "machine_id", lambda: "another machine")
    redis = start()
    async with two(redis) as (asking, answering):
        await answering.heartbeat(now())
        monkeypatch.undo()
        assert await asking.somebody_is_there()
        seconds = redis_store.RedisStore._seconds
        late = lambda self, reply: seconds(self, reply) + redis_store.DEAD_SECONDS + 5  # noqa: E731
        monkeypatch.setattr(redis_store.RedisStore, "_seconds", late)
        assert not await asking.somebody_is_there()


async def test_who_asks_and_may_live_is_hidden_from_nobody_who_would_answer(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_store, "machine_id", lambda: "another machine")
    redis = start()
    async with two(redis) as (asking, answering):
        await asking.heartbeat()
        monkeypatch.undo()
        seconds = redis_store.RedisStore._seconds

        def it_is(ahead: float) -> None:
            late = lambda self, reply: seconds(self, reply) + ahead  # noqa: E731
            monkeypatch.setattr(redis_store.RedisStore, "_seconds", late)

        # It looks on for a minute, in which who asks beat too; from then on that is silent.
        for ahead in (-10, 10, 30, 51):
            it_is(ahead)
            await answering.heartbeat()
        it_is(redis_store.DEAD_SECONDS + 5)
        assert len(await answering.asking_processes()) == 1
        it_is(redis_store.LONG_DEAD_SECONDS + 5)
        assert await answering.asking_processes() == ()


@pytest.mark.parametrize("watched", [0.0, 3600.0])
async def test_a_clock_that_is_put_forward_ends_nobody_before_its_silence_was_watched(
    start: Start, monkeypatch: pytest.MonkeyPatch, watched: float
) -> None:
    monkeypatch.setattr(redis_store, "machine_id", lambda: "another machine")
    redis = start()
    async with two(redis) as (asking, answering):
        waiting = await put(asking)
        await asking.heartbeat()
        monkeypatch.undo()
        await answering.heartbeat()
        seconds = redis_store.RedisStore._seconds
        ahead = redis_store.LONG_DEAD_SECONDS + 300
        late = lambda self, reply: seconds(self, reply) + ahead  # noqa: E731
        monkeypatch.setattr(redis_store.RedisStore, "_seconds", late)
        moment = time.monotonic
        later = SimpleNamespace(monotonic=lambda: moment() + watched)
        monkeypatch.setattr(redis_store, "time", later)
        await answering.heartbeat()
        found = await answering.get(waiting.id)
        assert found is not None
        assert found.state == ("settled" if watched else "open")


async def test_a_full_redis_takes_nothing_new_and_answers_and_ends_what_waits(
    start: Start,
) -> None:
    redis = start()
    async with two(redis) as (asking, answering):
        waiting = await put(asking, question("m" * 5_000))
        redis.command("CONFIG", "SET", "maxmemory", "1")
        with pytest.raises(StoreError, match="is full"):
            await asking.put(question("Another?"), ASKER)
        await answering.claim(waiting.id, ME, typed("stag"))
        won = await answering.answer(waiting.id, answer(waiting))
        assert won is not None
        assert won.state == "answered"
        await asking.heartbeat()
        await asking.settle(waiting.id, sent())
        assert await answering.waiting() == ()


async def test_who_asks_is_told_of_its_own_questions_alone_and_who_answers_of_all(
    start: Start,
) -> None:
    redis = start()
    other = Asker("session-two", "codex")
    async with two(redis) as (asking, answering), two(redis) as (also, _), two(redis) as (idle, _):
        mine, theirs = await put(asking), await put(also, question("And this?"), other)
        number = {}
        for store, seen in (
            (asking, [mine.id]),
            (also, [theirs.id]),
            (answering, [mine.id, theirs.id]),
            (idle, [mine.id, theirs.id]),  # It asks nothing yet.
        ):
            changes = await goes(store.changes())
            assert [one.id for one in changes.waiting] == seen
            number[store] = changes.number
        for one in (mine, theirs):
            await answering.claim(one.id, ME)
        for store, seen in ((asking, [mine.id]), (also, [theirs.id])):
            changes = await goes(store.changes(number[store], 1.0))
            assert [one.id for one in changes.waiting] == seen


async def test_connections_that_are_cut_and_scripts_that_are_gone_lose_nothing(
    start: Start,
) -> None:
    redis = start()
    async with two(redis) as (asking, answering):
        number = (await answering.changes()).number
        for text in ("one?", "two?", "three?"):
            redis.command("CLIENT", "KILL", "TYPE", "normal")
            redis.command("SCRIPT", "FLUSH")
            waiting = await put(asking, question(text))
            redis.command("CLIENT", "KILL", "TYPE", "normal")
            seen = await until(answering, number, lambda one, own=waiting.id: one.id == own)
            redis.command("CLIENT", "KILL", "TYPE", "normal")
            won = await answering.answer(seen.id, answer(seen))
            assert won is not None
            assert won.answered_by == ME
        assert {one.state for one in await asking.waiting()} == {"answered"}


async def test_redis_itself_drops_what_ended_and_nothing_that_waits(start: Start) -> None:
    redis = start()
    async with two(redis) as (asking, _):
        waits, ended = await put(asking), await put(asking, question("And this?"))
        await asking.settle(ended.id, sent())
        left = {
            one.id: redis.command("PTTL", f"et:{{{ASKER.session}}}:q:{one.id}")
            for one in (waits, ended)
        }
        assert left[waits.id] == -1
        assert left[ended.id] > KEPT_SECONDS * 1000  # type: ignore[operator]


async def test_a_session_that_ended_is_looked_for_as_long_as_its_ends_can_be_read(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    redis = start()
    async with two(redis) as (asking, answering):
        waiting = await put(asking)
        await asking.end(ASKER.session)
        await answering.heartbeat()
        assert redis.command("ZCARD", redis_layout.ENDED) == 1
        assert (await answering.get(waiting.id)) is not None
        monkeypatch.setattr(redis_store, "BACKSTOP_SECONDS", -5.0)
        await answering.heartbeat()
        assert redis.command("ZCARD", redis_layout.ENDED) == 0


@pytest.mark.parametrize("hours", [1, -1])
async def test_clocks_an_hour_apart_show_each_their_own_time(start: Start, hours: int) -> None:
    redis = start()

    def late() -> datetime:
        return now() + timedelta(hours=hours)

    asking = await RedisStore.open(redis.url, "asker", secret=SECRET, clock=late)
    answering = await RedisStore.open(redis.url, "answerer", secret=SECRET)
    try:
        await asking.begin(ASKER)
        waiting = await asking.put(question(), ASKER, late() + timedelta(seconds=90))
        (seen,) = await answering.waiting()
        second = timedelta(seconds=3)
        assert abs(waiting.put_at - late()) < second
        assert abs(seen.put_at - now()) < second
        assert seen.deadline is not None
        assert abs(seen.deadline - now() - timedelta(seconds=90)) < second
        await answering.heartbeat(now())
        assert await asking.somebody_is_there()
        claimed = await answering.claim(seen.id, ME)
        assert claimed is not None
        await asking.heartbeat()
        (still,) = await answering.waiting()
        assert still.state == "claimed"
    finally:
        await asking.close()
        await answering.close()


async def test_to_look_for_what_was_lost_costs_the_same_however_many_wait(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    redis = start()
    async with two(redis) as (asking, _):
        sent_scripts: list[object] = []
        run = asking.server.run

        async def counted(script: Any, *more: Any) -> Any:
            sent_scripts.append(script)
            return await run(script, *more)

        counts = []
        for number in (1, 40):
            for text in range(number):
                await put(asking, question(f"{number} {text}?"))
            monkeypatch.setattr(asking.server, "run", counted)
            monkeypatch.setattr(asking, "_restored_at", -redis_questions.LOOK_SECONDS)
            sent_scripts.clear()
            await asking.heartbeat()
            counts.append(len(sent_scripts))
        assert counts[0] == counts[1]
