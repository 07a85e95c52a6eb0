"""What a stranger writes over or beside what is ours in Redis hides nothing for long."""

from __future__ import annotations

import pytest

from elicit_tui.store import redis_layout as layout
from elicit_tui.store import redis_questions
from elicit_tui.store.redis_store import RedisStore
from tests.store.redis import RedisCluster
from tests.store.redis_pair import REDIS_THAT_FAILS, Start, goes, two
from tests.store.world import ASKER, answer, grant, put, question, sent

pytestmark = [*REDIS_THAT_FAILS, pytest.mark.usefixtures("hurried")]

OWN, EVIL = ASKER.session, "evil"


def at_the_next_look(asking: RedisStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "_restored_at", -redis_questions.LOOK_SECONDS)


@pytest.mark.parametrize(
    "place",
    [
        *(layout.META, layout.SESSIONS, layout.ENDED, layout.PROCESSES, layout.BEATS),
        *(layout.LOG, layout.NUMBER),
        *(layout.key(OWN, name) for name in ("session", "questions", "grants", "q:ID")),
        *(layout.key(EVIL, name) for name in ("questions", "grants", "q:ID")),
    ],
)
async def test_a_key_of_a_wrong_type_hides_nothing(
    start: Start, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    redis = start()
    async with two(redis) as (asking, answering):
        waiting = await put(asking)
        place = place.replace("ID", waiting.id)
        redis.command("HSET", layout.SESSIONS, EVIL, "{}")
        redis.command("ZADD", layout.key(EVIL, "questions"), 1, waiting.id)
        redis.command("DEL", place)
        redis.command("LPUSH", place, "x")
        at_the_next_look(asking, monkeypatch)
        for store in (asking, answering, asking):
            await goes(store.heartbeat())
            await goes(store.changes())
        second = await goes(put(asking, question("And this?")))
        assert [one.id for one in await goes(answering.waiting())] == [waiting.id, second.id]
        await goes(asking.grant(grant()))
        assert len(await goes(answering.grants())) == 1
        await goes(answering.answer(waiting.id, answer(waiting)))
        await goes(asking.settle(waiting.id, sent()))
        assert [one.id for one in await goes(answering.waiting())] == [second.id]


@pytest.mark.parametrize(
    "number", ["9223372036854775807", "999999999999999999", "abc", "1.5", "-1"]
)
async def test_a_last_number_that_is_none_goes_on_from_the_time(start: Start, number: str) -> None:
    redis = start()
    async with two(redis) as (asking, answering):
        await put(asking)
        redis.command("SET", layout.NUMBER, number)
        before = await goes(answering.changes())
        second = await goes(put(asking, question("And this?")))
        after = await goes(answering.changes(before.number, 5.0))
        assert second.id in [one.id for one in after.waiting]


async def test_a_layout_that_is_no_number_is_ours_again(start: Start) -> None:
    redis = start()
    async with two(redis) as (asking, _):
        redis.command("HSET", layout.META, "layout", "x")
        await goes(asking.heartbeat())
        assert redis.command("HGET", layout.META, "layout") == str(layout.LAYOUT).encode()


@pytest.mark.parametrize("first", [True, False])
async def test_a_copy_of_a_question_stands_in_the_way_of_none(start: Start, first: bool) -> None:
    redis = start()
    async with two(redis) as (asking, answering):
        waiting = await put(asking)
        true, copied = (layout.key(session, f"q:{waiting.id}") for session in (OWN, EVIL))
        redis.command("HSET", layout.SESSIONS, EVIL, "{}")
        redis.command("ZADD", layout.key(EVIL, "questions"), 1, waiting.id)
        redis.command("COPY", true, copied)
        assert [one.session for one in await goes(answering.waiting())] == [OWN]
        number = "1" if first else "9" * 15
        redis.command("HSET", copied, "session", EVIL, "number", number, "attempt", 7)
        for look in (answering.waiting(), answering.waiting()):
            (seen,) = await goes(look)
            assert (seen.session, seen.attempt, seen.unreadable) == (OWN, 1, None)
        given = await goes(answering.answer(waiting.id, answer(waiting)))
        assert given is not None
        assert given.state == "answered"
        assert (await goes(asking.get(waiting.id))).state == "answered"


async def test_a_copy_that_was_seen_before_is_forgotten_for_the_question(start: Start) -> None:
    redis = start()
    async with two(redis) as (asking, answering):
        waiting = await put(asking)
        true, copied = (layout.key(session, f"q:{waiting.id}") for session in (OWN, EVIL))
        redis.command("COPY", true, copied)
        redis.command("HSET", copied, "session", EVIL, "attempt", 7)
        await goes(answering._fetch_all([(EVIL, waiting.id)]))
        (seen,) = await goes(answering.waiting())
        assert (seen.session, seen.unreadable) == (OWN, None)
        assert (await goes(answering.get(waiting.id))).session == OWN


async def test_a_question_whose_list_alone_was_lost_is_listed_anew(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    redis = start()
    async with two(redis) as (asking, answering):
        first, second = await put(asking), await put(asking, question("And this?"))
        redis.command("DEL", layout.key(OWN, "questions"))
        at_the_next_look(asking, monkeypatch)
        await goes(asking.heartbeat())
        assert [one.id for one in await goes(answering.waiting())] == [first.id, second.id]


async def test_a_question_that_is_listed_anew_in_a_cluster_is_told_to_who_watches(
    redis_cluster: RedisCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    redis_cluster.command("FLUSHALL")
    async with two(redis_cluster) as (asking, answering):
        waiting = await put(asking)
        await goes(asking.server._client.delete(layout.key(OWN, "questions")))
        before = await goes(answering.changes())
        assert before.waiting == ()
        at_the_next_look(asking, monkeypatch)
        await goes(asking.heartbeat())
        after = await goes(answering.changes(before.number, 5.0))
        assert [one.id for one in after.waiting] == [waiting.id]
