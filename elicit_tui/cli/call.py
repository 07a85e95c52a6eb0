"""`elicit-tui call`, `prompt` and `read`: one request to one server, without the console.

`arguments` understands what was asked for, and `one_call` makes the call and tells it. The server's
process gets ready while the SDK is still being imported.
"""

from __future__ import annotations

import argparse
import os
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from elicit_tui.cli.arguments import Prepared, prepare
from elicit_tui.cli.command_table import METHODS
from elicit_tui.cli.exit_codes import code_of
from elicit_tui.cli.interrupts import Interrupts
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.output import Output
from elicit_tui.cli.parser import Parser, positive_seconds
from elicit_tui.garbage import no_collection


def add_arguments(parser: Parser) -> None:
    """The arguments of the command that the parser is for."""
    add = parser.add_argument
    saved = ", or @FILE: a saved call" if parser.command == "call" else ""
    add("server", metavar="SERVER", help=f"a configured server, or one of --with{saved}")
    if parser.command == "read":
        add("name", metavar="URI", help="the resource to read, or the template of one")
        pairs = "what is filled in of a template"
        add("pairs", metavar="KEY=VALUE", nargs="*", default=[], help=pairs)
        parser.set_defaults(arguments=None)
    else:
        _add_call_arguments(parser)
    add("--answers", type=Path, metavar="FILE", help="answer from FILE; nobody is asked")
    add("--output", choices=("text", "json", "jsonl"), default="text", help="as shown on stdout")
    add(
        "--timeout",
        type=positive_seconds,
        metavar="SECONDS",
        help="limit for the run; it stands still while a person is asked",
    )
    add(
        "--strict",
        action="store_true",
        help="exit code 3 unless every question was accepted and every entry of --answers used; "
        "1 when the result is not what the tool's outputSchema says",
    )
    add("--record", type=Path, metavar="FILE", help="write what you answer to a new answers file")
    add("--save", type=Path, metavar="DIR", help="write images and other files of the result there")
    add("--plain", action="store_true", help="line prompts in place of a form")


def _add_call_arguments(parser: Parser) -> None:
    add = parser.add_argument
    if parser.command == "call":
        help = "the tool to call; @FILE names it"
        add("name", metavar="TOOL", nargs="?", action=_ToolUnlessSaved, help=help)
        pairs = (
            "an argument: a string, or what the tool's inputSchema says (of a list one item, and "
            "once more for each other one); KEY:=JSON for JSON, sent as it is"
        )
    else:
        add("name", metavar="NAME", help="the prompt to get")
        pairs = "an argument; prompts take strings"
    add("pairs", metavar="KEY=VALUE", nargs="*", default=[], help=pairs)
    add("--arguments", metavar="JSON|@FILE|-", help="all arguments as one JSON object")
    if parser.command == "call":
        add(
            "--incomplete",
            action="store_true",
            help="call it without arguments that it requires: it may ask for them",
        )
        add("--allow-tool", action="store_true", help="call it without a confirmation, this once")


class _ToolUnlessSaved(argparse.Action):
    """The tool, which only the file of a saved call can name in its place."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: Any, values: Any, option: Any = None
    ) -> None:
        if values is None and not str(namespace.server).startswith("@"):
            raise argparse.ArgumentError(None, "the following arguments are required: TOOL")
        namespace.name = values


def run(namespace: argparse.Namespace) -> int:
    """Run the command; the exit code. What is wrong before the call is raised."""
    # Until the SDK is loaded, which ends it.
    with no_collection():
        return _run(namespace)


def _run(namespace: argparse.Namespace) -> int:
    narration = Narration()
    prepared = prepare(namespace, narration)
    from elicit_tui.host.launch import launch_servers

    with Interrupts() as interrupts, _keys_of(prepared):
        launched = launch_servers(prepared.settings, (namespace.server,))
        from elicit_tui.cli.one_call import OneCall

        code = OneCall(prepared, launched, interrupts).run()
    if interrupts.hung_up:
        # Everything is told, written, ended and put back. A form's thread that still reads from
        # the terminal that is gone would keep the process for ever.
        os._exit(code)
    return code


def write_end(namespace: argparse.Namespace, error: BaseException) -> None:
    """Write the data of a call that ended before anything was asked of its server."""
    from elicit_tui.cli.report import Report

    # Nothing was asked, so there is no content that the history's setting could concern.
    method = METHODS[namespace.command]
    report = Report(namespace.server, method, namespace.name, history_content="none")
    report.error = error
    report.write(Output(), namespace.output, code_of(error))


def _keys_of(prepared: Prepared) -> AbstractContextManager[None]:
    """The terminal as a person needs it who may be asked; untouched where nobody is there."""
    if not prepared.person_present:
        return nullcontext()
    from elicit_tui.cli.own_terminal import flow_control_off

    return flow_control_off()
