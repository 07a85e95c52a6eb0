"""One reader of the store for whoever asks and whoever answers: changes, beats, and what fails."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from elicit_tui.broker import store_reader
from elicit_tui.broker.store_reader import StoreReader
from elicit_tui.broker.store_responder import StoreWatch
from elicit_tui.errors import StoreError
from elicit_tui.store.store import Changes, Waiting
from tests.broker.conftest import form_request
from tests.broker.elsewhere import World, bounded

pytestmark = pytest.mark.anyio


class Onlooker:
    """Whoever is told; it can be made to fail as a store or as we do."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, ...]] = []
        self.errors: list[str] = []
        self.fails: Exception | None = None
        self._news = asyncio.Event()

    def changed(self, changed: tuple[Waiting, ...]) -> None:
        if self.fails is not None and not isinstance(self.fails, StoreError):
            raise self.fails
        self.seen.append(tuple(one.state for one in changed))
        self._news.set()

    def unreadable(self, error: StoreError) -> None:
        self.errors.append(str(error))
        self._news.set()

    async def beat(self) -> None:
        if isinstance(self.fails, StoreError):
            raise self.fails

    async def until(self, holds: Callable[[], Any]) -> None:
        async def wait() -> None:
            while not holds():
                self._news.clear()
                await self._news.wait()

        await bounded(wait())


@asynccontextmanager
async def looking(
    world: World, patience: float = 0.0
) -> AsyncIterator[tuple[Onlooker, StoreReader]]:
    onlooker = Onlooker()
    reader = StoreReader(
        await world.store("answerer"),
        beat=onlooker.beat,
        changed=onlooker.changed,
        unreadable=onlooker.unreadable,
        patience=patience,
    )
    reader.start()
    try:
        yield onlooker, reader
    finally:
        await reader.close()


@pytest.fixture(autouse=True)
def brisk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("elicit_tui.broker.store_reader.BEAT_SECONDS", 0.02)
    monkeypatch.setattr("elicit_tui.broker.store_reader.RETRY_SECONDS", 0.01)


async def test_an_empty_store_is_told_as_such_and_then_what_comes(world: World) -> None:
    broker = await world.asks()
    async with looking(world) as (onlooker, _):
        await onlooker.until(lambda: onlooker.seen)
        assert onlooker.seen[0] == ()
        asked = asyncio.ensure_future(broker.resolve(form_request()))
        await onlooker.until(lambda: ("open",) in onlooker.seen)
        asked.cancel()
        await onlooker.until(lambda: ("settled",) in onlooker.seen)


async def test_the_first_look_comes_back_at_once_and_each_later_one_waits_for_a_change() -> None:
    onlooker, looks = Onlooker(), list[tuple[int, float]]()

    class Quiet:
        async def changes(self, since: int, wait_sec: float) -> Changes:
            looks.append((since, wait_sec))
            if len(looks) == 3:
                await asyncio.Event().wait()
            return Changes(since + 7, ())

    store: Any = Quiet()
    reader = StoreReader(
        store, beat=onlooker.beat, changed=onlooker.changed, unreadable=onlooker.unreadable
    )
    reader.start()
    await onlooker.until(lambda: len(looks) == 3)
    await bounded(reader.close())
    assert looks == [(0, 0), (7, store_reader.BEAT_SECONDS), (14, store_reader.BEAT_SECONDS)]


async def test_who_closes_it_goes_on_once_the_last_look_is_over() -> None:
    onlooker, looks, ended = Onlooker(), asyncio.Event(), asyncio.Event()

    class Slow:
        async def changes(self, since: int, wait_sec: float) -> Changes:
            looks.set()
            try:
                return await asyncio.get_running_loop().create_future()
            finally:
                for _turn in range(20):
                    await asyncio.sleep(0)
                ended.set()

    store: Any = Slow()
    reader = StoreReader(
        store, beat=onlooker.beat, changed=onlooker.changed, unreadable=onlooker.unreadable
    )
    reader.start()
    await bounded(looks.wait())
    await bounded(reader.close())
    assert ended.is_set()


async def test_what_changed_while_nobody_looked_is_told_at_the_next_start(world: World) -> None:
    broker = await world.asks()
    async with looking(world) as (onlooker, reader):
        await onlooker.until(lambda: onlooker.seen)
        await reader.close()
        asked = asyncio.ensure_future(broker.resolve(form_request()))
        person = await world.person()
        await person.sees()
        assert ("open",) not in onlooker.seen
        reader.start()
        await onlooker.until(lambda: ("open",) in onlooker.seen)
        asked.cancel()


