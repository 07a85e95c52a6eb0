"""A requestedSchema, or a tool's inputSchema, to a form; each of its properties to a field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, cast

from elicit_tui.form.choices import read_choices
from elicit_tui.form.conversion import faithful_entry
from elicit_tui.form.field import NUMBER_KINDS, TEXT_KINDS, Choice, Field, FieldKind, Unset
from elicit_tui.form.form import Form, Purpose
from elicit_tui.form.formats import FORMATS
from elicit_tui.form.json_values import is_count, is_number, limit_text
from elicit_tui.form.judge import Judge
from elicit_tui.form.limits import (
    ARRAY_KEYWORDS,
    MAX_CHOICES,
    MAX_PROPERTIES,
    NULLABLE,
    NUMBER_KEYWORDS,
    ROOT_DRAWN,
    SELECT_KEYWORDS,
    STRING_KEYWORDS,
    flattened,
    other_keywords,
    resolve,
    too_large,
)
from elicit_tui.form.pattern import SchemaPatterns, unchecked
from elicit_tui.form.wording import choose_words, count_words, range_words
from elicit_tui.text import looks_blank, neutral, neutral_line

MULTILINE_FROM: Final = 200
"""Code points. A text is multi-line when its maxLength or minLength reaches this, or when its
default has a line break; without maxLength it is one line."""

_NO_SELECT: Final = "is a list, and not of texts"
_LISTS: Final = {
    "object": "is a list of objects",
    "array": "is a list of lists",
    "integer": "is a list of numbers",
    "number": "is a list of numbers",
}


# One property: its kind, its limits, its words


def read_field(
    name: str, schema: Any, root: Any, required: bool, patterns: SchemaPatterns
) -> Field:
    """The field of one property; `unsupported`, with the reason, beyond the spec's subset."""
    blank = Field(
        name=name,
        kind="unsupported",
        title=neutral_line(name, 200) or "(no name)",
        required=required,
        schema=schema,
    )
    flat = flattened(schema, root)
    if isinstance(flat, str):
        return _unsupported(blank, flat)
    types = _types(flat.get("type"))
    blank = replace(
        blank,
        title=line_of(flat.get("title")) or blank.title,
        description=text_of(flat.get("description")),
        nullable="null" in types or flat.get(NULLABLE) is True,
    )
    field = _of_type(blank, flat, root, _without_null(types))
    # Of a pattern that cannot be translated the person is told; the field itself can be answered.
    reason = patterns.untranslatable(field.pattern) if field.pattern is not None else None
    if reason is not None:
        field = replace(field, notes=(*field.notes, unchecked(reason)))
    # What cannot be sent has nothing to be filled in either.
    return _with_default(field, flat) if field.sendable else field


def line_of(value: Any) -> str | None:
    """A title as the form shows it; None where the server gave none."""
    return neutral_line(value, 200) if isinstance(value, str) and not looks_blank(value) else None


def text_of(value: Any) -> str | None:
    """A description as the form shows it; None where the server gave none."""
    return neutral(value, 4_000) if isinstance(value, str) and not looks_blank(value) else None


def _unsupported(field: Field, why: str) -> Field:
    end = "the form cannot be answered" if field.required else "it is left out"
    return replace(field, kind="unsupported", why_unsupported=why, notes=(f"it {why}: {end}",))


def _types(declared: Any) -> list[Any]:
    if isinstance(declared, list):
        return declared
    return [] if declared is None else [declared]


def _without_null(types: list[Any]) -> list[Any]:
    others = [named for named in types if named != "null"]
    # Every integer is a number, so that both together are no choice between types.
    return ["number"] if sorted(map(str, others)) == ["integer", "number"] else others


def _of_type(field: Field, flat: Mapping[str, Any], root: Any, types: list[Any]) -> Field:
    if len(types) > 1:
        return _unsupported(field, "may be of several types")
    kind = types[0] if types else None
    if kind == "boolean":
        drawn = replace(field, kind="boolean")
        return replace(drawn, notes=tuple(other_keywords(flat, ())))
    if kind == "array":
        return _list(field, flat, root)
    if kind not in (None, "string", "number", "integer"):
        what = "an object with fields of its own" if kind == "object" else "of a type without form"
        return _unsupported(field, f"is {what}")
    # Before its type: a select may leave that out.
    selected = read_choices(flat)
    if selected is not None:
        return _select(field, "single", flat, *selected)
    if kind is None:
        kind = _type_by_keywords(flat)
    if kind == "string":
        return _text(field, flat)
    if kind in ("number", "integer"):
        return _number(field, "integer" if kind == "integer" else "number", flat)
    return _unsupported(field, "has no type")


