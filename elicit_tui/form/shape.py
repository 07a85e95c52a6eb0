"""What a schema expects, for a person who writes JSON: `[{"name": "…", "rank"?: number}, …]`."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any, Final

from elicit_tui.form.skeleton import kind_of, settled
from elicit_tui.text import neutral_line, readable_json

MOST_PARTS: Final = 10_000
"""Of a schema that are looked through for the names of its properties."""
MOST_LEVELS: Final = 5
MOST_VALUES: Final = 40
MOST_CHOICES: Final = 4
LONGEST_NAME: Final = 60
LONGEST_CHOICE: Final = 40
ANY: Final = "…"
TEXT: Final = '"…"'

_WORDS: Final[Mapping[str, str]] = {
    "string": TEXT,
    "integer": "whole number",
    "number": "number",
    "boolean": "true|false",
    "null": "null",
    "object": "{…}",
    "array": "[…]",
}


def shape(schema: Any, root: Any = None) -> str:
    """What fits a schema, on one neutral line: a text as `"…"`, an optional key with `?`.

    `root`: the schema that its references are looked up in, where it is a part of one. Never
    raises; bounded.
    """
    return _Shape(schema if root is None else root).of(schema, 0)


class _Shape:
    def __init__(self, root: Any) -> None:
        self._root = root
        self._values = 0

    def of(self, schema: Any, level: int) -> str:
        self._values += 1
        schema = settled(schema, self._root)
        if schema is None or level > MOST_LEVELS or self._values > MOST_VALUES:
            return ANY
        choices = schema.get("enum")
        if isinstance(choices, list) and choices:
            return _choices(choices)
        kind = kind_of(schema)
        if kind == "object" and isinstance(schema.get("properties"), Mapping):
            return "{" + ", ".join(self._pairs(schema, level)) + "}"
        if kind == "array" and isinstance(schema.get("items"), Mapping):
            return f"[{self.of(schema['items'], level + 1)}, …]"
        return _WORDS.get(kind, ANY)

    def _pairs(self, schema: Mapping[str, Any], level: int) -> Iterator[str]:
        required = schema.get("required")
        needed = required if isinstance(required, list) else ()
        for name, part in schema["properties"].items():
            if self._values >= MOST_VALUES:
                yield ANY
                return
            mark = "" if name in needed else "?"
            yield f'"{neutral_line(str(name), LONGEST_NAME)}"{mark}: {self.of(part, level + 1)}'


def _choices(choices: list[Any]) -> str:
    shown = [
        neutral_line(readable_json(choice, indent=None), LONGEST_CHOICE)
        for choice in choices[:MOST_CHOICES]
    ]
    return "|".join([*shown, ANY] if len(choices) > MOST_CHOICES else shown)


def text_names(schema: Any) -> frozenset[str]:
    """The keys, at any depth, whose value is a text, or a list of texts, wherever they stand."""
    texts: set[str] = set()
    others: set[str] = set()
    for name, value in _properties(schema):
        (texts if _takes_text(value, schema) else others).add(name)
    return frozenset(texts - others)


def secret_names(schema: Any) -> frozenset[str]:
    """The keys, at any depth, whose value it calls a password or one that is only written."""
    return frozenset(
        name
        for name, value in _properties(schema)
        if says_secret(value) or says_secret(settled(value, schema))
    )


def _properties(schema: Any) -> Iterator[tuple[str, Any]]:
    """Each property at any depth, the nearest first, of as many parts as are looked through."""
    waiting: deque[Any] = deque([schema] if isinstance(schema, (Mapping, list)) else [])
    for _ in range(MOST_PARTS):
        if not waiting:
            return
        part = waiting.popleft()
        if isinstance(part, Mapping):
            properties = part.get("properties")
            yield from properties.items() if isinstance(properties, Mapping) else ()
            part = part.values()
        # Texts have no parts: thousands of choices hide nothing that stands beside them.
        waiting += (inner for inner in part if isinstance(inner, (Mapping, list)))


def says_secret(schema: Any) -> bool:
    """Whether the schema of one value calls it a password, or one that is only written."""
    return isinstance(schema, Mapping) and (
        schema.get("writeOnly") is True or schema.get("format") == "password"
    )


def _takes_text(schema: Any, root: Any) -> bool:
    plain = settled(schema, root)
    if plain is not None and kind_of(plain) == "array":
        plain = settled(plain.get("items"), root)
    return plain is not None and kind_of(plain) == "string"
