"""JSON with comments and trailing commas, as editors write it."""

from __future__ import annotations

import json
import re
from typing import Any, Final

# In this order: what looks like a comment inside of a string is none.
_TOKENS: Final = re.compile(
    # What is not closed reaches to the end: no part of it is looked at twice.
    r'(?P<string>"(?:[^"\\]|\\.)*(?:"|\\?\Z))'
    r"|(?P<comment>//[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/|\*?\Z))"
    # Up to the end of its line, or a line of slashes could be cut into comments in very many ways.
    r"|(?P<comma>,)(?=(?:\s|//[^\n]*(?=\n|\Z)|/\*(?:[^*]|\*(?!/))*\*/)*[}\]])",
    re.DOTALL,
)
_BETWEEN: Final = re.compile(r"//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/|,")


def plain(text: str) -> str:
    """The text as plain JSON of the same length: comments and trailing commas are blanks."""

    def keep(match: re.Match[str]) -> str:
        found = match.group()
        return found if match.group("string") is not None else " " * len(found)

    return _TOKENS.sub(keep, text)


def loads(text: str) -> Any:
    """The value. Raises ValueError."""
    try:
        return json.loads(plain(text))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def comma_after(text: str, start: int, end: int) -> int | None:
    """Where the first comma outside of comments stands between two values; None: there is none."""
    for match in _BETWEEN.finditer(text, start, end):
        if match.group() == ",":
            return match.start()
    return None
