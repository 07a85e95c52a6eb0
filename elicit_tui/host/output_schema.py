"""Holds a call's result against its tool's outputSchema (spec: server/tools, "Output Schema").

The judge decides. Only where a plain schema, of types, properties and items alone, is kept is it
left out: that is what most tools declare, and the judge takes a tenth of a short run to load.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from elicit_tui.form.form import problem_in

_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "array": (list,),
    "boolean": (bool,),
    "integer": (int,),
    "null": (type(None),),
    "number": (int, float),
    "object": (dict,),
    "string": (str,),
}
_LEVELS: Final = 10
"""How deep a plain schema goes; a deeper one is the judge's."""


def output_problem(result: Mapping[str, Any], schema: Any) -> str | None:
    """Why a result is not what the tool's outputSchema says, as a sentence; None when it is."""
    if "structuredContent" not in result:
        why = "there is no structuredContent"
    else:
        content = result["structuredContent"]
        if _is_plain(schema, _LEVELS) and _keeps(content, schema):
            return None
        problem = problem_in(content, schema)
        if problem is None:
            return None
        why = str(problem)
    return f"The result does not satisfy the tool's outputSchema: {why}."


def _is_plain(schema: Any, levels: int) -> bool:
    """Whether nothing but what `_keeps` looks at is in a schema, each in its right shape."""
    if not isinstance(schema, dict) or not levels:
        return False
    for keyword, value in schema.items():
        if keyword == "properties":
            fine = isinstance(value, dict) and all(
                _is_plain(part, levels - 1) for part in value.values()
            )
        elif keyword == "items":
            fine = _is_plain(value, levels - 1)
        elif keyword == "required":
            fine = _are_names(value)
        elif keyword == "type":
            fine = isinstance(value, str) and value in _TYPES
        elif keyword == "additionalProperties":
            fine = isinstance(value, bool)
        elif keyword in ("title", "description", "$schema"):
            fine = isinstance(value, str)
        else:
            fine = keyword == "default" or keyword.startswith("x-")
        if not fine:
            return False
    return True


def _are_names(value: Any) -> bool:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        return False
    return len(set(value)) == len(value)


def _keeps(value: Any, schema: Mapping[str, Any]) -> bool:
    """Whether a plain schema surely allows a value."""
    if "type" in schema and type(value) not in _TYPES[schema["type"]]:
        return False
    if isinstance(value, list):
        items = schema.get("items", {})
        return all(_keeps(item, items) for item in value)
    if not isinstance(value, dict):
        return True
    properties = schema.get("properties", {})
    if schema.get("additionalProperties") is False and not value.keys() <= properties.keys():
        return False
    return all(name in value for name in schema.get("required", ())) and all(
        _keeps(value[name], part) for name, part in properties.items() if name in value
    )
