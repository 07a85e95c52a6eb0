"""What was called, in every engine: who joins what, what is kept, what nobody knows."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from elicit_tui.errors import SecretError, StoreError
from elicit_tui.store import calls as rules
from elicit_tui.store.sealed_calls import CallSeen
from elicit_tui.store.store import Store
from tests.store.conftest import Engine, SqliteEngine, only_sqlite
from tests.store.world import the_file

pytestmark = pytest.mark.anyio

OWNER, KEY = "owner-one", b'["tools/call","erase",{"path":"secret-project"}]'
WEEK, HOUR = 7 * 24 * 3600, 3600


@pytest.fixture
async def one(engine: Engine) -> Store:
    return await engine.open("listener")


@pytest.fixture
async def other(engine: Engine) -> Store:
    return await engine.open("listener")


async def begins(store: Store, name: str, key: bytes = KEY) -> tuple[str, str | None]:
    found = await store.calls.begin(OWNER, name, key)
    return found.what, found.id


async def seen(store: Store, name: str) -> CallSeen:
    found = await store.calls.look(OWNER, name)
    assert found is not None
    return found


async def test_what_was_paused_is_read_by_another_process_of_its_owner(
    one: Store, other: Store
) -> None:
    assert await begins(one, "a") == ("begins", None)
    await one.calls.called(OWNER, "a")
    await one.calls.paused(OWNER, "a", b"waits")
    waits = await seen(other, "a")
    assert (waits.call.state, waits.maker, waits.paused, waits.outcome) == (
        "called",
        "lives",
        b"waits",
        None,
    )
    await one.calls.ended(OWNER, "a", b"done")
    over = await seen(other, "a")
    assert (over.call.state, over.paused, over.outcome) == ("ended", None, b"done")
    assert await other.calls.look("owner-two", "a") is None


async def test_an_equal_call_joins_only_what_its_agent_may_come_back_for(
    one: Store, other: Store
) -> None:
    await begins(one, "a")
    await one.calls.called(OWNER, "a")
    assert await begins(other, "b") == ("begins", None)  # Two at once are two.
    await one.calls.drop(OWNER, "a")
    await other.calls.paused(OWNER, "b", b"waits")
    assert await begins(one, "c") == ("joins", "b")
    assert await begins(one, "c", b"another") == ("begins", None)
    await other.calls.ended(OWNER, "b", b"done")
    assert await begins(one, "d") == ("joins", "b")
    await one.calls.read(OWNER, "b")
    assert await begins(one, "e") == ("begins", None)


async def test_a_call_whose_agent_left_is_joined_until_it_is_back(one: Store, other: Store) -> None:
    await begins(one, "a")
    await one.calls.left(OWNER, "a", is_left=True, attended=False)
    assert await begins(other, "b") == ("joins", "a")
    await one.calls.left(OWNER, "a", is_left=False, attended=True)
    assert await begins(other, "b") == ("begins", None)


async def test_a_call_that_a_request_waits_for_once_more_is_joined_by_none(
    one: Store, other: Store
) -> None:
    await begins(one, "a")
    await one.calls.paused(OWNER, "a", b"come back")
    await one.calls.left(OWNER, "a", is_left=False, attended=True)
    assert await begins(other, "b") == ("begins", None)
    await one.calls.left(OWNER, "a", is_left=False, attended=False)
    assert await begins(other, "c") == ("joins", "a")


async def test_after_a_death_nobody_knows_of_a_call_that_was_made_and_it_is_told_once(
    one: Store, other: Store
) -> None:
    await begins(one, "a")
    await one.calls.called(OWNER, "a")
    await begins(one, "b", b"another")
    await one.close()
    assert (await seen(other, "a")).maker == "dead"
    assert await begins(other, "c") == ("not known", "a")
    assert await begins(other, "c") == ("begins", None)
    # What was not called can be called.
    assert await begins(other, "d", b"another") == ("begins", None)


async def test_a_call_that_the_store_has_lost_is_not_made(one: Store) -> None:
    with pytest.raises(StoreError, match="lost this call"):
        await one.calls.called(OWNER, "a")
    await begins(one, "a")
    await one.calls.drop(OWNER, "a")
    with pytest.raises(StoreError, match="lost this call"):
        await one.calls.called(OWNER, "a")
    assert await one.calls.look(OWNER, "a") is None


async def test_a_call_that_its_process_gave_up_is_as_one_whose_process_died(
    one: Store, other: Store
) -> None:
    await begins(one, "a")
    await one.calls.called(OWNER, "a")
    await one.calls.abandon(OWNER, "a")
    assert (await seen(other, "a")).maker == "dead"
    assert await begins(one, "b") == ("not known", "a")


async def test_a_call_that_was_made_is_as_unknown_a_day_after_the_death_as_at_once(
    one: Store, other: Store, engine: Engine
) -> None:
    await begins(one, "a")
    await one.calls.called(OWNER, "a")
    await one.close()
    engine.clock.advance(seconds=24 * HOUR)
    assert await begins(other, "b", b"another") == ("begins", None)  # Which clears away.
    assert await begins(other, "c") == ("not known", "a")


async def test_what_a_process_finished_before_it_died_is_served_by_its_next_life(
    one: Store, other: Store
) -> None:
    await begins(one, "a")
    await one.calls.paused(OWNER, "a", b"waits")
    await one.calls.ended(OWNER, "a", b"done")
    await one.close()
    assert (await seen(other, "a")).outcome == b"done"
    assert await begins(other, "b") == ("joins", "a")


async def test_a_read_outcome_is_kept_for_an_hour_an_unread_one_for_a_week(
    one: Store, engine: Engine
) -> None:
    for name in "ab":
        await begins(one, name, name.encode())
        await one.calls.ended(OWNER, name, b"done")
    await one.calls.read(OWNER, "a")
    engine.clock.advance(seconds=HOUR - 1)
    await begins(one, "c", b"c")
    assert (await seen(one, "a")).outcome == b"done"
    engine.clock.advance(seconds=1)
    await begins(one, "d", b"d")
    assert await one.calls.look(OWNER, "a") is None
    engine.clock.advance(seconds=WEEK - HOUR - 1)
    await begins(one, "e", b"e")
    assert (await seen(one, "b")).outcome == b"done"
    engine.clock.advance(seconds=1)
    await begins(one, "f", b"f")
    assert await one.calls.look(OWNER, "b") is None


async def test_at_the_limit_nothing_is_called_until_something_was_read(
    one: Store, other: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "MOST_OUTCOMES", 3)
    for name in "abc":
        await begins(one, name, name.encode())
        await one.calls.ended(OWNER, name, b"done")
    assert await begins(other, "d", b"d") == ("full", None)
    assert await begins(other, "d", b"a") == ("joins", "a")
    await other.calls.read(OWNER, "b")
    assert await begins(other, "d", b"d") == ("begins", None)
    await one.calls.ended(OWNER, "d", b"done")
    # What was read gives place; what was not is all there.
    await begins(one, "e", b"e")
    assert await one.calls.look(OWNER, "b") is None
    assert [(await seen(one, name)).outcome for name in "acd"] == [b"done"] * 3


async def test_what_its_agent_left_without_an_id_gives_place_and_holds_up_no_call(
    one: Store, other: Store, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "MOST_OUTCOMES", 3)
    for name in "abc":
        await begins(one, name, name.encode())
        if name == "b":
            await one.calls.paused(OWNER, name, b"come back")
        await one.calls.ended(OWNER, name, b"done")
        # Also one that left as it ended.
        await one.calls.left(OWNER, name, is_left=True, attended=False)
        engine.clock.advance(seconds=1)
    # An equal call still picks it up.
    assert await begins(other, "d", b"a") == ("joins", "a")
    assert await begins(other, "d", b"d") == ("begins", None)
    await one.calls.ended(OWNER, "d", b"done")
    assert await begins(other, "e", b"e") == ("begins", None)
    assert await one.calls.look(OWNER, "a") is None
    assert [(await seen(one, name)).outcome for name in "bcd"] == [b"done"] * 3


async def test_the_size_of_what_is_unread_is_a_limit_too(
    one: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "MOST_OUTCOME_BYTES", 1000)
    await begins(one, "a", b"a")
    await one.calls.ended(OWNER, "a", b"x" * 1001)
    assert await begins(one, "b", b"b") == ("full", None)
    await one.calls.read(OWNER, "a")
    assert await begins(one, "b", b"b") == ("begins", None)


async def test_what_nobody_knows_the_end_of_is_bounded_and_never_dropped_before_it_is_told(
    one: Store, other: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "MOST_WITHOUT_OUTCOME", 4)
    for name in "abcd":
        await begins(one, name, name.encode())
    for name in "abc":
        await one.calls.called(OWNER, name)
    assert await begins(other, "e", b"e") == ("too many", None)
    await one.close()
    # What was not called gives place; what was called does not.
    assert await begins(other, "e", b"e") == ("begins", None)
    assert await other.calls.look(OWNER, "d") is None
    assert await begins(other, "f", b"f") == ("too many", None)
    assert await begins(other, "f", b"b") == ("not known", "b")
    # It was told, so it gives place in its turn.
    assert await begins(other, "f", b"f") == ("begins", None)
    assert await other.calls.look(OWNER, "b") is None
    assert await begins(other, "g", b"g") == ("too many", None)
    for name in "ac":
        assert (await seen(other, name)).call.state == "called"


async def is_not_dropped(store: Store, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Try to forget a call while the store is away."""

    async def fails(*given: object) -> None:
        raise StoreError("It is away.")

    with monkeypatch.context() as away:
        away.setattr(store.calls, "_change", fails)
        with pytest.raises(StoreError):
            await store.calls.drop(OWNER, name)


