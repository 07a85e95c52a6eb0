"""What somebody begins a configuration with: the example, and a JSON Schema for their editor.

The schema is made of the same table of keys that the file is validated by.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from elicit_tui import paths
from elicit_tui.config.keys import USER_FILE
from elicit_tui.config.nodes import Either, Named, Node, Table, Tables, Value
from elicit_tui.config.validating import MOST_SECONDS
from elicit_tui.errors import ConfigError

_NAME = "config.example.toml"


def example_text() -> str:
    """The example: beside this module in an installed package, else at the top of the checkout."""
    here = Path(__file__).resolve().parent
    for directory in (here, here.parent.parent):
        candidate = directory / _NAME
        if candidate.is_file():
            return candidate.read_text(encoding="utf-8")
    raise ConfigError([f"this installation has no {_NAME}"])


def as_comments(example: str) -> str:
    """The example with each value as a comment: a default that changes later is not held fast.

    The names of tables stay: what is taken out of its comment belongs where it stands.
    """
    # A name at the beginning of a line, before an equals sign; headers and comments begin
    # otherwise.
    return re.sub(r"^(?=[a-z_\"]+ *=)", "#", example, flags=re.MULTILINE)


def write_example(path: Path) -> None:
    """Create the user's file from the example, 0600. Raises ConfigError if anything is there."""
    text = as_comments(example_text())
    try:
        paths.write_private(path, text.encode("utf-8"))
    except FileExistsError:
        raise ConfigError([f"{path} exists already; nothing was written"]) from None
    except OSError as error:
        raise ConfigError([f"{path} cannot be written: {error.strerror}"]) from None


_OF_A_NUMBER = ("type", "minimum", "exclusiveMaximum")
_TYPES = {"string": "string", "boolean": "boolean", "number": "number", "integer": "integer"}


def json_schema() -> dict[str, Any]:
    """The schema, in draft-07, which TOML editors read."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "elicit-tui config.toml",
        **_schema(USER_FILE),
    }


def _schema(node: Node) -> dict[str, Any]:
    if isinstance(node, Value):
        return _value(node)
    # Only a table in the place of the value has keys to complete.
    if isinstance(node, Either):
        return {
            "description": node.doc,
            "default": node.value.default,
            "oneOf": [_value(node.value), _schema(node.table)],
        }
    if isinstance(node, Tables):
        return {"description": node.doc, "type": "array", "items": _schema(node.item)}
    if isinstance(node, Named):
        return {
            "description": node.doc,
            "type": "object",
            "additionalProperties": _schema(node.item),
        }
    return _table(node)


def _table(node: Table) -> dict[str, Any]:
    schema: dict[str, Any] = {
        "description": node.doc,
        "type": "object",
        "properties": {key: _schema(below) for key, below in node.keys.items()},
        "additionalProperties": False,
    }
    if node.required:
        schema["required"] = list(node.required)
    return schema


def _value(node: Value) -> dict[str, Any]:
    schema: dict[str, Any] = {"description": node.doc}
    if node.kind == "strings":
        items: dict[str, Any] = {"type": "string"}
        if node.choices:
            items["enum"] = list(node.choices)
        schema.update(type="array", items=items)
    elif node.kind == "table of strings":
        schema.update(type="object", additionalProperties={"type": "string"})
    elif node.kind == "json table":
        schema["type"] = "object"
    else:
        schema["type"] = _TYPES[node.kind]
        if node.choices:
            schema["enum"] = list(node.choices)
    if node.minimum is not None:
        schema["minimum"] = node.minimum
    if node.kind == "number":
        schema["exclusiveMaximum"] = MOST_SECONDS
    if node.also:
        # The bounds are those of the number; the words beside it have none.
        number = {key: schema.pop(key) for key in _OF_A_NUMBER if key in schema}
        schema["anyOf"] = [number, {"enum": list(node.also)}]
    if node.default is not None:
        schema["default"] = node.default
    return schema
