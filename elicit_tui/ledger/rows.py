"""One row a question, folded from its events."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any, Final, get_args

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import ServerEnd


@dataclass(frozen=True)
class Row:
    """A question as `history` shows it, or a group of flood outcomes; all text is neutral.

    Times are RFC 3339 in UTC; a step that has not happened (or was lost with its process) is None.
    """

    id: str
    server: str = ""
    kind: str = "elicitation"
    """`elicitation`, or `approval`: our own question before a tool is called."""
    tool: str | None = None
    mode: str | None = None
    message: str | None = None
    round: int | None = None
    verdict: str | None = None
    findings: tuple[Mapping[str, Any], ...] = ()
    action: str | None = None
    decided_by: str | None = None
    reason: str | None = None
    key: str | None = None
    layer: str | None = None
    content: Any = None
    waited_ms: int | None = None
    asked_at: str | None = None
    decided_at: str | None = None
    sent_at: str | None = None
    protocol_version: str | None = None
    request: Any = None
    request_digest: str | None = None
    count: int = 1
    """How many requests this row stands for: above 1 only for floods."""
    hashes: Mapping[str, str] = field(default_factory=dict)
    """The chain's hash of each event: `asked`, `decided`, `sent`, `withdrawn`, or `flood`."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """The rest of what was recorded: method, call, server's own name, address, defect …"""

    @property
    def server_end(self) -> ServerEnd | None:
        """Of one decided by `server`: what ended it; None also where that was not recorded."""
        # A newer elicit-tui may have recorded what this one knows no word for.
        recorded = self.details.get("serverEnd")
        return next((end for end in get_args(ServerEnd) if end == recorded), None)

    @property
    def state(self) -> str:
        """How far it came: `asked`, `decided`, `sent`, or `handed` to an agent's own hook."""
        if self.details.get("handedAt") is not None:
            return "handed"
        if self.sent_at is not None:
            return "sent"
        return "asked" if self.decided_at is None else "decided"

    def as_json(self) -> dict[str, Any]:
        """The row as `history list` and `history export` print it."""
        columns = {spelt: getattr(self, name) for name, spelt in _COLUMNS.items()}
        columns["findings"] = [dict(finding) for finding in self.findings]
        return {"id": self.id, **columns, "hashes": dict(self.hashes), **self.details}


_COLUMNS: Final = {
    name: name
    for name in ("kind", "server", "tool", "mode", "message", "round", "verdict", "findings")
} | {
    "action": "action",
    "decided_by": "decidedBy",
    "reason": "reason",
    "key": "key",
    "layer": "layer",
    "content": "content",
    "waited_ms": "waitedMs",
    "asked_at": "askedAt",
    "decided_at": "decidedAt",
    "sent_at": "sentAt",
    "protocol_version": "protocolVersion",
    "request": "request",
    "request_digest": "requestDigest",
    "count": "count",
}
"""How the fields of a row are spelt in records and in data."""

_DETAILS: Final = (
    "method",
    "callId",
    "callIds",
    "groupSize",
    "callsItself",
    "version",
    "transport",
    "address",
    "defect",
    "handedTo",
    "handedAt",
    "serverEnd",
    "errorCode",
    "via",
    "scope",
    "note",
    "answeredBy",
    "acknowledged",
    "outgoing",
    "contentPolicy",
    "arguments",
    "answered",
    "changed",
    "withdrawal",
)


def _together(
    events: Iterable[tuple[str, str, str]],
) -> tuple[dict[str, Any], dict[str, str], dict[str, str]]:
    """What all records of a question say; and of each event its time, and its hash."""
    row: dict[str, Any] = {}
    times: dict[str, str] = {}
    hashes: dict[str, str] = {}
    for event, body, stored in events:
        value = json.loads(body)
        # Of the first record of its kind: a later one only adds to it.
        times.setdefault(event, value.get("at"))
        hashes[event] = stored
        # What stands in several records is the same, or the later one knows more.
        row.update(value)
    return row, times, hashes


def fold(question: str, events: Iterable[tuple[str, str, str]]) -> Row:
    """One row of the events (event, body, hash) of one question, in the order of the chain."""
    row, times, hashes = _together(events)
    # A flood is one record that counts many questions: it has one time for all.
    flooded = times.get("flood")
    row["askedAt"] = flooded or row.get("arrivedAt") or times.get("asked")
    row["decidedAt"], row["sentAt"] = flooded or times.get("decided"), times.get("sent")
    if row.get("handedTo") is not None:
        # What an agent's own hook was given may have come too late to be used.
        row["handedAt"] = row.pop("sentAt")
    known = {name: row[spelt] for name, spelt in _COLUMNS.items() if row.get(spelt) is not None}
    return Row(
        id=question,
        **{**known, "findings": tuple(known.get("findings", ()))},
        hashes=hashes,
        details={name: row[name] for name in _DETAILS if row.get(name) is not None},
    )
