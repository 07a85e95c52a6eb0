"""Lines of a server kept from commanding the CI system that reads a build's log."""

from __future__ import annotations

import re
from typing import Final

_LINE_START: Final = "(?:\\A|(?<=[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]))"
_DOUBLE_COLON = re.compile(f"({_LINE_START}\\s*):(?=:)")
_BRACKET = re.compile(r"#(?=#(?:vso|teamcity)?\[)", re.IGNORECASE)


def escaped_commands(text: str) -> str:
    """Text of a JSON or TOML string in which `##[` and its like begin with an escape.

    A program reads the same value; a CI system that reads the log sees no command. In JSON and in a
    TOML basic string a `#` stands for itself, so the text may also be a whole JSON document.
    """
    return _BRACKET.sub(r"\\u0023", text) if "##" in text else text


def escaped_commands_in_xml(document: str) -> str:
    """An XML document in which every command begins with a reference; a program reads the same."""
    return _BRACKET.sub("&#35;", _DOUBLE_COLON.sub(r"\1&#58;", document))


def ci_safe(text: str) -> str:
    """Text in which no line is a workflow command of a CI system.

    Broken visibly: a line that starts, after blanks, with `::` (GitHub Actions), and `##[`,
    `##vso[`, `##teamcity[` anywhere (GitHub, Azure Pipelines, TeamCity). To be used on the whole
    text that goes out, since a command may begin in one piece and end in the next. Twice is the
    same as once.
    """
    if "::" in text:
        text = _DOUBLE_COLON.sub(r"\1⟨:⟩", text)
    if "##" in text:
        text = _BRACKET.sub("⟨#⟩", text)
    return text
