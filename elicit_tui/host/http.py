"""Streamable HTTP and the older SSE, by the SDK's transports (spec: basic/transports)."""

from __future__ import annotations

import json
import os
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

import httpx2
from mcp.client import streamable_http
from mcp.client.sse import sse_client
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from elicit_tui.elicitation.settings import ServerSettings
from elicit_tui.errors import ServerError
from elicit_tui.garbage import much_is_read
from elicit_tui.host.bounds import LONG
from elicit_tui.host.http_guard import MOST_BYTES, GuardedClient, Silence

CONNECT_SECONDS: Final = 30.0

_HALF: Final = re.compile(
    r"\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F]"
)
"""One half of a character that is written as two: no character, which the SDK refuses to read."""


class _LongMessages:
    """Reads long messages in place of the SDK's own reader, which takes ten times as long.

    Everything else stands still meanwhile. What is not read here goes its way: short messages, and
    those at which it finds fault.
    """

    def __init__(self, reader: Any) -> None:
        self._reader = reader

    def validate_json(self, data: str | bytes, **options: Any) -> Any:
        if len(data) > LONG:
            try:
                with much_is_read():
                    text = data if isinstance(data, str) else data.decode()
                    if _HALF.search(text):
                        raise ValueError("half a character")
                    read = json.loads(text, parse_constant=_no_number)
            except (ValueError, RecursionError):
                pass  # It says what is wrong in the words that its transport expects.
            else:
                return self._reader.validate_python(read, **options)
        return self._reader.validate_json(data, **options)


def _no_number(word: str) -> Any:
    raise ValueError(word)


def read_long_messages() -> None:
    """Have long messages read by `_LongMessages`, where the library still has a place for it."""
    # None that is public: a later release may have moved it, and then reads them itself.
    name = "jsonrpc_message_adapter"
    if (reader := getattr(streamable_http, name, None)) is not None:
        setattr(streamable_http, name, _LongMessages(reader))


def spell_nothing_out() -> None:
    """Keep the SDK from spelling each message for a log that nobody reads.

    To spell one takes as long as to read it, and everything else stands still meanwhile.
    """
    for kind in (JSONRPCRequest, JSONRPCNotification, JSONRPCResponse, JSONRPCError):
        kind.__str__ = object.__repr__  # type: ignore[method-assign]


read_long_messages()
spell_nothing_out()


def request_headers(settings: ServerSettings) -> dict[str, str]:
    """The configured headers, and the bearer token from its variable. Raises ServerError."""
    for sentence in settings.unsendable_headers(os.environ):
        # Checked here: the library's own error would repeat the value.
        raise ServerError(sentence, code="not_started")
    headers = dict(settings.http_headers)
    variable = settings.bearer_token_env_var
    if variable is not None:
        token = os.environ.get(variable, "")
        if not token:
            raise ServerError(
                f"The environment variable {variable}, the bearer token of the server "
                f"{settings.name}, is not set.",
                code="not_started",
            )
        headers["Authorization"] = f"Bearer {token}"
    return headers


@asynccontextmanager
async def http_streams(
    settings: ServerSettings,
    refused: Callable[[int | None], None],
    flooded: Callable[[str], None],
    authorization: httpx2.Auth | None,
) -> AsyncIterator[tuple[Any, Any]]:
    """The two streams of a remote server.

    There is no limit on how long a stream may be silent: a person thinks. The calls' own limits
    apply instead. `refused` is told the status of each answer to a message, None for a success:
    the SDK keeps the words of a refusal but not the number. `authorization` adds the token of a
    login where the configuration has none.
    """
    url, silence = settings.url, Silence(flooded)
    assert url is not None
    # A plain body is as long as it is; a compressed one may be anything.
    headers = {**request_headers(settings), "Accept-Encoding": "identity"}

    # The SSE transport calls this in the place of the SDK's own factory. Its timeout is not taken:
    # it would end a stream on which a person is being waited for.
    def client_of(
        headers: dict[str, str] | None = headers,
        timeout: httpx2.Timeout | None = None,
        auth: httpx2.Auth | None = None,
    ) -> httpx2.AsyncClient:
        return GuardedClient(
            silence,
            sse=url if settings.transport == "sse" else None,
            headers=headers,
            # Only to connect has a limit.
            timeout=httpx2.Timeout(CONNECT_SECONDS, read=None),
            auth=authorization or auth,
            event_hooks={"response": [_status_watcher(refused)]},
        )

    streams = _sse_streams if settings.transport == "sse" else _streamable_http_streams
    async with streams(url, headers, client_of) as (read, write):
        yield _IncomingMessages(read, silence), write


def _status_watcher(
    refused: Callable[[int | None], None],
) -> Callable[[httpx2.Response], Awaitable[None]]:
    """Told each response; it passes the status of an answer to a message on."""

    async def watch(response: httpx2.Response) -> None:
        # A stream that a server does not offer, or a session it does not end, is no failure.
        if response.request.method == "POST":
            refused(response.status_code if response.status_code >= 400 else None)

    return watch


@asynccontextmanager
async def _sse_streams(
    url: str, headers: dict[str, str], client_of: Callable[..., httpx2.AsyncClient]
) -> AsyncIterator[tuple[Any, Any]]:
    async with sse_client(url, headers=headers, httpx_client_factory=client_of) as streams:
        yield streams


@asynccontextmanager
async def _streamable_http_streams(
    url: str, headers: dict[str, str], client_of: Callable[..., httpx2.AsyncClient]
) -> AsyncIterator[tuple[Any, Any]]:
    async with (
        client_of(headers) as client,
        streamable_http.streamable_http_client(
            url, http_client=client, max_sse_event_size=MOST_BYTES
        ) as streams,
    ):
        yield streams


class _IncomingMessages:
    """The messages of a remote server; each of them breaks its silence."""

    def __init__(self, inner: Any, silence: Silence) -> None:
        self._inner = inner
        self._silence = silence

    @property
    def last_context(self) -> Any:
        """Which of our requests the last message belongs to."""
        return self._inner.last_context

    async def receive(self) -> Any:
        """The next message."""
        item = await self._inner.receive()
        self._silence.broken()
        return item

    async def aclose(self) -> None:
        """Close the stream."""
        await self._inner.aclose()
