"""Lists of a server, read to their end, and what it tells of them by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from elicit_tui.elicitation import Call, ServerIdentity
from elicit_tui.errors import (
    ProtocolCallError,
    ServerError,
)
from elicit_tui.host import offers, subscriptions
from elicit_tui.host.events import ListChanged, ResourceUpdated
from elicit_tui.host.offers import all_pages
from elicit_tui.host.subscriptions import Subscriptions

pytestmark = pytest.mark.anyio

SERVER = ServerIdentity("jobs", "stdio", "jobs-server")
CALL = Call("tools/call", "build")


# Lists, page by page


class Paged:
    """A session that lists these pages, by their cursors."""

    def __init__(self, pages: Mapping[str | None, Any], kept: set[str] | None = None) -> None:
        self.pages = pages
        self.kept = kept
        self.read: list[str | None] = []

    async def page(self, kind: str, cursor: str | None) -> tuple[Any, set[str] | None]:
        self.read.append(cursor)
        page = self.pages[cursor]
        if isinstance(page, Exception):
            raise page
        return page, self.kept


async def listed(pages: Mapping[str | None, Any], kind: str = "prompts", **more: Any) -> Any:
    found = await all_pages(Paged(pages, **more), kind)  # type: ignore[arg-type]
    return [entry["name"] for entry in found.entries], found.left_out


def named(*names: str, **more: Any) -> dict[str, Any]:
    return {"prompts": [{"name": name} for name in names], **more}


async def test_a_list_is_read_to_its_end_and_what_is_left_out_of_it_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = {None: named("a", nextCursor="2"), "2": named("b", nextCursor=5)}
    assert await listed(whole) == (["a", "b"], None)
    loop = {None: named("a", nextCursor="2"), "2": named("b", nextCursor="2")}
    names, left_out = await listed(loop)
    assert (names, "led back to a page" in left_out) == (["a", "b"], True)
    broken = {None: named("a", nextCursor="2"), "2": ProtocolCallError(-1, "no.")}
    names, left_out = await listed(broken)
    assert names == ["a"]
    assert left_out == "Its list of prompts broke off after 1: no."
    for first in (ProtocolCallError(-1, "no"), {"prompts": "x"}, {}):
        with pytest.raises((ProtocolCallError, ServerError)):
            await listed({None: first})
    odd = {None: {"prompts": [5, {"name": "a"}, "x"]}}
    assert await listed(odd) == (["a"], None)
    tools = {None: {"tools": [{"name": "a"}, {"name": "b"}]}}
    assert await listed(tools, "tools", kept={"b"}) == (["b"], None)
    templates = {None: {"resourceTemplates": [{"name": "t"}]}}
    assert await listed(templates, "templates") == (["t"], None)
    monkeypatch.setattr(offers, "MOST_ENTRIES", 2)
    names, left_out = await listed({None: named("a", "b", "c")})
    assert (names, "the first 2 is left out" in left_out) == (["a", "b"], True)
    assert await listed({None: named("a", "b")}) == (["a", "b"], None)
    # Of so long a page the library has kept what it was shown of it.
    long = {None: {"tools": [{"name": name} for name in "abc"]}}
    names, left_out = await listed(long, "tools", kept={"b"})
    assert (names, "the first 1 is left out" in left_out) == (["b"], True)
    monkeypatch.setattr(offers, "MOST_PAGES", 2)
    endless = {None: named("a", nextCursor="2"), "2": named(nextCursor="3")}
    assert "without an end in sight" in (await listed(endless))[1]
    monkeypatch.setattr(offers, "MOST_PAGES", 200)
    monkeypatch.setattr(offers, "MOST_CHARACTERS", 10)
    assert "without an end in sight" in (await listed(endless))[1]


async def test_of_two_tools_of_one_name_the_more_dangerous_counts_wherever_it_stands() -> None:
    safe = {"name": "a", "annotations": {"readOnlyHint": True}}
    dangerous = {"name": "a", "annotations": {"destructiveHint": True}}
    for pair in ([safe, dangerous], [dangerous, safe]):
        found = await all_pages(Paged({None: {"tools": pair}}), "tools")  # type: ignore[arg-type]
        assert found.entries == [dangerous]
        assert "It lists a more than once" in str(found.left_out)
    reads, writes = (
        {"name": "a", "annotations": {"readOnlyHint": reads, "destructiveHint": False}}
        for reads in (True, False)
    )
    for pair in ([reads, writes], [writes, reads]):
        found = await all_pages(Paged({None: {"tools": pair}}), "tools")  # type: ignore[arg-type]
        assert found.entries == [writes]
    many = [{"name": f"t{n % 7}"} for n in range(14)]
    found = await all_pages(Paged({None: {"tools": many}}), "tools")  # type: ignore[arg-type]
    assert "t4 and 2 more more than once" in str(found.left_out)


# What it tells by itself


class Listening:
    """A session that opens streams as it is told to."""

    def __init__(self, *, listening: bool, opens: bool = True) -> None:
        self.wire = SimpleNamespace(protocol=SimpleNamespace(listening=listening))
        self.opens = opens
        self.requests: list[Any] = []
        self.streams: list[dict[str, Any]] = []
        self.ended = asyncio.Event()
        self.opens_again = True
        self.breaks: Exception | None = None

    async def request(self, method: str, params: Any) -> None:
        self.requests.append((method, params))

    async def listen(self, wanted: dict[str, Any], opened: Callable[[], None]) -> None:
        if not self.opens:
            raise ProtocolCallError(-1, "no")
        self.streams.append(wanted)
        if self.opens_again:
            opened()
        await self.ended.wait()
        if self.breaks is not None:
            raise self.breaks


async def test_one_stream_is_open_for_all_that_is_wanted_and_none_where_nothing_is() -> None:
    session: Any = Listening(listening=True)
    told: list[Any] = []
    wanted = Subscriptions("jobs", told.append)
    assert not wanted.lists_are_watched
    await wanted.watch_lists(session)
    assert wanted.lists_are_watched
    await wanted.subscribe(session, "a:1")
    await wanted.unsubscribe(session, "b:2")
    lists = {f"{kind}ListChanged": True for kind in ("tools", "prompts", "resources")}
    assert session.streams == [lists, {**lists, "resourceSubscriptions": ["a:1"]}]
    await wanted.unsubscribe(session, "a:1")
    assert session.streams[-1] == lists
    assert session.requests == []
    wanted.end()
    alone = Subscriptions("jobs", told.append)
    await alone.subscribe(session, "a:1")
    assert not alone.lists_are_watched
    count = len(session.streams)
    await alone.unsubscribe(session, "a:1")
    assert (len(session.streams), alone._stream) == (count, None)


async def test_what_was_asked_for_stays_so_where_asking_for_it_once_more_fails() -> None:
    session: Any = Listening(listening=True)
    wanted = Subscriptions("jobs", lambda event: None)
    await wanted.subscribe(session, "a:1")
    session.opens = False
    for uri in ("a:1", "b:2"):
        with pytest.raises(ProtocolCallError):
            await wanted.subscribe(session, uri)
    assert wanted._notifications == {"resourceSubscriptions": ["a:1"]}
    wanted.end()


async def test_lists_are_watched_by_a_stream_that_was_asked_for_them_and_by_no_other() -> None:
    session: Any = Listening(listening=True)
    wanted = Subscriptions("jobs", lambda event: None)
    await wanted.subscribe(session, "a:1")
    session.opens = False
    with pytest.raises(ProtocolCallError):
        await wanted.watch_lists(session)
    assert not wanted.lists_are_watched
    wanted.end()


@pytest.mark.parametrize(("held", "pauses"), [(0.0, [1.0, 2.0, 4.0]), (90.0, [1.0, 1.0, 1.0])])
async def test_a_stream_that_held_is_opened_again_soon_and_one_that_did_not_ever_later(
    held: float, pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    session: Any = Listening(listening=True)
    waited: list[float] = []
    enough, now = asyncio.Event(), 0.0

    def later() -> float:
        nonlocal now
        now += held
        return now

    async def pause(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == len(pauses):
            enough.set()
            await asyncio.Event().wait()

    slept = SimpleNamespace(**{**vars(asyncio), "sleep": pause})
    monkeypatch.setattr(subscriptions, "asyncio", slept)
    monkeypatch.setattr(subscriptions, "time", SimpleNamespace(monotonic=later))
    session.ended.set()
    wanted = Subscriptions("jobs", lambda event: None)
    await wanted.watch_lists(session)
    await asyncio.wait_for(enough.wait(), 30)
    assert waited == pauses
    wanted.end()


async def test_in_the_handshake_era_a_resource_is_asked_for_by_name() -> None:
    session: Any = Listening(listening=False)
    wanted = Subscriptions("jobs", lambda event: None)
    await wanted.watch_lists(session)
    await wanted.subscribe(session, "a:1")
    await wanted.unsubscribe(session, "a:1")
    assert [method for method, _ in session.requests] == [
        "resources/subscribe",
        "resources/unsubscribe",
    ]
    assert session.streams == []


async def test_a_stream_that_cannot_be_opened_is_said_and_leaves_nothing_wanted() -> None:
    session: Any = Listening(listening=True, opens=False)
    wanted = Subscriptions("jobs", lambda event: None)
    with pytest.raises(ProtocolCallError):
        await wanted.subscribe(session, "a:1")
    session.opens = True
    await wanted.watch_lists(session)
    assert "resourceSubscriptions" not in session.streams[-1]
    wanted.end()


@pytest.mark.parametrize(
    "breaks", [None, ServerError("It broke off."), ProtocolCallError(-1, "no")], ids=repr
)
async def test_after_a_stream_broke_off_all_that_is_watched_may_have_changed(
    monkeypatch: pytest.MonkeyPatch, breaks: Exception | None
) -> None:
    monkeypatch.setattr(subscriptions, "FIRST_PAUSE_SECONDS", 0.001)
    session: Any = Listening(listening=True)
    told: list[Any] = []
    heard = asyncio.Event()

    def hear(event: Any) -> None:
        told.append(event)
        if isinstance(event, ResourceUpdated):
            heard.set()

    wanted = Subscriptions("jobs", hear)
    await wanted.watch_lists(session)
    await wanted.subscribe(session, "a:1")
    assert told == []
    session.opens_again, session.breaks = False, breaks
    session.ended.set()
    await asyncio.wait_for(heard.wait(), 30)
    lists = [event.kind for event in told if isinstance(event, ListChanged)]
    assert lists[:3] == ["tools", "prompts", "resources"]
    assert told[3] == ResourceUpdated("jobs", "a:1")
    # It is not open again yet.
    assert not wanted.lists_are_watched
    wanted.end()
    session.breaks = None
    # One that ends before it began has begun all the same, and is opened once more.
    unopened = Subscriptions("jobs", hear)
    await asyncio.wait_for(unopened.subscribe(session, "b:2"), 30)
    unopened.end()
