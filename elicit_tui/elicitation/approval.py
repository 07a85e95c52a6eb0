"""The question that we ask ourselves: may this tool be called?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from elicit_tui.elicitation.request import Call, ElicitationRequest, ServerIdentity
from elicit_tui.text import as_name

SHOWN_OF_DEFINITION: Final = ("name", "title", "description", "annotations")
"""What a person reads of a tool before it is called; hostile text, as the server wrote it."""


def hints_of(definition: Mapping[str, Any]) -> tuple[str, ...]:
    """A tool's hints about itself, in words of ours (spec: Tool annotations)."""
    said = definition.get("annotations")
    annotations = said if isinstance(said, Mapping) else {}
    hints = []
    if annotations.get("readOnlyHint") is True:
        hints.append("read-only")
    elif annotations.get("destructiveHint") not in (None, False):
        hints.append("destructive")
    if annotations.get("idempotentHint") is True:
        hints.append("idempotent")
    if annotations.get("openWorldHint") is True:
        hints.append("open world")
    return tuple(hints)


def approval_request(
    server: ServerIdentity, call: Call, definition: Mapping[str, Any] | None, why: str
) -> ElicitationRequest:
    """An approval of one tool call: a question of kind `approval`, in the queue like any other.

    `definition` is the tool's entry of tools/list, None when its server does not list it. `why` is
    our sentence that says why it is asked; it is kept beside the message, which only asks.
    """
    listed = definition or {}
    said = {key: listed[key] for key in SHOWN_OF_DEFINITION if key in listed}
    params = {"message": f"Call {as_name(call.name)} of {server.name}?", "why": why, "tool": said}
    return ElicitationRequest(server, params, calls=(call,), kind="approval")
