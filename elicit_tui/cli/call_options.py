"""The options that `call`, `prompt` and `read` share."""

from __future__ import annotations

import argparse
from pathlib import Path

from elicit_tui.cli.parser import positive_seconds


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
