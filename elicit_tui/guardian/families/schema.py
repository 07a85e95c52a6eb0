"""Schemas that are no form: nested, endless, puzzling, or made to break who reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from elicit_tui.elicitation import Severity
from elicit_tui.guardian.pages import table
from elicit_tui.guardian.patterns import Patterns
from elicit_tui.guardian.reading import Reading
from elicit_tui.guardian.rule import Sighting, house_rule

_BLOCK, _WARN = Severity.BLOCK, Severity.WARN
_MANY_FIELDS: Final = 50
_TOO_MANY_FIELDS: Final = 200
_ROOT: Final = "requestedSchema"
COMBINATORS: Final = table("schemas")["combinators"]
KNOWN: Final = frozenset(table("schemas")["known"])
_PROTOTYPES: Final = table("schemas")["prototypes"]
_PROTOTYPE_WORDS: Final = table("schemas")["prototype words"]


def _shape(reading: Reading) -> Iterator[Sighting]:
    if reading.mode != "form":
        return
    params = reading.request.params
    if not isinstance(params, Mapping) or params.get("requestedSchema") is None:
        yield Sighting(_WARN, _ROOT, "no schema")
        return
    schema = params["requestedSchema"]
    if not isinstance(schema, Mapping):
        yield Sighting(_BLOCK, _ROOT, type(schema).__name__)
        return
    if schema.get("type", "object") != "object":
        yield Sighting(_BLOCK, f"{_ROOT}.type", repr(schema.get("type"))[:80])
        return
    if "type" not in schema:
        yield Sighting(_WARN, f"{_ROOT}.type", "no type")
    properties = schema.get("properties")
    for key in COMBINATORS:
        if key in schema:
            yield Sighting(_BLOCK, f"{_ROOT}.{key}", key)
    if "$ref" in schema or "$dynamicRef" in schema:
        yield Sighting(_BLOCK, f"{_ROOT}.$ref", str(schema.get("$ref"))[:80])
    if not isinstance(properties, Mapping):
        yield Sighting(_WARN, f"{_ROOT}.properties", type(properties).__name__)
        return
    if len(properties) > _TOO_MANY_FIELDS:
        yield Sighting(_BLOCK, f"{_ROOT}.properties", f"{len(properties)} fields")
    elif len(properties) > _MANY_FIELDS - 1:
        yield Sighting(_WARN, f"{_ROOT}.properties", f"{len(properties)} fields")
    required = schema.get("required", [])
    if not isinstance(required, list):
        yield Sighting(_WARN, f"{_ROOT}.required", type(required).__name__)
    else:
        unknown = [
            name for name in required[:1000] if not isinstance(name, str) or name not in properties
        ]
        if unknown:
            yield Sighting(_WARN, f"{_ROOT}.required", str(unknown[0])[:80])
    for key in schema:
        if key not in KNOWN and key not in ("$defs", "definitions", *COMBINATORS, "$ref"):
            yield Sighting(_WARN, f"{_ROOT}.{key}"[:80], str(key)[:80])
    for name, subschema in list(properties.items())[:1_000]:
        if not str(name).strip():
            yield Sighting(_WARN, f"{_ROOT}.properties", "a field without a name")
        if not isinstance(subschema, Mapping):
            shown = str(name)[:60]
            yield Sighting(_WARN, f"{_ROOT}.properties.{shown}", type(subschema).__name__)


def are_choices(options: Any) -> bool:
    """Whether a `oneOf` or `anyOf` lists the choices of a select."""
    return isinstance(options, list) and all(
        isinstance(option, Mapping) and "const" in option for option in options
    )


def _depth(value: Any, limit: int = 12) -> int:
    """How many objects stand in one another."""
    if limit == 0:
        return 1
    inside = list(value.values()) if isinstance(value, Mapping) else value
    parts = [one for one in inside[:50] if isinstance(one, (Mapping, list))]
    deepest = max((_depth(one, limit - 1) for one in parts), default=0)
    return deepest + isinstance(value, Mapping)


def _nesting(reading: Reading) -> Iterator[Sighting]:
    for field in reading.fields:
        schema = field.schema
        where = field.where
        items = schema.get("items")
        declared = schema.get("type")
        nested = declared == "object" or (isinstance(declared, list) and "object" in declared)
        nested = nested or "properties" in schema or "additionalProperties" in schema
        if not nested and isinstance(items, Mapping):
            nested = items.get("type") in ("object", "array")
            nested = nested or "properties" in items or "items" in items
        if nested:
            yield Sighting(_BLOCK, where, field.name[:80])
        elif _depth(schema) > 5:
            yield Sighting(_BLOCK, where, "nested too deeply")


def _references(reading: Reading) -> Iterator[Sighting]:
    root = reading.request.requested_schema or {}
    for field in reading.fields:
        for reference in _refs(field.schema):
            endless = _is_endless(root, reference) or reference in ("#", "#/", "#/properties")
            severity = _BLOCK if endless else _WARN
            yield Sighting(severity, f"{field.where}.$ref", str(reference)[:120])
    for group in ("$defs", "definitions"):
        for reference in _refs(root.get(group)):
            if _is_endless(root, reference):
                yield Sighting(_BLOCK, f"{_ROOT}.{group}", str(reference)[:120])
                return


def _refs(value: Any, depth: int = 0) -> Iterator[Any]:
    if depth > 12:
        return
    if isinstance(value, Mapping):
        for key, item in list(value.items())[:300]:
            if key in ("$ref", "$dynamicRef", "$recursiveRef"):
                yield item
            elif isinstance(item, (Mapping, list)):
                yield from _refs(item, depth + 1)
    elif isinstance(value, list):
        for item in value[:300]:
            yield from _refs(item, depth + 1)


def _is_endless(root: Mapping[str, Any], reference: Any) -> bool:
    """Whether a reference leads out of the schema, or back to where it stands."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return True
    waiting = [reference]
    met: set[str] = set()
    while waiting and len(met) < 50:
        current = waiting.pop()
        if current in met:
            return True
        met.add(current)
        target: Any = root
        for step in current.lstrip("#").strip("/").split("/"):
            target = target.get(step) if isinstance(target, Mapping) else None
        if target is root:
            return True
        waiting.extend(found for found in _refs(target) if isinstance(found, str))
    return bool(waiting)


