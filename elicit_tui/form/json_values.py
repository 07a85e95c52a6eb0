"""JSON values told apart as JSON Schema tells them: 1 equals 1.0, and neither equals true."""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Mapping
from enum import Enum
from typing import Any, Final

MAX_DIGITS: Final = 4000
"""Digits of an integer that can be typed and sent; Python writes no more than 4300."""

_LARGEST: Final = 10**MAX_DIGITS


class Missing(Enum):
    """The type of `MISSING`: told apart from every JSON value, null included."""

    MISSING = "missing"


MISSING: Final = Missing.MISSING


def json_key(value: Any) -> Hashable:
    """A hashable stand-in: two are equal exactly when JSON Schema calls the values equal."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or value is None:
        # Tuples, so that true is no 1 and null is no text "None".
        return ("constant", str(value))
    if isinstance(value, (int, float)):
        return value
    if isinstance(value, Mapping):
        # The order of keys makes no difference, that of a list does.
        return frozenset((key, json_key(part)) for key, part in value.items())
    if isinstance(value, (list, tuple)):
        return ("list", *(json_key(part) for part in value))
    return ("no JSON", repr(value))


def same_json(left: Any, right: Any) -> bool:
    """Whether JSON Schema calls two values equal: true is not 1, 1 and 1.0 are the same number."""
    return json_key(left) == json_key(right)


def is_number(value: Any) -> bool:
    """Whether this is a finite JSON number (true and false are none)."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return isinstance(value, int) or math.isfinite(value)


def is_integer(value: Any) -> bool:
    """Whether this is an integer of JSON Schema: 5 and 5.0 are."""
    return is_number(value) and (isinstance(value, int) or value.is_integer())


def is_count(value: Any) -> bool:
    """Whether this can be a length or a number of items."""
    return is_integer(value) and value >= 0


def is_writable(value: Any) -> bool:
    """Whether a scalar can be written as JSON: no NaN, no infinity, no endless integer."""
    if isinstance(value, float):
        return math.isfinite(value)
    return not isinstance(value, int) or -_LARGEST < value < _LARGEST


def number_text(value: int | float) -> str:
    """A number as JSON writes it; a float without a fraction keeps its `.0`."""
    return json.dumps(value) if is_writable(value) else "(a number without end)"


def value_text(value: Any) -> str:
    """A value of a schema as evidence, whatever it is."""
    try:
        return repr(value)
    except ValueError:  # Python writes no integer of more than 4300 digits.
        return "a number without end"


def limit_text(value: int | float) -> str:
    """A limit as a person reads it: 10, not 10.0."""
    if is_integer(value) and abs(value) < 1e15:
        value = int(value)
    return number_text(value)
