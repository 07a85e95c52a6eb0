"""Checks values against the table of keys: types, choices, and names that are near misses.

What is wrong, and where, is a value (`Diagnostic`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time
from typing import Any, Final, Literal, NamedTuple

from elicit_tui.config.keys import FileKind
from elicit_tui.config.nodes import Either, Named, Node, Table, Tables, Value
from elicit_tui.elicitation.toml_spelling import dotted, toml_value

LONGEST_NAME: Final = 100
MOST_GUESSES: Final = 100
"""Keys of one table that nobody knows for which the nearest is looked for, which takes long."""
"""Characters of a key that are compared and shown."""

MOST_SECONDS: Final = 10**9
"""Each number is one of seconds; when so many are over no calendar can say."""

_WORDS: Final = {
    "string": "a string",
    "boolean": "true or false",
    "number": "a number",
    "integer": "a whole number",
    "strings": "a list of strings",
    "table of strings": "a table of strings",
    "json table": "a table",
}


KeyPath = tuple[str | int, ...]
"""Keys from the top; a number (from 0) counts the entries of an array."""


class Diagnostic(NamedTuple):
    """One mistake; `str()` is `FILE:LINE: KEY: what is wrong`, with what is known of it."""

    message: str
    key: str | None = None
    """The dotted key, as a config file spells it."""
    file: str | None = None
    line: int | None = None
    """From 1."""

    def __str__(self) -> str:
        place = self.file or ""
        if self.file and self.line is not None:
            place += f":{self.line}"
        return ": ".join(part for part in (place, self.key, self.message) if part)


def path_key(path: KeyPath) -> str:
    """A key path as a person reads it: `rules[2].message`, entries counted from 1."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part + 1}]"
        else:
            text += ("." if text else "") + dotted(part[:LONGEST_NAME])
    return text


class KeyFault(NamedTuple):
    """One thing to say about a place in a document."""

    path: KeyPath
    message: str
    weight: Literal["wrong", "unknown", "notice"] = "wrong"
    """`unknown` is wrong too, but the values around it can still be looked at; `notice` is not."""


def validate(values: Mapping[str, Any], kind: FileKind) -> list[KeyFault]:
    """Everything to say about a document: types, choices, names."""
    return list(_table((), kind.table, values, kind))


def _node(path: KeyPath, node: Node, value: Any, kind: FileKind) -> Iterator[KeyFault]:
    if isinstance(node, Value):
        yield from _value(path, node, value)
    elif isinstance(node, Either):
        if isinstance(value, Mapping):
            yield from _table(path, node.table, value, kind)
        else:
            yield from _value(path, node.value, value)
    elif isinstance(node, Tables):
        yield from _tables(path, node, value, kind)
    elif not isinstance(value, Mapping):
        yield KeyFault(path, f"must be a table, not {_kind_of(value)}")
    elif isinstance(node, Named):
        for name, item in value.items():
            yield from _name((*path, name), name)
            if isinstance(item, Mapping):
                yield from _table((*path, name), node.item, item, kind)
            else:
                yield KeyFault((*path, name), f"must be a table, not {_kind_of(item)}")
    else:
        yield from _table(path, node, value, kind)


def _table(
    path: KeyPath, table: Table, value: Mapping[str, Any], kind: FileKind
) -> Iterator[KeyFault]:
    guesses = MOST_GUESSES
    for key, item in value.items():
        node = table.keys.get(key)
        # A key that is not known. Those of the file itself may belong into another one of ours.
        if node is not None:
            yield from _node((*path, key), node, item, kind)
        # A key that stands in another file of ours.
        elif not path and key in kind.elsewhere:
            yield KeyFault((key,), kind.elsewhere[key], "unknown")
        else:
            guesses -= 1
            guess = f"; {_nearest(key, table, kind)}" if guesses >= 0 else ""
            yield KeyFault((*path, key), f"is not a key here{guess}", "unknown")
    # Told at the table, since there is no line where it should stand.
    for key in table.required:
        if key not in value:
            yield KeyFault(path, f"needs {key}")


def _tables(path: KeyPath, node: Tables, value: Any, kind: FileKind) -> Iterator[KeyFault]:
    if not isinstance(value, list):
        yield KeyFault(path, f"must be an array of tables, written [[{path_key(path)}]]")
        return
    for index, item in enumerate(value):
        if isinstance(item, Mapping):
            yield from _table((*path, index), node.item, item, kind)
        else:
            yield KeyFault((*path, index), f"must be a table, not {_kind_of(item)}")


def _name(path: KeyPath, name: str) -> Iterator[KeyFault]:
    if not name or not name.isprintable():
        yield KeyFault(path, "a name must be printable and not empty")


