"""Writes `[[answers]]` entries: one ready to paste for a question that met none, one to record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from elicit_tui.elicitation.finding import Review, Severity
from elicit_tui.elicitation.request import ElicitationRequest
from elicit_tui.elicitation.toml_spelling import comment, dotted, toml_value
from elicit_tui.form.choices import value_label
from elicit_tui.form.field import Choice, Field, FieldKind, Unset
from elicit_tui.form.form import Form
from elicit_tui.form.schema_reading import read_form

_GLOB_MARKS: Final = "*?["
LONGEST_HINT: Final = 400
_KINDS: Final[Mapping[FieldKind, str]] = {
    "string": "a text",
    "date": "a date as text",
    "date-time": "a date-time as text",
    "boolean": "true or false",
}


def exactly(text: str) -> str:
    """A glob that matches this text and nothing else.

    A lone surrogate, which TOML cannot hold, becomes `?`.
    """
    return "".join(
        # A mark of a glob means itself between brackets.
        "?" if "\ud800" <= mark <= "\udfff" else f"[{mark}]" if mark in _GLOB_MARKS else mark
        for mark in text
    )


def recorded_entry(
    request: ElicitationRequest,
    action: str,
    content: Mapping[str, Any] | None,
    review: Review,
    withheld: Mapping[str, str] | None = None,
) -> str:
    """The TOML of what a person answered, so that a replay answers the same.

    `withheld`: names of fields whose value must not be written, with the reason; they stand there
    as comments. The warnings that the person passed are listed in `despite`.
    """
    lines = _head(request, action, once=True)
    if action == "accept":
        # The warnings that stood there when the person accepted: with others the entry must not
        # accept.
        passed = sorted({exactly(finding.rule) for finding in review.at_least(Severity.WARN)})
        if passed:
            lines.append(f"despite = {toml_value(passed)}")
        lines.extend(_content(content or {}, withheld or {}))
    return "\n".join(lines) + "\n"


def ready_entry(request: ElicitationRequest, review: Review) -> str:
    """The TOML to paste for a question that the answers file does not answer.

    Fields with a default have it; the others stand there as comments with what is wanted.
    """
    # Nobody can accept it by an entry, so what can be pasted is a refusal.
    if request.mode != "form" or review.verdict == "block":
        why = "no entry can accept a URL"
        if request.mode == "form":
            why = "no entry can accept what the guardian blocks"
        lines = [f"# {why}", *_head(request, "decline", once=False)]
        return "\n".join(lines) + "\n"
    form = read_form(request.requested_schema)
    if form.refusal is not None:
        why = f"the form cannot be answered: {comment(form.refusal[:LONGEST_HINT])}"
        return "\n".join([f"# {why}", *_head(request, "decline", once=False)]) + "\n"
    lines = _head(request, "accept", once=False)
    warned = sorted({exactly(finding.rule) for finding in review.at_least(Severity.WARN)})
    # As a comment: to pass a warning has to be the person's own word.
    if warned:
        lines.append(f"# despite = {toml_value(warned)}")
    lines.extend(_template(form))
    return "\n".join(lines) + "\n"


def _head(request: ElicitationRequest, action: str, *, once: bool) -> list[str]:
    lines = ["[[answers]]", f"server = {toml_value(exactly(request.server.name))}"]
    tools = {call.tool for call in request.calls}
    # Of several calls nobody knows which one asked.
    if len(tools) == 1 and (tool := tools.pop()) is not None:
        lines.append(f"tool = {toml_value(exactly(tool))}")
    lines.append(f"mode = {toml_value(exactly(request.mode))}")
    lines.append(f"message = {toml_value(exactly(request.message))}")
    lines.append(f"action = {toml_value(action)}")
    # The question may be asked again with another answer: each recorded one is used once, in order.
    if once:
        lines.append("once = true")
    return lines


def _content(content: Mapping[str, Any], withheld: Mapping[str, str]) -> Iterator[str]:
    if not content:
        yield "content = {}"
        return
    yield "[answers.content]"
    for name, value in content.items():
        if name in withheld:
            yield f"# {dotted(name)} was left out: {comment(withheld[name])}"
        elif not fits_toml(name) or not fits_toml(value):
            yield f"# {dotted(name)} was left out: TOML cannot hold its value"
        else:
            yield f"{dotted(name)} = {toml_value(value)}"


def fits_toml(value: Any) -> bool:
    """Whether TOML can hold a JSON value: there is no null, and no lone surrogate."""
    if value is None:
        return False
    if isinstance(value, str):
        return not any("\ud800" <= mark <= "\udfff" for mark in value)
    if isinstance(value, Mapping):
        return all(fits_toml(key) and fits_toml(item) for key, item in value.items())
    return all(map(fits_toml, value)) if isinstance(value, (list, tuple)) else True


def _template(form: Form) -> Iterator[str]:
    """The content to fill in: each field in the server's order, its default if it has one."""
    if not form.fields:
        yield "content = {}"
        return
    yield "[answers.content]"
    for field in form.fields:
        need = "required" if field.required else "optional"
        hint = comment(f"{need}, {_hint_of(field)}"[:LONGEST_HINT])
        # A default that TOML cannot hold stands there as a comment, to be filled in.
        known = not isinstance(field.initial, Unset) and fits_toml(field.default)
        if known and fits_toml(field.name):
            yield f"{dotted(field.name)} = {toml_value(field.default)}  # {hint}"
        else:
            yield f"# {dotted(field.name)} =   # {hint}"


def _hint_of(field: Field) -> str:
    if field.kind == "unsupported":
        return f"cannot be answered: it {field.why_unsupported}"
    if field.choices:
        listed = ", ".join(map(_choice, field.choices[:8]))
        more = ", ..." if len(field.choices) > 8 else ""
        return f"{'some' if field.kind == 'multi' else 'one'} of {listed}{more}"
    words = "a list of texts" if field.each_line else _KINDS.get(field.kind, field.kind)
    return f"{words}, {field.hint}" if field.hint else words


def _choice(choice: Choice) -> str:
    """A choice's value as TOML spells it, and its title where that says something else."""
    value = toml_value(choice.value[:40]) if isinstance(choice.value, str) else str(choice.value)
    same = choice.label == value_label(choice.value)
    return value if same else f"{value} ({choice.label[:60]})"
