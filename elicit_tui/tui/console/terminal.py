"""Runs the console in this terminal, and ends it cleanly on a signal."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import signal
import sys
from collections.abc import Iterator, Sequence
from typing import IO, TYPE_CHECKING, Any, Final

from textual.driver import Driver

from elicit_tui import paths
from elicit_tui.elicitation.settings import Settings
from elicit_tui.errors import ElicitTuiError
from elicit_tui.tui.breakage import what_broke
from elicit_tui.tui.console.application import ConsoleApp

if TYPE_CHECKING:
    from elicit_tui.tui.console.run import RuntimeFactory

INTERRUPTED: Final = 130
_STDIN: Final = 0
_LOOK_SECONDS: Final = 1.0
"""How often it is looked whether the terminal is still there."""


def run(
    settings: Settings,
    factory: RuntimeFactory,
    *,
    only: Sequence[str] | None = None,
    config_path: str | None = None,
    inbox: bool = False,
) -> int:
    """Run the console until it ends; the exit code. Raises ElicitTuiError when it broke."""

    async def main() -> int:
        app = ConsoleApp(
            settings,
            factory,
            only=only,
            config_path=config_path or str(paths.config_file()),
            inbox=inbox,
        )
        app.driver_class = lasting(app.driver_class)
        with _ended_by_signals(app):
            result = await app.run_async()
            await app.wind_up()
        if summary := app.session.summary():
            sys.stderr.write(f"{summary}\n")
        if app.failure is not None:
            raise ElicitTuiError(
                f"The console broke ({what_broke(app.failure)}). "
                "Its open questions were cancelled and its servers ended."
            )
        return app.return_code or (result if result is not None else 0)

    return asyncio.run(main())


@contextlib.contextmanager
def _ended_by_signals(app: ConsoleApp) -> Iterator[None]:
    """SIGINT, SIGTERM and SIGHUP, or a terminal that is gone, leave without asking."""
    loop = asyncio.get_running_loop()
    names = [name for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    added = []

    def end() -> None:
        app.call_later(app.leave, INTERRUPTED)

    for name in names:
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(getattr(signal, name), end)
            added.append(getattr(signal, name))
    watch: asyncio.TimerHandle

    def look() -> None:
        # The system tells of a hang-up only those whom the terminal controls; the others would
        # read from nobody, without a pause and for ever.
        nonlocal watch
        if _is_terminal_gone():
            end()
        else:
            watch = loop.call_later(_LOOK_SECONDS, look)

    watch = loop.call_later(_LOOK_SECONDS, look)
    if not os.isatty(_STDIN):
        watch.cancel()
    try:
        yield
    finally:
        watch.cancel()
        for number in added:
            loop.remove_signal_handler(number)


def _is_terminal_gone() -> bool:
    """Whether the terminal of standard input was closed; False where the system cannot tell."""
    if not hasattr(select, "poll"):
        return False
    poll = select.poll()
    poll.register(_STDIN, 0)
    return any(seen & (select.POLLHUP | select.POLLERR) for _, seen in poll.poll(0))


class LastingStream:
    """Writes to a stream for as long as there is one; what cannot be written is dropped.

    The library's writing thread ends at the first error, and whoever writes after it waits for
    ever: a closed window would leave a process behind.
    """

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        """Write, or drop it."""
        with contextlib.suppress(OSError, ValueError):
            self._stream.write(text)

    def flush(self) -> None:
        """Flush, where there is still somebody who reads."""
        with contextlib.suppress(OSError, ValueError):
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def lasting(driver: type[Driver]) -> type[Driver]:
    """The same driver on a stream that outlives its terminal."""

    class Lasting(driver):  # type: ignore[misc, valid-type]
        def __init__(self, *values: Any, **options: Any) -> None:
            super().__init__(*values, **options)
            stream = getattr(self, "_file", None)
            if stream is not None:
                self._file = LastingStream(stream)

    return Lasting
