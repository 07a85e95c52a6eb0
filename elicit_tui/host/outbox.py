"""Answers that leave without anybody waiting for them, in the order they were given."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final

from elicit_tui.host.envelope import Message

MOST_UNREAD: Final = 50_000
"""A server that lets so many answers lie unread is not talking to us; its connection ends."""


class Overflow(Exception):
    """The server does not read its answers."""


class Outbox:
    """A queue that is filled without waiting and emptied by one task of the connection."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[Message, Callable[[], None] | None]] = deque()
        self._filled = asyncio.Event()

    def put(self, message: Message, written: Callable[[], None] | None = None) -> None:
        """Send this as soon as the server reads; raises Overflow when it has stopped to."""
        if len(self._waiting) >= MOST_UNREAD:
            raise Overflow("it does not read the answers to its requests")
        self._waiting.append((message, written))
        self._filled.set()

    @property
    def empty(self) -> bool:
        """Whether everything has been handed to the transport."""
        return not self._waiting

    async def run(self, send: Callable[[Message], Awaitable[None]]) -> None:
        """Write what comes in, for ever; the connection cancels it, or its end does."""
        while True:
            await self._filled.wait()
            while self._waiting:
                message, written = self._waiting[0]
                await send(message)
                self._waiting.popleft()
                if written is not None:
                    written()
            self._filled.clear()
