"""What a session, a claim or a process leaves behind in a store once it has ended: nothing."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import psutil
import pytest

from elicit_tui.errors import StoreError
from elicit_tui.store import redis_layout, redis_questions, redis_store
from elicit_tui.store.sqlite import SqliteStore
from elicit_tui.store.store import Asker, Grant, Store
from tests.store.conftest import ON_REDIS, Engine, RedisEngine, SqliteEngine, only_sqlite
from tests.store.redis import RedisProcess
from tests.store.world import ASKER, ME, put, question, sent, the_file, typed

pytestmark = pytest.mark.anyio

only_redis = pytest.mark.parametrize("engine", ON_REDIS[:1], indirect=True)


async def test_an_inbox_that_closes_gives_back_what_it_had_claimed_with_what_was_typed(
    asking: Store, answering: Store
) -> None:
    waiting = await put(asking)
    await answering.claim(waiting.id, ME, typed("stag"))
    await answering.close()
    (opened,) = await asking.waiting()
    assert (opened.state, opened.held_by) == ("open", None)
    assert opened.question is not None
    assert opened.question.draft == typed("stag")


async def test_who_looks_from_the_beginning_is_told_all_of_it_once_more(
    asking: Store, answering: Store
) -> None:
    waiting = await put(asking)
    for _ in range(2):
        assert [one.id for one in (await answering.changes()).waiting] == [waiting.id]


async def test_the_questions_of_several_sessions_wait_in_the_order_they_came(
    asking: Store, answering: Store
) -> None:
    askers = [Asker(f"session-{number}") for number in range(4)]
    asked = [await put(asking, question(f"{number}?"), askers[number % 4]) for number in range(12)]
    assert [one.id for one in await answering.waiting()] == [one.id for one in asked]


async def test_a_key_where_somebody_asks_is_nobody_who_would_answer(
    asking: Store, engine: Engine
) -> None:
    await asking.heartbeat(engine.clock())
    assert not await asking.somebody_is_there()


# In a file


def of_a_store(bound: float = 0) -> list[str]:
    """The threads of stores that are still open, after they had so long to end."""
    threads = [each for each in threading.enumerate() if "elicit-tui-store" in each.name]
    for thread in threads:
        thread.join(bound)
    return [thread.name for thread in threads if thread.is_alive()]


def open_files(folder: Path) -> list[str]:
    """The files below this folder that this process holds open."""
    found = (file.path for file in psutil.Process().open_files())
    return [path for path in found if path.startswith(str(folder))]


@only_sqlite
async def test_a_store_that_was_closed_holds_no_thread_no_file_and_no_lock(
    engine: SqliteEngine,
) -> None:
    store = await engine.open("asker")
    await put(store)
    assert of_a_store()
    await store.close()
    assert of_a_store(10) == []
    assert list(engine.path.with_suffix(".lives").iterdir()) == []
    assert open_files(engine.path.parent) == []


@only_sqlite
async def test_a_store_that_could_not_be_opened_holds_no_thread_no_file_and_no_lock(
    engine: SqliteEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*given: object) -> None:
        raise StoreError("It fails.")

    monkeypatch.setattr(SqliteStore, "_beat", fails)
    with pytest.raises(StoreError, match="It fails"):
        await engine.open("asker")
    assert of_a_store(10) == []
    assert list(engine.path.with_suffix(".lives").iterdir()) == []
    assert open_files(engine.path.parent) == []


@only_sqlite
async def test_after_something_was_erased_others_are_waited_for_as_long_as_before(
    asking: SqliteStore, engine: SqliteEngine
) -> None:
    async def patience() -> int:
        rows: list[Any] = await asking._file.read(lambda: asking._file.rows("PRAGMA busy_timeout"))
        return int(rows[0][0])

    before = await patience()
    waiting = await put(asking)
    await asking.settle(waiting.id, sent())
    assert await patience() == before == 2000


@only_sqlite
async def test_a_note_goes_with_its_call(asking: Store, engine: SqliteEngine) -> None:
    for name in "ab":
        await asking.calls.begin("owner", name, name.encode())
        await asking.calls.leave_note("owner", name, b"noted")
    await asking.calls.drop("owner", "a")
    with the_file(engine.path) as file:
        assert file.execute("SELECT id FROM call_notes").fetchall() == [("b",)]


@only_sqlite
async def test_who_answered_can_be_read_where_what_was_asked_does_not_open(
    asking: Store, answering: Store, engine: SqliteEngine
) -> None:
    from tests.store.world import answer

    waiting = await put(asking)
    await answering.answer(waiting.id, answer(waiting))
    with the_file(engine.path) as file:
        file.execute("UPDATE questions SET asked = x'00'")
    (damaged,) = await answering.waiting()
    assert (damaged.question, damaged.answered_by) == (None, ME)


# On Redis


def keys_of(engine: RedisEngine) -> set[str]:
    assert isinstance(engine.server, RedisProcess)
    found: Any = engine.server.command("KEYS", "*")
    return {key.decode() for key in found}


@only_redis
async def test_of_a_session_that_ended_and_of_a_process_that_left_nothing_stays(
    asking: Store, answering: Store, engine: RedisEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Who only looks, from before to after.
    await answering.changes()
    before = keys_of(engine)
    waiting, other = await put(asking), await put(asking, question("And this?"))
    await asking.grant(Grant(ASKER.session, "prod", "deploy", "process-1", "definition-1"))
    await asking.settle(waiting.id, sent())
    await asking.end(ASKER.session)
    assert {one.state for one in (await answering.changes()).waiting} == {"settled"}
    # How they ended can be read; what was allowed is gone with the session.
    assert await answering.get(other.id) is not None
    assert f"et:{{{ASKER.session}}}:grants" not in keys_of(engine)
    engine.clock.advance(minutes=61)
    await answering.heartbeat()
    monkeypatch.setattr(redis_store, "BACKSTOP_SECONDS", -1e10)
    await asking.close()
    await answering.heartbeat()
    assert keys_of(engine) <= before | {redis_layout.LOG, redis_layout.NUMBER}
    assert isinstance(engine.server, RedisProcess)
    assert engine.server.command("ZCARD", redis_layout.BEATS) == 1
    assert engine.server.command("HLEN", redis_layout.PROCESSES) == 1


@only_redis
async def test_a_session_that_was_ended_is_not_begun_again_after_a_loss(
    asking: Store, answering: Store, engine: RedisEngine
) -> None:
    await put(asking)
    await asking.end(ASKER.session)
    engine.server.command("FLUSHALL")
    await asking.heartbeat()
    await asking.heartbeat()
    with pytest.raises(StoreError, match="session that asks has ended"):
        await asking.put(question("And this?"), ASKER)


@only_redis
async def test_what_was_settled_and_cleared_away_is_not_told_as_ended_once_more(
    asking: Store, answering: Any, engine: RedisEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = await put(asking)
    await asking.settle(waiting.id, sent())
    changes = await answering.changes()
    assert [(one.state, one.decided_by) for one in changes.waiting] == [("settled", "user")]
    engine.clock.advance(minutes=61)
    await asking.heartbeat()
    monkeypatch.setattr(redis_questions, "RESTORE_SECONDS", 0.0)
    for _ in range(2):
        answering._whole_look_at = -1e9
        assert (await answering.changes(changes.number)).waiting == ()
