"""Writes `[[answers]]` entries: one ready to paste for a question that met none, one to record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from elicit_tui.elicitation.finding import Review, Severity
from elicit_tui.elicitation.request import ElicitationRequest
from elicit_tui.elicitation.spelling import dotted, quoted, toml_value

_GLOB_MARKS: Final = "*?["
LONGEST_HINT: Final = 200


def exactly(text: str) -> str:
    """A glob that matches this text and nothing else.

    A lone surrogate, which TOML cannot hold, becomes `?`.
    """
    return "".join(
        "?" if "\ud800" <= mark <= "\udfff" else f"[{mark}]" if mark in _GLOB_MARKS else mark
        for mark in text
    )


def recorded_entry(
    request: ElicitationRequest,
    action: str,
    content: Mapping[str, Any] | None,
    review: Review,
    withheld: Mapping[str, str] | None = None,
    *,
    once: bool = True,
) -> str:
    """The TOML of what a person answered, so that a replay answers the same.

    `withheld`: names of fields whose value must not be written, with the reason; they stand there
    as comments. The warnings that the person passed are listed in `despite`.
    """
    lines = _head(request, action, once=once)
    if action == "accept":
        passed = sorted({exactly(finding.rule) for finding in review.at_least(Severity.WARN)})
        if passed:
            lines.append(f"despite = {toml_value(passed)}")
        lines.extend(_content(content or {}, withheld or {}))
    return "\n".join(lines) + "\n"


def ready_entry(request: ElicitationRequest, review: Review) -> str:
    """The TOML to paste for a question that the answers file does not answer.

    Fields with a default have it; the others stand there as comments with what is wanted.
    """
    if request.mode != "form" or review.verdict == "block":
        why = "no entry can accept a URL"
        if request.mode == "form":
            why = "no entry can accept what the guardian blocks"
        lines = [f"# {why}", *_head(request, "decline", once=False)]
        return "\n".join(lines) + "\n"
    lines = _head(request, "accept", once=False)
    warned = sorted({exactly(each.rule) for each in review.at_least(Severity.WARN)})
    if warned:
        lines.append(f"# despite = {toml_value(warned)}")
    lines.extend(_template(request.requested_schema or {}))
    return "\n".join(lines) + "\n"


def _head(request: ElicitationRequest, action: str, *, once: bool) -> list[str]:
    lines = ["[[answers]]", f"server = {toml_value(exactly(request.server.name))}"]
    if request.call is not None and request.call.method == "tools/call":
        lines.append(f"tool = {toml_value(exactly(request.call.name))}")
    lines.append(f"mode = {toml_value(exactly(request.mode))}")
    lines.append(f"message = {toml_value(exactly(request.message))}")
    lines.append(f"action = {toml_value(action)}")
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
            yield f"# {dotted(name)} was left out: {_comment(withheld[name])}"
        elif not _is_writable(name) or not _is_writable(value):
            yield f"# {dotted(name)} was left out: TOML cannot hold its value"
        else:
            yield f"{dotted(name)} = {toml_value(value)}"


def _is_writable(value: Any) -> bool:
    """Whether TOML can hold a JSON value: there is no null, and no lone surrogate."""
    if value is None:
        return False
    if isinstance(value, str):
        return not any("\ud800" <= mark <= "\udfff" for mark in value)
    if isinstance(value, Mapping):
        return all(_is_writable(key) and _is_writable(item) for key, item in value.items())
    return all(map(_is_writable, value)) if isinstance(value, (list, tuple)) else True


def _template(schema: Mapping[str, Any]) -> Iterator[str]:
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or not properties:
        yield "content = {}"
        return
    required = schema.get("required")
    required = required if isinstance(required, list) else []
    yield "[answers.content]"
    for name, field in properties.items():
        shape = field if isinstance(field, Mapping) else {}
        need = "required" if name in required else "optional"
        hint = f"{need}, {_wanted(shape)}"
        default = shape.get("default")
        known = isinstance(default, (str, bool, int, float)) and _is_writable(default)
        if known and _is_writable(name):
            yield f"{dotted(str(name))} = {toml_value(default)}  # {_comment(hint)}"
        else:
            yield f"# {dotted(str(name))} =   # {_comment(hint)}"


def _wanted(shape: Mapping[str, Any]) -> str:
    choices = shape.get("enum")
    options = shape.get("oneOf")
    if not isinstance(choices, list) and isinstance(options, list):
        choices = [each.get("const") for each in options if isinstance(each, Mapping)]
    if isinstance(choices, list) and choices:
        listed = ", ".join(quoted(str(choice)[:40]) for choice in choices[:8])
        return f"one of {listed}" + (", ..." if len(choices) > 8 else "")
    kind = shape.get("type")
    return kind if isinstance(kind, str) else "any value"


def _comment(text: str) -> str:
    """Text for a TOML comment, where a line break would end it: printable ASCII, of one line."""
    spelled = quoted(text[:LONGEST_HINT])[1:-1]
    return spelled.replace('\\"', '"')
