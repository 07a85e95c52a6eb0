"""Bounds what a remote server can do to us below the SDK, which trusts it with all of that.

What breaks a bound ends the connection, with one sentence: such a server could not be told from
one that floods us.
"""

from __future__ import annotations

import re
import time
from collections.abc import AsyncIterator, Callable
from typing import Any, Final

import anyio
import httpx2

from elicit_tui.errors import ServerError

MEBIBYTE: Final = 1024 * 1024
MOST_BYTES: Final = 32 * MEBIBYTE
"""That may come without a whole message in them: the size of the largest message."""

FAREWELL_SECONDS: Final = 2.0
FREE_STREAMS: Final = 5
"""Streams that may be opened again at once; then there is a pause before each."""

STREAM_PAUSE_SECONDS: Final = 1.0

_SESSION: Final = "mcp-session-id"
_NO_SESSION: Final = re.compile(r"[^!-~]|.{1025}")
"""Visible ASCII only, as the spec has it, and no more than can be repeated with every request."""

_NAME: Final = b"retry"
_LONGEST_RETRY: Final = 64
_RETRY: Final = re.compile(rb"(?<![^\r\n])retry(?!: ?\d{1,8}[ \t]*(?:[\r\n]|\Z))[^\r\n]*")
"""A pause that the SDK could not wait for: negative, endless, no number."""
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

    def end(self, what: str) -> None:
        """The server has done what ends its connection. Raises ServerError."""
        self._flooded(what)
        raise ServerError(f"The server {what}.")


class GuardedClient(httpx2.AsyncClient):
    """The HTTP client that the SDK is given; proxies and certificates are as they would be."""

    def __init__(self, silence: Silence, **options: Any) -> None:
        super().__init__(**options)
        self._silence = silence
        self._streams = 0
        self._last_stream = 0.0

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send one request; its answer, bounded. Raises ServerError."""
        if request.method == "DELETE":
            return await self._farewell(request, options)
        if request.method == "GET":
            await self._pace()
        response = await super().send(request, **options)
        try:
            self._judge(response)
        except ServerError:
            await response.aclose()
            raise
        if isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _Bounded(response.stream, self._silence, _is_events(response))
        return response

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
        return httpx2.Response(status, request=request)

    async def _pace(self) -> None:
        """A server may end its stream as often as it likes; it is not opened in a loop."""
        self._streams += 1
        if self._streams > FREE_STREAMS:
            pause = self._last_stream + STREAM_PAUSE_SECONDS - time.monotonic()
            await anyio.sleep(max(0.0, pause))
        self._last_stream = time.monotonic()


def _is_events(response: httpx2.Response) -> bool:
    return response.headers.get("content-type", "").lower().startswith("text/event-stream")


class _Bounded(httpx2.AsyncByteStream):
    """A body that ends the connection when it does not end itself."""

    def __init__(self, inner: httpx2.AsyncByteStream, silence: Silence, events: bool) -> None:
        self._inner = inner
        self._silence = silence
        self._events = events

    async def __aiter__(self) -> AsyncIterator[bytes]:
        chunks = self._counted()
        async for chunk in _without_odd_pauses(chunks) if self._events else chunks:
            yield chunk

    async def _counted(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._inner:
            self._silence.add(len(chunk))
            size += len(chunk)
            if not self._events and size > MOST_BYTES:
                # Messages on another stream break the silence, and this would grow for ever.
                self._silence.end(f"sent more than {MOST_BYTES // MEBIBYTE} MiB in one answer")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()


async def _without_odd_pauses(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """An event stream without the `retry` lines that nobody can wait for."""
    held = b""
    inside = False  # Whether what comes next goes on with a line that was handed on.
    async for chunk in chunks:
        data = held + chunk
        held = b""
        start = max(data.rfind(b"\n"), data.rfind(b"\r")) + 1
        last = data[start:]
        if inside and not start:
            yield data
            continue
        if last[: len(_NAME)] == _NAME[: len(last)] and len(last) < _LONGEST_RETRY:
            data, held = data[:start], last
        if data:
            yield _patient(data, inside)
            inside = data[-1:] not in (b"\n", b"\r")
    if held:
        yield _patient(held, inside=False)


def _patient(data: bytes, inside: bool) -> bytes:
    """Odd pauses made comments; `inside` a line at its beginning, that line is left alone."""
    rest = _REST_OF_LINE.match(data) if inside else None
    first = rest.end() if rest is not None else 0
    return data[:first] + _RETRY.sub(b": no pause", data[first:])
