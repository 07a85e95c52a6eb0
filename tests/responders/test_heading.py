from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from elicit_tui.elicitation import (
    Call,
    ElicitationRequest,
    Finding,
    Question,
    Review,
    ServerIdentity,
    Severity,
)
from elicit_tui.responders.dialogue import ARGUMENTS_LIMIT, heading
from tests.responders.typing import form_question


def test_every_call_that_may_have_asked_is_named() -> None:
    question = form_question({})
    calls = (Call("tools/call", "deploy", {"branch": "main"}), Call("tools/call", "tell_time"))
    lines = heading(replace(question, request=replace(question.request, calls=calls))).splitlines()
    assert lines[2:4] == ['For: deploy {"branch": "main"}', "Or for: tell_time {}"]


HOSTILE = "\x1b[2J\u202e\rServer: bank\nNote: safe"


@pytest.mark.parametrize("handed_to", [None, "codex"])
@pytest.mark.parametrize("kind", ["elicitation", "approval", "authorization"])
def test_nothing_that_was_given_acts_on_the_terminal_or_makes_a_line(
    kind: Any, handed_to: str | None
) -> None:
    server = ServerIdentity(HOSTILE, "stdio", HOSTILE, HOSTILE, HOSTILE)
    call = Call("tools/call", HOSTILE, {HOSTILE: HOSTILE})
    ours = HOSTILE.replace("\n", " ")
    params = {"message": HOSTILE if kind == "elicitation" else ours, "mode": "form"}
    request = ElicitationRequest(server, params, kind=kind, calls=(call,), handed_to=handed_to)
    finding = Finding("rule", Severity.WARN, HOSTILE, HOSTILE, HOSTILE)
    lines = heading(Question(request, Review((finding,)), note=HOSTILE)).splitlines()
    assert not [line for line in lines if {"\x1b", "\u202e", "\r"} & set(line)]
    assert sum(line.startswith(("Server:", "Note:")) for line in lines) == 2


def test_what_a_server_says_is_set_off_under_its_name() -> None:
    shown = heading(form_question({}, message="Which?\nNote: safe"))
    assert "\n\nThe server says:\n  | Which?\n  | Note: safe" in shown


def test_the_arguments_of_a_call_are_one_line_that_ends() -> None:
    question = form_question({})
    calls = (Call("tools/call", "deploy", {"branch": "long " * 500}),)
    lines = heading(replace(question, request=replace(question.request, calls=calls))).splitlines()
    assert lines[2].startswith('For: deploy {"branch": "long ')
    assert len(lines[2]) <= len("For: deploy ") + ARGUMENTS_LIMIT
    assert lines[3] == ""


@pytest.mark.parametrize("handed_to", [None, "claude"])
def test_an_agents_own_prompt_is_called_what_the_agent_wants_and_a_call_by_its_tool(
    handed_to: str | None,
) -> None:
    server, call = ServerIdentity("box", "stdio", "x"), Call("tools/call", "drop")
    params = {"message": "Let claude run Bash?", "mode": "form"}
    request = ElicitationRequest(server, params, kind="approval", calls=(call,))
    shown = heading(Question(replace(request, handed_to=handed_to)))
    title = "Let claude run Bash?" if handed_to else 'Call "drop" of "box"?'
    assert shown.startswith(f"=== {title} ===")
