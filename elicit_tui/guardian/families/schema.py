"""Schemas that are no form: nested, endless, exploding, or with a consent already given."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeGuard

from elicit_tui.elicitation import Severity
from elicit_tui.guardian.lexicon import concept
from elicit_tui.guardian.patterns import trouble_in
from elicit_tui.guardian.reading import Reading
from elicit_tui.guardian.rule import Rule, Sighting

_BLOCK, _WARN = Severity.BLOCK, Severity.WARN
_MANY_FIELDS: Final = 50
_TOO_MANY_FIELDS: Final = 200
_MANY_CHOICES: Final = 1_000
_LONG_TEXT: Final = 5_000
_ROOT: Final = "requestedSchema"
_PROTOTYPES: Final = frozenset(
    (
        "__proto__",
        "__definegetter__",
        "__definesetter__",
        "__lookupgetter__",
        "__lookupsetter__",
        "__class__",
        "__init__",
        "__globals__",
        "__parent__",
    )
)
_PROTOTYPE_WORDS: Final = frozenset(
    ("constructor", "prototype", "hasownproperty", "tostring", "valueof", "isprototypeof")
)
_COMBINATORS: Final = (
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "dependentSchemas",
    "patternProperties",
    "propertyNames",
    "dependencies",
    "unevaluatedProperties",
    "prefixItems",
    "contains",
    "additionalItems",
)
_KNOWN: Final = frozenset(
    (
        "type",
        "title",
        "description",
        "default",
        "enum",
        "enumNames",
        "oneOf",
        "anyOf",
        "items",
        "minItems",
        "maxItems",
        "uniqueItems",
        "minLength",
        "maxLength",
        "pattern",
        "format",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "examples",
        "example",
        "const",
        "$comment",
        "deprecated",
        "readOnly",
        "writeOnly",
        "$id",
        "$schema",
        "placeholder",
        "properties",
        "required",
        "additionalProperties",
        "contentEncoding",
        "contentMediaType",
    )
)
_TYPES: Final = frozenset(("string", "number", "integer", "boolean", "array"))


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
    for key in _COMBINATORS:
        if key in schema:
            yield Sighting(_BLOCK, f"{_ROOT}.{key}", key)
    if "$ref" in schema or "$dynamicRef" in schema:
        yield Sighting(_BLOCK, f"{_ROOT}.$ref", str(schema.get("$ref"))[:80])
    for key in schema:
        if (
            key not in _KNOWN
            and not str(key).startswith("x-")
            and key not in ("$defs", "definitions", *_COMBINATORS, "$ref")
        ):
            yield Sighting(_WARN, f"{_ROOT}.{key}"[:80], str(key)[:80])
    for name, subschema in list(properties.items())[:1_000]:
        if not isinstance(subschema, Mapping):
            shown = str(name)[:60]
            yield Sighting(_WARN, f"{_ROOT}.properties.{shown}", type(subschema).__name__)


def _depth(value: Any, limit: int = 12) -> int:
    if limit == 0:
        return 1
    if isinstance(value, Mapping):
        inner = [
            _depth(item, limit - 1)
            for item in list(value.values())[:50]
            if isinstance(item, (Mapping, list))
        ]
        return 1 + max(inner, default=0)
    if isinstance(value, list):
        return max(
            (_depth(item, limit - 1) for item in value[:50] if isinstance(item, (Mapping, list))),
            default=0,
        )
    return 0


def _nesting(reading: Reading) -> Iterator[Sighting]:
    for field in reading.fields:
        schema = field.schema
        where = field.where
        items = schema.get("items")
        nested = (
            schema.get("type") == "object"
            or "properties" in schema
            or "additionalProperties" in schema
        )
        if not nested and isinstance(items, Mapping):
            nested = (
                items.get("type") in ("object", "array")
                or "properties" in items
                or "items" in items
            )
        if nested or (isinstance(schema.get("type"), list) and "object" in schema["type"]):
            yield Sighting(_BLOCK, where, field.name[:80])
        elif _depth(schema) > 5:
            yield Sighting(_BLOCK, where, "nested too deeply")


def _references(reading: Reading) -> Iterator[Sighting]:
    root = reading.request.requested_schema or {}
    for field in reading.fields:
        for reference in _refs(field.schema):
            if not isinstance(reference, str) or not reference.startswith("#"):
                yield Sighting(_BLOCK, f"{field.where}.$ref", str(reference)[:120])
            elif _is_recursive(root, reference) or reference in ("#", "#/", "#/properties"):
                yield Sighting(_BLOCK, f"{field.where}.$ref", reference[:120])
            else:
                yield Sighting(_WARN, f"{field.where}.$ref", reference[:120])
    for group in ("$defs", "definitions"):
        for reference in _refs(root.get(group)):
            if (
                not isinstance(reference, str)
                or not reference.startswith("#")
                or _is_recursive(root, reference)
            ):
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


def _is_recursive(root: Mapping[str, Any], reference: str) -> bool:
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
        for key in _COMBINATORS:
            if key not in schema:
                continue
            options = schema[key]
            if key in ("oneOf", "anyOf") and _are_choices(options):
                continue
            chained = _depth(options) > 2 or not isinstance(options, list) or len(options) > 8
            nullable = isinstance(options, list) and len(options) <= 3 and not chained
            yield Sighting(
                _WARN if nullable and key in ("anyOf", "oneOf") else _BLOCK,
                f"{field.where}.{key}",
                key,
            )
            break


def _are_choices(options: Any) -> bool:
    return isinstance(options, list) and all(
        isinstance(option, Mapping) and "const" in option for option in options
    )


def _patterns(reading: Reading) -> Iterator[Sighting]:
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
            trouble = trouble_in(pattern)
            if trouble is not None:
                severity = _BLOCK if trouble == "catastrophic" else _WARN
                yield Sighting(severity, f"{field.where}.{key}", pattern[:150])


def _names(reading: Reading) -> Iterator[Sighting]:
    for field in reading.fields:
        name = re.sub(r"[^a-z_]", "", field.name[:80].lower())
        if name in _PROTOTYPES or any(word in name for word in _PROTOTYPES):
            yield Sighting(_BLOCK, field.where, field.name[:80])
        elif name in _PROTOTYPE_WORDS and "prototype" not in reading.message.folded.text:
            yield Sighting(_WARN, field.where, field.name[:80])


def _lengths(reading: Reading) -> Iterator[Sighting]:
    for place in reading.places:
        if place.length > _LONG_TEXT and place.role not in (
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
            if (
                key not in _KNOWN
                and key not in (*_COMBINATORS, "$ref", "$defs", "definitions")
                and not str(key).startswith("x-")
            ):
                yield Sighting(_WARN, f"{field.where}.{str(key)[:40]}", str(key)[:80])
        if declared is None:
            if not any(
                key in schema
                for key in ("enum", "oneOf", "anyOf", "const", "$ref", "allOf", "properties")
            ):
                yield Sighting(_WARN, f"{field.where}.type", "no type")
        elif not isinstance(declared, str) or declared not in (*_TYPES, "object"):
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
        for key in ("minLength", "maxLength", "minItems", "maxItems"):
            value = schema.get(key)
            if value is not None and (not _is_number(value) or value < 0):
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
        "integer": _is_number(value) and float(value).is_integer() if _is_number(value) else False,
        "array": isinstance(value, list),
    }.get(declared, True)
    if not right:
        return False
    choices = schema.get("enum")
    if isinstance(choices, list) and choices and declared != "array":
        return value in choices
    options = schema.get("oneOf")
    if isinstance(options, list) and options and _are_choices(options) and declared != "array":
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
    dangerous = concept("consent", "dangerous")
    for field in reading.fields:
        if field.kind == "boolean" and field.schema.get("default") is True:
            words = " . ".join(place.folded.text for place in field.places[:6])
            if words in dangerous:
                yield Sighting(_WARN, f"{field.where}.default", field.name[:80])


RULES = (
    Rule(
        "schema.shape",
        "A request that is no form.",
        "This question is malformed; decline it unless you know its server.",
        _shape,
    ),
    Rule(
        "schema.nesting",
        "Forms inside forms, which no question may hold.",
        "This form cannot be shown as it is meant; decline it.",
        _nesting,
    ),
    Rule(
        "schema.reference",
        "A form that points elsewhere for its own contents.",
        "Decline: a form must be complete in itself.",
        _references,
    ),
    Rule(
        "schema.combinators",
        "A form that is a puzzle of conditions.",
        "Decline: a form must be plain.",
        _combinators,
    ),
    Rule(
        "schema.pattern",
        "Patterns that freeze the program that checks them.",
        "Its check of your input cannot be trusted.",
        _patterns,
    ),
    Rule(
        "schema.prototype_name",
        "Field names that break programs which read the answer.",
        "Decline: no honest field has such a name.",
        _names,
    ),
    Rule(
        "schema.length",
        "Texts too long to be read.",
        "Parts of this form are too long to be read.",
        _lengths,
    ),
    Rule(
        "schema.choices",
        "Choices that are empty, repeated or endless.",
        "The list of choices is not in order; read it closely.",
        _choices,
    ),
    Rule(
        "schema.flat_mistake",
        "A form that does not follow the protocol.",
        "The form has mistakes; your answer may not be understood.",
        _flat_mistakes,
    ),
    Rule(
        "schema.ticked_consent",
        "A dangerous consent that is already given for you.",
        "A consent is already ticked; take it away unless you want it.",
        _ticked,
    ),
)
