"""Requests to end (Ctrl+C, SIGTERM, a terminal that goes away), at any moment of a run.

Until a command's own work begins such a request raises, wherever it arrives: the run may be
waiting for a file or for standard input. From the start of a server on, `Interrupts` only takes
note of it, and turns it into one orderly end.
"""

from __future__ import annotations

import signal
from collections.abc import Coroutine, Sequence
from types import FrameType
from typing import TYPE_CHECKING, Any, Final, TypeVar

from elicit_tui.errors import Interrupted, UsageError

if TYPE_CHECKING:
    import asyncio

Result = TypeVar("Result")

ENDING: Final = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
    if hasattr(signal, name)
)
"""The signals that ask a run to end."""

_early_signals: Final[list[int]] = []
"""Those that came before `Interrupts`; the exception of one that came in a finalizer is lost."""


def raise_when_asked_to_end() -> None:
    """Turn the first request to end into KeyboardInterrupt; what was ignored stays so (nohup)."""
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _raise)


def _raise(number: int, frame: FrameType | None) -> None:
    # Another one would cut short what is still to be said.
    for caught in ENDING:
        signal.signal(caught, signal.SIG_IGN)
    _early_signals.append(number)
    raise KeyboardInterrupt


def _handler_after_the_run(handler: Any) -> Any:
    """What takes the place of a handler once a run has told everything.

    Ours would tell an end once more: the system's ends the process, also one whose exit hangs.
    """
    return signal.SIG_DFL if handler is _raise else handler


def ended_early(argv: Sequence[str]) -> int:
    """Say that nothing was done, also as the data that was to be written; the exit code."""
    from elicit_tui.cli.exit_codes import INTERRUPTED
    from elicit_tui.cli.narration import Narration  # Not before the handlers stand.

    error = Interrupted("Interrupted.")
    _write_end(argv, error)
    Narration().error(error)
    return INTERRUPTED


def _write_end(argv: Sequence[str], error: Interrupted) -> None:
    from elicit_tui.cli.dispatch import write_end
    from elicit_tui.cli.parser import HelpShown, find_command, parse

    try:
        module, options = parse(*find_command(argv))
    except (UsageError, HelpShown):
        return
    write_end(module, options, error)


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
        for number in ENDING:
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._take_note)
        for number in _early_signals:
            self._take_note(number, None)
        return self

    def __exit__(self, *details: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, _handler_after_the_run(handler))

    def _take_note(self, number: int, frame: FrameType | None) -> None:
        self.requested = True
        self.hung_up = self.hung_up or number == getattr(signal, "SIGHUP", None)
        if self._loop is not None:
            # In a handler of a signal only this call is safe: the loop may be anywhere.
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
            self._work = self._loop = None  # What comes now finds a loop that is closed.
