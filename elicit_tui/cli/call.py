"""`elicit-tui call`: one tool call, without the console."""

from __future__ import annotations

import argparse
from typing import Final

METHOD: Final = "tools/call"
"""What it asks of its server."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `call`."""
    from elicit_tui.cli.call_options import add_call_arguments, add_call_options, add_server

    add_server(parser)
    parser.add_argument("name", metavar="TOOL", help="the tool to call")
    add_call_arguments(
        parser,
        "an argument: a string, or what the tool's inputSchema says; KEY:=JSON for JSON",
    )
    add_call_options(parser)


def run(namespace: argparse.Namespace) -> int:
    """Call the tool; the exit code."""
    from elicit_tui.cli.calling import run_call

    return run_call(namespace, METHOD, namespace.pairs)
