"""`[[answers]]` entries as TOML: of what a person answered, and to be filled in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from elicit_tui.elicitation import ElicitationRequest, Finding, Review, Severity
from elicit_tui.elicitation.spelling import dotted, quoted, toml_value
from elicit_tui.form import MISSING, Field, Form, read_form
from elicit_tui.text import neutral_line

if TYPE_CHECKING:
    from elicit_tui.responders import RecordedAnswer

Outgoing = Callable[[Mapping[str, Any], Mapping[str, Any] | None], tuple[Finding, ...]]


def escaped_glob(text: str) -> str:
    """A glob that matches exactly this text."""
    return "".join(f"[{character}]" if character in "*?[" else character for character in text)


def entry_of_answer(answer: RecordedAnswer, outgoing: Outgoing | None) -> str:
    """One recorded decision; what is secret is left out, and said in a comment."""
    request, review = answer.question.request, answer.question.review
    lines = list(_head(request))
    if request.mode == "url" and answer.outcome.action == "accept":
        return "\n".join(
            ["# A page was agreed to. No entry can do that: a person has to.", *_commented(lines)]
        )
    lines.append(f"action = {quoted(answer.outcome.action or 'cancel')}")
    if answer.content is not None:
        kept, left_out = _without_secrets(request, review, answer.content, outgoing)
        lines.append(f"content = {toml_value(kept)}")
        lines += [f"# {quoted(name)} is left out: it looks secret" for name in left_out]
    lines += _despite(review)
    return "\n".join([*lines, ""])


def entry_to_fill(request: ElicitationRequest, review: Review) -> str:
    """An entry for a question that had none, to be completed by a person."""
    if request.mode == "url":
        lines = [*_head(request), 'action = "decline"  # an entry never agrees to a page']
        return "\n".join([*lines, ""])
    if review.verdict == "block":
        return "# No entry can accept what the guardian blocks.\n"
    form = read_form(request.requested_schema or {})
    lines = [*_head(request), 'action = "accept"']
    values = {field.name: _example(field) for field in form.fields if _wanted(field)}
    lines.append(f"content = {toml_value(values)}")
    lines += [f"# {line}" for line in _told(form)]
    lines += _despite(review)
    return "\n".join([*lines, ""])


def _head(request: ElicitationRequest) -> Iterator[str]:
    yield "[[answers]]"
    yield f"server = {quoted(escaped_glob(request.server.name))}"
    if request.call is not None and request.call.method == "tools/call":
        yield f"tool = {quoted(escaped_glob(request.call.name))}"
    yield f"mode = {quoted(request.mode)}"
    yield f"message = {quoted(escaped_glob(request.message))}"


def _commented(lines: list[str]) -> list[str]:
    return [f"# {line}" for line in lines]


def _despite(review: Review) -> list[str]:
    rules = sorted({finding.rule for finding in review.at_least(Severity.WARN)})
    return [f"despite = {toml_value(rules)}  # what the guardian warned of"] if rules else []


def _without_secrets(
    request: ElicitationRequest,
    review: Review,
    content: Mapping[str, Any],
    outgoing: Outgoing | None,
) -> tuple[dict[str, Any], list[str]]:
    """What may stand in a file, and the names of what may not."""
    kept = {name: value for name, value in content.items() if name not in review.sensitive}
    for name in list(kept):
        if outgoing is not None and outgoing({name: kept[name]}, request.requested_schema):
            del kept[name]
    return kept, [name for name in content if name not in kept]


def _wanted(field: Field) -> bool:
    return field.sendable and (field.required or field.default is not MISSING)


def _example(field: Field) -> Any:
    """A value of the right kind to start from: the default, the first choice, or a blank."""
    if field.default is not MISSING and field.default is not None:
        return field.default
    if field.kind == "single" and field.choices:
        return field.choices[0].value
    if field.kind == "multi":
        return [choice.value for choice in field.choices[: max(1, field.min_items or 1)]]
    if field.kind == "boolean":
        return False
    if field.kind in ("integer", "number"):
        return field.minimum if field.minimum is not None else 0
    return field.placeholder


def _told(form: Form) -> Iterator[str]:
    for field in form.fields:
        need = "required" if field.required else "optional"
        values = ", ".join(neutral_line(str(choice.value), 40) for choice in field.choices[:20])
        wanted = "; ".join(part for part in (field.hint, values) if part)
        yield f"{dotted(field.name)}: {need} {field.kind}" + (f" ({wanted})" if wanted else "")
