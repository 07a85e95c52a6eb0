"""JSON with comments and trailing commas, as editors write it."""

from __future__ import annotations

import json
import re
from typing import Any, Final

_TOKENS: Final = re.compile(
    # What is not closed reaches to the end: no part of it is looked at twice.
    r'(?P<string>"(?:[^"\\]|\\.)*(?:"|\\?\Z))'
    r"|(?P<comment>//[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/|\*?\Z))"
    r"|(?P<comma>,)(?=(?:\s|//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)*[}\]])",
    re.DOTALL,
)


def loads(text: str) -> Any:
    """The value. Raises ValueError."""

    def keep(match: re.Match[str]) -> str:
        return match.group() if match.group("string") is not None else " "

    try:
        return json.loads(_TOKENS.sub(keep, text))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
