"""What a person begins with who writes JSON for a schema: the keys that it requires.

No value is made up: what is still to be written is null, so that nothing which nobody wrote can be
sent by mistake.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from elicit_tui.form.limits import resolve

MOST_LEVELS: Final = 6
MOST_VALUES: Final = 200
"""Of all of it together."""
LONGEST_NAME: Final = 200
"""Characters; a longer key is left to the person."""


def skeleton(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The required keys of an object, each with null, or with its own required keys.

    A list begins with one value that it must have another one for, so that one sees that it is a
    list, and of objects with which keys. Never raises; bounded.
    """
    return _Skeleton(schema).of_object(schema, 0)


class _Skeleton:
    def __init__(self, root: Any) -> None:
        self._root = root
        self._values = 0

    def of_object(self, schema: Mapping[str, Any], level: int) -> dict[str, Any]:
        required, properties = schema.get("required"), schema.get("properties")
        names = required if isinstance(required, list) else ()
        known = properties if isinstance(properties, Mapping) else {}
        found: dict[str, Any] = {}
        for name in names:
            if self._values >= MOST_VALUES:
                break
            if isinstance(name, str) and len(name) <= LONGEST_NAME:
                found[name] = self._value(known.get(name), level + 1)
        return found

    def _value(self, schema: Any, level: int) -> Any:
        self._values += 1
        schema = settled(schema, self._root)
        if schema is None or level > MOST_LEVELS:
            return None
        kind = kind_of(schema)
        if kind == "object":
            return self.of_object(schema, level) or None
        if kind == "array":
            items = schema.get("items")
            shown = self._has_keys(items) or _refuses_null(items)
            return [self._value(items, level + 1)] if shown else None
        return None

    def _has_keys(self, schema: Any) -> bool:
        plain = settled(schema, self._root)
        return plain is not None and kind_of(plain) == "object" and bool(plain.get("required"))


def settled(schema: Any, root: Any) -> Mapping[str, Any] | None:
    """The schema itself, what it refers to, or the first of its ways that is not null."""
    for _ in range(MOST_LEVELS):
        if not isinstance(schema, Mapping):
            return None
        ways = schema.get("anyOf") or schema.get("oneOf")
        if "$ref" in schema:
            schema = resolve(schema["$ref"], root)
        # A type beside the ways settles what it is.
        elif isinstance(ways, list) and not kind_of(schema):
            schema = next((way for way in ways if kind_of(way) != "null"), None)
        else:
            return schema
    return None


def _refuses_null(item: Any) -> bool:
    """Whether a list's null is a mistake until something is written in its place."""
    kind = item.get("type") if isinstance(item, Mapping) else None
    return isinstance(kind, str) and kind != "null"


def kind_of(schema: Any) -> str:
    """The first type it allows that is not null; empty where it names none."""
    if not isinstance(schema, Mapping):
        return ""
    kinds = schema.get("type", "object" if "properties" in schema else "")
    named = kinds if isinstance(kinds, list) else [kinds]
    texts = [kind for kind in named if isinstance(kind, str)]
    return next((kind for kind in texts if kind != "null"), texts[0] if texts else "")
