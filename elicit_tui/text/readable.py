"""JSON for people: indented, in its own script, and nothing in it active or unseen."""

from __future__ import annotations

import json
from typing import Any, Final

from elicit_tui.text.neutral import neutral_line, stand_in

UNWRITABLE: Final = "(this cannot be written as JSON)"


def readable_json(value: Any, *, indent: int | None = 2) -> str:
    """JSON that says exactly what is there; whatever cannot be seen is written as `\\uXXXX`.

    Args:
        value: a JSON value; what JSON has no word for is named by its type.
        indent: spaces for each level, or None for one line.
    """
    try:
        written = json.dumps(value, indent=indent, ensure_ascii=False, default=_named)
    except (TypeError, ValueError, RecursionError):
        return UNWRITABLE
    if written.isascii():
        return written.replace("\x7f", "\\u007f")
    drawn = stand_in(written, keep="\n")
    return "".join(
        true if true == "\n" or (true == shown and true.isprintable()) else _escape(true)
        for true, shown in zip(written, drawn, strict=True)
    )


def _named(value: Any) -> str:
    return f"⟨{neutral_line(type(value).__name__)}⟩"


def _escape(character: str) -> str:
    code = ord(character)
    if code > 0xFFFF:
        code -= 0x10000
        return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
    return f"\\u{code:04x}"
