"""A waiting question as two lines, in full, and as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from elicit_tui.broker.in_words import Source, StandingValue, standing
from elicit_tui.broker.inbox_events import agent_away, elsewhere, of_agent, where
from elicit_tui.elicitation import KINDS, form_of, now, rfc3339
from elicit_tui.elicitation.request import ID_CHARACTERS
from elicit_tui.text import as_name, neutral, neutral_line, quoted, readable_json
from elicit_tui.text.duration import moment_of

if TYPE_CHECKING:
    from elicit_tui.elicitation import Answerer, Question
    from elicit_tui.gateway.connected import InClient
    from elicit_tui.store.store import Waiting

LABEL: Final = 9
"""The column of what stands behind a label."""
_MESSAGE_CHARACTERS: Final = 300
_SOURCES: Final[Mapping[Source, str]] = {
    "default": "the form's default",
    "typed": "typed before, not sent",
    "agent": "filled in by the agent",
}


def as_json(waiting: Waiting) -> dict[str, Any]:
    """The question as the JSON contract spells it; `requestedSchema` and its like as sent."""
    question, asker = waiting.question, waiting.asker
    request = question.request if question is not None else None
    return {
        "id": waiting.id,
        "kind": waiting.kind,
        "state": waiting.state,
        "server": waiting.server,
        "tool": waiting.tool,
        "calls": [
            {"name": call.name, "arguments": call.arguments}
            for call in (request.calls if request else ())
        ],
        "agent": {
            "name": waiting.agent,
            "version": asker.agent_version if asker else None,
            "directory": asker.directory if asker else None,
            "machine": asker.machine if asker else None,
        },
        "mode": request.mode if request else None,
        "message": request.message if request else None,
        "requestedSchema": request.requested_schema if request else None,
        "standing": _values_in_form(waiting),
        "url": request.url if request else None,
        "round": request.round if request else None,
        "attempt": waiting.attempt,
        "note": question.note if question else None,
        "verdict": question.review.verdict if question else None,
        "findings": [finding.as_json() for finding in question.review.findings] if question else [],
        "outgoing": [finding.as_json() for finding in question.outgoing] if question else [],
        "askedAt": rfc3339(waiting.put_at),
        "endsAt": rfc3339(waiting.ends_at) if waiting.ends_at else None,
        "heldBy": _person(waiting.held_by),
        "agentState": waiting.agent_state,
        "callIds": list(waiting.call_ids),
        "handedTo": waiting.handed_to,
        "unreadable": waiting.unreadable,
    }


def _values_in_form(waiting: Waiting) -> dict[str, Any]:
    """What would be sent of each field as it stands: by default, or as somebody filled it in."""
    question = waiting.question
    form = form_of(question.request) if question is not None else None
    if question is None or form is None:
        return {}
    values = standing(question, form).items()
    return {name: {"value": stands.value, "from": stands.source} for name, stands in values}


def in_a_line(stands: StandingValue) -> str:
    """A value as it stands in a form, with where it comes from."""
    return f"{neutral_line(readable_json(stands.value, indent=None))} ({_SOURCES[stands.source]})"


def _person(by: Answerer | None) -> dict[str, Any] | None:
    if by is None:
        return None
    return {"user": by.user, "terminal": by.terminal, "machine": by.machine}


def two_lines(waiting: Waiting) -> str:
    """Who asks and how it stands; below it the message, or with what a tool would be called."""
    heading = "  ".join([waiting.id[:ID_CHARACTERS], *_state(waiting)])
    return f"{heading}\n  {_message(waiting)}"


def _state(waiting: Waiting) -> Iterator[str]:
    """Who asks, how long it has waited and may wait yet, who has it open: a few words on each."""
    at = now()
    yield _headline(waiting)
    agent = f"for {as_name(waiting.agent, 60)}" if waiting.agent else "for an agent"
    yield agent + elsewhere(waiting.asker)
    yield f"{span((at - waiting.put_at).total_seconds())} ago"
    # The time that is left counts the keys of the person who answers (`ends_at`).
    if waiting.ends_at is not None:
        yield f"{span((waiting.ends_at - at).total_seconds())} left"
    if waiting.question is not None and waiting.question.review.verdict != "allow":
        yield {"warn": "a warning", "block": "BLOCKED"}[waiting.question.review.verdict]
    if waiting.held_by is not None:
        yield f"being answered on {where(waiting.held_by, 60)}"
    if away := agent_away(waiting):
        yield away


def _headline(waiting: Waiting) -> str:
    server = neutral_line(waiting.server, 60)
    if KINDS[waiting.kind].about_call:
        # An agent's own prompt: its message tells what it wants to do, which need not be the call
        # of a tool.
        if waiting.question and waiting.handed_to:
            return neutral_line(waiting.question.request.message)
        return f"call {neutral_line(waiting.tool or '?', 60)} of {server}?"
    if waiting.tool:
        return f"{server}: {neutral_line(waiting.tool, 60)}"
    return server


def _message(waiting: Waiting) -> str:
    if waiting.question is None:
        return waiting.unreadable or ""
    request = waiting.question.request
    # Of the confirmation of a call the message would only say so; what matters is with what it
    # would be called.
    if request.traits.about_call and request.call is not None:
        return neutral_line(readable_json(request.call.arguments, indent=None), _MESSAGE_CHARACTERS)
    return neutral_line(request.message, _MESSAGE_CHARACTERS)


def span(seconds: float) -> str:
    """A span in its largest unit: 40 s, 3 min, 2 h, 5 d."""
    seconds = max(0.0, seconds)
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return f"{int(seconds)} s"


def since(moment: str) -> str:
    """The span from a time, as RFC 3339 spells it, until now."""
    return span((now() - moment_of(moment)).total_seconds())


def in_client(asked: InClient) -> str:
    """What is asked in an agent's own client, where no inbox can answer it."""
    tool = f" {as_name(asked.tool, 60)}" if asked.tool else ""
    server = neutral_line(asked.server, 60)
    return f"asked in its own client for {since(asked.since)}: {server}{tool}"


