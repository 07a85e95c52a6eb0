"""What each event says: plain JSON objects of neutral text, bounded in size."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from elicit_tui.elicitation import Answerer, ElicitationRequest, Finding, Outcome, Review, rfc3339
from elicit_tui.elicitation.keeping import kept_arguments, kept_content
from elicit_tui.elicitation.settings import ContentPolicy
from elicit_tui.elicitation.shapes import masked
from elicit_tui.text import neutral, neutral_line, neutral_value

LONGEST_MESSAGE: Final = 4_000
LONGEST_REQUEST: Final = 16_000
LONGEST_CONTENT: Final = 64_000
MOST_FINDINGS: Final = 100
MOST_CALLS: Final = 100
MOST_ANCESTORS: Final = 50

Body = dict[str, Any]


def asked(request: ElicitationRequest, review: Review) -> Body:
    """A question arrived."""
    server = request.server
    calls = request.calls
    return {
        "kind": request.kind,
        "server": neutral_line(server.name),
        "callsItself": _line(server.calls_itself),
        "version": _line(server.version),
        "transport": server.transport,
        # An address may hold a secret in its query or its user.
        "address": neutral_line(masked(server.address), 1000),
        "protocolVersion": _line(server.protocol_version),
        # A question that came between several calls at once is of one of them; nobody knows which.
        "method": " or ".join(dict.fromkeys(call.method for call in calls)) or None,
        "tool": neutral_line(" or ".join(call.name for call in calls)) or None,
        "callId": request.call.id if request.call else None,
        "callIds": [call.id for call in calls[:MOST_CALLS]] if len(calls) > 1 else None,
        "round": request.round,
        "groupSize": request.group_size,
        "mode": neutral_line(request.mode, 40) if request.traits.from_server else None,
        "message": neutral(request.message, LONGEST_MESSAGE),
        "defect": _line(request.defect),
        "handedTo": _line(request.handed_to),
        "request": neutral_value(
            request.params, text_limit=LONGEST_MESSAGE, total_limit=LONGEST_REQUEST
        ),
        # Of the request as it came, and not as it is kept here.
        "requestDigest": request.digest,
        "arrivedAt": rfc3339(request.arrived_at),
        **findings(review),
    }


def findings(review: Review) -> Body:
    """What the guardian found, as the JSON contract spells it."""
    return {"verdict": review.verdict, "findings": _found(review.findings)}


def _found(findings: tuple[Finding, ...]) -> Any:
    found = [finding.as_json() for finding in findings[:MOST_FINDINGS]]
    return neutral_value(found, text_limit=1000)


def decided(
    request: ElicitationRequest,
    outcome: Outcome,
    review: Review,
    policy: ContentPolicy,
    moment: datetime,
) -> Body:
    """A question has its one outcome."""
    waited_ms = outcome.waited_ms
    if waited_ms is None:
        waited_ms = round((moment - request.arrived_at).total_seconds() * 1000)
    return {
        **_decision(outcome),
        "serverEnd": outcome.server_end,
        "errorCode": outcome.error_code,
        "via": outcome.via,
        "scope": outcome.scope,
        "note": _note(outcome.note, policy),
        "answeredBy": _answerer(outcome.answered_by),
        "acknowledged": [neutral_line(place) for place in sorted(outcome.acknowledged)] or None,
        "outgoing": _found(review.outgoing) or None,
        "content": stored_content(outcome.content, review, policy),
        "arguments": _arguments(request, review, policy),
        "contentPolicy": policy,
        **_before_a_hook(outcome, review, policy),
        # A clock that was set back must not give a negative time.
        "waitedMs": max(0, waited_ms),
    }


def abandoned(outcome: Outcome) -> Body:
    """The process that asked is gone, and its question had no outcome."""
    return {
        "action": outcome.action,
        "decidedBy": outcome.decided_by,
        "reason": neutral(outcome.reason, LONGEST_MESSAGE),
    }


def withdrawn(sentence: str) -> Body:
    """The server took a question back that had been answered."""
    return {"withdrawal": neutral(sentence, LONGEST_MESSAGE)}


def _note(note: str | None, policy: ContentPolicy) -> str | None:
    """What a person who refused told the agent, as far as the owner lets a text be kept."""
    if not note or policy == "none":
        return None
    return neutral(masked(note) if policy == "redacted" else note, LONGEST_MESSAGE)


def _answerer(by: Answerer | None) -> Body | None:
    """Who answered from another process, from which terminal, and the processes above it."""
    if by is None:
        return None
    return {
        "user": neutral_line(by.user),
        "terminal": _line(by.terminal),
        "machine": neutral_line(by.machine),
        "ancestry": [neutral_line(process) for process in by.ancestry[:MOST_ANCESTORS]],
    }


def _before_a_hook(outcome: Outcome, review: Review, policy: ContentPolicy) -> Body:
    """What was answered before a hook refused or changed it, and which fields it changed."""
    given = outcome.answered
    if given is None:
        return {}
    answered = {
        "action": given.action,
        "decidedBy": given.decided_by,
        "via": given.via,
        "content": stored_content(given.content, review, policy),
    }
    return {"answered": answered, "changed": [neutral_line(name) for name in outcome.changed]}


def _arguments(request: ElicitationRequest, review: Review, policy: ContentPolicy) -> Any:
    """With what the tool was to be called about which it was asked; None for other questions."""
    if not request.traits.about_call or request.call is None:
        return None
    kept = kept_arguments(request.call.arguments, review, policy)
    if kept is None:
        return None
    return neutral_value(kept, text_limit=LONGEST_MESSAGE, total_limit=LONGEST_REQUEST)


def stored_content(content: Mapping[str, Any] | None, review: Review, policy: ContentPolicy) -> Any:
    """Accepted content as the owner wants it kept, neutral and bounded."""
    kept = kept_content(content, review, policy)
    return None if kept is None else neutral_value(kept, total_limit=LONGEST_CONTENT)


def flood(server: str, count: int, outcome: Outcome) -> Body:
    """`count` questions of one server, over its limits or muted, got the same outcome."""
    return {
        "server": neutral_line(server),
        "count": count,
        **_decision(outcome),
    }


def _decision(outcome: Outcome) -> Body:
    """What was decided, by whom, and which key of whose configuration says so."""
    return {
        "action": outcome.action,
        "decidedBy": outcome.decided_by,
        "reason": neutral(outcome.reason, LONGEST_MESSAGE),
        "key": _line(outcome.key),
        "layer": outcome.layer,
    }


def pruned(through: int, last: str, records: int, before: datetime) -> Body:
    """Everything up to record `through`, whose hash was `last`, was removed by the owner."""
    return {"through": through, "hash": last, "records": records, "before": rfc3339(before)}


def _line(text: str | None) -> str | None:
    return None if text is None else neutral_line(text)
