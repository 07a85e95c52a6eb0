"""Requests to record, and a clock that the test moves."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

from elicit_tui.elicitation import Call, ElicitationRequest, Review, ServerIdentity

SCHEMA = {"type": "object", "properties": {"environment": {"type": "string"}}}


PASSED = Review()


class Clock:
    """Time that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 1, 12, 0, 0, tzinfo=timezone.utc)

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **span: float) -> None:
        self.now += timedelta(**span)


def request(
    message: str = "Which environment?",
    server: str = "deploy",
    clock: Clock | None = None,
    **more: Any,
) -> ElicitationRequest:
    arrived = {"arrived_at": clock()} if clock else {}
    return ElicitationRequest(
        ServerIdentity(server, "stdio", "deploy-mcp-server", "Deploy", "1.4", "2025-11-25"),
        more.pop("params", {"message": message, "requestedSchema": SCHEMA}),
        calls=more.pop("calls", (Call("tools/call", "deploy"),)),
        **arrived,
        **more,
    )
