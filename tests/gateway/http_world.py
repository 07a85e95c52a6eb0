"""A gateway over HTTP in this process, and many agents with tokens of their own on it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
from mcp import Client

from elicit_tui.elicitation.settings import GatewaySettings, ServerSettings, Settings
from elicit_tui.gateway.agent_session import AgentSession
from elicit_tui.gateway.opening import SessionOptions, open_session
from elicit_tui.gateway.shared_calls import SharedCalls, owner_of
from elicit_tui.gateway.tokens import Tokens
from elicit_tui.store.store import Store, Token
from tests.gateway.world import (
    HANDSHAKE,
    MODERN,
    WAIT,
    MovedClock,
    PersonAtOtherTerminal,
    asking,
    http_agent,
    listening,
)

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
MODERN_META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
ACCEPT = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


def modern_request(
    method: str, params: Mapping[str, Any] | None = None, headers: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Body and headers of a request of the modern era."""
    name = (params or {}).get("name") or (params or {}).get("uri")
    named = {} if name is None else {"Mcp-Name": name}
    version = {"MCP-Protocol-Version": MODERN, "Mcp-Method": method}
    body = {
        "jsonrpc": "2.0",
        "id": 7,
        "method": method,
        "params": {**(params or {}), "_meta": MODERN_META},
    }
    return {"content": json.dumps(body), "headers": {**version, **named, **(headers or {})}}


def answer_in(response: httpx2.Response) -> dict[str, Any]:
    """The answer, whether it came as JSON or as the last event of a stream."""
    text = response.text
    if not text.startswith("{"):
        text = [line[5:] for line in text.splitlines() if line.startswith("data:")][-1]
    return json.loads(text)  # type: ignore[no-any-return]


@dataclass
class Gateway:
    url: str
    tokens: Tokens
    clock: MovedClock
    people: list[PersonAtOtherTerminal]
    sessions: list[AgentSession]

    @property
    def address(self) -> tuple[str, int]:
        host, port = self.url.removeprefix("http://").removesuffix("/mcp").split(":")
        return host, int(port)

    @property
    def open_questions(self) -> int:
        return sum(len(person.open) for person in self.people)

    @asynccontextmanager
    async def agent(self, token: str, era: str) -> AsyncIterator[Client]:
        mode = "legacy" if era == HANDSHAKE else era
        async with Client(http_agent(self.url, token), mode=mode, cache=None) as client:
            yield client

    async def begin(self, client: httpx2.AsyncClient) -> dict[str, str]:
        """The headers of a new session of the handshake era, which is open."""
        opened = await client.post(self.url, json=INITIALIZE)
        headers = {"mcp-session-id": opened.headers["mcp-session-id"]}
        told = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        await client.post(self.url, json=told, headers=headers)
        return headers

    async def modern(
        self,
        client: httpx2.AsyncClient,
        method: str,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx2.Response:
        """One request of the modern era, as bytes that a client of any kind could send."""
        return await client.post(self.url, **modern_request(method, params, headers))

    def raw(self, token: str | None = None, **headers: str) -> httpx2.AsyncClient:
        shown = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx2.AsyncClient(headers={**ACCEPT, **shown, **headers}, timeout=WAIT)


@asynccontextmanager
async def many_agents(
    server: ServerSettings | None = None,
    idle_seconds: float = 0,
    *,
    store: Store | None = None,
    clock: MovedClock | None = None,
    public_hosts: Sequence[str] = (),
) -> AsyncIterator[Gateway]:
    """`store`: through which other gateways know of these agents' calls."""
    clock = clock or MovedClock()
    people: list[PersonAtOtherTerminal] = []
    sessions: list[AgentSession] = []
    server = server or asking()
    owner = Settings(
        servers={server.name: server}, gateway=GatewaySettings(ask_via="console", hold_sec=10)
    )

    @asynccontextmanager
    async def open_one(token: Token, key: str) -> AsyncIterator[AgentSession]:
        people.append(PersonAtOtherTerminal())
        shared = None
        if store is not None:
            name = owner_of(token.sha256)
            shared = SharedCalls(store.calls, name, private=bool(key), clock=clock)
        opened = open_session(
            owner, [server.name], people[-1], SessionOptions(clock=clock, shared=shared)
        )
        async with opened as session:
            sessions.append(session)
            yield session
            sessions.remove(session)

    async with listening(open_one, clock, idle_seconds, public_hosts) as (url, tokens):
        yield Gateway(url, tokens, clock, people, sessions)
