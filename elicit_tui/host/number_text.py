"""Numbers keep their text between two pipes: 1.10 stays 1.10, 1e-7 stays 1e-7, 1e400 stays that.

A value is compared, judged and shown as the number it is; only when it is written again does its
text count. Integers are exact by themselves.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from typing import Any, Final


class SpelledFloat(float):
    """A float whose text Python would spell otherwise."""

    __slots__ = ("text",)
    text: str


_seen: list[bool] = []
"""Not empty once such a number has been read: until then nothing needs to be looked for."""

_SHORT: Final = (",", ":")
_PLAIN: Final = json.JSONEncoder(separators=_SHORT)
"""Made once: every line of a pipe goes through it."""

_MARK: Final = f"number {os.urandom(16).hex()} "
"""Begins the stand-in of a number; nobody outside of this process can write it."""


def read_float(text: str) -> float:
    """The number that JSON spells so; for `json.loads(parse_float=…)`."""
    value = float(text)
    if math.isfinite(value) and repr(value) == text:
        return value
    spelled = SpelledFloat(value)
    spelled.text = text
    if not _seen:
        _seen.append(True)
    return spelled


def json_line(value: Any, default: Callable[[Any], Any] | None = None) -> bytes:
    """A value as JSON in ASCII on one line, each number as it was spelled."""
    writer = _PLAIN if default is None else json.JSONEncoder(separators=_SHORT, default=default)
    return as_spelled(value, writer.encode).encode("ascii") + b"\n"


def as_spelled(value: Any, write: Callable[[Any], str]) -> str:
    """A value as `write` puts it into JSON, each number as it was spelled."""
    spelled: list[str] = []
    if _seen:
        value = _standing_in(value, spelled)
    text = write(value)
    for number in spelled:
        text = text.replace(f'"{_MARK}{number}"', number)
    return text


def _standing_in(value: Any, spelled: list[str]) -> Any:
    """The value with a text of ours in place of each number that has a spelling."""
    if isinstance(value, SpelledFloat):
        if value.text not in spelled:
            spelled.append(value.text)
        return f"{_MARK}{value.text}"
    if isinstance(value, dict):
        return {key: _standing_in(item, spelled) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_standing_in(item, spelled) for item in value]
    return value
