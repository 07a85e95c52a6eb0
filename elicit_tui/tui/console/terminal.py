"""Runs the console in this terminal, and ends it cleanly on a signal."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from elicit_tui import paths
from elicit_tui.elicitation.settings import Settings
from elicit_tui.errors import ElicitTuiError
from elicit_tui.tui.console.application import ConsoleApp
from elicit_tui.tui.console.written_later import unforeseen, until_written
from elicit_tui.tui.ordered_app import what_broke
from elicit_tui.tui.textual_terminal import outliving_terminal, watched_terminal

if TYPE_CHECKING:
    from elicit_tui.tui.console.run import RuntimeFactory
    from elicit_tui.tui.console.servers import OwnFile

INTERRUPTED: Final = 130
_BROKE: Final = "The console broke ({}). Its open questions were cancelled and its servers ended."
_UNKEPT: Final = "Something could not be kept for the next run ({})."


def run(
    settings: Settings,
    factory: RuntimeFactory,
    *,
    only: Sequence[str] | None = None,
    config_path: str | None = None,
    inbox: bool = False,
    own_file: OwnFile | None = None,
) -> int:
    """Run the console until it ends; the exit code. Raises ElicitTuiError when something broke."""

    async def main() -> int:
        app = ConsoleApp(
            settings,
            factory,
            only=only,
            config_path=config_path or str(paths.config_file()),
            inbox=inbox,
            own_file=own_file,
        )
        app.driver_class = outliving_terminal(app.driver_class)
        with _ended_by_signals(app):
            result = await app.run_async()
            await app.wind_up()
        until_written()
        if summary := app.state.summary():
            sys.stderr.write(f"{summary}\n")
        broken = [] if app.failure is None else [_BROKE.format(what_broke(app.failure))]
        unkept = dict.fromkeys(_UNKEPT.format(what_broke(error)) for error in unforeseen())
        if broken or unkept:
            raise ElicitTuiError(" ".join([*broken, *unkept]))
        return app.return_code or (result if result is not None else 0)

    return asyncio.run(main())


@contextlib.contextmanager
def _ended_by_signals(app: ConsoleApp) -> Iterator[None]:
    """SIGINT, SIGTERM and SIGHUP, or a terminal that is gone, leave without asking.

    An interrupt while another program has the terminal is meant for that.
    """
    loop = asyncio.get_running_loop()
    names = [name for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    added = []

    def end() -> None:
        app.call_later(app.leave, INTERRUPTED)

    def interrupted() -> None:
        if not app.is_away:
            end()

    for name in names:
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            ends = interrupted if name == "SIGINT" else end
            loop.add_signal_handler(getattr(signal, name), ends)
            added.append(getattr(signal, name))
    try:
        with watched_terminal(end):
            yield
    finally:
        for number in added:
            loop.remove_signal_handler(number)
