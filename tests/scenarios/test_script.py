"""Which ways a scenario is tried in, and what its script answers in each."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from elicit_tui.elicitation import (
    Action,
    Deadline,
    ElicitationRequest,
    Finding,
    Question,
    Review,
    Severity,
    accept,
)
from elicit_tui.form.schema_reading import read_form
from elicit_tui.scenarios import script as script_module
from elicit_tui.scenarios.scenario import PreparedAnswer, Scenario
from elicit_tui.scenarios.script import Script, Step, content_of
from elicit_tui.scenarios.ways import (
    answers_gone_wrong,
    as_written,
    branches,
)
from tests.broker.conftest import form_request
from tests.scenarios.painting import ANSWER, COLOURED, PAINTS


def names(scenario: Scenario, *asked: ElicitationRequest) -> tuple[list[str], list[str]]:
    sent = accept("answers", "", {"colour": "red"})
    answered = [(request, sent) for request in asked]
    refused = [each.name for each in branches(scenario, answered)]
    return refused, [each.name for each in answers_gone_wrong(scenario, answered)]


def test_a_question_that_was_pushed_has_ways_that_a_round_has_not() -> None:
    pushed, in_round = replace(COLOURED, wire_id=7), replace(COLOURED, wire_id=None)
    refused, wrong = names(PAINTS, in_round)
    assert refused == ["decline", "cancel", "deadline"]
    assert {"an extra property", "a decline with content"} <= set(wrong)
    more, also = names(PAINTS, pushed)
    assert more == [*refused, "call cancelled"]
    assert also == [*wrong, "the answer twice", "an accept that comes after a decline"]
    sent = accept("answers", "", {"colour": "red"})
    *_, late = answers_gone_wrong(PAINTS, [(pushed, sent)])
    assert late.wrong is not None
    assert (late.wrong.kind, late.wrong.content) == ("late", {"colour": "red"})
    assert late.kind == "gone wrong"
    two = replace(PAINTS, answers=(ANSWER, ANSWER))
    refused, wrong = names(two, in_round, in_round)
    assert refused == [f"{way} {n}" for n in (1, 2) for way in ("decline", "cancel", "deadline")]
    assert {name.partition(": ")[0] for name in wrong} == {"question 1", "question 2"}


def test_a_page_has_no_form_to_be_answered_wrongly() -> None:
    page = form_request(params={"mode": "url", "url": "https://a.example", "elicitationId": "1"})
    page = replace(page, wire_id=None)
    assert names(PAINTS, page) == (["decline", "cancel", "deadline"], [])
    late = [
        each.wrong
        for each in answers_gone_wrong(
            PAINTS, [(replace(page, wire_id=7), accept("answers", "", None))]
        )
    ]
    assert [(each and each.kind, each and each.content) for each in late] == [
        ("twice", None),
        ("late", None),
    ]


@pytest.mark.parametrize(
    ("actions", "name"),
    [
        (("accept",), "accept"),
        (("accept", "accept"), "accept"),
        (("cancel",), "cancel"),
        (("accept", "decline"), "decline 2"),
        (("decline", "accept"), "decline 1"),
    ],
)
def test_a_scenario_is_named_by_its_refusal(actions: tuple[Action, ...], name: str) -> None:
    scenario = replace(PAINTS, answers=tuple(map(PreparedAnswer, actions)))
    assert as_written(scenario).name == name
    assert scenario.accepts is (name == "accept")
    assert not replace(PAINTS, answers=()).accepts


def test_what_a_scenario_refuses_has_no_other_ways_and_what_it_accepts_has_them() -> None:
    no, asked = PreparedAnswer("decline"), (replace(COLOURED, wire_id=None),) * 2
    for answers, before in (((no, ANSWER), "decline 1, then "), ((ANSWER, no), "")):
        refused, wrong = names(replace(PAINTS, answers=answers), *asked)
        number = answers.index(ANSWER) + 1
        ways = ("decline", "cancel", "deadline")
        assert refused == [f"{before}{way} {number}" for way in ways]
        assert wrong
        assert all(way.startswith(f"{before}question {number}: ") for way in wrong)
    assert names(replace(PAINTS, answers=(no, no)), *asked) == ([], [])


@pytest.mark.anyio
async def test_a_server_that_asks_on_and_on_has_its_call_cancelled_once() -> None:
    cancelled = []

    async def cancel_call() -> None:
        cancelled.append(True)

    script = Script((Step(PreparedAnswer("decline")),), True, cancel_call=cancel_call)
    for count in range(1, 30):
        request = replace(COLOURED, id=str(count))
        outcome = await script.respond(Question(request), Deadline(60))
        assert outcome.action == "decline"
        assert len(cancelled) == (count > script_module.MOST_UNPLANNED)
    assert script.broke_off
    assert script.problems == []


TYPED = "what is typed comes back in the result only"
LEFT_OUT = "what is optional is left out"


@pytest.mark.parametrize(("content", "ways"), [({"coats": 2}, {LEFT_OUT}), ({}, set())])
def test_what_cannot_be_typed_or_left_out_is_no_way(content: dict[str, Any], ways: Any) -> None:
    coats = {"type": "object", "properties": {"coats": {"type": "integer"}}}
    asked = form_request(params={"requestedSchema": coats})
    found = answers_gone_wrong(PAINTS, [(asked, accept("answers", "", content))])
    named = {each.name for each in found}
    assert named & {TYPED, LEFT_OUT} == ways
    assert "coats is no whole number" in named
    assert set(names(PAINTS, COLOURED)[1]) & {TYPED, LEFT_OUT} == {TYPED}


@pytest.mark.anyio
async def test_a_script_answers_each_question_by_the_step_that_is_meant_for_it() -> None:
    steps = [Step(PreparedAnswer("decline", message="Size*")), Step(ANSWER)]
    script = Script(steps)
    colour, size = Question(COLOURED), Question(form_request("Size?"))
    first = await script.respond(colour, Deadline(60))
    assert (first.action, first.content, script.unused) == ("accept", {"colour": "red"}, [0])
    assert (await script.respond(size, Deadline(60))).action == "decline"
    assert [number for number, _ in script.asked] == [1, 0]
    assert (script.unused, script.problems) == ([], [])
    third = await script.respond(Question(form_request("Why?")), Deadline(60))
    assert (third.action, script.problems) == (
        "cancel",
        ["a question that was not expected: Why?"],
    )
    again = await script.respond(replace(colour, note="Not valid."), Deadline(60))
    assert (again.action, script.problems[1:]) == ("cancel", ["question 2: Not valid."])
    await script.respond(replace(size, note=None), Deadline(60))
    assert script.problems[2:] == ["question 1: It was given back."]


@pytest.mark.anyio
async def test_a_script_passes_only_warnings_that_despite_lists_and_sends_only_what_fits() -> None:
    warns = Review((Finding("acme.ticket", Severity.WARN, "message", "x", "Look."),))
    asked = Question(COLOURED, warns)
    for despite, action in (((), "cancel"), (("other.*",), "cancel"), (("acme.*",), "accept")):
        script = Script([Step(replace(ANSWER, despite=despite))])
        outcome = await script.respond(asked, Deadline(60))
        assert outcome.action == action
        assert bool(script.problems) is (action == "cancel")
        assert bool(outcome.acknowledged) is (action == "accept")
    script = Script([Step(PreparedAnswer(content={"colour": 5}))])
    assert (await script.respond(Question(COLOURED), Deadline(60))).action == "cancel"
    assert script.problems[0].startswith("question 1: ")
    cancels = Script([Step(PreparedAnswer("cancel"))])
    assert (await cancels.respond(Question(COLOURED), Deadline(60))).action == "cancel"
    assert cancels.problems == []


@pytest.mark.anyio
async def test_after_a_refusal_further_questions_are_declined_without_a_word() -> None:
    script = Script([Step(PreparedAnswer("decline"))], refuse_the_rest=True)
    asked = [Question(form_request(message)) for message in ("One?", "Two?")]
    assert [(await script.respond(each, Deadline(60))).action for each in asked] == ["decline"] * 2
    assert script.problems == []
    assert [number for number, _ in script.asked] == [0, None]


@pytest.mark.anyio
async def test_a_question_is_left_to_its_deadline_or_its_call_cancelled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cancelled = []

    async def cancel_call() -> None:
        cancelled.append(True)

    monkeypatch.setattr(script_module, "DEADLINE_SECONDS", 0.01)
    for way, decided_by, expected in (
        ("wait", "deadline", []),
        ("cancel the call", "answers", [True]),
    ):
        script = Script([Step(ANSWER, way)], cancel_call=cancel_call)  # type: ignore[arg-type]
        outcome = await script.respond(Question(COLOURED), Deadline(60))
        assert (outcome.action, outcome.decided_by) == ("cancel", decided_by)
        assert (cancelled, script.unused) == (expected, [])


@pytest.mark.anyio
async def test_a_question_that_is_asked_again_after_a_wrong_answer_gets_no_other_answer() -> None:
    accepts = Step(PreparedAnswer(content={"colour": "red"}))
    script = Script((accepts, accepts), refuse_the_rest=True)
    asked = [Question(form_request(message)) for message in ("Colour?", "Colour?", "Shade?")]
    outcomes = []
    for question in asked:
        outcomes.append((await script.respond(question, Deadline(60))).action)
        script.wrong_message = "Colour?"
    assert outcomes == ["accept", "decline", "accept"]


@pytest.mark.anyio
async def test_all_warnings_that_an_answer_lacks_are_told_at_once() -> None:
    rules = ("url.address", "url.secret", "url.address", "pressure.hurry")
    found = tuple(Finding(rule, Severity.WARN, "url", "localhost", "Look.") for rule in rules)
    script = Script((Step(PreparedAnswer(despite=("pressure.*",))),))
    await script.respond(Question(COLOURED, Review(found)), Deadline(60))
    (told,) = script.problems
    assert "the guardian warns (url.address, url.secret)" in told
    assert 'despite = ["url.address", "url.secret"]' in told


@pytest.mark.anyio
async def test_a_server_that_wants_a_login_says_how_to_log_in() -> None:
    script = Script((Step(PreparedAnswer()),))
    request = replace(form_request("Log in?"), kind="authorization")
    await script.respond(Question(request), Deadline(60))
    assert script.problems == ["paint wants a login first: elicit-tui login paint"]
    assert script.unused == [0]


def test_defaults_of_a_form_are_taken_only_where_the_answer_says_so() -> None:
    count = {"type": "integer", "default": 3}
    form = read_form({"type": "object", "properties": {"name": {"type": "string"}, "n": count}})
    assert content_of(form, PreparedAnswer(content={"name": "a"})) == {"name": "a"}
    with_defaults = PreparedAnswer(content={"name": "a"}, use_defaults=True)
    assert content_of(form, with_defaults) == {"name": "a", "n": 3}
