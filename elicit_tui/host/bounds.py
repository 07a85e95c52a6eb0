"""What one server may cost us: ids remembered, answers unread, entries checked."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from elicit_tui.host.messages import Message

REMEMBERED: Final = 20_000
"""Ids of a server's requests; one must never be used twice (spec: basic)."""

MOST_UNREAD: Final = 50_000
"""A server that lets so many answers lie unread is not talking to us; its connection ends."""

LONG: Final = 1024 * 1024
"""Bytes of a message that takes a while to read: half a million objects take a second."""

MOST_ENTRIES: Final = 10_000
"""Of what a server lists; more than a person could ever look at."""

CHECKED: Final = 1_000
"""Entries of a list. The SDK makes objects of each, which costs it ten times what reading did."""

_CHECKED: Final[Mapping[str, int]] = {
    **dict.fromkeys(("content", "contents", "messages"), CHECKED),
    **dict.fromkeys(("prompts", "resources", "resourceTemplates"), CHECKED),
    # The SDK says which of them it would keep.
    "tools": MOST_ENTRIES,
}
"""How many entries of each list it is shown; of all lists in them CHECKED together."""

_LEVELS: Final = 6
"""How deep the SDK has objects of its own in an entry; further down anything may stand."""

_TAKEN_AS_IT_IS: Final = frozenset({"_meta", "inputSchema", "outputSchema", "structuredContent"})
"""What it makes no objects of."""


class SeenIds:
    """The last ids of one connection; bounded, whatever a server sends."""

    def __init__(self, remembered: int = REMEMBERED) -> None:
        self._order: deque[str | int] = deque()
        self._ids: set[str | int] = set()
        self._remembered = remembered

    def add(self, identifier: str | int) -> bool:
        """Remember an id; False when it was there already."""
        # A long string would let a server choose how much we remember.
        long = isinstance(identifier, str) and len(identifier) > 64
        key = hash(identifier) if long else identifier
        if key in self._ids:
            return False
        self._ids.add(key)
        self._order.append(key)
        if len(self._order) > self._remembered:
            self._ids.discard(self._order.popleft())
        return True


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
                # It leaves the queue only when it was written: until then `empty` is false.
                message, written = self._waiting[0]
                await send(message)
                self._waiting.popleft()
                if written is not None:
                    written()
            # Nothing was awaited since the queue was found empty, so that nothing has come
            # meanwhile.
            self._filled.clear()


def sample(result: Mapping[str, Any]) -> dict[str, Any]:
    """What the SDK checks of a result: only the first entries of its lists, and of those in them.

    The person gets all of it, exactly as it came.
    """
    left = CHECKED

    def shown(value: Any, levels: int) -> Any:
        nonlocal left
        if isinstance(value, list):
            entries = value[:left]
            left -= len(entries)
            return [shown(entry, levels - 1) for entry in entries] if levels else entries
        if isinstance(value, dict) and levels:
            return {
                key: part if key in _TAKEN_AS_IT_IS else shown(part, levels - 1)
                for key, part in value.items()
            }
        return value

    def at_the_top(key: str, value: Any) -> Any:
        if key in _CHECKED and isinstance(value, list):
            return [shown(entry, _LEVELS) for entry in value[: _CHECKED[key]]]
        return shown(value, _LEVELS) if isinstance(value, dict) else value

    return {
        key: value if key in _TAKEN_AS_IT_IS else at_the_top(key, value)
        for key, value in result.items()
    }
