"""`elicit-tui prompt`: one prompt of a server."""

from __future__ import annotations

import argparse
from typing import Final

METHOD: Final = "prompts/get"
"""What it asks of its server."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `prompt`."""
    from elicit_tui.cli.call_options import add_call_arguments, add_call_options, add_server

    add_server(parser)
    parser.add_argument("name", metavar="NAME", help="the prompt to get")
    add_call_arguments(parser, "an argument; prompts take strings")
    add_call_options(parser)


def run(namespace: argparse.Namespace) -> int:
    """Get the prompt; the exit code."""
    from elicit_tui.cli.calling import run_call

    return run_call(namespace, METHOD, namespace.pairs)
