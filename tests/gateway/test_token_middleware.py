"""What stands before the transport over HTTP: who is let in, and which session a request is of."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from elicit_tui.gateway import http
from elicit_tui.gateway.agent import ANSWERED, GONE
from elicit_tui.gateway.connections import MOST_REQUESTS_OF_ONE, TOKEN
from elicit_tui.gateway.http import KEY, MODERN_KEY, TokenMiddleware
from elicit_tui.store.store import Token
from tests.gateway.world import HANDSHAKE, MODERN, WAIT, settled

pytestmark = pytest.mark.anyio

ANNA = Token("anna", "digest", "now")
SESSION = (b"mcp-session-id", b"given")
VERSION = b"mcp-protocol-version"


class Tokens:
    """Knows one token."""

    def token_of(self, shown: str) -> Token | None:
        return ANNA if shown == "secret" else None


class Sessions:
    """Notes what it is told."""

    def __init__(self) -> None:
        self.told: list[Any] = []
        self.under_way_now = 0

    def under_way(self, token: Token) -> int:
        return self.under_way_now

    def arrived(self, token: Token, key: str) -> None:
        self.told.append(("arrived", key))

    def left(self, token: Token, key: str, *, hung_up: bool = False) -> None:
        self.told.append(("left", key, hung_up))

    def begun(self, token: Token, key: str) -> None:
        self.told.append(("begun", key))

    def end(self, token: Token, key: str) -> None:
        self.told.append(("end", key))


class World:
    """A middleware in front of an application that answers as a test says."""

    def __init__(self) -> None:
        self.sessions = Sessions()
        self.scopes: list[Any] = []
        self.status = 200
        self.gives: list[tuple[bytes, bytes]] = []
        self.trouble: Exception | None = None
        self.after_the_answer: list[str] = []
        self.goes_on = asyncio.Event()
        self.goes_on.set()
        self.inside: Callable[[Any], Any] | None = None
        self.body: list[Any] = [{"type": "http.request", "body": b"{}", "more_body": False}]
        sessions: Any = self.sessions
        tokens: Any = Tokens()
        self.over: set[Any] = set()
        """Sessions that have ended, by token and key."""
        self.middleware = TokenMiddleware(self._app, tokens, sessions, self.over)

    async def _app(self, scope: Any, receive: Any, send: Any) -> None:
        self.scopes.append(scope)
        if scope["type"] != "http":
            return
        scope[ANSWERED].append(self._note)
        if self.inside is not None:
            await self.inside(receive)
        if self.trouble is not None:
            raise self.trouble
        start = {"type": "http.response.start", "status": self.status, "headers": self.gives}
        await send(start)
        await send({"type": "http.response.body", "body": b""})

    async def _note(self) -> None:
        await self.goes_on.wait()
        self.after_the_answer.append(self.sessions.told[-1][0])

    async def asks(
        self,
        *headers: tuple[bytes, bytes],
        authorization: bytes | None = b"Bearer secret",
        method: str = "POST",
        kind: str = "http",
    ) -> int:
        """One request; the status of its answer, 0 without one."""
        status = 0

        async def receive() -> Any:
            return self.body.pop(0) if self.body else await asyncio.Event().wait()

        async def send(message: Any) -> None:
            nonlocal status
            status = message.get("status", status)

        shown = [] if authorization is None else [(b"authorization", authorization)]
        scope = {"type": kind, "method": method, "headers": [*shown, *headers]}
        await asyncio.wait_for(self.middleware(scope, receive, send), WAIT)
        return status


@pytest.fixture
def world() -> World:
    return World()


@pytest.mark.parametrize(
    ("authorization", "status"),
    [
        (None, 401),
        (b"", 401),
        (b"Bearer", 401),
        (b"Bearer other", 401),
        (b"Basic secret", 401),
        (b"secret", 401),
        (b"Bearer secret", 200),
        (b"bearer  secret ", 200),
    ],
)
async def test_only_who_shows_a_known_bearer_token_reaches_the_transport(
    world: World, authorization: bytes | None, status: int
) -> None:
    assert await world.asks(authorization=authorization) == status
    assert bool(world.scopes) is bool(world.sessions.told) is (status == 200)


async def test_the_token_is_known_behind_it_and_its_words_are_not(world: World) -> None:
    await world.asks((b"x-other", b"stays"))
    (scope,) = world.scopes
    assert scope[TOKEN] is ANNA
    assert scope["headers"] == [(b"x-other", b"stays")]
    assert scope["user"].access_token.client_id == "digest"


async def test_what_is_no_request_goes_by_or_nowhere(world: World) -> None:
    await world.asks(authorization=None, kind="lifespan")
    assert len(world.scopes) == 1
    await world.asks(kind="websocket")
    assert len(world.scopes) == 1


async def test_too_many_requests_of_one_token_are_refused(world: World) -> None:
    world.sessions.under_way_now = MOST_REQUESTS_OF_ONE
    assert await world.asks() == 503
    assert (world.scopes, world.sessions.told) == ([], [])
    world.sessions.under_way_now = MOST_REQUESTS_OF_ONE - 1
    assert await world.asks() == 200


@pytest.mark.parametrize(
    ("headers", "key"),
    [
        ([], MODERN_KEY),
        ([SESSION], "given"),
        ([SESSION, (VERSION, HANDSHAKE.encode())], "given"),
        ([SESSION, (VERSION, MODERN.encode())], MODERN_KEY),
        ([SESSION, (VERSION, b"2099-01-01")], MODERN_KEY),
    ],
)
async def test_a_session_id_names_a_session_in_the_era_that_has_them(
    world: World, headers: list[tuple[bytes, bytes]], key: str
) -> None:
    await world.asks(*headers)
    assert world.scopes[0][KEY] == key
    assert world.sessions.told == [("arrived", key), ("left", key, False)]


@pytest.mark.parametrize(
    ("status", "headers", "begins"), [(200, [], True), (400, [], False), (200, [SESSION], False)]
)
async def test_a_session_begins_where_an_answer_gives_an_id_that_was_not_there(
    world: World, status: int, headers: list[tuple[bytes, bytes]], begins: bool
) -> None:
    world.status, world.gives = status, [(b"mcp-session-id", b"new")]
    await world.asks(*headers)
    assert (("begun", "new") in world.sessions.told) is begins


@pytest.mark.parametrize(
    ("method", "headers", "status", "over"),
    [
        ("DELETE", [SESSION], 200, True),
        ("DELETE", [SESSION], 404, False),
        ("DELETE", [SESSION], 400, False),
        ("DELETE", [], 200, False),
        ("POST", [SESSION], 200, False),
    ],
)
async def test_a_session_ends_where_its_client_may_end_it(
    world: World, method: str, headers: list[tuple[bytes, bytes]], status: int, over: bool
) -> None:
    world.status = status
    await world.asks(*headers, method=method)
    assert (("end", "given") in world.sessions.told) is over
    assert ("end", MODERN_KEY) not in world.sessions.told


async def test_a_request_that_fails_is_counted_no_more_and_what_waits_for_its_answer_is_done(
    world: World,
) -> None:
    world.trouble = RuntimeError("broken")
    with pytest.raises(RuntimeError):
        await world.asks(SESSION)
    assert world.sessions.told == [("arrived", "given"), ("left", "given", False)]
    assert world.after_the_answer == ["left"]


async def test_what_waits_for_its_answer_is_done_also_where_the_request_is_cancelled_meanwhile(
    world: World,
) -> None:
    async def more(receive: Any) -> None:
        world.scopes[-1][ANSWERED].append(world._note)

    world.inside = more
    world.goes_on.clear()
    asking = asyncio.ensure_future(world.asks(SESSION, method="DELETE"))
    await settled()
    for _ in "12":  # The end of a group of tasks cancels again and again.
        asking.cancel()
        await settled()
    world.goes_on.set()
    await settled()
    assert asking.cancelled()
    assert world.after_the_answer == ["left", "left"]
    assert world.sessions.told[-1] == ("end", "given")


@pytest.mark.parametrize(
    ("method", "status", "goes", "hung_up"),
    [
        ("GET", 200, True, True),
        ("GET", 200, False, False),
        ("GET", 400, True, False),
        ("GET", 399, True, True),
        ("GET", 406, True, False),
        ("POST", 200, True, False),
    ],
)
async def test_who_closes_the_stream_on_which_it_listens_has_hung_up(
    world: World, method: str, status: int, goes: bool, hung_up: bool
) -> None:
    async def reads(receive: Any) -> None:
        assert (await receive())["type"] == "http.request"
        assert not world.scopes[0][GONE].is_set()
        if goes:
            assert (await receive())["type"] == "http.disconnect"
            assert world.scopes[0][GONE].is_set()

    world.inside, world.status = reads, status
    world.body.append({"type": "http.disconnect"})
    await world.asks(SESSION, method=method)
    assert world.sessions.told[-1] == ("left", "given", hung_up)


async def test_a_body_that_does_not_come_whole_in_time_is_a_client_that_is_gone(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def reads(receive: Any) -> None:
        assert (await receive())["body"] == b"a"
        assert (await receive())["type"] == "http.disconnect"

    monkeypatch.setattr(http, "BODY_SECONDS", 0.05)
    world.body = [{"type": "http.request", "body": b"a", "more_body": True}]
    world.inside = reads
    await world.asks()
    assert world.scopes[0][GONE].is_set()


async def test_once_its_body_is_there_a_request_may_take_as_long_as_it_wants(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def reads(receive: Any) -> None:
        assert (await receive())["type"] == "http.request"
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(receive(), 0.2)

    monkeypatch.setattr(http, "BODY_SECONDS", 0.05)
    world.inside = reads
    await world.asks()
    assert not world.scopes[0][GONE].is_set()


async def test_a_session_that_has_ended_is_gone_before_the_transport_knows_it(world: World) -> None:
    world.over.add((ANNA, "given"))
    assert await world.asks(SESSION) == 404
    assert not world.scopes
    assert not world.sessions.told
    assert await world.asks((SESSION[0], b"another")) == 200
