"""Keys and values as a config file spells them, in printable ASCII."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from elicit_tui.text.neutral import escaped_commands

BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")


def _quoted(text: str) -> str:
    """`text` as a TOML basic string in printable ASCII; a lone surrogate becomes `?`.

    What a CI system could take for a command in its log begins with an escape.
    """
    written = []
    for character in text:
        point = ord(character)
        if character in '"\\':
            written.append("\\" + character)
        elif 0x20 <= point < 0x7F:
            written.append(character)
        elif 0xD800 <= point <= 0xDFFF:
            written.append("?")
        else:
            written.append(f"\\u{point:04x}" if point <= 0xFFFF else f"\\U{point:08x}")
    return '"' + escaped_commands("".join(written)) + '"'


def comment(text: str) -> str:
    """Text for a TOML comment, where a line break would end it: printable ASCII, of one line."""
    return _quoted(text)[1:-1].replace('\\"', '"')


def in_ascii(text: str, limit: int = 300) -> str:
    """The text with what is not ASCII escaped as Python writes it; at most `limit` characters."""
    return text.encode("ascii", "backslashreplace").decode("ascii")[:limit]


def dotted(*parts: str) -> str:
    """A key as a config file would spell it: parts that are not bare are quoted."""
    return ".".join(part if BARE_KEY.fullmatch(part) else _quoted(part) for part in parts)


def toml_value(value: Any) -> str:
    """A value on one line: strings, numbers, booleans, lists and inline tables."""
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, (tuple, list)):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    if isinstance(value, Mapping):
        pairs = (f"{dotted(str(key))} = {toml_value(item)}" for key, item in value.items())
        return "{ " + ", ".join(pairs) + " }" if value else "{}"
    return json.dumps(value)
