"""What stands above a plain dialogue's prompts: who asks what, for which call, at which risk."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from elicit_tui.elicitation import ElicitationRequest, Finding, Question, ServerIdentity
from elicit_tui.text import as_name, neutral, neutral_line, quoted, quoted_name, readable_json

ARGUMENTS_LIMIT: Final = 300
MARKS: Final = '""'
"""Quotation marks that every screen reader and terminal has."""


def heading(question: Question) -> str:
    """The lines above the prompts; everything in them is neutral text."""
    return "\n".join(_lines(question))


def _lines(question: Question) -> Iterator[str]:
    request = question.request
    yield f"=== {_title(request)} ==="
    yield _server_line(request.server)
    # A question of ours stands for no call of a server's.
    for number, call in enumerate(request.calls if request.traits.from_server else ()):
        arguments = neutral_line(readable_json(dict(call.arguments), indent=None), ARGUMENTS_LIMIT)
        yield f"{'Or for' if number else 'For'}: {as_name(call.name, marks=MARKS)} {arguments}"
    if request.round > 1 or request.group_size > 1:
        together = f", with {request.group_size} questions" if request.group_size > 1 else ""
        yield f"Round {request.round}{together}."
    if question.note:
        yield f"Note: {neutral_line(question.note, None)}"
    yield from findings(question.review.findings)
    yield ""
    # Of a question about a call the title says all.
    if not request.traits.about_call:
        yield from _message_lines(request)


def _server_line(server: ServerIdentity) -> str:
    calls_itself = ""
    if server.calls_itself:
        version = f", version {quoted(server.version, 40, MARKS)}" if server.version else ""
        calls_itself = f", calls itself {quoted(server.calls_itself, 80, MARKS)}{version}"
    reached = f"{server.transport}: {neutral_line(server.address)}"
    return f"Server: {neutral_line(server.name)}{calls_itself}; {reached}"


def _message_lines(request: ElicitationRequest) -> Iterator[str]:
    if request.traits.from_server:
        yield "The server says:"
        yield indented(neutral(request.message))
    else:
        yield neutral(request.message)
    yield ""


def _title(request: ElicitationRequest) -> str:
    if request.traits.about_call and request.handed_to is not None:
        return neutral_line(request.message)
    server = quoted(request.server.name, marks=MARKS)
    if request.traits.about_call and request.call is not None:
        called = quoted_name(request.call.name, marks=MARKS)
        return f"Call {called} of {server}?"
    return f"{server} asks" if request.traits.from_server else f"Log in to {server}?"


def findings(found: tuple[Finding, ...]) -> Iterator[str]:
    """One line for each finding: how bad, which rule, where, and what to do."""
    for finding in found:
        word = finding.severity.word.upper()
        yield (
            f"{word} {finding.rule} in {neutral_line(finding.where, 100)}: "
            f"{neutral_line(finding.advice, None)} [{neutral_line(finding.evidence, 160)}]"
        )


def indented(text: str) -> str:
    """A server's text set off, so that no line of it can pass for one of ours."""
    return "\n".join(f"  | {line}" for line in text.split("\n"))
