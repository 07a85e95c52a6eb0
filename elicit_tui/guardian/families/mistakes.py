"""Schemas with mistakes of their author: bounds, choices, defaults that do not fit; ticks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf, nan
from sys import float_info
from typing import Any, Final

from elicit_tui.elicitation import Severity
from elicit_tui.form.choices import fits_type, read_choices
from elicit_tui.form.json_values import is_number, json_key, same_json
from elicit_tui.guardian.families.schema import KNOWN, parts_of
from elicit_tui.guardian.pages import table
from elicit_tui.guardian.reading import GENERAL, Reading
from elicit_tui.guardian.rule import Sighting, found, house_rule

_WARN: Final = Severity.WARN
_MANY_CHOICES, _LONG_TEXT, _LONG_NAME, _NOBODY_TYPES = 1_000, 5_000, 500, 100_000
_TYPES: Final = table("schemas")["types"]
_CHOSEN_BY: Final = {"enum", "oneOf", "anyOf", "$ref"}
_TYPED_BY: Final = (*_CHOSEN_BY, "const", "allOf", "properties")
_PAIRS: Final = [pair.split() for pair in table("schemas")["pairs"]]
_LOWEST: Final = {"minimum": -inf, "maximum": -inf, "multipleOf": float_info.min}
"""What a bound must be at least that may be less than nothing, or may not be nothing."""


def _lengths(reading: Reading) -> Iterator[Sighting]:
    for place in reading.places:
        longest = _LONG_NAME if place.role == "name" else _LONG_TEXT
        if place.length > longest and place.role not in ("url", *GENERAL):
            yield Sighting(_WARN, place.where, f"{place.length} characters")
    for where in dict.fromkeys(reading.clipped):
        yield Sighting(_WARN, where[:100], "longer than what is examined: only both ends were read")


def _choices(reading: Reading) -> Iterator[Sighting]:
    for where, part in (part for field in reading.fields for part in parts_of(field)):
        for key in ("enum", "oneOf", "anyOf", "enumNames"):
            trouble = _trouble_of_choices(key, part[key], part) if key in part else None
            if trouble is not None:
                yield Sighting(_WARN, f"{where}.{key}", trouble)


def _trouble_of_choices(key: str, values: Any, schema: Mapping[str, Any]) -> str | None:
    if not isinstance(values, list) or not values:
        return "empty"
    if len(values) > _MANY_CHOICES:
        return f"{len(values)} choices"
    if key == "enumNames":
        named = schema.get("enum", values)
        fits = isinstance(named, list) and len(named) == len(values)
        return None if fits else "not as many as enum"
    bare = (one.get("const", one) if isinstance(one, Mapping) else one for one in values)
    return "a choice stands there twice" if len(set(map(json_key, bare))) < len(values) else None


def _flat_mistakes(reading: Reading) -> Iterator[Sighting]:
    for field in reading.fields:
        for key, evidence in _mistakes(field.schema):
            yield Sighting(_WARN, f"{field.where}.{key[:40]}", evidence[:80])


def _mistakes(schema: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The keywords of a field that are wrong, each with what is wrong about it."""
    for key in schema:
        if key not in KNOWN:
            yield str(key), str(key)
    declared, items = schema.get("type"), schema.get("items")
    if declared is None:
        if not any(key in schema for key in _TYPED_BY):
            yield "type", "no type"
    elif not isinstance(declared, str) or declared not in _TYPES:
        yield "type", repr(declared)
    elif declared == "array" and not (isinstance(items, Mapping) and _CHOSEN_BY & items.keys()):
        yield "items", "a list of free text"
    if "default" in schema and isinstance(declared, str) and not _fits(schema, schema["default"]):
        yield "default", repr(schema["default"])
    for low, high in (pair for pair in _PAIRS if pair[0] in schema):
        least, most = _number(schema, low), _number(schema, high)
        if least > most or (least == most and "exclusive" in low + high):
            yield low, f"{least} > {most}"
    for key in table("schemas")["bounds"]:
        if schema.get(key) is not None and not _number(schema, key) >= _LOWEST.get(key, 0):
            yield key, repr(schema[key])
    if _number(schema, "minLength") > _NOBODY_TYPES:
        yield "minLength", repr(schema["minLength"])
    values = items.get("enum") if isinstance(items, Mapping) else None
    if isinstance(values, list) and _number(schema, "minItems") > len(values):
        yield "minItems", "more than there are choices"


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


def _ticked(reading: Reading) -> Iterator[Sighting]:
    for field in reading.fields:
        if field.kind == "boolean" and field.drawn.get("default") is True:
            told = found(field.places[:6], "ticked danger", usual_only=True)
            if any(not one.clause.reports(one.hit) for one in told):
                yield Sighting(_WARN, f"{field.where}.default", field.name[:80])


RULES = (
    house_rule("schema.length", _lengths),
    house_rule("schema.choices", _choices, to_author=True),
    house_rule("schema.flat_mistake", _flat_mistakes, to_author=True),
    house_rule("schema.ticked_consent", _ticked),
)
