"""Long Markdown in parts, each a whole text of its own: only what is reached is drawn."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

PART_LINES: Final = 30
PART_CHARACTERS: Final = 3_000
MOST_DEFINITIONS: Final = 50
"""Each part has them all; a text with more is drawn in one."""

_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_BEGINS: Final = re.compile(r"#{1,6} |[^\W\d_]|\*\*|\[|`{3}")
"""The line behind a blank one with which no list, quote or table goes on."""
_DEFINITION: Final = re.compile(r" {0,3}\[[^]^\n]+\]:\s*\S")
"""Where a link leads that is named elsewhere (`[name]: address`)."""


def parts_of(text: str) -> list[str]:
    """The parts of a Markdown text, in order; each is drawn as it would be within all of it."""
    lines = text.split("\n")
    definitions = [line for line in lines if _DEFINITION.match(line)]
    if len(definitions) > MOST_DEFINITIONS:
        return [text]
    named = "\n\n" + "\n".join(definitions) if definitions else ""
    return ["\n".join(part) + named for part in _parted(lines)]


def _parted(lines: list[str]) -> Iterator[list[str]]:
    part: list[str] = []
    size, fence = 0, ""
    for line in lines:
        full = len(part) >= PART_LINES or size >= PART_CHARACTERS
        if full and not fence and not part[-1].strip() and _BEGINS.match(line):
            yield part
            part, size = [], 0
        part.append(line)
        size += len(line)
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
    yield part
