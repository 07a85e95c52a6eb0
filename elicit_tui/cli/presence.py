"""Is a person there? One answer for the whole run (README, "In CI")."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import IO

NOT_CI = frozenset({"", "0", "false"})


def person_present(
    *,
    stdin_taken: bool = False,
    stdin: IO[str] | None = None,
    stderr: IO[str] | None = None,
    environment: Mapping[str, str] | None = None,
) -> bool:
    """Whether somebody can answer: stdin and stderr are terminals, and this is no CI.

    `stdin_taken`: the arguments come from standard input, so that no answer can.
    """
    environment = os.environ if environment is None else environment
    if stdin_taken or in_ci(environment):
        return False
    # Standard output may go anywhere: what a person reads and types is elsewhere.
    return is_terminal(stdin or sys.stdin) and is_terminal(stderr or sys.stderr)


def in_ci(environment: Mapping[str, str] | None = None) -> bool:
    """Whether this is a run of continuous integration (`CI` is set)."""
    environment = os.environ if environment is None else environment
    return environment.get("CI", "").lower() not in NOT_CI


def wants_plain_prompts(environment: Mapping[str, str] | None = None) -> bool:
    """Whether this terminal can only take lines."""
    environment = os.environ if environment is None else environment
    return environment.get("TERM") == "dumb"


def is_terminal(stream: IO[str] | None) -> bool:
    """Whether a stream is an open terminal."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False  # The stream was closed.
