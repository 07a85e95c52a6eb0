"""Throws away what was typed before the person could see what it would hit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual import events
from textual.message import Message


class TypedAhead:
    """Between two paintings of a question nothing typed, pasted or clicked reaches a widget.

    `discard` begins when a question comes on or leaves the screen and ends with the next painting:
    every input that was made until then is dropped, also what arrives later but was made before.
    """

    def __init__(self, after_painting: Callable[[Callable[[], None]], Any]) -> None:
        self._after_painting = after_painting
        self._until = 0.0
        self._open = 0

    def discard(self) -> None:
        """Drop what is typed until the screen is painted again."""
        self._open += 1
        self._after_painting(self._painted)

    def _painted(self) -> None:
        self._open -= 1
        self._until = Message().time

    def drops(self, event: events.Event) -> bool:
        """Whether this input was made too early."""
        if not isinstance(event, (events.Key, events.Paste, events.MouseDown, events.MouseUp)):
            return False
        return self._open > 0 or event.time <= self._until
