"""Schemas that are no form, made to break who reads them, or with mistakes of their author."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from elicit_tui.elicitation import Severity
from elicit_tui.form.json_values import value_text
from elicit_tui.form.limits import depth, references
from elicit_tui.form.mistakes import is_form, mistakes, no_form, trouble_of_choices
from elicit_tui.form.pattern_steps import Patterns
from elicit_tui.guardian.pages import table
from elicit_tui.guardian.reading import GENERAL, FieldReading, Reading
from elicit_tui.guardian.rule import Sighting, house_rule, mentions

_BLOCK, _WARN = Severity.BLOCK, Severity.WARN
_ROOT: Final = "requestedSchema"
_COMBINATORS: Final = table("schemas")["combinators"]
_KNOWN: Final = frozenset((*table("schemas")["known"], *_COMBINATORS))
_LONG_TEXT, _LONG_NAME, _DEEPEST = 5_000, 500, 5


def _shape(request: Reading) -> Iterator[Sighting]:
    if request.mode == "form":
        params = request.source.params
        schema = params.get("requestedSchema") if isinstance(params, Mapping) else None
        for is_none, key, evidence in no_form(schema, _KNOWN, _COMBINATORS):
            yield Sighting(_BLOCK if is_none else _WARN, f"{_ROOT}{key}"[:80], evidence[:80])


def _parts_of(field: FieldReading) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """A field's schema and that of its items, each with where it stands."""
    yield field.where, field.schema
    items = field.schema.get("items")
    if items is not None and isinstance(items, Mapping):
        yield f"{field.where}.items", items


def _nesting(request: Reading) -> Iterator[Sighting]:
    for field in request.fields:
        own, *items = (part for _, part in _parts_of(field))
        lists = any(part.get("type") == "array" or "items" in part for part in items)
        if lists or any(map(is_form, (own, *items))) or depth(own) > _DEEPEST:
            yield Sighting(_BLOCK, field.where, field.name[:80])


def _references(request: Reading) -> Iterator[Sighting]:
    """Each reference; one that leads out of the schema or back to where it stands is blocked."""
    root = request.source.requested_schema or {}
    rest = {key: part for key, part in root.items() if key != "properties"}
    parts = (*((field.where, field.schema) for field in request.fields), (_ROOT, rest))
    for where, reference, is_wrong in references(parts, root):
        yield Sighting(_BLOCK if is_wrong else _WARN, f"{where}.$ref", reference[:120])


def _combinators(request: Reading) -> Iterator[Sighting]:
    """What is no list of choices; a few plain alternatives, as "this or null", only puzzle."""
    for field in request.fields:
        for key in _COMBINATORS:
            options = field.schema.get(key, [])
            is_plain = key in ("oneOf", "anyOf") and isinstance(options, list)
            chosen = is_plain and all(isinstance(o, Mapping) and "const" in o for o in options)
            if key in field.schema and not chosen:
                is_plain = is_plain and len(options) <= 3 and depth(options) <= 2
                yield Sighting(_WARN if is_plain else _BLOCK, f"{field.where}.{key}", key)


def _patterns(request: Reading) -> Iterator[Sighting]:
    patterns = Patterns()
    for where, part in (part for field in request.fields for part in _parts_of(field)):
        pattern = part.get("pattern")
        if pattern is not None:
            trouble = patterns.trouble_in(pattern) if isinstance(pattern, str) else "broken"
            if trouble is not None:
                severity = _BLOCK if trouble == "catastrophic" else _WARN
                shown = pattern if isinstance(pattern, str) else value_text(pattern)
                yield Sighting(severity, f"{where}.pattern", shown[:150])


def _names(request: Reading) -> Iterator[Sighting]:
    known = table("schemas")
    for field in request.fields:
        shown = field.name[:80].lower()
        whole = re.sub(r"[^a-z_]", "", shown)
        words = {whole, *re.split(r"[.\[\]/]", shown)}.intersection(known["prototype words"])
        unsaid = any(word not in request.message.unsplit.text for word in words)
        if unsaid or any(prototype in whole for prototype in known["prototypes"]):
            yield Sighting(_BLOCK, field.where, field.name[:80])


def _lengths(request: Reading) -> Iterator[Sighting]:
    for place in request.places:
        longest = _LONG_NAME if place.role == "name" else _LONG_TEXT
        if place.length > longest and place.role not in ("url", *GENERAL):
            yield Sighting(_WARN, place.where, f"{place.length} characters")
    for where in dict.fromkeys(request.clipped):
        yield Sighting(_WARN, where[:100], "longer than what is examined: only both ends were read")
    # One for each field: what its value is worth keeping out of a record was not seen.
    for name, where in {name: where for where, name in request.unread}.items():
        yield Sighting(_BLOCK, where[:100], "more than is examined: not read", name, carried_by=())


def _choices(request: Reading) -> Iterator[Sighting]:
    for where, part in (part for field in request.fields for part in _parts_of(field)):
        for key in ("enum", "oneOf", "anyOf", "enumNames"):
            if trouble := trouble_of_choices(key, part[key], part) if key in part else None:
                yield Sighting(_WARN, f"{where}.{key}", trouble)


def _flat_mistakes(request: Reading) -> Iterator[Sighting]:
    for field in request.fields:
        for key, evidence in mistakes(field.schema, _KNOWN):
            yield Sighting(_WARN, f"{field.where}.{key[:40]}", evidence[:80])


def _ticked(request: Reading) -> Iterator[Sighting]:
    for field in request.fields:
        if field.kind == "boolean" and field.drawn.get("default") is True:
            dangers = mentions(field.places[:6], "ticked danger", usual_only=True)
            if any(not danger.clause.reports(danger.hit) for danger in dangers):
                yield Sighting(_WARN, f"{field.where}.default", field.name[:80])


RULES = (
    house_rule("schema.shape", _shape),
    house_rule("schema.nesting", _nesting),
    house_rule("schema.reference", _references),
    house_rule("schema.combinators", _combinators),
    house_rule("schema.pattern", _patterns),
    house_rule("schema.prototype_name", _names),
    house_rule("schema.length", _lengths),
    house_rule("schema.choices", _choices, to_author=True),
    house_rule("schema.flat_mistake", _flat_mistakes, to_author=True),
    house_rule("schema.ticked_consent", _ticked),
)
