"""`elicit-tui read`: one resource of a server."""

from __future__ import annotations

import argparse
from typing import Final

METHOD: Final = "resources/read"
"""What it asks of its server."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `read`."""
    from elicit_tui.cli.call_options import add_call_options, add_server

    add_server(parser)
    parser.add_argument("name", metavar="URI", help="the resource to read")
    add_call_options(parser)


def run(namespace: argparse.Namespace) -> int:
    """Read the resource; the exit code."""
    from elicit_tui.cli.calling import run_call

    return run_call(namespace, METHOD, [])
