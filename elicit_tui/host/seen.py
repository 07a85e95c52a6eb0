"""Remembers the ids of a server's requests: an id must never be used twice (spec: basic)."""

from __future__ import annotations

from collections import deque
from typing import Final

REMEMBERED: Final = 20_000


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
