"""Step 2, admit: is the request well formed?

Cheap and synchronous: it is asked for each raw message, before the SDK sees it. Whether its mode
was advertised is policy's to say, which knows the key that left it out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from elicit_tui.elicitation import ElicitationRequest, Outcome, decline, unsent
from elicit_tui.elicitation.outcome import INVALID_PARAMS


def defect(request: ElicitationRequest) -> str | None:
    """What is malformed about a request, in a sentence; None when it is well formed.

    Spec: client/elicitation, "Protocol Messages" and "Error Handling".
    """
    if request.defect is not None:
        return request.defect
    if not isinstance(request.params, Mapping):
        return "The request has no parameters object."
    mode = request.mode
    if mode not in ("form", "url"):
        return "The request has a mode that the protocol does not know."
    if not isinstance(request.params.get("message"), str):
        return "The request has no message."
    return _form_defect(request) if mode == "form" else _url_defect(request)


def _form_defect(request: ElicitationRequest) -> str | None:
    schema = request.requested_schema
    if schema is None:
        return "requestedSchema is missing or not an object."
    properties: Any = schema.get("properties")
    if not isinstance(properties, Mapping):
        return "requestedSchema has no properties object."
    if not all(isinstance(value, Mapping) for value in properties.values()):
        return "A property of requestedSchema is not a schema."
    return None


def _url_defect(request: ElicitationRequest) -> str | None:
    if request.url is None:
        return "The request has no url."
    if request.era == "handshake" and request.elicitation_id is None:
        return "The request has no elicitationId."
    return None


def malformed(request: ElicitationRequest, sentence: str) -> Outcome:
    """The outcome of a malformed request: an error in the handshake era, a decline in a round.

    A request that came as a notification has no id to answer.
    """
    if request.wire_id is None:
        return unsent("policy", sentence)
    if request.era == "handshake":
        return unsent("policy", sentence, error_code=INVALID_PARAMS)
    return decline("policy", sentence)
