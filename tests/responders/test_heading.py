from __future__ import annotations

from dataclasses import replace

from elicit_tui.elicitation import Call
from elicit_tui.responders.dialogue import heading
from tests.responders.typing import form_question


def test_every_call_that_may_have_asked_is_named() -> None:
    question = form_question({})
    calls = (Call("tools/call", "deploy", {"branch": "main"}), Call("tools/call", "tell_time"))
    lines = heading(replace(question, request=replace(question.request, calls=calls))).splitlines()
    assert lines[2:4] == ['For: deploy {"branch": "main"}', "Or for: tell_time {}"]
