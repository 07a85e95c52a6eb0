"""What a remote server sends reaches the SDK whole, but bounded, and without endless pauses."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

import anyio
import httpcore2
import httpx2
import pytest
from mcp.client import streamable_http
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from elicit_tui.errors import ServerError
from elicit_tui.host import http_guard
from elicit_tui.host.bounds import LONG
from elicit_tui.host.http import _LongMessages, read_long_messages
from elicit_tui.host.http_guard import (
    MEBIBYTE,
    MOST_BYTES,
    GuardedClient,
    Silence,
    _without_odd_pauses,
)

pytestmark = pytest.mark.anyio

STREAM = b'id: 1\nretry: -5\ndata: {"t":"please retry: -5"}\n\nretry: 50\ndata: retry\n\nretry: 1e9'
ENDS = (b"\n", b"\r\n", b"\r")


async def guarded(*chunks: bytes) -> bytes:
    async def sent() -> AsyncIterator[bytes]:
        for chunk in chunks:
            yield chunk

    return b"".join([chunk async for chunk in _without_odd_pauses(sent())])


@pytest.mark.parametrize("end", ENDS, ids=repr)
async def test_messages_are_whole_and_odd_pauses_gone_wherever_a_stream_is_cut(
    end: bytes,
) -> None:
    stream = STREAM.replace(b"\n", end)
    wanted = stream.replace(end + b"retry: -5", end + b": no pause")
    wanted = wanted.replace(b"retry: 1e9", b": no pause")
    for cut in range(len(stream) + 1):
        assert await guarded(stream[:cut], stream[cut:]) == wanted, stream[:cut]
    assert await guarded(*(stream[at : at + 1] for at in range(len(stream)))) == wanted


async def test_a_pause_with_digits_without_end_is_a_comment_to_its_end() -> None:
    assert b"retry" not in await guarded(b"retry: ", *[b"9" * 50] * 20, b"\ndata: x\n\n")


async def test_an_endless_answer_ends_though_messages_come_beside_it() -> None:
    told: list[str] = []
    silence = Silence(told.append)
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while True:
            sent += MEBIBYTE
            silence.broken()
            yield b" " * MEBIBYTE

    def answer(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, headers={"content-type": "application/json"}, content=endless())

    async with (
        GuardedClient(silence, transport=httpx2.MockTransport(answer)) as client,
        client.stream("POST", "http://127.0.0.1/mcp") as response,
    ):
        with pytest.raises(ServerError):
            await response.aread()
    assert told == ["sent more than 32 MiB in one answer"]
    assert sent == MOST_BYTES + MEBIBYTE


class AsksAgain(httpx2.Auth):
    """Answers each refusal with the same request, as a login does."""

    async def async_auth_flow(
        self, request: httpx2.Request
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        while (yield request).status_code == 401:
            pass


@pytest.mark.parametrize(("status", "auth"), [(200, None), (401, AsksAgain())])
async def test_an_endless_answer_ends_also_where_nobody_asked_for_its_stream(
    status: int, auth: httpx2.Auth | None
) -> None:
    told: list[str] = []
    silence = Silence(told.append)

    async def endless() -> AsyncIterator[bytes]:
        for _ in range(100):
            silence.broken()
            yield b" " * MEBIBYTE

    def answer(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(status, content=endless())

    async with GuardedClient(silence, auth=auth, transport=httpx2.MockTransport(answer)) as client:
        with pytest.raises(ServerError):
            await client.post("http://127.0.0.1/mcp")
    assert told == ["sent more than 32 MiB in one answer"]


class Reader:
    """The library's reader of messages, with how each came to it."""

    def __init__(self) -> None:
        self.read: list[tuple[str, Any]] = []

    def validate_json(self, data: Any, **options: Any) -> Any:
        self.read.append(("json", options))
        return data

    def validate_python(self, data: Any, **options: Any) -> Any:
        self.read.append(("python", options))
        return data