def details(waiting: Waiting) -> str:
    """Everything that a person needs to answer, and how to."""
    return "\n".join(_details(waiting))


def _details(waiting: Waiting) -> Iterator[str]:
    yield f"id       {waiting.id}"
    yield f"stands   {', '.join(_state(waiting))}"
    if waiting.question is None:
        yield f"{waiting.unreadable}"
        return
    question, asker = waiting.question, waiting.asker
    request = question.request
    if asker is not None:
        version = f" {quoted(asker.agent_version, 60)}" if asker.agent_version else ""
        yield f"agent    {quoted(asker.agent, 80) if asker.agent else '(no name)'}{version}"
        yield f"         {of_agent(waiting)}"
        if asker.directory:
            yield f"in       {neutral_line(asker.directory, 400)}"
    address = neutral_line(request.server.address, 400)
    yield f"server   {neutral_line(request.server.name, 80)} ({address})"
    for call in request.calls:
        arguments = readable_json(call.arguments, indent=None)
        yield f"call     {as_name(call.name, 80)} {arguments}"
    if question.note:
        yield f"note     {neutral_line(question.note, None)}"
    yield ""
    # Indented as what stands behind a label is: no line of it passes for one of ours.
    yield "message  " + neutral(request.message).replace("\n", f"\n{'':<{LABEL}}")
    if request.mode == "url":
        yield f"page     {neutral_line(request.url or '', None)}"
    for finding in (*question.review.findings, *question.outgoing):
        yield f"{finding.severity.word:<8} {finding.rule}: {neutral_line(finding.advice, None)}"
    yield ""
    yield from _fields(question)
    yield from _how_to_answer(waiting)


def _fields(question: Question) -> Iterator[str]:
    form = form_of(question.request)
    if form is None:
        return
    values = standing(question, form)
    for field in form.fields:
        need = "required" if field.required else "optional"
        title = "" if field.title == field.name else f" {neutral_line(field.title)}"
        hint = f"; {neutral_line(field.hint)}" if field.hint else ""
        yield f"field    {neutral_line(field.name, 80)}:{title} ({need}{hint})"
        for choice in field.choices:
            yield f"           {neutral_line(str(choice.value))}  {neutral_line(choice.label)}"
        if field.name in values:
            yield f"           = {in_a_line(values[field.name])}"


def _how_to_answer(waiting: Waiting) -> Iterator[str]:
    short = waiting.id[:ID_CHARACTERS]
    if KINDS[waiting.kind].about_call:
        yield f"elicit-tui inbox answer {short}            call it, once"
        # An agent's own prompt is answered once; what holds for longer stands in the agent's own
        # settings.
        if waiting.handed_to is None:
            yield f"elicit-tui inbox answer {short} --session  and for the rest of the session"
        yield f'elicit-tui inbox decline {short} --note "…"'
    else:
        yield f"elicit-tui inbox answer|decline|cancel {short}"
