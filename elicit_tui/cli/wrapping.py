"""Lines of prose on a terminal, broken between words instead of at the edge."""

from __future__ import annotations

import os
from typing import IO, Any

NARROWEST = 20


def at_words(text: str, stream: IO[Any] | None, column: int = 0) -> str:
    """The text as it fits this terminal; as it is where the stream is none.

    What goes on in the next line is indented further, so that it never looks like a new line, and
    at least to `column`.
    """
    width = _width(stream)
    if width is None or all(len(line) <= width for line in text.split("\n")):
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


def _width(stream: IO[Any] | None) -> int | None:
    """The columns of the terminal that a stream is; None when it is none, or too narrow."""
    try:
        if stream is None or not stream.isatty():
            return None
        columns = os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        return None
    return columns if columns >= NARROWEST else None
