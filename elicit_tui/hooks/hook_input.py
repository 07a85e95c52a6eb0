"""The JSON that a hook reads: Claude Code's fields, and ours beside them.

Values are exactly the server's, written in printable ASCII.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from elicit_tui.elicitation import ElicitationRequest, Outcome, Review
from elicit_tui.elicitation.settings import HookEvent
from elicit_tui.text import ascii_json


class HookInput:
    """Writes what hooks read, for every event of one run."""

    def __init__(self, session_id: str, cwd: str) -> None:
        self._head = {"session_id": session_id, "cwd": cwd}

    def asked(self, event: HookEvent, request: ElicitationRequest, review: Review) -> bytes:
        """`Elicitation` and `Asked`: the question, and what the guardian found."""
        return self._written(
            event,
            request,
            message=request.message,
            requested_schema=request.param("requestedSchema"),
            url=request.param("url"),
            verdict=review.verdict,
            findings=[finding.as_json() for finding in review.findings],
        )

    def answered(
        self,
        event: HookEvent,
        request: ElicitationRequest,
        outcome: Outcome,
        content: Mapping[str, Any] | None,
        **more: Any,
    ) -> bytes:
        """`ElicitationResult` and `Resolved`: how it ended, with the content that may be told."""
        return self._written(
            event,
            request,
            action=outcome.action,
            content=None if content is None else dict(content),
            decided_by=outcome.decided_by,
            reason=outcome.reason,
            via=outcome.via,
            **more,
        )

    def _written(self, event: HookEvent, request: ElicitationRequest, **fields: Any) -> bytes:
        call = request.call
        told: dict[str, Any] = {
            **self._head,
            "hook_event_name": event,
            "mcp_server_name": request.server.name,
            "mode": request.mode if request.kind == "elicitation" else None,
            "elicitation_id": request.param("elicitationId"),
            **fields,
            "id": request.id,
            "kind": request.kind,
            "tool": call.name if call is not None else None,
            "arguments": dict(call.arguments) if call is not None else None,
            "round": request.round,
        }
        present = {name: value for name, value in told.items() if value is not None}
        return (ascii_json(present) + "\n").encode("ascii")
