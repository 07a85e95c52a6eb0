"""Texts of several lines in JSON as lines: `"content": 2 lines`, then each behind `│`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

MOST_CHARACTERS: Final = 40_000
_PAIR: Final = re.compile(r'( *)("(?:[^"\\]|\\.)*": )?"((?:[^"\\]|\\.)*)"(,?)')
_PART: Final = re.compile(r"\\u[0-9a-fA-F]{4}|\\.|[^\\]")


def texts_as_lines(written: str) -> str:
    """JSON that `readable_json` indented, with its texts of several lines as lines.

    Only a quotation mark is not escaped in them: what is written says exactly what is there. What
    is too long for anybody to read to its end stays as it is.
    """
    if len(written) > MOST_CHARACTERS:
        return written
    return "\n".join(part for line in written.split("\n") for part in _spread(line))


def _spread(line: str) -> Iterator[str]:
    found = _PAIR.fullmatch(line) if "\\n" in line else None
    texts = _lines(found[3]) if found is not None else [line]
    if found is None or len(texts) == 1:
        yield line
        return
    indent, key = found[1], found[2] or ""
    ended = texts[-1] == ""
    shown = texts[:-1] if ended else texts
    count = "1 line" if len(shown) == 1 else f"{len(shown):,} lines"
    yield f"{indent}{key}{count}{', ended by a line break' if ended else ''}"
    for text in shown:
        yield f"{indent}  │ {text}".rstrip()


def _lines(escaped: str) -> list[str]:
    """The lines of a text as JSON spells it; a blank at the end of one is spelled out."""
    lines = [""]
    for part in _PART.findall(escaped):
        if part == "\\n":
            lines.append("")
        else:
            lines[-1] += '"' if part == '\\"' else part
    return [f"{line[:-1]}\\u0020" if line.endswith(" ") else line for line in lines]
