"""Short ways to make a request for a test."""

from __future__ import annotations

from typing import Any

from elicit_tui.elicitation import ElicitationRequest, ServerIdentity

SERVER = ServerIdentity("server", "stdio", "server")
TEXT = {"type": "string"}
YES_OR_NO = {"type": "boolean"}


def form(message: str, **properties: Any) -> ElicitationRequest:
    return ElicitationRequest(
        SERVER,
        {"message": message, "requestedSchema": {"type": "object", "properties": properties}},
    )


def page(url: str, message: str = "Continue") -> ElicitationRequest:
    return ElicitationRequest(SERVER, {"mode": "url", "message": message, "url": url})
