"""Mistakes that a form's author made: choices, bounds and defaults that do not fit their schema."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import chain, islice
from math import inf, nan
from sys import float_info
from typing import Any, Final

from elicit_tui.form.choices import fits_type, read_choices
from elicit_tui.form.json_values import is_number, json_key, same_json, value_text

_MANY_CHOICES, _NOBODY_TYPES = 1_000, 100_000
_MANY_FIELDS, _TOO_MANY_FIELDS = 50, 200
_TYPES: Final = ("string", "number", "integer", "boolean", "array", "object")
_CHOSEN_BY: Final = {"enum", "oneOf", "anyOf", "$ref"}
_TYPED_BY: Final = (*_CHOSEN_BY, "const", "allOf", "properties")
_BOUNDS: Final = "minLength maxLength minItems maxItems minimum maximum multipleOf".split()
_LOWEST: Final = {"minimum": -inf, "maximum": -inf, "multipleOf": float_info.min}
"""What a bound must be at least that may be less than nothing, or may not be nothing."""
_PAIRS: Final = (
    ("minimum", "maximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("exclusiveMinimum", "maximum"),
    ("minimum", "exclusiveMaximum"),
    ("exclusiveMinimum", "exclusiveMaximum"),
)
"""Keywords of which the first may not be more than the second."""
_NUMBERED: Final = frozenset(chain.from_iterable(_PAIRS))


def trouble_of_choices(key: str, values: Any, schema: Mapping[str, Any]) -> str | None:
    """What is wrong with the choices below a keyword of a schema; None where nothing is."""
    if not isinstance(values, list) or not values:
        return "empty"
    if len(values) > _MANY_CHOICES:
        return f"{len(values)} choices"
    if key == "enumNames":
        named = schema.get("enum", values)
        fits = isinstance(named, list) and len(named) == len(values)
        return None if fits else "not as many as enum"
    bare = (part.get("const", part) if isinstance(part, Mapping) else part for part in values)
    return "a choice stands there twice" if len(set(map(json_key, bare))) < len(values) else None


def mistakes(schema: Mapping[str, Any], known: Collection[str]) -> Iterator[tuple[str, str]]:
    """The keywords of a field that are wrong, each with what is wrong about it.

    `known`: those that a field may have.
    """
    for key in schema:
        if key not in known:
            yield str(key), str(key)
    declared, items = schema.get("type"), schema.get("items")
    if declared is None:
        if not any(key in schema for key in _TYPED_BY):
            yield "type", "no type"
    elif not isinstance(declared, str) or declared not in _TYPES:
        yield "type", value_text(declared)
    elif declared == "array" and not (isinstance(items, Mapping) and _CHOSEN_BY & items.keys()):
        yield "items", "a list of free text"
    if "default" in schema and isinstance(declared, str) and not _fits(schema, schema["default"]):
        yield "default", value_text(schema["default"])
    for low, high in () if _NUMBERED.isdisjoint(schema) else _PAIRS:
        least, most = _number(schema, low), _number(schema, high)
        if least > most or (least == most and "exclusive" in low + high):
            yield low, f"{value_text(least)} > {value_text(most)}"
    for key in _BOUNDS:
        if schema.get(key) is not None and not _number(schema, key) >= _LOWEST.get(key, 0):
            yield key, value_text(schema[key])
    if _number(schema, "minLength") > _NOBODY_TYPES:
        yield "minLength", value_text(schema["minLength"])
    values = items.get("enum") if isinstance(items, Mapping) else None
    if isinstance(values, list) and _number(schema, "minItems") > len(values):
        yield "minItems", "more than there are choices"


def _names(properties: Mapping[str, Any], name: Any) -> bool:
    return isinstance(name, str) and name in properties


def _number(schema: Mapping[str, Any], key: str) -> Any:
    """What stands there, or NaN, which is neither more nor less than anything."""
    return schema[key] if is_number(schema.get(key)) else nan


def _fits(schema: Mapping[str, Any], value: Any) -> bool:
    """Whether a default is of its type, one of the choices if there are some, and in bounds."""
    if schema["type"] == "array":
        return isinstance(value, list)
    if not fits_type(value, schema["type"]):
        return False
    selected = read_choices(schema)
    if selected is not None:
        return any(same_json(choice.value, value) for choice in selected[0])
    is_text = isinstance(value, str)
    size = len(value) if is_text else value
    low, high = ("minLength", "maxLength") if is_text else ("minimum", "maximum")
    is_out = size < _number(schema, low) or size > _number(schema, high)
    return value == "" or not is_out


def no_form(
    schema: Any, known: Collection[str], combinators: Collection[str]
) -> Iterator[tuple[bool, str, str]]:
    """What makes a schema no form: whether it is none at all or an odd one, where, and evidence."""
    if schema is None:
        yield False, "", "no schema"
        return
    if not isinstance(schema, Mapping) or schema.get("type", "object") != "object":
        yield True, "", "no object"
        return
    if "type" not in schema:
        yield False, ".type", "no type"
    for key in schema:
        if key in (*combinators, "$ref", "$dynamicRef"):
            yield True, f".{key}", key
        elif key not in known:
            yield False, f".{key}", key
    properties, required = schema.get("properties"), schema.get("required", [])
    if not isinstance(properties, Mapping):
        yield False, ".properties", type(properties).__name__
        return
    if len(properties) >= _MANY_FIELDS:
        yield len(properties) > _TOO_MANY_FIELDS, ".properties", f"{len(properties)} fields"
    if not isinstance(required, list) or not all(_names(properties, name) for name in required):
        yield False, ".required", value_text(required)
    for name, subschema in islice(properties.items(), _TOO_MANY_FIELDS):
        if not str(name).strip() or not isinstance(subschema, Mapping):
            yield False, f".properties.{name}", "a field without a name or schema"


def is_form(schema: Mapping[str, Any]) -> bool:
    """Whether a field is a form itself."""
    declared = schema.get("type")
    is_object = "object" in declared if isinstance(declared, list) else declared == "object"
    return is_object or "properties" in schema or "additionalProperties" in schema
