"""How large a schema may be, so that nothing a server sends costs more than a moment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

MAX_NODES: Final = 50_000
"""Values in the whole schema."""
MAX_CHARACTERS: Final = 1_000_000
"""Characters of all keys and strings of the schema together."""
MAX_DEPTH: Final = 40
"""Levels of nesting."""
MAX_PROPERTIES: Final = 300
"""Fields of one form."""
MAX_CHOICES: Final = 5_000
"""Choices of one field."""
MAX_REFERENCES: Final = 16
"""`$ref`s in a row that a field's own schema may take."""


def too_large(schema: Any) -> str | None:
    """Why the schema is not looked at any further, or None; walks no more than the limits."""
    nodes = characters = 0
    level: list[Any] = [schema]
    depth = 0
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            return f"its schema is nested more than {MAX_DEPTH} levels deep"
        deeper: list[Any] = []
        for value in level:
            nodes += 1
            if isinstance(value, str):
                characters += len(value)
            elif isinstance(value, Mapping):
                characters += sum(len(key) for key in value)
                deeper.extend(value.values())
            elif isinstance(value, (list, tuple)):
                deeper.extend(value)
            if nodes + len(deeper) > MAX_NODES:
                return f"its schema has more than {MAX_NODES:,} parts"
            if characters > MAX_CHARACTERS:
                return f"its schema has more than {MAX_CHARACTERS:,} characters"
        level = deeper
    return None


def objects(value: Any) -> Iterator[Mapping[str, Any]]:
    """Every object anywhere in a JSON value: each could be reached as a schema by a `$ref`."""
    stack = [value]
    while stack:
        here = stack.pop()
        if isinstance(here, Mapping):
            yield here
            stack.extend(here.values())
        elif isinstance(here, (list, tuple)):
            stack.extend(here)
