"""The connections of a gateway over HTTP: so many at most, and none that says nothing.

Whoever is on this machine can open connections, without any token. Those that bring no request are
closed, and of too many one that shows no token or waits idly: so they keep nobody else out.
"""

from __future__ import annotations

import asyncio
import socket
from typing import Final

from starlette.datastructures import Headers
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_CONNECTIONS: Final = 400
MOST_REQUESTS_OF_ONE: Final = 300
"""Requests that one token has under way at once: some room is left for the others."""
REQUEST_SECONDS: Final = 10.0
"""How long a connection may be open, or stay open after an answer, without a request."""

ONCE: Final = ("authorization", "origin", "mcp-session-id")
"""Headers by which a request is judged: of two, a proxy may have judged the other."""

TOKEN: Final = "elicit_tui.token"
"""The key of a request's scope under which the middleware leaves which token it showed."""


def ambiguity(headers: Headers) -> str | None:
    """Why a request may mean something else to a proxy than to us; None where it does not."""
    # Of two lengths a proxy may take the other one: what we read behind the one is then another
    # client's request (RFC 9112, 6.1).
    if "transfer-encoding" in headers and "content-length" in headers:
        return "A body has one length."
    if any(len(headers.getlist(name)) > 1 for name in ONCE):
        return "A header stands twice."
    return None


class BoundedConnection(H11Protocol):
    """One connection, closed where it gives place to another one or brings no request."""

    _waiting: asyncio.TimerHandle | None = None
    _opened = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client has connected."""
        super().connection_made(transport)
        # An answer leaves in several small writes. asyncio does this for its own listeners only.
        opened: socket.socket = transport.get_extra_info("socket")
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._opened = self.loop.time()
        self._wait_for_a_request()
        if len(self.connections) > MOST_CONNECTIONS:
            self._least_needed().transport.close()

    def on_response_complete(self) -> None:
        """A request is answered; another one may follow."""
        super().on_response_complete()
        self._wait_for_a_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is closed."""
        if self._waiting is not None:
            self._waiting.cancel()
        super().connection_lost(exc)

    def _least_needed(self) -> BoundedConnection:
        """The oldest connection that showed no token, else the oldest idle one, else this one."""
        others = (
            connection
            for connection in self.connections
            if isinstance(connection, BoundedConnection)
            and connection is not self
            and not connection.transport.is_closing()
            and (connection._idle or not connection._has_token)
        )
        return min(others, key=lambda other: (other._has_token, other._opened), default=self)

    @property
    def _has_token(self) -> bool:
        return bool(self.scope) and TOKEN in self.scope

    @property
    def _idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _wait_for_a_request(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
        self._waiting = self.loop.call_later(REQUEST_SECONDS, self._has_waited)

    def _has_waited(self) -> None:
        # Answered, and nothing came: what is still being answered stays.
        if self._idle:
            self.transport.close()
