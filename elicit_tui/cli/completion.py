"""`elicit-tui completion SHELL`, and the completing itself.

A shell that has loaded what the command prints runs `elicit-tui` at each press of Tab with
`_ARGCOMPLETE` set and the line in `COMP_LINE`; argcomplete reads both, asks the parser what could
stand there, and ends the process. Nothing is started for it: names of servers come from the
configuration.
"""

from __future__ import annotations

import argparse
import importlib
import io
import os
from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import argcomplete
from argcomplete.lexers import split_line
from argcomplete.shell_integration import shellcode

from elicit_tui.cli.command_table import COMMANDS
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.output import Output
from elicit_tui.cli.parser import Parser, add_shared_options
from elicit_tui.cli.run_settings import DEMO, load_settings
from elicit_tui.elicitation.saved_call import kept_names
from elicit_tui.errors import ElicitTuiError
from elicit_tui.gateway.agents import UNKNOWN, known_agents

SHELLS: Final = ("bash", "zsh", "fish")
_BREAKS: Final = "_ARGCOMPLETE_COMP_WORDBREAKS"
"""At which signs the shell breaks words."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The shell to complete in."""
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=", ".join(SHELLS))


def run(namespace: argparse.Namespace) -> int:
    """Print what the shell loads: `source <(elicit-tui completion bash)`; fish: `| source`."""
    code = shellcode(["elicit-tui"], shell=namespace.shell)
    Output().text(code.strip("\n"))
    return 0


def complete() -> None:
    """Write the completions of the line in the environment, and end the process."""
    # Bash puts in what begins with @ as a whole, although it breaks words there.
    breaks = os.environ.get(_BREAKS)
    if breaks is not None:
        os.environ[_BREAKS] = breaks.replace("@", "")
    line = os.environ.get("COMP_LINE", "")
    # Split as the shell does, up to the word that is completed.
    words = split_line(line, int(os.environ.get("COMP_POINT", len(line))))[3][1:]
    argcomplete.autocomplete(_parser_for(words), always_complete_options="long")


def _parser_for(arguments: Sequence[str]) -> Parser:
    """The parser of the whole command line; only the command that is named has its arguments.

    Each of those is a module to import, and a person waits for the key.
    """
    parser = Parser(prog="elicit-tui", allow_abbrev=False)
    add_shared_options(parser, COMMANDS["run"])
    commands = parser.add_subparsers(parser_class=Parser)
    for name, command in COMMANDS.items():
        below = commands.add_parser(name, help=command.summary, allow_abbrev=False)
        if name not in arguments:
            continue
        named = next((word for word in arguments if word in command.own), None)
        own_commands = () if named is not None else tuple(command.own)
        if named is not None:
            below.add_argument("own", choices=command.own)
            command = command.own[named]
        below.command = named or name
        importlib.import_module(command.module).add_arguments(below)
        add_shared_options(below, command)
        _give_names(below, own_commands, arguments)
    return parser


def _give_names(
    parser: argparse.ArgumentParser, own_commands: Sequence[str], arguments: Sequence[str]
) -> None:
    """Give each argument that names a server or an agent what could stand there.

    `own_commands`: those of the command, which stand where a server does.
    """
    for action in parser._actions:
        if action.metavar == "SERVER":
            kept = kept_names(Path()) if getattr(parser, "command", "") == "call" else ()
            others = {*own_commands, DEMO, *kept}
            action.completer = partial(_servers, others, arguments)  # type: ignore[attr-defined]
        elif action.metavar == "AGENT":
            action.completer = _agents  # type: ignore[attr-defined]
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                _give_names(below, (), arguments)


def _agents(**_more: Any) -> list[str]:
    """The agents that are known by name."""
    return sorted(name for name in known_agents() if name != UNKNOWN)


def _servers(others: Collection[str], arguments: Sequence[str], **_more: Any) -> list[str]:
    """The configured servers and those of `--with`, and what else may stand there."""
    shared = Parser(add_help=False, allow_abbrev=False)
    add_shared_options(shared, COMMANDS["run"])
    try:
        # From wherever these options stand, before the command too.
        options, _ = shared.parse_known_args(arguments)
        settings = load_settings(options, Narration(io.StringIO()))
    except ElicitTuiError:
        # A configuration that cannot be read has no names; the command itself will say why.
        return sorted(others)
    return sorted({*settings.servers, *others})
