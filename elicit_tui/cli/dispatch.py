"""Runs one command from the command line to the exit code."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING

from elicit_tui import __version__
from elicit_tui.cli import exit_codes
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.output import Output

if TYPE_CHECKING:
    import argparse


def dispatch(argv: Sequence[str]) -> int:
    """Find, parse and run the command; every error becomes a line on stderr and a code.

    Raises KeyboardInterrupt for a request to end that came before the command's work began.
    """
    narration = Narration()
    try:
        return _run(argv)
    except Exception as error:  # noqa: BLE001 - the outermost edge: a sentence, never a trace
        narration.error(error)
        return exit_codes.code_of(error)


def _run(argv: Sequence[str]) -> int:
    if "--version" in argv[:1]:
        Output().text(f"elicit-tui {__version__}")
        return exit_codes.OK
    if argv and argv[0] in ("--help", "-h"):
        from elicit_tui.cli.command_table import help_parts

        for text, column in help_parts():
            Output().prose(text, column)
        return exit_codes.OK
    from elicit_tui.cli.parser import HelpShown, find_command, parse

    name, arguments = find_command(argv)
    if name == "run" and any(option in arguments for option in ("--help", "-h", "--version")):
        return _run(["--version" if "--version" in arguments else "--help"])
    try:
        module, namespace = parse(name, arguments)
    except HelpShown:
        return exit_codes.OK
    try:
        code: int = module.run(namespace)
    except Exception as error:
        write_end(module, namespace, error)
        raise
    return code


def write_end(module: ModuleType, namespace: argparse.Namespace, error: BaseException) -> None:
    """Have a command whose data a program reads say there why it ended before it wrote any."""
    # Those that have no such document, nor a report, have no function for it.
    if (write := getattr(module, "write_end", None)) is not None:
        write(namespace, error)
