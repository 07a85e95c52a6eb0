"""Bounds what a remote server can do to us below the SDK, which trusts it with all of that.

What breaks a bound ends the connection, with one sentence: such a server could not be told from
one that floods us. Bounds stand at three heights, each for what the others do not see:

    the SDK's transport       reads messages, and trusts whatever leads to one
    GuardedClient             the head of each answer; how often a stream is opened
    _Bounded, _Greeting       the body: its size, where an SSE server wants its messages, pauses
    _CountedStream            every byte of a connection, also of what frames a body

The lowest one counts in `Silence`, which each whole message breaks (`http._IncomingMessages`): an
event stream has no end and may be any length, but not without a message in it. A body that is no
stream has a bound of its own, as messages on another stream would break its silence too.
"""

from __future__ import annotations

import re
import time
from collections.abc import AsyncIterator, Callable
from typing import Any, Final, NoReturn
from urllib.parse import urljoin, urlsplit

import anyio
import httpcore2
import httpx2

from elicit_tui.errors import ServerError
from elicit_tui.text import neutral_line

MEBIBYTE: Final = 1024 * 1024
MOST_BYTES: Final = 32 * MEBIBYTE
"""That may come without a whole message in them: the size of the largest message."""

FAREWELL_SECONDS: Final = 2.0
FREE_STREAMS: Final = 5
"""Streams that may be opened again at once; then there is a pause before each."""

STREAM_PAUSE_SECONDS: Final = 1.0

MOST_GREETING: Final = 16 * 1024
"""Of an SSE stream, in which it must say where its messages go."""

_SESSION: Final = "mcp-session-id"
# Matches what is wrong: a character that is not visible, or the 1,025th one.
_NO_SESSION: Final = re.compile(r"[^!-~]|.{1025}")
"""Visible ASCII only, as the spec has it, and no more than can be repeated with every request."""

_NAME: Final = b"retry"
_LONGEST_RETRY: Final = 64
# At the beginning of a line, where no other character stands before it: `retry`, unless one to
# eight digits follow to the end of the line. All of that line is matched.
_RETRY: Final = re.compile(rb"(?<![^\r\n])retry(?!: ?\d{1,8}[ \t]*(?:[\r\n]|\Z))[^\r\n]*")
"""A pause that the SDK could not wait for: negative, endless, no number."""
_BLANK_LINE: Final = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_REST_OF_LINE: Final = re.compile(rb"[^\r\n]*")


class Silence:
    """How much came since the last whole message of a connection."""

    def __init__(self, flooded: Callable[[str], None]) -> None:
        self._flooded = flooded
        self._bytes = 0

    def broken(self) -> None:
        """A message came."""
        self._bytes = 0

    def add(self, size: int) -> None:
        """Raises ServerError when it has been too much."""
        self._bytes += size
        if self._bytes > MOST_BYTES:
            self.end(f"wrote {MOST_BYTES // MEBIBYTE} MiB without a whole message in them")

    def end(self, what: str) -> NoReturn:
        """The server has done what ends its connection. Raises ServerError."""
        self._flooded(what)
        raise ServerError(f"The server {what}.")


class _CountedStream(httpcore2.AsyncNetworkStream):
    """A connection whose every byte counts: what frames a body can be longer than the body."""

    def __init__(self, inner: httpcore2.AsyncNetworkStream, silence: Silence) -> None:
        self._inner = inner
        self._silence = silence

    async def read(self, *details: Any, **more: Any) -> bytes:
        data = await self._inner.read(*details, **more)
        self._silence.add(len(data))
        return data

    async def write(self, *details: Any, **more: Any) -> None:
        await self._inner.write(*details, **more)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def start_tls(self, *details: Any, **more: Any) -> httpcore2.AsyncNetworkStream:
        # From here on the bytes inside TLS count, which are fewer.
        return _CountedStream(await self._inner.start_tls(*details, **more), self._silence)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class _CountedNetwork(httpcore2.AsyncNetworkBackend):
    """Opens connections whose bytes count."""

    def __init__(self, inner: httpcore2.AsyncNetworkBackend, silence: Silence) -> None:
        self._inner = inner
        self._silence = silence

    async def connect_tcp(self, *details: Any, **more: Any) -> httpcore2.AsyncNetworkStream:
        return _CountedStream(await self._inner.connect_tcp(*details, **more), self._silence)

    async def connect_unix_socket(self, *details: Any, **more: Any) -> httpcore2.AsyncNetworkStream:
        stream = await self._inner.connect_unix_socket(*details, **more)
        return _CountedStream(stream, self._silence)

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)


