"""Sessions over HTTP without a transport: when one is opened, for whom, and when it ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from elicit_tui.errors import StoreError
from elicit_tui.gateway import sessions as limits
from elicit_tui.gateway.sessions import (
    HUNG_UP_SECONDS,
    LOOK_SECONDS,
    MOST_UNOPENED,
    WEEK_SECONDS,
    Sessions,
    TooManySessions,
)
from elicit_tui.store.store import Token
from tests.gateway.world import WAIT, MovedClock, settled

pytestmark = pytest.mark.anyio

ANNA, BEN = Token("anna", "a", "now"), Token("ben", "b", "now")


class World:
    """Sessions of two tokens, on a clock to move."""

    def __init__(self, idle_seconds: float = 100.0) -> None:
        self.clock = MovedClock()
        self.trouble: Exception | None = None
        self.open: list[tuple[str, str]] = []
        self.ended: list[tuple[str, str]] = []
        self.valid = frozenset({ANNA, BEN})
        self.may_end = asyncio.Event()
        self.may_end.set()
        self.sessions = Sessions(self._open_one, self.clock, idle_seconds, self._has_ended)
        self._sweeping = asyncio.ensure_future(self.sessions.sweep(lambda: self.valid))

    @asynccontextmanager
    async def _open_one(self, token: Token, key: str) -> AsyncIterator[Any]:
        if self.trouble is not None:
            raise self.trouble
        self.open.append((token.name, key))
        try:
            yield SimpleNamespace(held_calls=SimpleNamespace(owed=False))
        finally:
            await self.may_end.wait()
            self.open.remove((token.name, key))

    def _has_ended(self, token: Token, key: str) -> None:
        self.ended.append((token.name, key))

    async def get(self, token: Token = ANNA, key: str = "key") -> Any:
        return await asyncio.wait_for(self.sessions.get(token, key), WAIT)

    async def close(self) -> None:
        self.may_end.set()
        assert not self._sweeping.done()
        self._sweeping.cancel()
        await asyncio.gather(self._sweeping, return_exceptions=True)
        await self.sessions.close()


MakeWorld = Callable[..., World]


@pytest.fixture
async def make_world() -> AsyncIterator[MakeWorld]:
    made: list[World] = []

    def make(idle_seconds: float = 100.0) -> World:
        made.append(World(idle_seconds))
        return made[-1]

    yield make
    for world in made:
        await world.close()


@pytest.fixture
def world(make_world: MakeWorld) -> World:
    return make_world()


async def test_a_key_is_one_session_of_its_token_and_another_one_of_another(world: World) -> None:
    first, again = await asyncio.gather(world.get(), world.get())
    assert first is again
    assert await world.get(BEN) is not first
    assert world.open == [("anna", "key"), ("ben", "key")]
    assert world.sessions.tokens == {ANNA, BEN}


async def test_a_request_that_is_taken_back_leaves_its_session_to_the_others(world: World) -> None:
    one, other = (asyncio.ensure_future(world.get()) for _ in "ab")
    await asyncio.sleep(0)
    one.cancel()
    assert await other is await world.get()
    assert one.cancelled()
    assert world.open == [("anna", "key")]


async def test_a_session_that_could_not_be_opened_is_tried_anew(world: World) -> None:
    world.trouble = StoreError("The disk is full.")
    for _ in range(2):
        with pytest.raises(StoreError, match="full"):
            await world.get()
        await settled()
    assert world.ended == [("anna", "key")] * 2
    assert world.sessions.tokens == frozenset()
    world.trouble = None
    await world.get()
    assert world.open == [("anna", "key")]


async def test_over_the_limit_no_session_is_opened_and_one_that_ends_makes_room(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MOST_SESSIONS_OF_ONE", 2)
    monkeypatch.setattr(limits, "MOST_SESSIONS", 3)
    for key in ("1", "2"):
        await world.get(key=key)
    with pytest.raises(TooManySessions, match="2 sessions are open here already"):
        await world.get(key="3")
    await world.get(BEN, "1")
    with pytest.raises(TooManySessions, match="3 sessions are open here already"):
        await world.get(BEN, "2")
    await world.get(key="1")  # it is there
    world.sessions.end(ANNA, "1")
    await settled()
    await world.get(BEN, "2")
    assert world.ended == [("anna", "1")]


async def test_a_session_ends_alone_as_its_client_wishes(world: World) -> None:
    await world.get(key="ends")
    await world.get(key="stays")
    world.sessions.begun(ANNA, "begun")
    world.sessions.end(ANNA, "begun")
    world.sessions.end(ANNA, "ends")
    world.sessions.end(BEN, "stays")
    await settled()
    assert world.open == [("anna", "stays")]
    await world.clock.move(1000)
    assert ("anna", "begun") not in world.ended


async def test_with_its_token_all_of_it_ends_and_nothing_of_another_s(world: World) -> None:
    for token in (ANNA, BEN):
        await world.get(token, "open")
        world.sessions.begun(token, "begun")
    world.valid = frozenset({BEN})
    await world.clock.move(LOOK_SECONDS)
    assert world.open == [("ben", "open")]
    assert sorted(world.ended) == [("anna", "begun"), ("anna", "open")]
    assert world.sessions.tokens == {BEN}


async def test_a_session_is_kept_as_long_as_something_is_asked_in_it(world: World) -> None:
    await world.get()
    for _ in range(5):
        await world.clock.move(90)
        world.sessions.arrived(ANNA, "key")
        assert world.sessions.under_way(ANNA) == 1
        await world.clock.move(90)
        world.sessions.left(ANNA, "key")
        assert world.sessions.under_way(ANNA) == 0
    assert world.open
    await world.clock.move(100 + LOOK_SECONDS * 2)
    assert not world.open


async def test_a_request_that_comes_after_a_silence_opens_no_other_session(world: World) -> None:
    session = await world.get()
    await world.clock.move(99)
    assert await world.get() is session
    await world.clock.move(99)
    assert world.open


async def test_requests_are_counted_by_token(world: World) -> None:
    world.sessions.arrived(ANNA, "1")
    world.sessions.arrived(ANNA, "2")
    world.sessions.arrived(BEN, "1")
    assert (world.sessions.under_way(ANNA), world.sessions.under_way(BEN)) == (2, 1)
    world.sessions.left(ANNA, "1")
    assert world.sessions.under_way(ANNA) == 1
    # A session that nothing is asked in takes no place in the count.
    assert world.sessions._requests.keys() == {(ANNA, "2"), (BEN, "1")}


async def test_a_handshake_that_nothing_follows_is_forgotten_and_one_that_goes_on_is_not(
    world: World,
) -> None:
    world.sessions.begun(ANNA, "silent")
    world.sessions.begun(ANNA, "goes on")
    world.sessions.arrived(ANNA, "goes on")
    await world.clock.move(99)
    assert world.ended == []
    await world.clock.move(1 + LOOK_SECONDS * 2)
    assert world.ended == [("anna", "silent")]
    await world.get(key="goes on")
    world.sessions.left(ANNA, "goes on")
    assert world.open == [("anna", "goes on")]


async def test_of_many_handshakes_the_oldest_of_the_same_token_give_place(world: World) -> None:
    world.sessions.begun(BEN, "old")
    for number in range(MOST_UNOPENED + 2):
        world.sessions.begun(ANNA, f"{number}")
    assert world.ended == [("anna", "0"), ("anna", "1")]
    # One that is opened counts no more.
    await world.get(key="2")
    world.sessions.begun(ANNA, "newer")
    assert len(world.ended) == 2


async def test_without_a_time_for_silence_a_session_is_kept_for_a_week(
    make_world: MakeWorld,
) -> None:
    world = make_world(0)
    await world.get()
    world.clock.skip(WEEK_SECONDS - 10)
    await world.clock.move(LOOK_SECONDS)
    assert world.open
    await world.clock.move(LOOK_SECONDS * 6)
    assert not world.open


async def test_who_hung_up_is_not_kept_longer_than_who_is_silent(make_world: MakeWorld) -> None:
    for idle in (50.0, HUNG_UP_SECONDS * 2):
        world = make_world(idle)
        await world.get()
        world.sessions.arrived(ANNA, "key")
        world.sessions.left(ANNA, "key", hung_up=True)
        await world.clock.move(min(idle, HUNG_UP_SECONDS) - 1)
        assert world.open
        await world.clock.move(LOOK_SECONDS * 2)
        assert not world.open


async def test_who_comes_while_an_idle_session_ends_gets_the_next_one(world: World) -> None:
    first = await world.get()
    world.may_end.clear()
    await world.clock.move(100.0 + LOOK_SECONDS * 2)
    coming = asyncio.ensure_future(world.get())
    await settled()
    assert not coming.done()
    world.may_end.set()
    assert await coming is not first
    assert world.open == [("anna", "key")]


async def test_the_end_of_the_gateway_waits_for_the_end_of_each_session(world: World) -> None:
    await world.get()
    await world.get(BEN)
    await world.sessions.close()
    assert world.open == []
    assert sorted(world.ended) == [("anna", "key"), ("ben", "key")]
