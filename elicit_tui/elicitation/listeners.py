"""Tells listeners what happens: one that fails costs nobody an answer, and no other its events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from elicit_tui.text import neutral_line

Event = TypeVar("Event")


class Listeners(Generic[Event]):
    """Tells each listener of every event, in the order in which they came to listen."""

    def __init__(self, failed: Callable[[str], None]) -> None:
        """`failed` is told, in a sentence, of each listener that raises; once of each."""
        self._failed = failed
        self._all: list[Callable[[Event], None]] = []
        self._failing: set[Callable[[Event], None]] = set()

    def add(self, listener: Callable[[Event], None]) -> None:
        """Tell this one too, from now on."""
        self._all.append(listener)

    def tell(self, event: Event) -> None:
        """Tell everyone, on the event loop; whoever raises is still told what comes next."""
        for listener in tuple(self._all):
            try:
                listener(event)
            except Exception as error:  # noqa: BLE001 - whatever a face does, the answer leaves
                if listener not in self._failing:
                    self._failing.add(listener)
                    reason = neutral_line(f"{type(error).__name__}: {error}")
                    self._failed(f"Something that is told what happens failed: {reason}")