class GuardedClient(httpx2.AsyncClient):
    """The HTTP client that the SDK is given; proxies and certificates are as they would be.

    `sse`: the address of an SSE server, which must take its messages at the same origin.
    """

    def __init__(self, silence: Silence, *, sse: str | None = None, **options: Any) -> None:
        super().__init__(**options)
        self._silence = silence
        self._sse = sse
        hooks = self.event_hooks
        self.event_hooks = {**hooks, "response": [*hooks["response"], self._bound]}
        for transport in (self._transport, *self._mounts.values()):
            # The library has no public place for this; a transport of a test has no pool.
            # Proxies have a transport each.
            if isinstance(transport, httpx2.AsyncHTTPTransport):
                pool: Any = transport._pool
                pool._network_backend = _CountedNetwork(pool._network_backend, silence)
        self._streams = 0
        self._last_stream = 0.0

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send one request; its answer, bounded by `_bound`. Raises ServerError."""
        if request.method == "DELETE":
            # The end of a session is bounded in time, the opening of streams in how often.
            return await self._farewell(request, options)
        if request.method == "GET":
            await self._pace()
        return await super().send(request, **options)

    async def _bound(self, response: httpx2.Response) -> None:
        """Bound each answer, also one that is answered by a login or never read by the SDK."""
        # Here only the head of it has come. What is wrong there ends the connection before a byte
        # of the body is read; the body is counted while it is. The end of a session has its own.
        method = response.request.method
        if method == "DELETE":
            return
        self._judge(response)
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        # The page of a refusal, which a login answers, is no stream and tells of no messages.
        is_stream = method == "GET" and response.is_success
        response.stream = _Bounded(
            response.stream,
            self._silence,
            events=_is_events(response),
            sse=self._sse if is_stream else None,
        )

    def _judge(self, response: httpx2.Response) -> None:
        # A megabyte can unpack to a gigabyte; the client asks for plain bodies.
        coding = response.headers.get("content-encoding", "identity").strip().lower()
        if coding not in ("", "identity"):
            self._silence.end("answered in a compression that it was not asked for")
        if _NO_SESSION.search(response.headers.get(_SESSION, "")):
            self._silence.end("gave its session an id that the protocol does not allow")

    async def _farewell(self, request: httpx2.Request, options: dict[str, Any]) -> httpx2.Response:
        """The end of a session; nobody waits long for what the server says to it."""
        status = 204
        with anyio.move_on_after(FAREWELL_SECONDS):
            response = await super().send(request, **options)
            status = response.status_code
            await response.aclose()
        # The SDK wants some answer here; nothing depends on which.
        return httpx2.Response(status, request=request)

    async def _pace(self) -> None:
        """A server may end its stream as often as it likes; it is not opened in a loop."""
        self._streams += 1
        if self._streams > FREE_STREAMS:
            # Counted from when the last one was opened: one that held for a while is opened again
            # at once.
            pause = self._last_stream + STREAM_PAUSE_SECONDS - time.monotonic()
            await anyio.sleep(max(0.0, pause))
        self._last_stream = time.monotonic()


def _is_events(response: httpx2.Response) -> bool:
    return response.headers.get("content-type", "").lower().startswith("text/event-stream")


class _Bounded(httpx2.AsyncByteStream):
    """A body that ends the connection when it does not end itself."""

    def __init__(
        self, inner: httpx2.AsyncByteStream, silence: Silence, *, events: bool, sse: str | None
    ) -> None:
        self._inner = inner
        self._silence = silence
        self._events = events
        self._greeting = _Greeting(sse, silence) if sse is not None else None

    async def __aiter__(self) -> AsyncIterator[bytes]:
        chunks = self._counted()
        async for chunk in _without_odd_pauses(chunks) if self._events else chunks:
            # Looked at before the SDK sees it, which would wait for ever on another origin.
            if self._greeting is not None:
                self._greeting.hear(chunk)
            yield chunk

    async def _counted(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._inner:
            size += len(chunk)
            # An event stream has no end of its own: it is bounded by what comes between two
            # messages.
            if not self._events and size > MOST_BYTES:
                # Messages on another stream break the silence, and this would grow for ever.
                self._silence.end(f"sent more than {MOST_BYTES // MEBIBYTE} MiB in one answer")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Greeting:
    """The event in which an SSE server says where its messages go (spec: 2024-11-05, transports).

    The SDK does not send them to another origin, but waits for ever instead of saying so.
    """

    def __init__(self, url: str, silence: Silence) -> None:
        self._url = url
        self._silence = silence
        self._heard: bytearray | None = bytearray()

    def hear(self, chunk: bytes) -> None:
        """Look at the beginning of the stream. Raises ServerError."""
        if self._heard is None:
            return
        self._heard += chunk
        # Event by event, as a blank line ends each. Other events may come before the one that tells
        # the address; when it was heard, nothing of the stream is kept here any more.
        while (end := _BLANK_LINE.search(self._heard)) is not None:
            event = self._heard[: end.start()].decode("utf-8", errors="replace")
            del self._heard[: end.end()]
            if self._is_endpoint(event):
                self._heard = None
                return
        if len(self._heard) > MOST_GREETING:
            self._silence.end("does not say where its messages go")

    def _is_endpoint(self, event: str) -> bool:
        lines = [line.partition(":") for line in re.split(r"\r\n|\n|\r", event)]
        values = [(name, value.removeprefix(" ")) for name, _, value in lines]
        if ("event", "endpoint") not in values:
            return False
        data = "\n".join(value for name, value in values if name == "data")
        try:
            ours, theirs = urlsplit(self._url), urlsplit(urljoin(self._url, data))
        except ValueError:
            self._silence.end("gives an address for its messages that is none")
        if (ours.scheme, ours.netloc) != (theirs.scheme, theirs.netloc):
            origin = neutral_line(f"{theirs.scheme}://{theirs.netloc.rpartition('@')[2]}", 120)
            self._silence.end(f"wants its messages at another place, which is not done: {origin}")
        return True


async def _without_odd_pauses(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """An event stream without the `retry` lines that nobody can wait for."""
    # A chunk may end anywhere, in the middle of "retry" too. A last line that could still become
    # one is held back until more of it came; all other lines are handed on at once, whole or not,
    # so that no event waits for the next. A long line is none of ours: it is handed on in pieces.
    held = b""
    inside = False  # Whether what comes next goes on with a line that was handed on.
    async for chunk in chunks:
        data = held + chunk
        held = b""
        start = max(data.rfind(b"\n"), data.rfind(b"\r")) + 1
        last = data[start:]
        # Still the same long line: a `retry` begins none in the middle of it.
        if inside and not start:
            yield data
            continue
        # One is the beginning of the other: it may yet become `retry`, or its number may go on.
        if last[: len(_NAME)] == _NAME[: len(last)] and len(last) < _LONGEST_RETRY:
            data, held = data[:start], last
        if data:
            yield _patient(data, inside)
            inside = data[-1:] not in (b"\n", b"\r")
    # The stream has ended within a line that was held back.
    if held:
        yield _patient(held, inside=False)


def _patient(data: bytes, inside: bool) -> bytes:
    """Odd pauses made comments; `inside` a line at its beginning, that line is left alone."""
    rest = _REST_OF_LINE.match(data) if inside else None
    first = rest.end() if rest is not None else 0
    # In an event stream a line that begins with a colon is a comment.
    return data[:first] + _RETRY.sub(b": no pause", data[first:])