def _type_by_keywords(flat: Mapping[str, Any]) -> str | None:
    if any(key in flat for key in STRING_KEYWORDS):
        return "string"
    return "number" if any(key in flat for key in NUMBER_KEYWORDS) else None


def _select(
    field: Field,
    kind: FieldKind,
    flat: Mapping[str, Any],
    choices: tuple[Choice, ...],
    notes: list[str],
) -> Field:
    if not choices:
        return _unsupported(field, "has no choice that could be sent")
    if len(choices) > MAX_CHOICES:
        return _unsupported(field, f"has more than {MAX_CHOICES:,} choices")
    others = other_keywords(flat, SELECT_KEYWORDS if kind == "single" else ARRAY_KEYWORDS)
    return replace(field, kind=kind, choices=choices, notes=(*notes, *others))


def _text(field: Field, flat: Mapping[str, Any]) -> Field:
    form = flat.get("format")
    known = form if isinstance(form, str) and form in FORMATS else None
    kind: FieldKind = cast("FieldKind", known) if known is not None else "string"
    least, most = _count(flat, "minLength"), _count(flat, "maxLength")
    pattern = flat.get("pattern")
    notes = other_keywords(flat, STRING_KEYWORDS)
    if isinstance(form, str) and kind == "string":
        notes.append(f"the format “{neutral_line(form, 40)}” is not checked")
    return replace(
        field,
        kind=kind,
        min_length=least,
        max_length=most,
        pattern=pattern if isinstance(pattern, str) else None,
        hint=count_words(least, most, "character", "characters"),
        placeholder=FORMATS[known].example if known is not None else "",
        multiline=kind == "string" and max(least or 0, most or 0) >= MULTILINE_FROM,
        notes=tuple(notes),
    )


def _number(field: Field, kind: FieldKind, flat: Mapping[str, Any]) -> Field:
    limits = {key: flat[key] for key in NUMBER_KEYWORDS if is_number(flat.get(key))}
    step = limits.get("multipleOf")
    hint = range_words(limits)
    # A whole number is a multiple of one in any case.
    if step is not None and not (kind == "integer" and step == 1):
        hint = ", ".join(part for part in (hint, f"a multiple of {limit_text(step)}") if part)
    return replace(
        field,
        kind=kind,
        minimum=limits.get("minimum"),
        maximum=limits.get("maximum"),
        exclusive_minimum=limits.get("exclusiveMinimum"),
        exclusive_maximum=limits.get("exclusiveMaximum"),
        multiple_of=step,
        hint=hint,
        notes=tuple(other_keywords(flat, NUMBER_KEYWORDS)),
    )


def _list(field: Field, flat: Mapping[str, Any], root: Any) -> Field:
    items = flattened(flat.get("items"), root)
    if isinstance(items, str):
        return _unsupported(field, _NO_SELECT)
    least, most = _count(flat, "minItems"), _count(flat, "maxItems")
    bounded = replace(field, min_items=least, max_items=most)
    of_items = _types(items.get("type"))
    if of_items not in ([], ["string"]):
        return _unsupported(field, _LISTS.get(str(of_items[0]), _NO_SELECT))
    # Choices of a list may leave out their type; texts that are typed may not.
    selected = read_choices({"type": "string", **items})
    if selected is not None:
        drawn = replace(bounded, hint=choose_words(least, most))
        return _select(drawn, "multi", flat, *selected)
    if not of_items:
        return _unsupported(field, _NO_SELECT)
    count = count_words(least, most, "line", "lines")
    return replace(
        bounded,
        kind="string",
        each_line=True,
        multiline=True,
        hint=f"one text on each line, {count}" if count else "one text on each line",
        notes=tuple(other_keywords(flat, ARRAY_KEYWORDS)),
    )


def _count(flat: Mapping[str, Any], keyword: str) -> int | None:
    value: Any = flat.get(keyword)
    return int(value) if is_count(value) else None


def _with_default(field: Field, flat: Mapping[str, Any]) -> Field:
    # A null that is allowed is no answer, and nothing is to be filled in.
    if "default" not in flat or (flat["default"] is None and field.nullable):
        return field
    default = flat["default"]
    # A default of several lines would be lost in a field of one.
    if field.kind in TEXT_KINDS and isinstance(default, str) and "\n" in default:
        field = replace(field, multiline=True)
    field = replace(field, default=default, initial=faithful_entry(field, default))
    if isinstance(field.initial, Unset):
        what = "number" if field.kind in NUMBER_KINDS else "answer"
        note = f"the server's default is no {what} for this field and is not filled in"
        field = replace(field, notes=(*field.notes, note))
    return field


