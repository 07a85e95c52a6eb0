"""Short ways to make a request for a test."""

from __future__ import annotations

from typing import Any

from elicit_tui.elicitation import ElicitationRequest, ServerIdentity
from elicit_tui.elicitation.settings import GuardianSettings
from elicit_tui.guardian import Guardian

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


def of_secrets_only() -> Guardian:
    """A guardian with the rules about secrets alone: what they say is said sooner."""
    others = [rule.id for rule in Guardian().rules if not rule.id.startswith("credentials.")]
    return Guardian(GuardianSettings(disable=tuple(others)))
