"""The limit of time within which a connection has to be ready; it stands still for a person."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class StartupClock:
    """Runs from when it is made; 0 seconds: no limit."""

    def __init__(self, seconds: float, over: Callable[[], None]) -> None:
        """`over` is called when the time has passed."""
        self._left = seconds
        self._over = over
        self._timer: asyncio.TimerHandle | None = None
        self.go_on()

    def stop(self) -> None:
        """Let no more time pass."""
        if self._timer is not None:
            self._left = max(0.001, self._timer.when() - asyncio.get_running_loop().time())
            self._timer.cancel()
            self._timer = None

    def go_on(self) -> None:
        """Let time pass again."""
        if self._left and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._left, self._over)
