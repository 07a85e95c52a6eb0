"""What the command lines of `call`, `prompt` and `read` share."""

from __future__ import annotations

import argparse
from pathlib import Path

from elicit_tui.cli.parser import positive_seconds


def add_server(parser: argparse.ArgumentParser) -> None:
    """The server that is called."""
    parser.add_argument("server", metavar="SERVER", help="a configured server, or one of --with")


def add_call_arguments(parser: argparse.ArgumentParser, pairs: str) -> None:
    """A call's own arguments: pairs, or all of them as JSON.

    Args:
        parser: of the command.
        pairs: what a KEY=VALUE means here.
    """
    parser.add_argument("pairs", metavar="KEY=VALUE", nargs="*", default=[], help=pairs)
    parser.add_argument(
        "--arguments", metavar="JSON|@FILE|-", help="all arguments as one JSON object"
    )


def add_call_options(parser: argparse.ArgumentParser) -> None:
    """The options that `call`, `prompt` and `read` share."""
    add = parser.add_argument
    add("--answers", type=Path, metavar="FILE", help="answer from FILE; nobody is asked")
    add("--output", choices=("text", "json", "jsonl"), default="text", help="as shown on stdout")
    add(
        "--timeout",
        type=positive_seconds,
        metavar="SECONDS",
        help="limit for the run; it stands still while a person is asked",
    )
    add("--strict", action="store_true", help="exit code 3 unless every question was accepted")
    add("--record", type=Path, metavar="FILE", help="write what you answer to a new answers file")
    add("--plain", action="store_true", help="line prompts in place of a form")
