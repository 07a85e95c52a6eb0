"""The JSON that goes on the wire, exact and readable: what cannot be seen is an escape."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from typing import Any

_HIDDEN = frozenset({"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp", "Mn", "Me"})


def exact_json(value: Any) -> str:
    """Indented JSON; invisible and combining characters are written as `\\uXXXX`."""
    try:
        written = json.dumps(value, indent=2, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return "(this cannot be written as JSON)"
    if written.isascii():
        return written.replace("\x7f", "\\u007f")
    return "".join(map(_visible, written))


def _visible(character: str) -> str:
    if character == "\n" or " " <= character <= "~":
        return character
    category = unicodedata.category(character)
    if category not in _HIDDEN and category != "Zs":
        return character
    code = ord(character)
    if code > 0xFFFF:
        code -= 0x10000
        return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
    return f"\\u{code:04x}"


def frozen(content: Mapping[str, Any]) -> dict[str, Any]:
    """A copy that nothing on the screen can change any more."""
    return {
        name: list(value) if isinstance(value, (list, tuple)) else value
        for name, value in content.items()
    }
