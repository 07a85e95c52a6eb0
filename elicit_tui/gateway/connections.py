"""The connections of a gateway over HTTP: so many at most, and none that says nothing.

Whoever is on this machine can open connections, without any token. Those that bring no request are
closed, so that they keep nobody else out.
"""

from __future__ import annotations

import asyncio
import socket
from typing import Final

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_CONNECTIONS: Final = 400
REQUEST_SECONDS: Final = 10.0
"""How long a connection may be open, or stay open after an answer, without a request."""


class BoundedConnection(H11Protocol):
    """One connection, closed where it is one too many or brings no request."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client has connected."""
        super().connection_made(transport)
        # An answer leaves in several small writes. asyncio does this for its own listeners only.
        opened: socket.socket = transport.get_extra_info("socket")
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.close()
        else:
            self._wait_for_a_request()

    def on_response_complete(self) -> None:
        """A request is answered; another one may follow."""
        super().on_response_complete()
        self._wait_for_a_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is closed."""
        if self._waiting is not None:
            self._waiting.cancel()
        super().connection_lost(exc)

    def _wait_for_a_request(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
        self._waiting = self.loop.call_later(REQUEST_SECONDS, self._has_waited)

    def _has_waited(self) -> None:
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()