async def test_a_store_that_cannot_be_read_is_told_and_read_again_once_it_can(
    world: World,
) -> None:
    async with looking(world) as (onlooker, _), looking(world, patience=3600) as (patient, _):
        onlooker.fails = patient.fails = StoreError("The store is on a disk that is gone.")
        await onlooker.until(lambda: len(onlooker.errors) > 2)
        assert set(onlooker.errors) == {"The store is on a disk that is gone."}
        assert patient.errors == []
        before, onlooker.fails = len(onlooker.seen), None
        await onlooker.until(lambda: len(onlooker.seen) > before)


async def test_a_store_that_worked_is_given_its_patience_anew_each_time_it_is_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, looks, away, errors = 0.0, 0, False, list[str]()
    looked = asyncio.Event()
    monkeypatch.setattr(store_reader, "time", SimpleNamespace(monotonic=lambda: now))

    class Flickering:
        """A store in which nothing changes, and that is away now and then."""

        async def changes(self, since: int, wait_sec: float) -> Changes:
            nonlocal looks
            looks += 1
            looked.set()
            await asyncio.sleep(0)
            if away:
                raise StoreError("It changes hands.")
            return Changes(0, ())

    async def looks_twice() -> None:
        before = looks
        while looks < before + 2:
            looked.clear()
            await bounded(looked.wait())

    store: Any = Flickering()
    beat, told = Onlooker().beat, Onlooker().changed
    reader = StoreReader(
        store,
        beat=beat,
        changed=told,
        unreadable=lambda error: errors.append(str(error)),
        patience=10.0,
    )
    reader.start()
    try:
        for now in (3600.0, 7200.0):
            away = False
            await looks_twice()
            now, away = now + 9.0, True
            await looks_twice()
            assert errors == []
        now += 1.0
        await looks_twice()
        assert set(errors) == {"It changes hands."}
    finally:
        await reader.close()


async def test_a_fault_of_ours_is_told_and_a_new_start_looks_again(world: World) -> None:
    async with looking(world) as (onlooker, reader):
        onlooker.fails = ValueError("ours")
        await onlooker.until(lambda: onlooker.errors)
        assert onlooker.errors == ["The store cannot be watched: ValueError."]
        before, onlooker.fails = len(onlooker.seen), None
        reader.start()
        await onlooker.until(lambda: len(onlooker.seen) > before)


@pytest.mark.parametrize("somebody", [True, False])
async def test_at_each_beat_it_is_told_once_of_what_waits_while_nobody_is_there(
    somebody: bool,
) -> None:
    looked, ended, told = asyncio.Event(), asyncio.Event(), list[str]()

    class Beats:
        patience_sec = 0.0
        beats = 0

        async def heartbeat(self) -> None:
            self.beats += 1

        async def somebody_is_there(self) -> bool:
            return somebody

        async def changes(self, since: int, wait: float) -> Any:
            looked.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()

    store: Any = Beats()
    watch = StoreWatch(store)
    with watch.on("one") as one, watch.on("two"):
        one.nobody_there = lambda: told.append("one")
        await bounded(looked.wait())
        assert (store.beats, told) == (1, [] if somebody else ["one"])
        assert (one.nobody_there is None) is not somebody
    # While nobody waits nobody looks.
    for _ in range(3):
        await asyncio.sleep(0)
    assert ended.is_set()


async def test_a_store_that_is_away_is_not_tried_again_without_a_pause(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("elicit_tui.broker.store_reader.RETRY_SECONDS", 3600.0)
    onlooker, tried = Onlooker(), list[int]()

    class Away:
        async def changes(self, since: int, wait_sec: float) -> Changes:
            tried.append(since)
            raise StoreError("It is away.")

    store: Any = Away()
    reader = StoreReader(
        store, beat=onlooker.beat, changed=onlooker.changed, unreadable=onlooker.unreadable
    )
    reader.start()
    await onlooker.until(lambda: onlooker.errors)
    for _ in range(50):
        await asyncio.sleep(0)
    await bounded(reader.close())
    assert (tried, onlooker.errors) == ([0], ["It is away."])