def _combinators(reading: Reading) -> Iterator[Sighting]:
    for field in reading.fields:
        schema = field.schema
        for key in COMBINATORS:
            if key not in schema:
                continue
            options = schema[key]
            if key in ("oneOf", "anyOf") and are_choices(options):
                continue
            chained = not isinstance(options, list) or _depth(options) > 2 or len(options) > 8
            nullable = isinstance(options, list) and len(options) <= 3 and not chained
            yield Sighting(
                _WARN if nullable and key in ("anyOf", "oneOf") else _BLOCK,
                f"{field.where}.{key}",
                key,
            )
            break


def _patterns(reading: Reading) -> Iterator[Sighting]:
    patterns = Patterns()
    for field in reading.fields:
        places = [("pattern", field.schema.get("pattern"))]
        items = field.schema.get("items")
        if isinstance(items, Mapping):
            places.append(("items.pattern", items.get("pattern")))
        for key, pattern in places:
            if pattern is None:
                continue
            if not isinstance(pattern, str):
                yield Sighting(_WARN, f"{field.where}.{key}", type(pattern).__name__)
                continue
            trouble = patterns.trouble_in(pattern)
            if trouble is not None:
                severity = _BLOCK if trouble == "catastrophic" else _WARN
                yield Sighting(severity, f"{field.where}.{key}", pattern[:150])


def _names(reading: Reading) -> Iterator[Sighting]:
    for field in reading.fields:
        name = re.sub(r"[^a-z_]", "", field.name[:80].lower())
        steps = re.split(r"[.\[\]/]", field.name[:80].lower())
        word = any(
            step in _PROTOTYPE_WORDS and step not in reading.message.folded.text
            for step in (name, *steps)
        )
        if word or any(prototype in name for prototype in _PROTOTYPES):
            yield Sighting(_BLOCK, field.where, field.name[:80])


RULES = (
    house_rule("schema.shape", _shape),
    house_rule("schema.nesting", _nesting),
    house_rule("schema.reference", _references),
    house_rule("schema.combinators", _combinators),
    house_rule("schema.pattern", _patterns),
    house_rule("schema.prototype_name", _names),
)
