"""The JSON that goes on the wire, exact and readable: what cannot be seen is an escape."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from elicit_tui.text import stand_in


def exact_json(value: Any) -> str:
    """Indented JSON; whatever cannot be seen is written as `\\uXXXX`."""
    try:
        written = json.dumps(value, indent=2, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return "(this cannot be written as JSON)"
    if written.isascii():
        return written.replace("\x7f", "\\u007f")
    drawn = stand_in(written, keep="\n")
    return "".join(
        true if true == "\n" or (true == shown and true.isprintable()) else _escape(true)
        for true, shown in zip(written, drawn, strict=True)
    )


def _escape(character: str) -> str:
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
