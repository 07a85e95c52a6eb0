"""Our signs for outcomes and verdicts, coloured where a person reads them on a terminal."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Final

VERDICTS: Final = {"allow": "✓ ", "warn": "▲ ", "block": "■ "}
"""What stands before a verdict or a severity on a terminal; a note has none."""

GREEN, RED, YELLOW = 32, 31, 33
COLOURS: Final = {"✓": GREEN, "✗": RED, "■": RED, "▲": YELLOW, "○": YELLOW}

_SIGN: Final = re.compile(f"(?<![^ \n])[{''.join(COLOURS)}](?= )")


def coloured(text: str, *, terminal: bool, environment: Mapping[str, str] | None = None) -> str:
    """The text with its signs coloured for a terminal that wants it (https://no-color.org)."""
    if not _wanted(terminal, environment):
        return text
    return _SIGN.sub(lambda sign: f"\x1b[{COLOURS[sign[0]]}m{sign[0]}\x1b[39m", text)


def coloured_change(
    line: str, *, terminal: bool, environment: Mapping[str, str] | None = None
) -> str:
    """One line of a unified diff, coloured likewise: what comes is green, what goes is red."""
    colour = {"+": GREEN, "-": RED}.get(line[:1])
    heading = line.startswith(("+++ ", "--- "))
    if colour is None or heading or not _wanted(terminal, environment):
        return line
    return f"\x1b[{colour}m{line}\x1b[39m"


def _wanted(terminal: bool, environment: Mapping[str, str] | None) -> bool:
    environment = os.environ if environment is None else environment
    return terminal and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"
