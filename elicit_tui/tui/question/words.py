"""The words of a question's frame, as text that is safe to draw."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from textual.content import Content

from elicit_tui.elicitation import ElicitationRequest, Finding, Question, Severity
from elicit_tui.text import neutral, neutral_line

SIGNS = {Severity.NOTE: "·", Severity.WARN: "▲", Severity.BLOCK: "■"}
STYLES = {
    Severity.NOTE: "$faint",
    Severity.WARN: "bold $warning",
    Severity.BLOCK: "bold $error",
}
_ADDRESS_LIMIT = 400
_NAME_LIMIT = 80
_ARGUMENTS_LIMIT = 20_000
_VERBS = {"tools/call": "", "prompts/get": "prompt ", "resources/read": "resource "}


def server_name(request: ElicitationRequest) -> str:
    """The configured name, on one line."""
    return neutral_line(request.server.name, _NAME_LIMIT)


def identity(request: ElicitationRequest) -> Content:
    """Who asks: configured name, what it calls itself, how it is reached."""
    server = request.server
    parts = [Content.styled(server_name(request), "bold")]
    if server.calls_itself:
        claim = neutral_line(server.calls_itself, _NAME_LIMIT)
        version = f" {neutral_line(server.version, 40)}" if server.version else ""
        parts.append(Content.styled(f"calls itself “{claim}”{version}", "$faint"))
    else:
        parts.append(Content.styled("does not say what it calls itself", "$faint"))
    address = neutral_line(server.address, _ADDRESS_LIMIT)
    parts.append(Content.styled(f"{server.transport}: {address}", "$faint"))
    return Content("   ").join(parts)


def call_line(request: ElicitationRequest) -> Content:
    """What it belongs to: the tool with all its arguments, and the round."""
    call = request.call
    if call is None:
        words = Content.styled("not tied to a tool call", "$faint")
    else:
        name = neutral_line(call.name, _ADDRESS_LIMIT)
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


def finding_lines(finding: Finding) -> Content:
    """One finding: sign, severity and advice; then rule, where and what was there."""
    sign, style = SIGNS[finding.severity], STYLES[finding.severity]
    first = Content.assemble(
        (f"{sign} {finding.severity.word:<5} ", style), neutral_line(finding.advice, 400)
    )
    rule = neutral_line(finding.rule, 80)
    where = neutral_line(finding.where, 120)
    second = f"        {rule} in {where}"
    if not finding.evidence:
        return Content.assemble(first, "\n", (second, "$faint"))
    evidence = neutral_line(finding.evidence, 300)
    return Content.assemble(first, "\n", (f"{second}: ", "$faint"), evidence)


def findings(all_found: tuple[Finding, ...]) -> Content:
    """All findings, the worst first."""
    worst_first = sorted(all_found, key=lambda finding: -finding.severity)
    return Content("\n").join(finding_lines(finding) for finding in worst_first)


def found(question: Question) -> Content | None:
    """The findings, and why it is asked although a rule met it; None when there is neither."""
    parts = []
    if question.review.findings:
        parts.append(findings(question.review.findings))
    if question.note:
        parts.append(Content.styled(f"· {neutral(question.note)}", "$faint"))
    return Content("\n").join(parts) if parts else None


def message(request: ElicitationRequest) -> str:
    """The server's whole message, every invisible character made visible."""
    return neutral(request.message) or "(the server sent no message)"


def time_left(seconds: float | None) -> str:
    """`4:31 left`; empty while nothing counts."""
    if seconds is None:
        return ""
    whole = int(seconds + 0.999)
    if whole >= 3600:
        return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02} left"
    return f"{whole // 60}:{whole % 60:02} left"


def count(number: int, thing: str, things: str | None = None) -> str:
    """`1 answer`, `2 answers`."""
    return f"{number} {thing if number == 1 else things or thing + 's'}"