@pytest.mark.parametrize(
    ("value", "way"),
    [
        ('"x"', "json"),
        (f'"{"x" * LONG}"', "python"),
        (f'"{"x" * LONG}', "json"),
        (f'[NaN, "{"x" * LONG}"]', "json"),
        (f'[{"9" * 5000}, "{"x" * LONG}"]', "json"),
        ("[" * LONG + "[", "json"),
        (f'["\\ud83d\\ude00", "{"x" * LONG}"]', "python"),
        (f'["\\ud83d \\ude00", "{"x" * LONG}"]', "json"),
        (f'["{"x" * LONG}\\uDE00"]', "json"),
    ],
    ids="short, long, unended, no number, huge number, deep, pair, halves, half".split(", "),
)
async def test_a_long_message_is_read_quickly_and_one_with_a_fault_as_ever(
    value: str, way: str
) -> None:
    for data in (value, value.encode()):
        reader = Reader()
        read = _LongMessages(reader).validate_json(data, by_name=False)
        assert reader.read == [(way, {"by_name": False})]
        assert read == (json.loads(value) if way == "python" else data)
    half = _LongMessages(reader).validate_json(b"\xff" * (LONG + 1), by_name=False)
    assert half == b"\xff" * (LONG + 1)
    assert isinstance(vars(streamable_http)["jsonrpc_message_adapter"], _LongMessages)


def test_what_the_library_would_write_to_a_log_that_nobody_reads_is_not_spelled_out() -> None:
    for kind in (JSONRPCRequest, JSONRPCNotification, JSONRPCResponse, JSONRPCError):
        assert len(f"{kind.model_construct(result={'text': 'x' * 10_000})}") < 100


async def test_a_library_that_has_its_reader_elsewhere_keeps_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(streamable_http, "jsonrpc_message_adapter")
    read_long_messages()
    assert not hasattr(streamable_http, "jsonrpc_message_adapter")


async def asked(
    response: httpx2.Response, method: str = "POST", sse: str | None = None
) -> tuple[httpx2.Response | None, list[str]]:
    """What came of one request that is answered so, and what the connection ended with."""
    told: list[str] = []
    transport = httpx2.MockTransport(lambda request: response)
    async with GuardedClient(Silence(told.append), sse=sse, transport=transport) as client:
        try:
            async with client.stream(method, "http://a.example/mcp") as found:
                await found.aread()
        except ServerError:
            assert response.is_closed
            return None, told
    return found, told


@pytest.mark.parametrize(
    ("name", "value", "ends"),
    [
        ("content-encoding", "gzip", "a compression that it was not asked for"),
        ("content-encoding", " Identity ", None),
        ("content-encoding", "", None),
        ("mcp-session-id", "a b", "an id that the protocol does not allow"),
        ("mcp-session-id", "x" * 1025, "an id that the protocol does not allow"),
        ("mcp-session-id", "x" * 1024, None),
        ("mcp-session-id", "!~", None),
    ],
)
async def test_a_head_that_breaks_a_bound_ends_the_connection_before_its_body_is_read(
    name: str, value: str, ends: str | None
) -> None:
    content = b"x" if ends is None else _never()
    _, told = await asked(httpx2.Response(200, headers={name: value}, content=content))
    assert (told == []) if ends is None else (ends in told[0])


async def coming(body: bytes) -> AsyncIterator[bytes]:
    yield body


async def _never() -> AsyncIterator[bytes]:
    raise AssertionError("read")
    yield b""


EVENTS = {"content-type": "Text/Event-Stream; charset=utf-8"}
SSE = "http://a.example/sse"


@pytest.mark.parametrize(
    ("said", "ends"),
    [
        (b"event: endpoint\ndata: /messages\n\n", None),
        (b": hi\n\nevent: other\ndata: x\n\nevent:endpoint\r\ndata:/m\r\n\r\n", None),
        (b"event: endpoint\ndata: http://a.example/m\n\n" + b"x" * 20_000, None),
        (b"event: endpoint\ndata: https://a.example/m\n\n", "wants its messages at another place"),
        (b"event: endpoint\ndata: //u:p@b.example/m\n\n", "at another place, which is not done: "),
        (b"event: endpoint\ndata: http://[\n\n", "gives an address for its messages that is none"),
        (b"x" * 20_000, "does not say where its messages go"),
        (b"event: other\ndata: endpoint\n" + b"x" * 20_000, "does not say where"),
    ],
)
async def test_an_sse_server_says_first_where_its_messages_go_and_that_is_at_its_own_origin(
    said: bytes, ends: str | None
) -> None:
    async def cut() -> AsyncIterator[bytes]:
        for at in range(0, len(said), 7):
            yield said[at : at + 7]

    found, told = await asked(httpx2.Response(200, headers=EVENTS, content=cut()), "GET", SSE)
    assert (told == []) if ends is None else (ends in told[0])
    assert "u:p" not in "".join(told)
    if found is not None:
        assert found.content == said
    # Only the stream that it opens first is looked at.
    assert (await asked(httpx2.Response(200, headers=EVENTS, content=cut()), "POST", SSE))[1] == []


