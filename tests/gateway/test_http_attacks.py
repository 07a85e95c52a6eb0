"""The gateway over HTTP attacked: whoever has no token, and whoever has one, gets a bound."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil
import pytest

from elicit_tui.elicitation.settings import ServerSettings
from elicit_tui.errors import UsageError
from elicit_tui.gateway import connections
from elicit_tui.gateway.http import (
    BODY_SECONDS,
    HttpOptions,
    listening_address,
    public_host,
    serve_http,
)
from elicit_tui.gateway.tokens import Tokens
from tests.gateway.http_world import ACCEPT, INITIALIZE, Gateway, many_agents
from tests.gateway.world import (
    ERAS,
    HANDSHAKE,
    WAIT,
    asking,
    settled,
    text_of,
    until,
)

pytestmark = pytest.mark.anyio


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


PUBLIC = (
    ({"Host": "gateway.example"}, 200),
    ({"Host": "gateway.example", "Origin": "https://gateway.example"}, 200),
    ({"Host": "other.example:8443", "Origin": "https://other.example:8443"}, 200),
    ({}, 200),
    ({"Host": "gateway.example", "Origin": "http://gateway.example"}, 403),
    ({"Host": "gateway.example", "Origin": "https://evil.example"}, 403),
    ({"Host": "gateway.example:8443"}, 421),
    ({"Host": "gateway.example.evil.example"}, 421),
    ({"Host": "other.example"}, 421),
)
"""Headers, and how a gateway answers that is public under these two names."""


async def test_behind_a_proxy_it_answers_to_the_names_that_were_given_and_to_no_other() -> None:
    async with many_agents(public_hosts=["gateway.example", "other.example:8443"]) as gateway:
        token = gateway.tokens.add("agent")
        for headers, status in PUBLIC:
            for shown, answered in ((token, status), (None, 401)):
                async with gateway.raw(shown, **headers) as client:
                    answer = await client.post(gateway.url, json=INITIALIZE)
                assert answer.status_code == answered, headers


@pytest.mark.parametrize("name", ["", "https://gateway.example", "a/b", "*", "a b", "x:port", "-"])
def test_a_public_host_is_a_name(name: str) -> None:
    with pytest.raises(UsageError, match="--public-host takes a name"):
        public_host(name)


def test_a_public_host_is_the_same_in_capitals() -> None:
    assert public_host("Gateway.Example:8443") == "gateway.example:8443"


@pytest.mark.parametrize("length", ["told", "not told"])
async def test_a_body_of_ten_megabytes_is_refused(gateway: Gateway, length: str) -> None:
    huge = json.dumps({**INITIALIZE, "padding": "x" * 10_000_000}).encode()

    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(huge), 65536):
            yield huge[start : start + 65536]

    async with gateway.raw(gateway.tokens.add("agent")) as client:
        body = huge if length == "told" else pieces()
        assert (await client.post(gateway.url, content=body)).status_code == 413


async def test_a_body_that_does_not_come_is_not_waited_for(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert BODY_SECONDS <= 30
    monkeypatch.setattr("elicit_tui.gateway.http.BODY_SECONDS", 0.2)
    token = gateway.tokens.add("agent")
    host, port = gateway.address
    reader, writer = await asyncio.open_connection(host, port)
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: Bearer {token}\r\n"
        "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
        "Content-Length: 1000\r\n\r\n{"
    )
    writer.write(head.encode())
    answer = await asyncio.wait_for(reader.readline(), WAIT)
    assert answer == b"HTTP/1.1 500 Internal Server Error\r\n"
    writer.close()


@pytest.mark.parametrize("name", ["Origin", "Authorization", "Mcp-Session-Id"])
async def test_a_header_that_stands_twice_is_refused_whatever_its_first_value_is(
    gateway: Gateway, name: str
) -> None:
    token = gateway.tokens.add("agent")
    host, port = gateway.address
    twice = {"Origin": f"http://{host}:{port}", "Authorization": f"Bearer {token}"}.get(name, "x")
    headers = [("Authorization", f"Bearer {token}"), (name, twice), (name, "https://evil.example")]
    async with gateway.raw(None) as client:
        answer = await client.post(
            gateway.url, json=INITIALIZE, headers=headers[name == "Authorization" :]
        )
    assert (answer.status_code, answer.text) == (400, "A header stands twice.")


async def test_behind_a_body_of_two_lengths_no_other_request_is_read(gateway: Gateway) -> None:
    token = gateway.tokens.add("agent")
    host, port = gateway.address
    reader, writer = await asyncio.open_connection(host, port)
    head = f"Host: {host}:{port}\r\nAuthorization: Bearer {token}\r\n"
    writer.write(
        f"POST /mcp HTTP/1.1\r\n{head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
        f"0\r\n\r\nGET /mcp HTTP/1.1\r\n{head}\r\n".encode()
    )
    answered = await asyncio.wait_for(reader.read(), WAIT)
    assert answered.startswith(b"HTTP/1.1 400 ")
    assert answered.count(b"HTTP/1.1") == 1
    writer.close()


async def test_five_hundred_silent_connections_are_bounded_and_closed(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "REQUEST_SECONDS", 2)
    listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    async with gateway.raw(gateway.tokens.add("agent")) as client:
        opened = await client.post(gateway.url, json=INITIALIZE)
        headers = {"mcp-session-id": opened.headers["mcp-session-id"]}
        silent = [await asyncio.open_connection(*gateway.address) for _ in range(500)]
        crowded_out = silent[: len(silent) - connections.MOST_CONNECTIONS]
        for reader, _ in crowded_out:
            assert await asyncio.wait_for(reader.read(), WAIT) == b""
        # Who is connected is answered as ever, and who is not may come once the silent have gone.
        answer = await client.post(gateway.url, json=listing, headers=headers)
        assert answer.status_code == 200
        for reader, writer in silent:
            assert await asyncio.wait_for(reader.read(), WAIT) == b""
            writer.close()
        async with gateway.raw(gateway.tokens.add("another")) as late:
            assert (await late.post(gateway.url, json=INITIALIZE)).status_code == 200


async def test_a_request_that_comes_a_byte_at_a_time_is_not_waited_for(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "REQUEST_SECONDS", 0.3)
    reader, writer = await asyncio.open_connection(*gateway.address)
    closed = asyncio.ensure_future(reader.read())
    end = asyncio.get_running_loop().time() + WAIT
    writer.write(b"POST /mcp HTTP/1.1\r\n")
    while not closed.done():
        assert asyncio.get_running_loop().time() < end
        writer.write(b"x")
        await asyncio.wait([closed], timeout=0.05)
    writer.close()


async def test_an_event_stream_that_is_never_read_costs_little_and_holds_up_nobody(
    gateway: Gateway,
) -> None:
    token = gateway.tokens.add("deaf")
    async with gateway.raw(token) as client:
        opened = await client.post(gateway.url, json=INITIALIZE)
        headers = {"mcp-session-id": opened.headers["mcp-session-id"]}
        told = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        await client.post(gateway.url, json=told, headers=headers)
        lines = {**ACCEPT, **headers, "Authorization": f"Bearer {token}"}
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        reader, writer = await asyncio.open_connection(*gateway.address)
        host, port = gateway.address
        writer.write(f"GET /mcp HTTP/1.1\r\nHost: {host}:{port}\r\n{head}\r\n".encode())
        begun = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), WAIT)
        assert begun.startswith(b"HTTP/1.1 200")
        await until(lambda: bool(gateway.sessions))
        (session,) = gateway.sessions
        listens = asyncio.ensure_future(reader.readuntil(b"begun"))

        def heard() -> bool:
            session.audience.log("error", None, "begun")
            return listens.done()

        await until(heard)
        assert await listens
        before = psutil.Process().memory_info().rss
        for number in range(3000):
            session.audience.log("error", None, f"{number:06}" * 16_000)
            if number % 100 == 0:
                await settled()
        grown = psutil.Process().memory_info().rss - before
        assert grown < 120 * 1024 * 1024  # of 288 MB that were told
        async with gateway.agent(gateway.tokens.add("another"), HANDSHAKE) as other:
            assert (await other.list_tools()).tools
        writer.close()


async def test_the_clients_token_reaches_no_server() -> None:
    seen = bytearray()
    async with AsyncExitStack() as stack:
        relay = await stack.enter_async_context(recording_relay(asking().url or "", seen))
        here = await stack.enter_async_context(many_agents(ServerSettings("asking", url=relay)))
        token = here.tokens.add("agent")
        for era in ERAS:
            agent = await stack.enter_async_context(here.agent(token, era))
            assert text_of(await agent.call_tool("asking__plain", {}))
    assert seen.count(b"tools/call") >= len(ERAS)
    assert token.encode() not in seen
    assert b"authorization" not in bytes(seen).lower()


@asynccontextmanager
async def recording_relay(url: str, seen: bytearray) -> AsyncIterator[str]:
    """A way to a server on which everything that goes there is written down."""
    host, port = urlsplit(url).hostname, urlsplit(url).port

    open_ones: list[asyncio.StreamWriter] = []

    async def copied(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter, kept: bytearray
    ) -> None:
        open_ones.append(writer)
        with suppress(ConnectionError):
            while chunk := await reader.read(65536):
                kept.extend(chunk)
                writer.write(chunk)
        writer.close()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        back, forth = await asyncio.open_connection(host, port)
        await asyncio.gather(copied(reader, forth, seen), copied(back, writer, bytearray()))

    async with await asyncio.start_server(connected, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp"
        for writer in open_ones:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()


@pytest.mark.parametrize("address", ["0.0.0.0:80", "192.168.0.1:80", "[::]:80", "example.com:80"])
def test_it_listens_on_loopback_only(address: str) -> None:
    with pytest.raises(UsageError, match="loopback"):
        listening_address(address)


@pytest.mark.parametrize(
    ("address", "read"),
    [
        ("127.0.0.1:8765", ("127.0.0.1", 8765)),
        ("localhost:0", ("localhost", 0)),
        ("[::1]:65535", ("::1", 65535)),
    ],
)
def test_loopback_is_an_address_by_any_of_its_names(address: str, read: tuple[str, int]) -> None:
    assert listening_address(address) == read


@pytest.mark.parametrize(
    "address", ["", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", ":1x", "127.0.0.1:²"]
)
def test_an_address_needs_a_port(address: str) -> None:
    with pytest.raises(UsageError, match="HOST:PORT"):
        listening_address(address)


async def test_an_address_that_is_taken_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = taken.getsockname()
        options = HttpOptions(idle_seconds=1.0, instructions=None)
        nobody: Any = None
        with pytest.raises(UsageError, match=f"127.0.0.1:{address[1]} cannot be listened on"):
            await serve_http(nobody, address, Tokens(tmp_path), options)
