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
"""Levels of what anybody means."""


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


def is_larger_than(value: Any, parts: int) -> bool:
    """Whether a JSON value has more than so many parts; 20 characters of a text count as one."""
    return parts_of(value, parts) > parts


def parts_of(value: Any, most: int) -> int:
    """How many parts a JSON value has in that count; no more are counted than it takes to pass."""
    left = most
    stack = [value]
    while stack and left >= 0:
        here = stack.pop()
        left -= 1 + (len(here) // 20 if isinstance(here, str) else 0)
        if isinstance(here, Mapping):
            stack.extend(here.values())
        elif isinstance(here, (list, tuple)):
            # No more of a list than it takes to know.
            stack.extend(here[: left + 1])
    return most - left


def too_deep(value: Any, most: int = DEEPEST) -> bool:
    """Whether a JSON value has more than `most` levels of objects and lists."""
    # Level by level, so that depth is found without recursion.
    level = [value] if isinstance(value, (dict, list)) else []
    for _ in range(most):
        level = [
            item
            for nested in level
            for item in (nested.values() if isinstance(nested, dict) else nested)
            if isinstance(item, (dict, list))
        ]
        if not level:
            return False
    return True


# Shown

SHOWN_CHARACTERS: Final = 200_000
"""Of a value; all of a result can be copied or saved."""

SHOWN_VALUES: Final = 5_000
"""Each is a line at least."""

SHOWN_TEXT: Final = 20_000
"""Characters of one text in it."""


def bounded_json(
    value: Any,
    values: int = SHOWN_VALUES,
    characters: int = SHOWN_CHARACTERS,
    *,
    indent: int | None = 2,
) -> str:
    """A value as JSON, so many values of it; the rest and long base64 are told, not shown.

    Takes no longer for a larger value.
    """
    try:
        shown = _Shortened(values, characters).of(value)
        text = readable_json(shown, indent=indent, most=characters)
    except RecursionError:
        return "(nested too deeply to be shown)"
    return text if len(text) <= characters else text[:characters] + "…"


class _Shortened:
    """A walk over one value that ends when there is enough for a screen."""

    def __init__(self, values: int, characters: int) -> None:
        self._values = values
        self._characters = characters
        """Of all its texts and names: whatever is left out then stands behind the cut."""

    def of(self, value: Any, key: str = "") -> Any:
        """The value with what is too long in it told instead."""
        self._values -= 1
        if isinstance(value, Mapping):
            return self._members(value)
        if isinstance(value, list):
            return list(self._items(value))
        if not isinstance(value, str):
            return value
        if key in ("data", "blob") and len(value) > 200:
            return f"{value[:40]}… ({len(value):,} characters of base64)"
        return self._text(value)

    def _text(self, text: str) -> str:
        shown = text[: max(0, min(SHOWN_TEXT, self._characters))]
        self._characters -= len(shown)
        return shown if len(shown) == len(text) else f"{shown}… ({len(text):,} characters)"

    def _spent(self) -> bool:
        return self._values <= 0 or self._characters <= 0

    def _members(self, value: Mapping[str, Any]) -> dict[str, Any]:
        shown: dict[str, Any] = {}
        for taken, (name, item) in enumerate(value.items()):
            if self._spent():
                shown[_other_than(shown, "…")] = f"{len(value) - taken:,} more"
                break
            key = _other_than(shown, self._text(str(name)))
            shown[key] = self.of(item, str(name))
        return shown

    def _items(self, value: list[Any]) -> Iterator[Any]:
        for taken, item in enumerate(value):
            if self._spent():
                yield f"… {len(value) - taken:,} more"
                return
            yield self.of(item)


def _other_than(shown: Mapping[str, Any], name: str) -> str:
    """The name, told from one that stands there: what was cut hides no value of another."""
    while name in shown:
        name += "′"
    return name


# Known again


def digest(value: Any) -> str:
    """The SHA-256, in hex, of a JSON value's one canonical spelling; never raises for its size."""
    whole = hashlib.sha256()
    try:
        for part in _canonical(value):
            whole.update(part.encode("ascii"))
    except (TypeError, ValueError, RecursionError):
        # Bounded, so that the digest of a monster still exists.
        whole = hashlib.sha256(ascii_json(value).encode("ascii"))
    return whole.hexdigest()


_CANONICAL: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"))
_AT_ONCE: Final = 1_000
"""Parts of a value that are spelled without another thread's having a turn."""
_ENTRIES: Final = 100
"""Of a large object, where they are small."""


def _canonical(value: Any) -> Iterator[str]:
    """ASCII, sorted keys, no blanks; a large object some entries at a time."""
    if not isinstance(value, dict) or not is_larger_than(value, _AT_ONCE):
        yield _CANONICAL.encode(value)
        return
    names = sorted(value)
    for first in range(0, len(names), _ENTRIES):
        yield "," if first else "{"
        some = {name: value[name] for name in names[first : first + _ENTRIES]}
        if is_larger_than(some, _AT_ONCE):
            yield from _one_by_one(some)
        else:
            yield _CANONICAL.encode(some)[1:-1]
    yield "}"


def _one_by_one(entries: dict[str, Any]) -> Iterator[str]:
    for number, (name, value) in enumerate(entries.items()):
        # Spelled with a value, so that a name that is no text becomes one.
        yield ("," if number else "") + _CANONICAL.encode({name: 0})[1:-2]
        yield from _canonical(value)
