"""Ctrl+C and requests to end, at any moment, turned into one orderly end of the run."""

from __future__ import annotations

import signal
from collections.abc import Coroutine
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeVar

from elicit_tui.cli import early
from elicit_tui.errors import Interrupted

if TYPE_CHECKING:
    import asyncio

Result = TypeVar("Result")


class Interrupts:
    """While it is entered, a request to end sets a flag and ends the running work.

    A handler that raised could hit any line, such as the one that notes down a process just
    started. So nothing is raised in the middle: `run` cancels the work, which tells its outcomes
    and ends its servers. What the run was started to ignore stays ignored (nohup).
    """

    def __init__(self) -> None:
        self.requested = False
        self.hung_up = False
        """Whether the terminal went away."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._work: asyncio.Task[Any] | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interrupts:
        for number in early.ENDING:
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._heard)
        for number in early.heard:
            self._heard(number, None)
        return self

    def __exit__(self, *details: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, early.after_the_end(handler))

    def _heard(self, number: int, frame: FrameType | None) -> None:
        self.requested = True
        self.hung_up = self.hung_up or number == getattr(signal, "SIGHUP", None)
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._end)

    def _end(self) -> None:
        """End the work; only once, so that a second request never cuts its ending short."""
        work, self._work = self._work, None
        if work is not None:
            work.cancel()

    async def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Do the work; raises Interrupted when it was ended by a signal."""
        import asyncio

        self._loop = asyncio.get_running_loop()
        task = asyncio.ensure_future(work)
        self._work = task
        if self.requested:
            # After its first step, which takes over the servers that were started before.
            self._loop.call_soon(self._end)
        try:
            return await task
        except asyncio.CancelledError:
            if self.requested:
                raise Interrupted("Interrupted.") from None
            raise
        finally:
            self._work = None
