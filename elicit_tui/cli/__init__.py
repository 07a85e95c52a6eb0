"""The command line: commands, stdout (data), stderr (narration), exit codes."""

from __future__ import annotations

from collections.abc import Sequence

from elicit_tui import __version__


def run(argv: Sequence[str]) -> int:
    """Run one command and return its exit code (docs/ci.md, "Exit codes").

    Imports nothing that the command does not need: `--version` costs little more than Python.
    """
    from elicit_tui.cli.output import keep_standard_streams, why_data_was_lost

    keep_standard_streams()
    if list(argv[:1]) == ["bridge"]:
        from elicit_tui.cli.bridge import is_hook, run_hook

        if is_hook(argv):
            return run_hook(argv[1:])
    code = _run(argv)
    # No command has to think of it: nobody is told that all went well who did not get the data.
    failure = why_data_was_lost()
    return code if failure is None else _tell_lost_data(failure, code)


def _tell_lost_data(failure: OSError, code: int) -> int:
    """Say why stdout could not be written; the exit code of a command that ended with `code`."""
    from elicit_tui.cli.exit_codes import INTERRUPTED, USAGE
    from elicit_tui.cli.narration import Narration

    Narration().tell(f"stdout could not be written: {failure.strerror or failure}")
    return INTERRUPTED if code == INTERRUPTED else USAGE


def _run(argv: Sequence[str]) -> int:
    if list(argv) == ["--version"]:
        from elicit_tui.cli.output import Output

        Output().text(f"elicit-tui {__version__}")
        return 0
    from elicit_tui.cli.interrupts import ended_early, raise_when_asked_to_end

    try:
        raise_when_asked_to_end()
        from elicit_tui.cli.dispatch import dispatch

        return dispatch(argv)
    except KeyboardInterrupt:
        return ended_early(argv)
