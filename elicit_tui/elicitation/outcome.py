"""The one answer to one elicitation: what was done, who decided, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

Action = Literal["accept", "decline", "cancel"]
DecidedBy = Literal[
    "user",
    "policy",
    "guardian",
    "rule",
    "answers",
    "nobody",
    "deadline",
    "flood",
    "shutdown",
    "ledger",
    "server",
]

OUTCOME_META_KEY: Final = "dev.elicit-tui/outcome"

INVALID_PARAMS: Final = -32602

PUBLIC_REASONS: Final[Mapping[DecidedBy, str]] = {
    "user": "The user decided.",
    "policy": "The client's policy decided; no person was asked.",
    "guardian": "The client's safety check declined the request; no person was asked.",
    "rule": "A rule of the user answered; no person was asked.",
    "answers": "Prepared answers were used; no person was asked.",
    "nobody": "No person was there to ask.",
    "deadline": "No answer was given in time.",
    "flood": "Too many requests came from this server; no person was asked.",
    "shutdown": "The client ended before an answer was given.",
    "ledger": "The client could not record the answer, so it was withheld.",
    "server": "The request was withdrawn.",
}
"""The only sentences a server gets: it may be the attacker, so none names a rule, key or path."""


@dataclass(frozen=True)
class Outcome:
    """How one request ended. `reason` is for the person and the record, never for the server."""

    action: Action | None
    """None when no result could be sent: withdrawn, server gone, or refused with an error."""
    decided_by: DecidedBy
    reason: str
    content: Mapping[str, Any] | None = None
    """The accepted content of a form (`{}` if empty); None for url mode and refusals."""
    key: str | None = None
    """The configuration key that decided, where one did."""
    layer: str | None = None
    """The layer that key came from: managed, command line, user or default."""
    error_code: int | None = None
    """A JSON-RPC error sent instead of a result (malformed requests, handshake era)."""
    in_group: bool = False
    """One of many alike, which are counted and recorded together: a server asks without end."""

    @property
    def public_meta(self) -> dict[str, Any]:
        """The result's `_meta`: who decided and one fixed sentence (spec: basic, `_meta`)."""
        return {
            OUTCOME_META_KEY: {
                "decidedBy": self.decided_by,
                "reason": PUBLIC_REASONS[self.decided_by],
            }
        }

    def withheld(self, reason: str) -> Outcome:
        """This accept turned into a cancel because it could not be recorded."""
        return replace(self, action="cancel", decided_by="ledger", reason=reason, content=None)


def accept(by: DecidedBy, reason: str, content: Mapping[str, Any] | None, **more: Any) -> Outcome:
    """An accept; pass `{}` for an empty form and None for url mode."""
    return Outcome("accept", by, reason, content, **more)


def decline(by: DecidedBy, reason: str, **more: Any) -> Outcome:
    """An explicit no."""
    return Outcome("decline", by, reason, **more)


def cancel(by: DecidedBy, reason: str, **more: Any) -> Outcome:
    """Neither yes nor no: dismissed, or nobody could decide."""
    return Outcome("cancel", by, reason, **more)


def unsent(by: DecidedBy, reason: str, **more: Any) -> Outcome:
    """An end without a result on the wire: withdrawn, gone, or refused with an error."""
    return Outcome(None, by, reason, **more)
