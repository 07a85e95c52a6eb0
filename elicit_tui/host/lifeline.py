"""What a connection hangs on: whoever finds it of no more use ends it here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Lifeline:
    """Tells a connection's lifecycle, which waits for it, that the connection is of no more use."""

    def __init__(self) -> None:
        self.over = asyncio.Event()
        """Set when the connection is to end, or has."""
        self.lost: str | None = None
        """Why the connection is of no more use, in a sentence."""
        self.give_up: Callable[[], None] | None = None
        """Ends the wait for a transport to open, while there is one."""

    def lose(self, sentence: str) -> None:
        """End the connection, which is of no more use."""
        self.lost = sentence
        self.over.set()
        if self.give_up is not None:
            self.give_up()
