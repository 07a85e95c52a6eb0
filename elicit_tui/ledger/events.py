"""What each event says: plain JSON objects of neutral text, bounded in size."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, Literal

from elicit_tui.elicitation import ElicitationRequest, Outcome, Review, rfc3339
from elicit_tui.text import neutral, neutral_line, neutral_value
from elicit_tui.text.digest import digest

ContentPolicy = Literal["redacted", "none", "full"]

LONGEST_MESSAGE: Final = 4_000
LONGEST_REQUEST: Final = 16_000
LONGEST_CONTENT: Final = 64_000
MOST_FINDINGS: Final = 100

Body = dict[str, Any]


def asked(request: ElicitationRequest, review: Review) -> Body:
    """A question arrived."""
    server = request.server
    call = request.call
    return {
        "server": neutral_line(server.name),
        "callsItself": _line(server.calls_itself),
        "version": _line(server.version),
        "transport": server.transport,
        "address": neutral_line(server.address, 1000),
        "protocolVersion": _line(server.protocol_version),
        "method": call.method if call else None,
        "tool": _line(call.name) if call else None,
        "callId": call.id if call else None,
        "round": request.round,
        "groupSize": request.group_size,
        "mode": neutral_line(request.mode, 40),
        "message": neutral(request.message, LONGEST_MESSAGE),
        "defect": _line(request.defect),
        "request": neutral_value(
            request.params, text_limit=LONGEST_MESSAGE, total_limit=LONGEST_REQUEST
        ),
        "requestDigest": digest(request.params),
        "arrivedAt": rfc3339(request.arrived_at),
        **findings(review),
    }


def findings(review: Review) -> Body:
    """What the guardian found, as the JSON contract spells it."""
    found = [finding.as_json() for finding in review.findings[:MOST_FINDINGS]]
    return {"verdict": review.verdict, "findings": neutral_value(found, text_limit=1000)}


def decided(
    request: ElicitationRequest,
    outcome: Outcome,
    review: Review,
    policy: ContentPolicy,
    moment: datetime,
) -> Body:
    """A question has its one outcome."""
    waited = moment - request.arrived_at
    return {
        "action": outcome.action,
        "decidedBy": outcome.decided_by,
        "reason": neutral(outcome.reason, LONGEST_MESSAGE),
        "key": _line(outcome.key),
        "layer": outcome.layer,
        "errorCode": outcome.error_code,
        "content": stored_content(outcome.content, review, policy),
        "contentPolicy": policy,
        "waitedMs": max(0, round(waited.total_seconds() * 1000)),
    }


def stored_content(content: Mapping[str, Any] | None, review: Review, policy: ContentPolicy) -> Any:
    """Accepted content as the owner wants it kept (`history.content`).

    `redacted` masks the fields that the guardian calls sensitive and those of which an outgoing
    finding says that their value looks like a secret.
    """
    if content is None or policy == "none":
        return None
    if policy == "redacted":
        content = review.masked(content)
    return neutral_value(content, total_limit=LONGEST_CONTENT)


def flood(server: str, count: int, outcome: Outcome) -> Body:
    """`count` questions of one server, over its limits or muted, got the same outcome."""
    return {
        "server": neutral_line(server),
        "count": count,
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