async def test_a_long_page_that_refuses_a_stream_is_answered_by_a_login() -> None:
    statuses, told = iter((401, 200)), list[str]()

    async def page() -> AsyncIterator[bytes]:
        yield b"<p>" * 20_000

    def answer(request: httpx2.Request) -> httpx2.Response:
        if (status := next(statuses)) == 401:
            return httpx2.Response(status, content=page())
        return httpx2.Response(status, headers=EVENTS, content=b"event: endpoint\ndata: /m\n\n")

    transport = httpx2.MockTransport(answer)
    async with GuardedClient(
        Silence(told.append), sse=SSE, auth=AsksAgain(), transport=transport
    ) as client:
        assert (await client.get(SSE)).status_code == 200
    assert told == []


async def test_odd_pauses_are_left_alone_where_no_events_are_sent() -> None:
    body = b"retry: -5\n"
    for headers, wanted in ((EVENTS, b": no pause\n"), ({"content-type": "text/plain"}, body)):
        found, _ = await asked(httpx2.Response(200, headers=headers, content=coming(body)))
        assert found is not None
        assert found.content == wanted


async def test_what_comes_without_a_message_is_bounded_and_each_message_begins_anew() -> None:
    told: list[str] = []
    silence = Silence(told.append)
    for _ in range(2):
        silence.add(MOST_BYTES)
        silence.broken()
    silence.add(MOST_BYTES)
    assert told == []
    with pytest.raises(ServerError, match="wrote 32 MiB without a whole message in them"):
        silence.add(1)
    assert len(told) == 1


async def test_events_may_be_more_than_an_answer_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_guard, "MOST_BYTES", 10)
    _, told = await asked(httpx2.Response(200, headers=EVENTS, content=coming(b"x" * 11)))
    assert told == []
    _, told = await asked(httpx2.Response(200, content=coming(b"x" * 10)))
    assert told == []
    _, told = await asked(httpx2.Response(200, content=coming(b"x" * 11)))
    assert len(told) == 1


async def test_nobody_waits_long_for_the_end_of_a_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_guard, "FAREWELL_SECONDS", 0.01)
    found, told = await asked(httpx2.Response(404, content=b"x" * 9), "DELETE")
    assert found is not None
    assert (found.status_code, found.content, told) == (404, b"", [])

    async def silent(request: httpx2.Request) -> httpx2.Response:
        await anyio.sleep(60)
        return httpx2.Response(200)

    async with GuardedClient(
        Silence(told.append), transport=httpx2.MockTransport(silent)
    ) as client:
        assert (await client.delete("http://a.example/mcp")).status_code == 204


async def test_streams_that_end_at_once_are_opened_ever_more_slowly(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr(http_guard.anyio, "sleep", sleep)
    transport = httpx2.MockTransport(lambda request: httpx2.Response(200))
    async with GuardedClient(Silence(print), transport=transport) as client:
        for _ in range(http_guard.FREE_STREAMS):
            await client.get("http://a.example/mcp")
        for _ in range(20):
            await client.post("http://a.example/mcp")
        assert pauses == []
        for _ in range(2):
            await client.get("http://a.example/mcp")
    assert len(pauses) == 2
    assert all(0.0 < pause <= http_guard.STREAM_PAUSE_SECONDS for pause in pauses)


class Bytes(httpcore2.AsyncNetworkStream):
    """A connection on which five bytes come, for ever."""

    async def read(self, *details: object, **more: object) -> bytes:
        return b"12345"

    async def start_tls(self, *details: object, **more: object) -> httpcore2.AsyncNetworkStream:
        return self


async def test_every_byte_of_a_connection_counts_inside_of_tls_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http_guard, "MOST_BYTES", 12)

    class Network(httpcore2.AsyncNetworkBackend):
        async def connect_tcp(self, *words: object, **more: object) -> httpcore2.AsyncNetworkStream:
            return Bytes()

        async def connect_unix_socket(
            self, *words: object, **more: object
        ) -> httpcore2.AsyncNetworkStream:
            return Bytes()

    for tls in (False, True):
        for unix in (False, True):
            network = http_guard._CountedNetwork(Network(), Silence(lambda what: None))
            if unix:
                stream = await network.connect_unix_socket("s")
            else:
                stream = await network.connect_tcp("a", 1)
            if tls:
                stream = await stream.start_tls()  # type: ignore[call-arg]
            await stream.read(9)
            await stream.read(9)
            with pytest.raises(ServerError):
                await stream.read(9)
