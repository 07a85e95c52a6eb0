"""Short ways to a form in a test."""

from __future__ import annotations

from typing import Any

from elicit_tui.form.field import Entry, Field
from elicit_tui.form.form import Form
from elicit_tui.form.schema_reading import read_form


def form_of(properties: dict[str, Any], *required: str, **more: Any) -> Form:
    return read_form(
        {"type": "object", "properties": properties, "required": list(required), **more}
    )


def field_of(schema: Any, required: bool = False, **more: Any) -> Field:
    return form_of({"it": schema}, *(["it"] if required else []), **more).fields[0]


def sent(schema: Any, entry: Entry) -> Any:
    """The content of a form with one property; the entry must be fine."""
    conversion = form_of({"it": schema}).convert({"it": entry})
    assert conversion.problems == ()
    return conversion.content


def wrong(schema: Any, entry: Entry) -> str:
    """What the form says is wrong with one entry, the same live as when sending."""
    form = form_of({"it": schema})
    live = form.check_field("it", entry)
    problems = form.convert({"it": entry}).problems
    assert [problem.message for problem in problems] == [live]
    assert [problem.field for problem in problems] == ["it"]
    return live or ""
