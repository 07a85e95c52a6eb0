"""What the table of keys is made of: values, tables, and tables read from a settings dataclass.

Named tuples: each start needs them all, and a dataclass takes five times as long to be made.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

KeyKind = Literal[
    "string", "boolean", "number", "integer", "strings", "table of strings", "json table"
]


class Value(NamedTuple):
    """A key with a value."""

    kind: KeyKind
    doc: str
    default: Any = None
    """None: the key has no default."""
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    also: tuple[str, ...] = ()
    """What may stand in the place of a number."""
    without_effect: bool = False
    """Accepted because another program's file has it; does nothing here."""


class Table(NamedTuple):
    """A table with fixed keys."""

    doc: str
    keys: Mapping[str, Node]
    required: tuple[str, ...] = ()


class Named(NamedTuple):
    """A table of tables under names of the owner's choice."""

    doc: str
    item: Table


class Tables(NamedTuple):
    """An array of tables."""

    doc: str
    item: Table


class Either(NamedTuple):
    """A plain value, or a table in its place."""

    doc: str
    value: Value
    table: Table


Node = Value | Table | Named | Tables | Either


def table_of(
    doc: str,
    settings: type,
    about: Mapping[str, str | Node],
    minimum: Mapping[str, float] | None = None,
) -> Table:
    """The table whose keys are fields of a settings dataclass.

    `about` has them in the order of the example: what the key does, or a table of its own. A field
    without a default is a key that must be there.
    """
    hints = get_type_hints(settings)
    known = {item.name: item for item in fields(settings)}
    keys: dict[str, Node] = {}
    for name, entry in about.items():
        if isinstance(entry, str):
            least = (minimum or {}).get(name)
            keys[name] = _value_of(entry, hints[name], _default_of(known[name]), least)
        else:
            keys[name] = entry
    required = (name for name in about if name in known and not _has_default(known[name]))
    return Table(doc, keys, tuple(required))


def _has_default(item: Field[Any]) -> bool:
    return item.default is not MISSING or item.default_factory is not MISSING


def _default_of(item: Field[Any]) -> Any:
    """The default of a field, a mutable one made anew; None where it has none."""
    if item.default_factory is not MISSING:
        return item.default_factory()
    return None if item.default is MISSING else item.default


def _value_of(doc: str, hint: Any, default: Any, minimum: float | None) -> Value:
    """The key that a field of this type is."""
    parts = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    # `None` in the type only says that the key has no default. What stands beside the kind are
    # words that may stand in the place of a value.
    kind, *beside = (part for part in parts if part is not type(None))
    words = get_args(beside[0]) if beside else ()
    if get_origin(kind) is Literal:
        return Value("string", doc, default, get_args(kind), minimum)
    if get_origin(kind) is tuple:
        listed = get_args(kind)[0]
        choices = get_args(listed) if get_origin(listed) is Literal else ()
        return Value("strings", doc, None if default is None else list(default), choices)
    if get_origin(kind) is Mapping:
        strings = get_args(kind)[1] is str
        return Value("table of strings" if strings else "json table", doc, default)
    kinds: Mapping[Any, KeyKind] = {str: "string", bool: "boolean", int: "integer", float: "number"}
    return Value(kinds[kind], doc, default, (), minimum, words)
