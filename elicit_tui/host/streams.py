"""The transport's two streams with the wire's judge between them and the SDK."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import Context
from typing import Any, TypeVar

import anyio
from mcp.shared.message import SessionMessage

from elicit_tui.host.messages import Message
from elicit_tui.host.wire import Wire

_Self = TypeVar("_Self", bound="_Stream")


class _Stream:
    """One of the transport's streams, closed when the SDK is done with it."""

    def __init__(self, inner: Any, wire: Wire) -> None:
        self._inner = inner
        self._wire = wire

    async def aclose(self) -> None:
        """Close the transport's stream."""
        await self._inner.aclose()

    async def __aenter__(self: _Self) -> _Self:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.aclose()


class JudgedRead(_Stream):
    """What the SDK reads: every message that the wire lets through."""

    def __init__(
        self, inner: Any, wire: Wire, broken: Callable[[Exception], None], gone: Callable[[], None]
    ) -> None:
        super().__init__(inner, wire)
        self._broken = broken
        self._gone = gone
        self.last_context: Context | None = None

    async def receive(self) -> SessionMessage | Exception:
        """The next message for the SDK. Raises anyio.EndOfStream when the server is gone."""
        while True:
            try:
                item = await self._inner.receive()
            except (anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError):
                self._gone()
                raise anyio.EndOfStream from None
            if isinstance(item, Exception):
                self._broken(item)
                continue
            self.last_context = getattr(self._inner, "last_context", None)
            passed = self._wire.inbound(item, self.last_context)
            if passed is not None:
                return passed

    def __aiter__(self) -> JudgedRead:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None


class JudgedWrite(_Stream):
    """What the SDK, and the outbox, write to."""

    async def send(self, item: SessionMessage) -> None:
        """Send one message, unless nothing may be sent for it."""
        if not self._wire.outbound(item.message):
            return
        await self._inner.send(item)
        self._wire.written(item.message)

    async def send_directly(self, message: Message) -> None:
        """Send an answer of the wire's own."""
        await self._inner.send(SessionMessage(message))
