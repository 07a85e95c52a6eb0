"""Many agents over HTTP: sessions kept apart, and nobody let in without a token."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest
from mcp import Client

from elicit_tui.elicitation.settings import GatewaySettings, Settings
from elicit_tui.errors import UsageError
from elicit_tui.gateway.http import BODY_SECONDS, listening_address
from elicit_tui.gateway.opening import open_session
from elicit_tui.gateway.session import Session
from elicit_tui.gateway.telling import NOT_KNOWN, PAUSED_META_KEY
from elicit_tui.gateway.tokens import Tokens
from tests.gateway.world import (
    ERAS,
    HANDSHAKE,
    WAIT,
    MovedClock,
    PersonElsewhere,
    asking,
    http_agent,
    listening,
    text_of,
    until,
)

pytestmark = pytest.mark.anyio

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": HANDSHAKE,
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "1"},
    },
}
ACCEPT = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


@dataclass
class Gateway:
    url: str
    tokens: Tokens
    clock: MovedClock
    people: list[PersonElsewhere]
    sessions: list[Session]

    @property
    def open_questions(self) -> int:
        return sum(len(person.open) for person in self.people)

    @asynccontextmanager
    async def agent(self, token: str, era: str) -> AsyncIterator[Client]:
        mode = "legacy" if era == HANDSHAKE else era
        async with Client(http_agent(self.url, token), mode=mode, cache=None) as client:
            yield client

    def raw(self, token: str | None = None, **headers: str) -> httpx2.AsyncClient:
        shown = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx2.AsyncClient(headers={**ACCEPT, **shown, **headers}, timeout=WAIT)


@pytest.fixture
async def gateway() -> AsyncIterator[Gateway]:
    async with many_agents() as here:
        yield here


@asynccontextmanager
async def many_agents(idle_seconds: float = 0) -> AsyncIterator[Gateway]:
    clock = MovedClock()
    people: list[PersonElsewhere] = []
    sessions: list[Session] = []
    owner = Settings(
        servers={"asking": asking()}, gateway=GatewaySettings(ask_via="console", hold_sec=10)
    )

    @asynccontextmanager
    async def open_one() -> AsyncIterator[Session]:
        people.append(PersonElsewhere())
        async with open_session(owner, ["asking"], people[-1], clock=clock) as session:
            sessions.append(session)
            yield session
            sessions.remove(session)

    async with listening(open_one, clock, idle_seconds) as (url, tokens):
        yield Gateway(url, tokens, clock, people, sessions)


async def paused(here: Gateway, client: Client) -> str:
    """A call of this agent that waits for a person; its id."""
    before = here.open_questions
    call = asyncio.ensure_future(client.call_tool("asking__one", {}))
    await until(lambda: here.open_questions > before)
    await here.clock.move(11)
    result = await asyncio.wait_for(call, WAIT)
    assert result.meta is not None
    return str(result.meta[PAUSED_META_KEY]["id"])


# Sessions kept apart


@pytest.mark.parametrize("era", ERAS)
async def test_two_tokens_know_nothing_of_each_others_calls(gateway: Gateway, era: str) -> None:
    one, two = gateway.tokens.add("one"), gateway.tokens.add("two")
    async with gateway.agent(one, era) as first, gateway.agent(two, era) as second:
        identifier = await paused(gateway, first)
        foreign = await second.call_tool("elicit_resume", {"id": identifier})
        assert text_of(foreign) == NOT_KNOWN
        # The same call of another session is no joining: it asks anew, its own person.
        await paused(gateway, second)
        assert [len(person.asked) for person in gateway.people] == [1, 1]
        (first_person, _) = gateway.people
        first_person.sends(first_person.asked[0], {"value": "of the first"})
        result = await first.call_tool("elicit_resume", {"id": identifier})
        assert "of the first" in text_of(result)


async def test_in_the_handshake_era_two_sessions_of_one_token_are_two(gateway: Gateway) -> None:
    token = gateway.tokens.add("agent")
    async with gateway.agent(token, HANDSHAKE) as first, gateway.agent(token, HANDSHAKE) as second:
        identifier = await paused(gateway, first)
        assert text_of(await second.call_tool("elicit_resume", {"id": identifier})) == NOT_KNOWN


async def test_in_the_modern_era_a_token_finds_its_session_again(gateway: Gateway) -> None:
    token = gateway.tokens.add("agent")
    async with gateway.agent(token, "2026-07-28") as first:
        identifier = await paused(gateway, first)
    async with gateway.agent(token, "2026-07-28") as second:
        person = gateway.people[0]
        person.sends(person.asked[0], {"value": "still here"})
        assert "still here" in text_of(await second.call_tool("elicit_resume", {"id": identifier}))


async def test_another_tokens_session_id_opens_nothing(gateway: Gateway) -> None:
    one, two = gateway.tokens.add("one"), gateway.tokens.add("two")
    async with gateway.raw(one) as mine, gateway.raw(two) as theirs:
        opened = await mine.post(gateway.url, json=INITIALIZE)
        headers = {"mcp-session-id": opened.headers["mcp-session-id"]}
        listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
        refused = await theirs.post(gateway.url, json=listing, headers=headers)
        assert refused.status_code == 404


# Their life


@pytest.mark.parametrize("era", ERAS)
async def test_a_session_that_was_silent_for_hours_is_resumed(gateway: Gateway, era: str) -> None:
    token = gateway.tokens.add("agent")
    async with gateway.agent(token, era) as client:
        identifier = await paused(gateway, client)
        await gateway.clock.move(4 * 3600)
        person = gateway.people[0]
        person.sends(person.asked[0], {"value": "after hours"})
        assert "after hours" in text_of(await client.call_tool("elicit_resume", {"id": identifier}))


async def test_a_session_ends_when_it_was_idle_for_too_long() -> None:
    async with many_agents(idle_seconds=3600) as here:
        token = here.tokens.add("agent")
        async with here.raw(token) as client:
            opened = await client.post(here.url, json=INITIALIZE)
            headers = {"mcp-session-id": opened.headers["mcp-session-id"]}
            told = {"jsonrpc": "2.0", "method": "notifications/initialized"}
            await client.post(here.url, json=told, headers=headers)
            await until(lambda: len(here.sessions) == 1)
            await here.clock.move(3700)
            await until(lambda: not here.sessions)
            listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
            gone = await client.post(here.url, json=listing, headers=headers)
            assert gone.status_code == 404


@pytest.mark.parametrize("era", ERAS)
async def test_a_client_that_ends_its_session_has_its_questions_withdrawn(
    gateway: Gateway, era: str
) -> None:
    token = gateway.tokens.add("agent")
    async with gateway.agent(token, era) as client:
        await paused(gateway, client)
        if era != HANDSHAKE:
            gateway.tokens.revoke("agent")
            await gateway.clock.move(3)
    await until(lambda: len(gateway.people[0].withdrawn) == 1)


async def test_a_revoked_token_ends_its_sessions_and_opens_none(gateway: Gateway) -> None:
    token = gateway.tokens.add("agent")
    async with gateway.agent(token, HANDSHAKE) as client:
        await client.list_tools()
        gateway.tokens.revoke("agent")
        await gateway.clock.move(3)
        await until(lambda: not gateway.sessions)
        async with gateway.raw(token) as again:
            assert (await again.post(gateway.url, json=INITIALIZE)).status_code == 401


@pytest.mark.parametrize("era", ERAS)
async def test_a_client_that_hangs_up_has_left(gateway: Gateway, era: str) -> None:
    token = gateway.tokens.add("agent")
    async with gateway.agent(token, era) as client:
        call = asyncio.ensure_future(client.call_tool("asking__one", {}))
        await until(lambda: any(person.open for person in gateway.people))
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        person = gateway.people[0]
        await until(lambda: bool(person.left))
        assert person.left == [(person.asked[0].id, True)]
        await gateway.clock.move(31)
        await until(lambda: len(person.withdrawn) == 1)


# Attacks


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": "Basic YTpi"},
        {"Authorization": "Bearer"},
    ],
    ids=["none", "wrong", "another scheme", "empty"],
)
async def test_nobody_is_let_in_without_a_token(gateway: Gateway, headers: dict[str, str]) -> None:
    gateway.tokens.add("agent")
    async with gateway.raw(**headers) as client:
        for method in ("POST", "GET", "DELETE", "OPTIONS"):
            answer = await client.request(method, gateway.url, json=INITIALIZE)
            assert answer.status_code == 401
            assert "www-authenticate" not in answer.headers
    assert gateway.sessions == []


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example:80"}, 421),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
    ],
    ids=lambda value: str(value),
)
async def test_a_web_page_of_elsewhere_is_refused_even_with_a_token(
    gateway: Gateway, headers: dict[str, str], status: int
) -> None:
    async with gateway.raw(gateway.tokens.add("agent"), **headers) as client:
        assert (await client.post(gateway.url, json=INITIALIZE)).status_code == status


async def test_a_body_of_ten_megabytes_is_refused(gateway: Gateway) -> None:
    huge = {**INITIALIZE, "padding": "x" * 10_000_000}
    async with gateway.raw(gateway.tokens.add("agent")) as client:
        assert (await client.post(gateway.url, json=huge)).status_code == 413


async def test_a_body_that_does_not_come_is_not_waited_for(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert BODY_SECONDS <= 30
    monkeypatch.setattr("elicit_tui.gateway.http.BODY_SECONDS", 0.2)
    token = gateway.tokens.add("agent")
    host, port = gateway.url.removeprefix("http://").removesuffix("/mcp").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: Bearer {token}\r\n"
        "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
        "Content-Length: 1000\r\n\r\n{"
    )
    writer.write(head.encode())
    await asyncio.wait_for(reader.read(), WAIT)
    writer.close()


async def test_five_hundred_connections_do_not_keep_it_from_answering(gateway: Gateway) -> None:
    token = gateway.tokens.add("agent")
    host, port = gateway.url.removeprefix("http://").removesuffix("/mcp").split(":")
    connections = [await asyncio.open_connection(host, int(port)) for _ in range(500)]
    for _, writer in connections:
        writer.close()
    async with gateway.raw(token) as client:

        async def opens() -> bool:
            return (await client.post(gateway.url, json=INITIALIZE)).status_code == 200

        for _ in range(50):
            if await opens():
                return
            await asyncio.sleep(0.1)
    pytest.fail("it never answered again")


@pytest.mark.parametrize("address", ["0.0.0.0:80", "192.168.0.1:80", "[::]:80", "example.com:80"])
def test_it_listens_on_loopback_only(address: str) -> None:
    with pytest.raises(UsageError, match="loopback"):
        listening_address(address)


@pytest.mark.parametrize("address", ["", "127.0.0.1", "127.0.0.1:", "127.0.0.1:99999", ":1x"])
def test_an_address_needs_a_port(address: str) -> None:
    with pytest.raises(UsageError, match="HOST:PORT"):
        listening_address(address)


# Tokens


def test_of_a_token_only_its_digest_is_kept(sealed_machine: Any) -> None:
    token = Tokens().add("agent")
    kept = [path for path in sealed_machine.rglob("*.json") if path.is_file()]
    assert len(kept) == 1
    assert token not in kept[0].read_text()
    assert kept[0].stat().st_mode & 0o777 == 0o600
    assert kept[0].parent.stat().st_mode & 0o777 == 0o700
    assert Tokens().name_of(token) == "agent"


@pytest.mark.parametrize("name", ["", "../x", "a/b", "a b", ".hidden", "x" * 65, "é"])
def test_a_tokens_name_is_no_path(name: str) -> None:
    with pytest.raises(UsageError):
        Tokens().add(name)


def test_a_name_is_given_once_and_known_no_more_after_it_was_revoked() -> None:
    tokens = Tokens()
    token = tokens.add("agent")
    with pytest.raises(UsageError, match="already"):
        tokens.add("agent")
    tokens.revoke("agent")
    assert tokens.name_of(token) is None
    with pytest.raises(UsageError, match="no token"):
        tokens.revoke("agent")
