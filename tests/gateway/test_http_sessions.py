"""Whoever has a token, against whoever has another: places, ids, streams, the owner's screen."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any, cast

import httpx2
import pytest

from elicit_tui.elicitation.settings import Settings
from elicit_tui.gateway import connections
from elicit_tui.gateway.agent import agent_info
from elicit_tui.gateway.sessions import HUNG_UP_SECONDS, MOST_UNOPENED, Sessions
from elicit_tui.gateway.telling import NOT_KNOWN, PAUSED_META_KEY
from elicit_tui.gateway.tokens import Tokens
from elicit_tui.runtime import open_store
from elicit_tui.store.store import Token
from tests.gateway.http_world import ACCEPT, INITIALIZE, Gateway, modern_request
from tests.gateway.processes import identifier
from tests.gateway.world import HANDSHAKE, WAIT, MovedClock, settled, until
from tests.host.world import server_line

pytestmark = pytest.mark.anyio

PATIENCE = 6 * WAIT
IDLE_SECONDS = 1500.0
LISTING = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


async def test_in_the_modern_era_a_session_id_opens_no_session_and_leads_into_none(
    gateway: Gateway,
) -> None:
    token = gateway.tokens.add("agent")
    async with gateway.raw(token) as raw, gateway.agent(token, HANDSHAKE) as client:
        call = asyncio.ensure_future(client.call_tool("asking__one", {}))
        await until(lambda: gateway.open_questions == 1)
        await gateway.clock.move(11)
        meta = (await asyncio.wait_for(call, WAIT)).meta
        assert meta is not None
        arguments = {"id": meta[PAUSED_META_KEY]["id"]}
        known = await gateway.begin(raw)
        await until(lambda: len(gateway.sessions) == 2)
        for key in ("made-up", "another", known["mcp-session-id"]):
            params = {"name": "elicit_resume", "arguments": arguments}
            answer = await gateway.modern(raw, "tools/call", params, {"mcp-session-id": key})
            assert NOT_KNOWN in answer.text
        assert len(gateway.sessions) == 3


async def test_handshakes_without_a_session_give_place_to_newer_ones_of_their_token(
    gateway: Gateway,
) -> None:
    async with (
        gateway.raw(gateway.tokens.add("other")) as other,
        gateway.raw(gateway.tokens.add("agent")) as client,
    ):
        begun = await other.post(gateway.url, json=INITIALIZE)
        kept = {"mcp-session-id": begun.headers["mcp-session-id"]}
        ids = []
        for _ in range(MOST_UNOPENED + 3):
            opened = await client.post(gateway.url, json=INITIALIZE)
            ids.append({"mcp-session-id": opened.headers["mcp-session-id"]})
        await settled()
        answers = [await client.post(gateway.url, json=LISTING, headers=each) for each in ids]
        assert [answer.status_code for answer in answers] == [404] * 3 + [200] * MOST_UNOPENED
        assert (await other.post(gateway.url, json=LISTING, headers=kept)).status_code == 200


async def test_no_agent_takes_the_places_of_the_others(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("elicit_tui.gateway.sessions.MOST_SESSIONS_OF_ONE", 2)
    async with (
        gateway.raw(gateway.tokens.add("agent")) as client,
        gateway.raw(gateway.tokens.add("other")) as other,
    ):
        answers = []
        for _ in range(3):
            headers = await gateway.begin(client)
            answers.append(await client.post(gateway.url, json=LISTING, headers=headers))
        assert ["2 sessions are open here already" in answer.text for answer in answers] == [
            False,
            False,
            True,
        ]
        assert "asking__one" in (await gateway.modern(other, "tools/list")).text


async def given_back(gateway: Gateway, seconds: float, times: int) -> bool:
    """Whether the gateway has no session any more, after so many times these seconds."""
    for _ in range(times):
        await gateway.clock.move(seconds)
        if not gateway.sessions:
            return True
        await asyncio.sleep(0.01)
    return False


async def test_an_agent_that_died_gives_its_servers_back_before_the_time_of_its_questions(
    gateway: Gateway,
) -> None:
    async with gateway.raw(gateway.tokens.add("agent")) as client:
        headers = await gateway.begin(client)
        async with client.stream("GET", gateway.url, headers=headers) as stream:
            assert stream.status_code == 200
            assert not await given_back(gateway, HUNG_UP_SECONDS, 3)
        assert await given_back(gateway, HUNG_UP_SECONDS, 100)
        answer = await client.post(gateway.url, json=LISTING, headers=headers)
        assert answer.status_code == 404


class Kept:
    """The sessions of one token, without a transport: one of them is open."""

    def __init__(self) -> None:
        self.clock = MovedClock()
        self.owed = False
        self.open: set[str] = set()
        self.sessions = Sessions(self._open_one, self.clock, IDLE_SECONDS)
        self.token = Token("agent", "digest", "now")

    @asynccontextmanager
    async def _open_one(self, token: Token, key: str) -> AsyncIterator[Any]:
        self.open.add(token)
        yield SimpleNamespace(held_calls=SimpleNamespace(owed=self.owed))
        self.open.discard(token)

    async def requests(self, *, hung_up: bool = False) -> None:
        self.sessions.arrived(self.token, "key")
        await self.sessions.get(self.token, "key")
        self.sessions.left(self.token, "key", hung_up=hung_up)


@pytest.mark.parametrize(
    ("owed", "says_more", "open_again"),
    [(False, False, False), (True, False, True), (False, True, True)],
    ids=["hung up", "hung up, and its call goes on", "hung up, and was back"],
)
async def test_only_an_agent_that_hung_up_and_is_owed_nothing_loses_its_session_early(
    owed: bool, says_more: bool, open_again: bool
) -> None:
    kept = Kept()
    kept.owed = owed
    sweeping = asyncio.ensure_future(kept.sessions.sweep(lambda: frozenset({kept.token})))
    try:
        await kept.requests(hung_up=True)
        await kept.clock.move(HUNG_UP_SECONDS - 10)
        assert kept.open
        if says_more:
            await kept.requests()
        await kept.clock.move(HUNG_UP_SECONDS + 100)
        assert bool(kept.open) is open_again
        await kept.clock.move(IDLE_SECONDS)
        assert not kept.open
    finally:
        sweeping.cancel()
        await asyncio.gather(sweeping, return_exceptions=True)


async def test_an_agent_that_hung_up_is_gone_though_a_request_of_it_is_answered_after_that() -> (
    None
):
    kept = Kept()
    sweeping = asyncio.ensure_future(kept.sessions.sweep(lambda: frozenset({kept.token})))
    try:
        kept.sessions.arrived(kept.token, "key")
        await kept.requests(hung_up=True)
        kept.sessions.left(kept.token, "key")
        await kept.clock.move(HUNG_UP_SECONDS + 100)
        assert not kept.open
    finally:
        sweeping.cancel()
        await asyncio.gather(sweeping, return_exceptions=True)


async def test_a_session_whose_request_is_still_being_answered_is_not_idle() -> None:
    kept = Kept()
    sweeping = asyncio.ensure_future(kept.sessions.sweep(lambda: frozenset({kept.token})))
    try:
        kept.sessions.arrived(kept.token, "key")
        await kept.sessions.get(kept.token, "key")
        await kept.clock.move(IDLE_SECONDS * 2)
        assert kept.open
        kept.sessions.left(kept.token, "key")
        await kept.clock.move(IDLE_SECONDS * 2)
        assert not kept.open
    finally:
        sweeping.cancel()
        await asyncio.gather(sweeping, return_exceptions=True)


@asynccontextmanager
async def listening_agent(client: httpx2.AsyncClient, url: str) -> AsyncIterator[httpx2.Response]:
    """A stream of the modern era on which an agent hears what changes."""
    request = modern_request("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
    async with client.stream("POST", url, **request) as answer:
        yield answer


@pytest.mark.parametrize("again", [False, True], ids=["revoked", "made anew by the same name"])
async def test_with_a_token_end_the_streams_that_it_opened(gateway: Gateway, again: bool) -> None:
    async with gateway.raw(gateway.tokens.add("agent")) as client:
        headers = await gateway.begin(client)
        async with (
            client.stream("GET", gateway.url, headers=headers) as stream,
            listening_agent(client, gateway.url) as listening,
        ):
            heard = asyncio.gather(stream.aread(), listening.aread())
            await until(lambda: len(gateway.sessions) == 2)
            gateway.tokens.revoke("agent")
            token = gateway.tokens.add("agent" if again else "another")
            await gateway.clock.move(3)
            await asyncio.wait_for(heard, WAIT)
    assert gateway.sessions == []
    async with gateway.raw(token) as client:
        answer = await client.post(gateway.url, json=LISTING, headers=headers)
        assert answer.status_code == 404


async def test_no_agent_takes_all_connections(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("elicit_tui.gateway.http.MOST_REQUESTS_OF_ONE", 2)
    async with (
        gateway.raw(gateway.tokens.add("agent")) as client,
        gateway.raw(gateway.tokens.add("other")) as other,
        listening_agent(client, gateway.url) as first,
        listening_agent(client, gateway.url) as second,
        listening_agent(client, gateway.url) as third,
    ):
        answers = [answer.status_code for answer in (first, second, third)]
        assert answers == [200, 200, 503]
        assert (await gateway.modern(other, "tools/list")).status_code == 200


async def test_an_idle_connection_gives_place_to_a_new_one(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "MOST_CONNECTIONS", 2)
    token = gateway.tokens.add("agent")
    async with (
        gateway.raw(token) as idle,
        gateway.raw(token) as busy,
        gateway.raw(gateway.tokens.add("other")) as other,
    ):
        assert (await gateway.modern(idle, "tools/list")).status_code == 200
        async with listening_agent(busy, gateway.url) as listening:
            assert (await gateway.modern(other, "tools/list")).status_code == 200
            assert "acknowledged" in await anext(listening.aiter_text())


async def test_strangers_who_ask_again_and_again_keep_nobody_out(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "MOST_CONNECTIONS", 8)
    host, port = gateway.address
    asking = f"GET /mcp HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode()
    strangers = [await asyncio.open_connection(host, port) for _ in range(8)]
    for reader, writer in strangers:
        writer.write(asking)
        assert b"401" in await asyncio.wait_for(reader.readline(), WAIT)
    async with gateway.raw(gateway.tokens.add("agent")) as client:
        headers = await gateway.begin(client)
        for _ in range(20):
            strangers.append(await asyncio.open_connection(host, port))
        answer = await client.post(gateway.url, json=LISTING, headers=headers)
        assert answer.status_code == 200
    for _, writer in strangers:
        writer.close()


@asynccontextmanager
async def real_gateway() -> AsyncIterator[tuple[asyncio.subprocess.Process, str, int]]:
    """`elicit-tui gateway --listen` as its owner starts it; where it listens."""
    server = f"asking={server_line('asking.py')}"
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "elicit_tui", "--with", server),
        *("gateway", "asking", "--listen", "127.0.0.1:0"),
        stdin=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr is not None
    said = (await asyncio.wait_for(process.stderr.readline(), PATIENCE)).decode()
    host, _, port = said.strip().removesuffix("/mcp").rpartition("/")[2].partition(":")
    try:
        yield process, host, int(port)
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGINT)
        await asyncio.wait_for(process.wait(), PATIENCE)


async def test_what_a_request_says_is_not_written_on_the_owners_screen() -> None:
    token = Tokens().add("agent")
    async with real_gateway() as (process, host, port):
        own = {**ACCEPT, "Authorization": f"Bearer {token}", "Host": f"{host}:{port}"}
        hostile = (
            {"Host": "\x9b31m\x9d0;pwn\x9c"},
            {"Origin": "\x9b31m\x9d0;pwn\x9c"},
            {"Connection": "Upgrade", "Upgrade": "websocket"},
            {"Content-Length": "none"},
        )
        for headers in hostile:
            lines = "".join(f"{name}: {value}\r\n" for name, value in {**own, **headers}.items())
            reader, writer = await asyncio.open_connection(host, port)
            writer.write(f"POST /mcp HTTP/1.1\r\n{lines}\r\n".encode("latin-1"))
            assert (await asyncio.wait_for(reader.readline(), WAIT)).startswith(b"HTTP/1.1 4")
            writer.close()
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        assert await asyncio.wait_for(process.stderr.read(), PATIENCE) == b""


async def test_who_asks_is_named_by_the_token_before_what_it_calls_itself() -> None:
    token = Tokens().add("ci")
    shown = {**ACCEPT, "Authorization": f"Bearer {token}"}
    async with (
        real_gateway() as (_, host, port),
        httpx2.AsyncClient(headers=shown, timeout=PATIENCE) as client,
    ):
        request = modern_request("tools/call", {"name": "asking__one", "arguments": {}})
        call = asyncio.ensure_future(client.post(f"http://{host}:{port}/mcp", **request))
        identifier_of_it = await asyncio.wait_for(identifier(), PATIENCE)
        async with open_store(Settings(), "answerer") as store:
            (waiting,) = await store.waiting()
        assert waiting.id == identifier_of_it
        assert waiting.asker is not None
        assert waiting.asker.agent == "ci: raw"
        # Where it works is not where the gateway does.
        assert waiting.asker.directory is None
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)


def test_what_an_agent_calls_itself_is_bounded_and_can_be_kept() -> None:
    called = SimpleNamespace(name="\ud800" + "x" * 1_000_000, version="1")
    session = SimpleNamespace(
        client_params=SimpleNamespace(client_info=called), client_capabilities=None
    )
    name = agent_info(cast(Any, SimpleNamespace(session=session))).name
    assert name is not None
    assert len(name.encode()) < 1000
