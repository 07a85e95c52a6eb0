"""Lines of prose on a terminal, broken between words instead of at the edge."""

from __future__ import annotations

import os
from typing import IO, Any

NARROWEST = 20
"""Columns; on a terminal of fewer nothing is broken at words."""


def at_words(text: str, stream: IO[Any] | None, column: int = 0) -> str:
    """The text as it fits this terminal; as it is where the stream is none.

    What goes on in the next line is indented further, so that it never looks like a new line, and
    at least to `column`.
    """
    width = columns_of(stream)
    if width is None or width < NARROWEST or all(len(line) <= width for line in text.split("\n")):
        return text
    import textwrap

    lines = []
    for line in text.split("\n"):
        indent = " " * max(column, len(line) - len(line.lstrip(" ")) + 2)
        wrapped = textwrap.wrap(
            line,
            width,
            subsequent_indent=indent,
            replace_whitespace=False,
            break_long_words=False,
            break_on_hyphens=False,
        )
        lines += wrapped or [line]
    return "\n".join(lines)


def columns_of(stream: IO[Any] | None) -> int | None:
    """The width of the terminal that a stream is; None when it is none."""
    try:
        if stream is None or not stream.isatty():
            return None
        return os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        return None
