"""JSON of whoever may be hostile: each key once, only numbers that can be written again."""

from __future__ import annotations

import json
import math
from typing import Any, Final

DEEPEST: Final = 64


class KeyTwice(ValueError):
    """A key stands twice in one object, of which either may be meant."""


def strict_json(text: str | bytes) -> Any:
    """The value of a JSON text. Raises KeyTwice, and ValueError for what is none."""
    try:
        return json.loads(
            text, object_pairs_hook=once_each, parse_constant=_no_number, parse_float=_finite
        )
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these pairs, as `object_pairs_hook` of `json`. Raises KeyTwice."""
    made = dict(pairs)
    if len(made) < len(pairs):
        raise KeyTwice("a key stands twice in one object")
    return made


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is not a JSON number")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is too large a number")
    return value


def too_deep(value: Any, depth: int = 0) -> bool:
    """Whether a JSON value is nested deeper than anybody means it."""
    if depth > DEEPEST:
        return True
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(too_deep(item, depth + 1) for item in items)
