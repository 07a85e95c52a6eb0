"""A requestedSchema, or a tool's inputSchema, to a form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from elicit_tui.form.field import Field
from elicit_tui.form.field_reading import line_of, read_field, text_of
from elicit_tui.form.form import Form, Purpose
from elicit_tui.form.judge import Judge
from elicit_tui.form.limits import MAX_PROPERTIES, ROOT_DRAWN, other_keywords, too_large
from elicit_tui.text import neutral_line


def read_form(schema: Any, purpose: Purpose = "elicitation") -> Form:
    """The form of a schema, whatever the schema is; never raises, in bounded time.

    What cannot be answered is a form with a `refusal` that says why (spec: client/elicitation,
    "Requested Schema"). With purpose "arguments" a schema beyond the spec's subset sets `beyond`
    instead, so that the arguments can be written as JSON.
    """
    form = _read(schema, purpose)
    if purpose == "arguments" and form.refusal is not None:
        return replace(form, refusal=None, beyond=form.refusal)
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
        refusal = f"“{unanswerable[0].title}” is required, but {unanswerable[0].why_unsupported}"
    notes = tuple(other_keywords(schema, ROOT_DRAWN, whole=True))
    form = replace(form, fields=fields, refusal=refusal, notes=notes)
    if form.purpose == "arguments" and refusal is None:
        return replace(form, beyond=_beyond(fields, schema))
    return form


def _beyond(fields: tuple[Field, ...], schema: Mapping[str, Any]) -> str | None:
    """Why arguments need a JSON editor although the form could be sent."""
    for field in fields:
        if not field.sendable:
            return f"“{field.title}”: {field.why_unsupported}"
    if not fields and (schema.get("additionalProperties") or schema.get("patternProperties")):
        return "its arguments have no fixed names"
    return None


def _short(name: str) -> str:
    return neutral_line(name, 80)
