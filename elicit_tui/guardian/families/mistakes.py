"""Schemas with mistakes of their author: bounds, choices, defaults that do not fit; ticks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from sys import float_info
from typing import Any, Final, TypeGuard

from elicit_tui.elicitation import Severity
from elicit_tui.guardian.families.schema import COMBINATORS, KNOWN, are_choices
from elicit_tui.guardian.pages import table
from elicit_tui.guardian.reading import Reading
from elicit_tui.guardian.rule import Sighting, house_rule

_WARN: Final = Severity.WARN
_MANY_CHOICES: Final = 1_000
_LONG_TEXT: Final = 5_000
_LONG_NAME: Final = 500
_OF_ALL: Final = ("message", "url", "schema title", "schema description")
_NOBODY_TYPES: Final = 100_000
_TYPES: Final = (*table("schemas")["types"], "object")
_CHOSEN_BY: Final = ("enum", "oneOf", "anyOf", "$ref")
_TYPED_BY: Final = (*_CHOSEN_BY, "const", "allOf", "properties")
_PAIRS: Final = (
    *(("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems")),
    *(("exclusiveMinimum", "maximum"), ("minimum", "exclusiveMaximum")),
    ("exclusiveMinimum", "exclusiveMaximum"),
)
"""Keywords of which the first may not be more than the second."""
_BOUNDS: Final = {
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), 0.0),
    **dict.fromkeys(("minimum", "maximum"), float("-inf")),
    "multipleOf": float_info.min,
}
"""What a bound must be a number of at least."""


def _lengths(reading: Reading) -> Iterator[Sighting]:
    for place in reading.places:
        longest = _LONG_NAME if place.role == "name" else _LONG_TEXT
        if place.length > longest and place.role not in _OF_ALL:
            yield Sighting(_WARN, place.where, f"{place.length} characters")
    for where in dict.fromkeys(reading.clipped):
        yield Sighting(_WARN, where[:100], "longer than what is examined: only both ends were read")


def _choices(reading: Reading) -> Iterator[Sighting]:
    for field in reading.fields:
        for holder in (field.schema, field.schema.get("items")):
            if not isinstance(holder, Mapping):
                continue
            for key in ("enum", "oneOf", "anyOf", "enumNames"):
                values = holder.get(key)
                if key not in holder:
                    continue
                if not isinstance(values, list) or not values:
                    yield Sighting(_WARN, f"{field.where}.{key}", "empty")
                elif len(values) > _MANY_CHOICES:
                    yield Sighting(_WARN, f"{field.where}.{key}", f"{len(values)} choices")
                elif key != "enumNames" and _repeats(values):
                    yield Sighting(_WARN, f"{field.where}.{key}", "a choice stands there twice")
            names, values = holder.get("enumNames"), holder.get("enum")
            if isinstance(names, list) and isinstance(values, list) and len(names) != len(values):
                yield Sighting(_WARN, f"{field.where}.enumNames", "not as many as enum")


def _repeats(values: list[Any]) -> bool:
    keys = [
        repr(value.get("const", value)) if isinstance(value, Mapping) else repr(value)
        for value in values
    ]
    return len(set(keys)) != len(keys)


def _flat_mistakes(reading: Reading) -> Iterator[Sighting]:
    for field in reading.fields:
        for key, evidence in _mistakes(field.schema):
            yield Sighting(_WARN, f"{field.where}.{key[:40]}", evidence[:80])


def _mistakes(schema: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The keywords of a field that are wrong, each with what is wrong about it."""
    for key in schema:
        if key not in KNOWN and key not in (*COMBINATORS, "$ref", "$defs", "definitions"):
            yield str(key), str(key)
    declared, items = schema.get("type"), schema.get("items")
    if declared is None:
        if not any(key in schema for key in _TYPED_BY):
            yield "type", "no type"
    elif not isinstance(declared, str) or declared not in _TYPES:
        yield "type", repr(declared)
    elif declared == "array" and not (
        isinstance(items, Mapping) and any(key in items for key in _CHOSEN_BY)
    ):
        yield "items", "a list of free text"
    if "default" in schema and isinstance(declared, str) and not _fits(schema, schema["default"]):
        yield "default", repr(schema["default"])
    for low, high in _PAIRS:
        least, most = schema.get(low), schema.get(high)
        if not (_is_number(least) and _is_number(most)):
            continue
        if least > most or (least == most and "exclusive" in low + high):
            yield low, f"{least} > {most}"
    for key, lowest in _BOUNDS.items():
        value = schema.get(key)
        if value is not None and (not _is_number(value) or value < lowest):
            yield key, repr(value)
    if _is_number(schema.get("minLength")) and schema["minLength"] > _NOBODY_TYPES:
        yield "minLength", repr(schema["minLength"])
    values = items.get("enum") if isinstance(items, Mapping) else None
    fewest = schema.get("minItems")
    if isinstance(values, list) and _is_number(fewest) and fewest > len(values):
        yield "minItems", "more than there are choices"


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _fits(schema: Mapping[str, Any], value: Any) -> bool:
    declared = schema["type"]
    right = {
        "string": isinstance(value, str),
        "boolean": isinstance(value, bool),
        "number": _is_number(value),
        "integer": _is_number(value) and value % 1 == 0,
        "array": isinstance(value, list),
    }.get(declared, True)
    if not right or declared == "array":
        return right
    choices, options = schema.get("enum"), schema.get("oneOf")
    if isinstance(choices, list) and choices:
        return value in choices
    if options and are_choices(options):
        return any(option["const"] == value for option in options)
    if declared not in ("string", "number", "integer") or value == "":
        return True
    size = len(value) if declared == "string" else value
    low, high = ("minLength", "maxLength") if declared == "string" else ("minimum", "maximum")
    least, most = schema.get(low), schema.get(high)
    return not (_is_number(most) and size > most) and not (_is_number(least) and size < least)


def _ticked(reading: Reading) -> Iterator[Sighting]:
    for field in reading.fields:
        if field.kind == "boolean" and field.schema.get("default") is True:
            said = (clause for place in field.places[:6] for clause in place.clauses)
            if any(
                not clause.reports(hit) for clause in said for hit in clause.of("ticked danger")
            ):
                yield Sighting(_WARN, f"{field.where}.default", field.name[:80])


RULES = (
    house_rule("schema.length", _lengths),
    house_rule("schema.choices", _choices, to_author=True),
    house_rule("schema.flat_mistake", _flat_mistakes, to_author=True),
    house_rule("schema.ticked_consent", _ticked),
)
