"""The words of a question's frame, as text that is safe to draw."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from textual.content import Content

from elicit_tui.elicitation import ElicitationRequest, Finding, Question, Severity
from elicit_tui.text import as_name, countdown, neutral, neutral_line, quoted

SIGNS = {Severity.NOTE: "·", Severity.WARN: "▲", Severity.BLOCK: "■"}
STYLES = {
    Severity.NOTE: "$faint",
    Severity.WARN: "bold $warning",
    Severity.BLOCK: "bold $error",
}
_LEAST_COLUMN = 16
"""A column that is narrower than this is no column: text goes below what it belongs to."""
_ADDRESS_LIMIT = 400
_NAME_LIMIT = 80
_ARGUMENTS_LIMIT = 20_000
_VERBS = {"tools/call": "", "prompts/get": "prompt ", "resources/read": "resource "}


def server_name(request: ElicitationRequest) -> str:
    """The configured name, on one line."""
    return neutral_line(request.server.name, _NAME_LIMIT)


def hanging(head: Content, body: Content, width: int) -> Content:
    """A head, and beside it text that wraps in its own column; below it where it is narrow."""
    room = width - head.cell_length
    if room < _LEAST_COLUMN:
        return Content.assemble(head.rstrip(), "\n", body)
    indent = Content(" " * head.cell_length)
    lines = body.wrap(room)
    return Content("\n").join(
        (head if number == 0 else indent).append(line.rstrip()) for number, line in enumerate(lines)
    )


def identity(request: ElicitationRequest, width: int) -> Content:
    """Who asks: configured name, what it calls itself, how it is reached."""
    server = request.server
    parts = [Content.styled(server_name(request), "bold")]
    if server.calls_itself:
        claim = quoted(server.calls_itself, _NAME_LIMIT)
        version = f" {as_name(server.version, 40)}" if server.version else ""
        parts.append(Content.styled(f"calls itself {claim}{version}", "$faint"))
    else:
        parts.append(Content.styled("does not say what it calls itself", "$faint"))
    address = neutral_line(server.address, _ADDRESS_LIMIT)
    reached = Content.styled(f"{server.transport}: {address}", "$faint")
    whole = Content("   ").join([*parts, reached])
    if whole.cell_length <= width:
        return whole
    named = Content("   ").join(parts)
    # An address of several lines begins on the first one: it needs a line less.
    between = "\n" if reached.cell_length <= width else "   "
    return Content(between).join([named if named.cell_length <= width else parts[1], reached])


def call_line(request: ElicitationRequest) -> Content:
    """What it belongs to: the tool with all its arguments, and the round."""
    call = request.call
    if call is None:
        words = Content.styled("not tied to a tool call", "$faint")
    else:
        name = as_name(call.name, _ADDRESS_LIMIT)
        words = Content.assemble(
            (f"for {_VERBS.get(call.method, '')}", "$faint"), name, arguments(call.arguments)
        )
    said = f"round {request.round}"
    if request.group_size > 1:
        said += f" · {request.group_size} questions together"
    return Content.assemble(words, "   ", (said, "$faint"))


def arguments(values: Mapping[str, Any]) -> str:
    """A call's arguments as `(name=JSON, …)`."""
    if not values:
        return "()"
    written = ", ".join(f"{name}={_json(value)}" for name, value in values.items())
    return neutral_line(f"({written})", _ARGUMENTS_LIMIT)


def _json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return "…"


def finding_lines(finding: Finding, width: int) -> Content:
    """One finding: sign, severity and advice; then rule, where and what was there."""
    sign, style = SIGNS[finding.severity], STYLES[finding.severity]
    rule = neutral_line(finding.rule, 80)
    where = neutral_line(finding.where, 120)
    found = Content.assemble(
        neutral_line(finding.advice, 400), "\n", (f"{rule} in {where}", "$faint")
    )
    if finding.evidence:
        found = Content.assemble(found, (": ", "$faint"), neutral_line(finding.evidence, 300))
    return hanging(Content.styled(f"{sign} {finding.severity.word:<5} ", style), found, width)


def findings(all_found: tuple[Finding, ...], width: int) -> Content:
    """All findings, the worst first."""
    worst_first = sorted(all_found, key=lambda finding: -finding.severity)
    return Content("\n").join(finding_lines(finding, width) for finding in worst_first)


def found(question: Question, width: int) -> Content:
    """The findings, and why it is asked although a rule met it; empty when there is neither."""
    parts = []
    if question.review.findings:
        parts.append(findings(question.review.findings, width))
    if question.note:
        parts.append(
            hanging(Content("· "), Content.styled(neutral(question.note), "$faint"), width)
        )
    return Content("\n").join(parts)


def message(request: ElicitationRequest) -> str:
    """The server's whole message, every invisible character made visible."""
    return neutral(request.message) or "(the server sent no message)"


def time_left(seconds: float | None) -> str:
    """`4:31 left`; empty while nothing counts."""
    return "" if seconds is None else f"{countdown(seconds)} left"


def count(number: int, thing: str, things: str | None = None) -> str:
    """`1 answer`, `2 answers`."""
    return f"{number} {thing if number == 1 else things or thing + 's'}"