# The whole


def read_form(schema: Any, purpose: Purpose = "elicitation") -> Form:
    """The form of a schema, whatever the schema is; never raises, in bounded time.

    What cannot be answered is a form with a `refusal` that says why (spec: client/elicitation,
    "Requested Schema"). With purpose "arguments" a schema beyond the spec's subset sets `beyond`
    instead, so that the arguments can be written as JSON.
    """
    form = _read(schema, purpose)
    if purpose == "arguments" and form.refusal is not None:
        unfit = _beyond(form.fields, schema, required=True) if form.fields else None
        return replace(form, refusal=None, beyond=unfit or form.refusal)
    return form


def _read(schema: Any, purpose: Purpose) -> Form:
    blank = Form(schema=schema, purpose=purpose, judge_of_schema=Judge(schema))
    if not isinstance(schema, Mapping):
        return replace(blank, refusal="the server sent no schema of a form")
    large = too_large(schema)
    if large is not None:
        return replace(blank, refusal=f"the form is too large: {large}")
    titled = replace(
        blank,
        title=line_of(schema.get("title")),
        description=text_of(schema.get("description")),
    )
    if schema.get("type", "object") != "object":
        return replace(titled, refusal="the schema does not describe an object with fields")
    # A tool may take nothing, and say nothing of it; a question has to have properties.
    properties = schema.get("properties", {} if purpose == "arguments" else None)
    if not isinstance(properties, Mapping):
        return replace(titled, refusal="the schema has no properties")
    if len(properties) > MAX_PROPERTIES:
        reason = f"it has {len(properties):,} fields; no form has more than {MAX_PROPERTIES}"
        return replace(titled, refusal=f"the form is too large: {reason}")
    return _with_fields(titled, schema, properties)


def _with_fields(form: Form, schema: Mapping[str, Any], properties: Mapping[str, Any]) -> Form:
    names = schema.get("required")
    required = [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
    wanted = frozenset(required)
    fields = tuple(
        read_field(name, part, schema, name in wanted, form.judge_of_schema.patterns)
        for name, part in properties.items()
    )
    undeclared = [name for name in required if name not in properties]
    no_schema = [name for name, part in properties.items() if not isinstance(part, (Mapping, bool))]
    unanswerable = [field for field in fields if field.required and not field.sendable]
    refusal = None
    if no_schema:
        refusal = f"“{_short(no_schema[0])}” is not described by a schema"
    elif undeclared:
        refusal = f"“{_short(undeclared[0])}” is required, but the schema does not describe it"
    elif unanswerable:
        field = unanswerable[0]
        refusal = f"“{field.title}” is required, but it {field.why_unsupported}"
    notes = tuple(other_keywords(schema, ROOT_DRAWN, whole=True))
    form = replace(form, fields=fields, refusal=refusal, notes=notes)
    if form.purpose == "arguments" and refusal is None:
        return replace(form, beyond=_beyond(fields, schema))
    return form


def _beyond(
    fields: tuple[Field, ...], schema: Mapping[str, Any], *, required: bool = False
) -> str | None:
    """Why arguments need a JSON editor; `required`: because of a field that has to be sent."""
    for field in fields:
        if not field.sendable and (field.required or not required):
            return f"“{field.title}” {field.why_unsupported}"
    if not fields and (schema.get("additionalProperties") or schema.get("patternProperties")):
        return "its arguments have no fixed names"
    drawn = {field.name for field in fields}
    for keyword in ("$ref", "allOf", "anyOf", "oneOf"):
        if not _names_below(schema, keyword) <= drawn:
            return f"its schema describes arguments below {keyword}"
    return None


def _names_below(schema: Mapping[str, Any], keyword: str) -> set[str]:
    """The properties that a part of the whole schema has beside its own, whichever holds."""
    value = schema.get(keyword)
    names: set[str] = set()
    for branch in value if isinstance(value, list) else [schema]:
        # What stands there is looked at, or what it refers to.
        refers = isinstance(branch, Mapping) and "$ref" in branch
        part = resolve(branch["$ref"], schema) if refers else branch
        properties = part.get("properties") if isinstance(part, Mapping) else None
        names.update(properties if isinstance(properties, Mapping) else ())
    return names


def _short(name: str) -> str:
    return neutral_line(name, 80)