def _value(path: KeyPath, node: Value, value: Any) -> Iterator[KeyFault]:
    # Words that stand in the place of a value of another kind, such as `auto` for a number.
    if isinstance(value, str) and value in node.also:
        return
    if not _is_kind(node, value):
        wanted = " or ".join((_WORDS[node.kind], *map(toml_value, node.also)))
        several = node.kind in ("strings", "table of strings", "json table")
        given = _kind_of(value) if several else value_in_words(value)
        yield KeyFault(path, f"must be {wanted}, not {given}")
        return
    if node.without_effect:
        yield KeyFault(path, "is a key of Codex CLI and has no effect here", "notice")
    if node.choices:
        # Of a list, each item is checked.
        chosen = value if isinstance(value, list) else [value]
        for item in chosen:
            if item not in node.choices:
                words = ", ".join(toml_value(choice) for choice in node.choices)
                yield KeyFault(path, f"must be one of {words}, not {value_in_words(item)}")
    if node.minimum is not None and value < node.minimum:
        yield KeyFault(path, f"must be at least {node.minimum:g}, not {value_in_words(value)}")
    if node.kind == "number" and value >= MOST_SECONDS:
        yield KeyFault(path, f"must be less than {MOST_SECONDS}, not {value_in_words(value)}")
    if node.kind == "json table":
        yield from _json(path, value)


def _is_kind(node: Value, value: Any) -> bool:
    if node.kind == "string":
        return isinstance(value, str)
    if node.kind == "boolean":
        return isinstance(value, bool)
    if node.kind == "integer":
        # `True` is an integer in Python, and none in TOML.
        return isinstance(value, int) and not isinstance(value, bool)
    if node.kind == "number":
        numeric = isinstance(value, (int, float)) and not isinstance(value, bool)
        return numeric and _is_finite(value)
    if node.kind == "strings":
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    if node.kind == "table of strings":
        return isinstance(value, Mapping) and all(isinstance(i, str) for i in value.values())
    return isinstance(value, Mapping)


def _is_finite(value: float) -> bool:
    try:
        # An integer beyond all floats.
        return math.isfinite(value)
    except OverflowError:
        return False


def _json(path: KeyPath, value: Any) -> Iterator[KeyFault]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _json((*path, key), item)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _json((*path, index), item)
    elif isinstance(value, float) and not math.isfinite(value):
        yield KeyFault(path, "JSON has no infinity and no NaN")


def as_json(value: Any) -> Any:
    """A TOML value as JSON content: dates and times become their RFC 3339 text."""
    if isinstance(value, Mapping):
        return {key: as_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [as_json(item) for item in value]
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, (date, time)):
        return value.isoformat()
    return value


# The cutoff tells how alike two names must be, from 0 to 1: at 0 there is always a nearest one.
def _nearest(key: str, table: Table, kind: FileKind) -> str:
    import difflib

    # First a slip of the pen here, then the same key in another table, then what is nearest.
    close = difflib.get_close_matches(key[:LONGEST_NAME], table.keys, n=1, cutoff=0.6)
    if close:
        return f"did you mean {close[0]}?"
    for place in _places(kind.table, ()):
        if place[-1] == key:
            return f"did you mean {'.'.join(place)}?"
    nearest = difflib.get_close_matches(key[:LONGEST_NAME], table.keys, n=1, cutoff=0.0)
    return f"the nearest is {nearest[0]}" if nearest else "nothing is known here"


def _places(node: Node, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Every key of a file, for a key that stands in the wrong table."""
    if path:
        yield path
    # Where a value or a table may stand, only the table has keys.
    if isinstance(node, Either):
        yield from _places(node.table, path)
    elif isinstance(node, Table):
        for key, below in node.keys.items():
            yield from _places(below, (*path, key))
    elif isinstance(node, Named):
        yield from _places(node.item, (*path, "NAME"))
    elif isinstance(node, Tables):
        yield from _places(node.item, path)


def _kind_of(value: Any) -> str:
    """What stands in the place of several values: a text there may be a secret's, or hold one."""
    return "a text" if isinstance(value, str) else value_in_words(value)


def value_in_words(value: Any) -> str:
    """A wrong value in a sentence: short and in printable ASCII."""
    if isinstance(value, str):
        return toml_value(value if len(value) <= 60 else value[:60] + "...")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "a table"
    # A list of tables has no names: its keys are told without a number.
    if isinstance(value, list):
        return "a list"
    # Python refuses to write integers of thousands of digits.
    if isinstance(value, int) and abs(value) >= 10**20:
        return "a very large number"
    return str(value)
