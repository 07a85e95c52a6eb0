"""A request to end that comes before a command's own work has begun.

Until then it raises, wherever it arrives: the run may be waiting for a file or for standard input.
From the start of a server on, `interrupts` only takes note of it.
"""

from __future__ import annotations

import signal
from collections.abc import Sequence
from types import FrameType
from typing import Any, Final

from elicit_tui.errors import Interrupted, UsageError

ENDING: Final = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
    if hasattr(signal, name)
)
"""The signals that ask a run to end."""

heard: Final[list[int]] = []
"""The signal that came early; the exception of one that came inside a finalizer is lost."""


def raise_when_asked_to_end() -> None:
    """Turn the first request to end into KeyboardInterrupt; what was ignored stays so (nohup)."""
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _raise)


def _raise(number: int, frame: FrameType | None) -> None:
    # Another one would cut short what is still to be said.
    for each in ENDING:
        signal.signal(each, signal.SIG_IGN)
    heard.append(number)
    raise KeyboardInterrupt


def after_the_end(handler: Any) -> Any:
    """What takes a handler's place once a run has told everything: a second end has no document.

    A request to end then ends the process as the system does, also one whose exit hangs.
    """
    return signal.SIG_DFL if handler is _raise else handler


def ended_early(argv: Sequence[str]) -> int:
    """Say that nothing was done, also as the data that a call was to write; the exit code."""
    from elicit_tui.cli.exit_codes import INTERRUPTED
    from elicit_tui.cli.narration import Narration

    error = Interrupted("Interrupted.")
    _write_end(argv, error)
    Narration().error(error)
    return INTERRUPTED


def _write_end(argv: Sequence[str], error: Interrupted) -> None:
    from elicit_tui.cli.exit_codes import INTERRUPTED
    from elicit_tui.cli.output import Output
    from elicit_tui.cli.parser import HelpShown, find_command, parse

    try:
        module, options = parse(*find_command(argv))
    except (UsageError, HelpShown):
        return
    method = getattr(module, "METHOD", None)
    if method is None:
        return
    from elicit_tui.cli.report import Report

    # Nothing was asked yet, so there is no content that the history's setting could concern.
    report = Report(options.server, method, options.name, history_content="none")
    report.error = error
    report.write(Output(), options.output, INTERRUPTED)
