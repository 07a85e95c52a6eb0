"""Malformed requests get the outcome of the table, in either era."""

from __future__ import annotations

from typing import Any

import pytest

from elicit_tui.broker.entrance import defect, malformed
from elicit_tui.elicitation import ElicitationRequest, ServerIdentity

SERVER = ServerIdentity("raw", "stdio", "raw-server")
EMPTY_FORM = {"type": "object", "properties": {}}

MALFORMED: dict[str, Any] = {
    "no parameters": None,
    "no message": {"requestedSchema": EMPTY_FORM},
    "a message that is a number": {"message": 5, "requestedSchema": EMPTY_FORM},
    "no schema": {"message": "?"},
    "a schema that is a list": {"message": "?", "requestedSchema": []},
    "a schema without properties": {"message": "?", "requestedSchema": {"type": "object"}},
    "properties that are a list": {"message": "?", "requestedSchema": {"properties": []}},
    "a property that is no schema": {"message": "?", "requestedSchema": {"properties": {"a": 1}}},
    "an unknown mode": {"mode": "voice", "message": "?"},
    "a mode that is null": {"mode": None, "message": "?", "requestedSchema": EMPTY_FORM},
    "a url that is a number": {"mode": "url", "message": "?", "url": 5, "elicitationId": "1"},
    "no url": {"mode": "url", "message": "?", "elicitationId": "1"},
}


@pytest.mark.parametrize("params", MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_request_is_an_error_in_the_handshake_era(params: Any) -> None:
    request = ElicitationRequest(SERVER, params, wire_id=7)
    sentence = defect(request)
    assert sentence is not None
    outcome = malformed(request, sentence)
    assert (outcome.action, outcome.decided_by, outcome.error_code) == (None, "policy", -32602)


@pytest.mark.parametrize("params", MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_request_of_a_round_is_declined_alone(params: Any) -> None:
    request = ElicitationRequest(SERVER, params, era="modern", wire_id="a")
    outcome = malformed(request, defect(request) or "")
    assert (outcome.action, outcome.decided_by, outcome.error_code) == ("decline", "policy", None)


def test_a_request_sent_as_a_notification_has_nothing_to_answer() -> None:
    request = ElicitationRequest(SERVER, {}, defect="It came as a notification.")
    outcome = malformed(request, defect(request) or "")
    assert (outcome.action, outcome.error_code) == (None, None)


def test_only_the_handshake_era_wants_an_id_of_a_page() -> None:
    page = {"mode": "url", "message": "?", "url": "https://example.com"}
    assert defect(ElicitationRequest(SERVER, page, wire_id=7, era="modern")) is None
    sentence = defect(ElicitationRequest(SERVER, page, wire_id=7))
    assert sentence == "The request has no elicitationId."


def test_a_form_without_fields_is_well_formed() -> None:
    params = {"message": "Go on?", "requestedSchema": EMPTY_FORM}
    assert defect(ElicitationRequest(SERVER, params, wire_id=1)) is None
