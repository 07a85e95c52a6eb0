"""JSON of whoever may be hostile: read strictly, shown in bounds, known again by a digest.

Read, each key stands once and each number can be written again; on a screen a value takes as much
as a person looks at, and a word stands for the rest.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

from elicit_tui.text.data import ascii_json, readable_json

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
    value = dict(pairs)
    if len(value) < len(pairs):
        raise KeyTwice("a key stands twice in one object")
    return value


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


# Shown

SHOWN_CHARACTERS: Final = 200_000
"""Of a value; all of a result can be copied or saved."""

SHOWN_VALUES: Final = 5_000
"""Each is a line at least."""

SHOWN_TEXT: Final = 20_000
"""Characters of one text in it."""


def bounded_json(value: Any, values: int = SHOWN_VALUES, characters: int = SHOWN_CHARACTERS) -> str:
    """A value as JSON, so many values of it; the rest and long base64 are told, not shown."""
    try:
        shown = _Shortened(values).of(value)
        text = readable_json(shown)
    except RecursionError:
        return "(nested too deeply to be shown)"
    return text if len(text) <= characters else text[:characters] + "…"


class _Shortened:
    """A walk over one value that ends when there is enough for a screen."""

    def __init__(self, values: int) -> None:
        self._left = values

    def of(self, value: Any, key: str = "") -> Any:
        """The value with what is too long in it told instead."""
        self._left -= 1
        if isinstance(value, Mapping):
            return dict(self._members(value))
        if isinstance(value, list):
            return list(self._items(value))
        if key in ("data", "blob") and isinstance(value, str) and len(value) > 200:
            return f"{value[:40]}… ({len(value):,} characters of base64)"
        if isinstance(value, str) and len(value) > SHOWN_TEXT:
            return f"{value[:SHOWN_TEXT]}… ({len(value):,} characters)"
        return value

    def _members(self, value: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        for taken, (name, item) in enumerate(value.items()):
            if self._left <= 0:
                yield "…", f"{len(value) - taken:,} more"
                return
            yield name, self.of(item, str(name))

    def _items(self, value: list[Any]) -> Iterator[Any]:
        for taken, item in enumerate(value):
            if self._left <= 0:
                yield f"… {len(value) - taken:,} more"
                return
            yield self.of(item)


# Known again


def digest(value: Any) -> str:
    """The SHA-256, in hex, of a JSON value's one canonical spelling; never raises for its size."""
    return hashlib.sha256(_canonical(value).encode("ascii")).hexdigest()


def _canonical(value: Any) -> str:
    """ASCII, sorted keys, no blanks."""
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        return ascii_json(value)  # bounded, so that the digest of a monster still exists
