"""`elicit-tui prompt`: one prompt of a server."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `prompt`."""
    from elicit_tui.cli.call_options import add_call_options

    parser.add_argument("server", metavar="SERVER", help="a configured server, or one of --with")
    parser.add_argument("name", metavar="NAME", help="the prompt to get")
    parser.add_argument(
        "pairs",
        metavar="KEY=VALUE",
        nargs="*",
        default=[],
        help="an argument; prompts take strings",
    )
    parser.add_argument(
        "--arguments", metavar="JSON|@FILE|-", help="all arguments as one JSON object"
    )
    add_call_options(parser)


def run(namespace: argparse.Namespace) -> int:
    """Get the prompt; the exit code."""
    from elicit_tui.cli.preparing import run_call

    return run_call(namespace, "prompts/get", namespace.pairs)