async def test_what_could_not_be_forgotten_is_forgotten_with_the_next_call(
    one: Store, other: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begins(one, "a")
    await one.calls.called(OWNER, "a")
    await is_not_dropped(one, "a", monkeypatch)
    assert (await seen(other, "a")).call.state == "called"
    await begins(one, "b", b"another")
    assert await other.calls.look(OWNER, "a") is None


async def test_what_could_not_be_forgotten_is_forgotten_with_the_next_that_is_told_too(
    one: Store, other: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "ab":
        await begins(one, name, name.encode())
        await one.calls.ended(OWNER, name, b"done")
    await is_not_dropped(one, "a", monkeypatch)
    await one.calls.drop(OWNER, "b")
    # Without another call: what an agent was told does not stay until there is one.
    assert [await other.calls.look(OWNER, name) for name in "ab"] == [None, None]


async def test_each_call_can_be_made_twice(one: Store) -> None:
    await begins(one, "a")
    for _ in range(2):
        await one.calls.called(OWNER, "a")
    for _ in range(2):
        await one.calls.paused(OWNER, "a", b"waits")
    await one.calls.ended(OWNER, "a", b"done")
    await one.calls.ended(OWNER, "a", b"done otherwise")
    await one.calls.called(OWNER, "a")
    assert ((await seen(one, "a")).call.state, (await seen(one, "a")).outcome) == ("ended", b"done")
    for _ in range(2):
        await one.calls.read(OWNER, "a")
        await one.calls.drop(OWNER, "a")


@pytest.mark.parametrize(
    "error", [asyncio.CancelledError(), StoreError("away")], ids=["cancelled", "lost"]
)
async def test_a_call_that_began_though_nobody_was_told_so_takes_no_place(
    one: Store, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    monkeypatch.setattr(rules, "MOST_WITHOUT_OUTCOME", 1)
    change = one.calls._change

    async def done_and_lost(*more: Any) -> None:
        await change(*more)
        raise error

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(one.calls, "_change", done_and_lost)
        with pytest.raises(type(error)):
            await begins(one, "a")
    assert await begins(one, "b", b"another") == ("begins", None)
    assert await one.calls.look(OWNER, "a") is None


async def test_of_equal_calls_the_earliest_is_joined(
    one: Store, other: Store, engine: Engine
) -> None:
    names = list("zyxwvuts")
    for name in names:
        await begins(one, name)
        engine.clock.advance(seconds=1)
    for name in names:
        await one.calls.paused(OWNER, name, b"waits")
    assert await begins(other, "new") == ("joins", "z")


@only_sqlite
async def test_what_does_not_open_takes_nothing_with_it(one: Store, engine: SqliteEngine) -> None:
    for name in "ab":
        await begins(one, name, name.encode())
    await one.calls.leave_note(OWNER, "a", b"changed")
    await one.calls.leave_note(OWNER, "b", b"for b")
    with the_file(engine.path) as file:
        file.execute("UPDATE call_notes SET note = x'00' WHERE id = 'a'")
    assert await one.calls.notes(OWNER, ["a", "b"]) == [("b", b"for b")]


@only_sqlite
async def test_an_outcome_of_another_call_does_not_open(one: Store, engine: SqliteEngine) -> None:
    for name in "ab":
        await begins(one, name, name.encode())
        await one.calls.ended(OWNER, name, name.encode())
    with the_file(engine.path) as file:
        file.execute("UPDATE calls SET outcome = (SELECT outcome FROM calls WHERE id = 'b')")
    with pytest.raises(StoreError, match="changed, or belongs elsewhere"):
        await one.calls.look(OWNER, "a")


@only_sqlite
async def test_nothing_of_a_call_can_be_read_in_the_file(one: Store, engine: SqliteEngine) -> None:
    await begins(one, "a")
    await one.calls.paused(OWNER, "a", b"waits in secret-project")
    await one.calls.ended(OWNER, "a", b"done in secret-project")
    await one.calls.leave_note(OWNER, "a", b"noted in secret-project")
    for path in engine.path.parent.glob("store.sqlite3*"):
        if path.is_file():
            assert b"secret-project" not in path.read_bytes()


async def test_a_private_call_is_read_by_nobody_and_its_death_is_told_to_all_of_its_owner(
    one: Store, other: Store
) -> None:
    await one.calls.begin(OWNER, "a", KEY, private=True)
    await one.calls.called(OWNER, "a")
    await one.calls.paused(OWNER, "a", b"waits")
    assert await other.calls.look(OWNER, "a") is None
    assert await begins(other, "b") == ("begins", None)
    await other.calls.drop(OWNER, "b")
    await one.close()
    assert await begins(other, "c") == ("not known", "a")


async def test_of_two_that_ask_at_once_one_is_told_that_nobody_knows(
    one: Store, other: Store, engine: Engine
) -> None:
    keys = [f"key {number}".encode() for number in range(8)]
    for number, key in enumerate(keys):
        await one.calls.begin(OWNER, f"a{number}", key)
        await one.calls.called(OWNER, f"a{number}")
    await one.close()
    third = await engine.open("listener")
    for number, key in enumerate(keys):
        found = await asyncio.gather(
            other.calls.begin(OWNER, f"b{number}", key), third.calls.begin(OWNER, f"c{number}", key)
        )
        assert sorted(each.what for each in found) == ["begins", "not known"]


@only_sqlite
async def test_no_other_key_is_made_while_an_outcome_is_sealed_with_one(
    one: Store, engine: SqliteEngine
) -> None:
    await begins(one, "a")
    await one.calls.ended(OWNER, "a", b"done")
    engine.path.with_suffix(".key").unlink()
    later = await engine.open("listener")
    with pytest.raises(SecretError, match="what it sealed still waits"):
        await begins(later, "b", b"b")
    # What was read keeps nobody from a new key.
    await one.calls.read(OWNER, "a")
    assert await begins(later, "b", b"b") == ("begins", None)


@only_sqlite
async def test_what_a_dropped_call_held_is_gone_from_the_log_of_the_file_too(
    engine: SqliteEngine, one: Store
) -> None:
    await begins(one, "a")
    await one.calls.ended(OWNER, "a", b"done")
    log = engine.path.with_name(f"{engine.path.name}-wal")
    assert log.stat().st_size > 0
    await one.calls.drop(OWNER, "a")
    assert log.stat().st_size == 0
