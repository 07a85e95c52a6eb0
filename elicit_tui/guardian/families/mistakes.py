"""Schemas with mistakes of their author: bounds, choices, defaults that do not fit; ticks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from sys import float_info
from typing import Any, Final, TypeGuard

from elicit_tui.elicitation import Severity
from elicit_tui.guardian.keywords import COMBINATORS, KNOWN, TYPES, are_choices
from elicit_tui.guardian.reading import Reading
from elicit_tui.guardian.rule import Sighting, house_rule

_WARN: Final = Severity.WARN
_MANY_CHOICES: Final = 1_000
_LONG_TEXT: Final = 5_000
_LONG_NAME: Final = 500
_BOUNDS: Final = {
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), 0.0),
    **dict.fromkeys(("minimum", "maximum"), float("-inf")),
    "multipleOf": float_info.min,
}
"""What a bound must be a number of at least."""


def _lengths(reading: Reading) -> Iterator[Sighting]:
    for place in reading.places:
        longest = _LONG_NAME if place.role == "name" else _LONG_TEXT
        if place.length > longest and place.role not in (
            "message",
            "url",
            "schema title",
            "schema description",
        ):
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
        schema = field.schema
        declared = schema.get("type")
        for key in schema:
            if key not in KNOWN and key not in (*COMBINATORS, "$ref", "$defs", "definitions"):
                yield Sighting(_WARN, f"{field.where}.{str(key)[:40]}", str(key)[:80])
        if declared is None:
            if not any(
                key in schema
                for key in ("enum", "oneOf", "anyOf", "const", "$ref", "allOf", "properties")
            ):
                yield Sighting(_WARN, f"{field.where}.type", "no type")
        elif not isinstance(declared, str) or declared not in (*TYPES, "object"):
            yield Sighting(_WARN, f"{field.where}.type", repr(declared)[:80])
        elif declared == "array":
            items = schema.get("items")
            chosen = isinstance(items, Mapping) and any(
                key in items for key in ("enum", "oneOf", "anyOf", "$ref")
            )
            if not chosen:
                yield Sighting(_WARN, f"{field.where}.items", "a list of free text")
        if (
            "default" in schema
            and isinstance(declared, str)
            and not _fits(schema, schema["default"])
        ):
            yield Sighting(_WARN, f"{field.where}.default", repr(schema["default"])[:80])
        for low, high in (
            ("minimum", "maximum"),
            ("minLength", "maxLength"),
            ("minItems", "maxItems"),
            ("exclusiveMinimum", "maximum"),
            ("minimum", "exclusiveMaximum"),
            ("exclusiveMinimum", "exclusiveMaximum"),
        ):
            least, most = schema.get(low), schema.get(high)
            if (
                _is_number(least)
                and _is_number(most)
                and (least > most or (least == most and "exclusive" in low + high))
            ):
                yield Sighting(_WARN, f"{field.where}.{low}", f"{least} > {most}"[:80])
        for key in _BOUNDS:
            value = schema.get(key)
            if value is not None and (not _is_number(value) or value < _BOUNDS[key]):
                yield Sighting(_WARN, f"{field.where}.{key}", repr(value)[:80])
        if _is_number(schema.get("minLength")) and schema["minLength"] > 100_000:
            yield Sighting(_WARN, f"{field.where}.minLength", repr(schema["minLength"])[:80])
        if _is_number(schema.get("minItems")):
            items = schema.get("items")
            values = items.get("enum") if isinstance(items, Mapping) else None
            if isinstance(values, list) and schema["minItems"] > len(values):
                yield Sighting(_WARN, f"{field.where}.minItems", "more than there are choices")


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
    if not right:
        return False
    choices = schema.get("enum")
    if isinstance(choices, list) and choices and declared != "array":
        return value in choices
    options = schema.get("oneOf")
    if isinstance(options, list) and options and are_choices(options) and declared != "array":
        return any(option["const"] == value for option in options)
    if declared == "string":
        longest, shortest = schema.get("maxLength"), schema.get("minLength")
        if _is_number(longest) and len(value) > longest:
            return False
        if _is_number(shortest) and value and len(value) < shortest:
            return False
    if declared in ("number", "integer"):
        most, least = schema.get("maximum"), schema.get("minimum")
        return not (_is_number(most) and value > most) and not (_is_number(least) and value < least)
    return True


def _ticked(reading: Reading) -> Iterator[Sighting]:
    for field in reading.fields:
        if field.kind == "boolean" and field.schema.get("default") is True:
            said = (clause for place in field.places[:6] for clause in place.views[0].clauses)
            if any(clause.of("ticked danger") for clause in said):
                yield Sighting(_WARN, f"{field.where}.default", field.name[:80])


RULES = (
    house_rule("schema.length", _lengths),
    house_rule("schema.choices", _choices, to_author=True),
    house_rule("schema.flat_mistake", _flat_mistakes, to_author=True),
    house_rule("schema.ticked_consent", _ticked),
)
