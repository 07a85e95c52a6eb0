"""A JSON Schema of the user's file, from the same table of keys, for editors to complete from."""

from __future__ import annotations

from typing import Any

from elicit_tui.config.keys import USER_FILE
from elicit_tui.config.nodes import Either, Named, Node, Table, Tables, Value

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
    if node.also:
        # The bounds are those of the number; the words beside it have none.
        number = {key: schema.pop(key) for key in ("type", "minimum") if key in schema}
        schema["anyOf"] = [number, {"enum": list(node.also)}]
    if node.default is not None:
        schema["default"] = node.default
    return schema
