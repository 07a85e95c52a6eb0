"""What a scenario says of a refusal by `on_refusal`, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from elicit_tui.elicitation import (
    accept,
    cancel,
)
from elicit_tui.elicitation.eras import HANDSHAKE
from elicit_tui.errors import ProtocolCallError
from elicit_tui.scenarios.acting import cannot_tell, shown_of_acceptance
from elicit_tui.scenarios.judging import faults_of
from elicit_tui.scenarios.result import Run
from elicit_tui.scenarios.scenario import Expectation, PreparedAnswer, Scenario
from elicit_tui.scenarios.script import Script, Step
from elicit_tui.scenarios.ways import (
    Way,
)
from tests.broker.conftest import form_request
from tests.scenarios.painting import ANSWER, CHANGED, COLOURED, PAINTS
from tests.scenarios.test_judging_of_ways import PAINTED, result, written


def test_a_scenario_that_refuses_is_held_against_what_it_watches_and_on_refusal() -> None:
    refuses = replace(
        PAINTS,
        answers=(PreparedAnswer("decline"),),
        on_refusal=Expectation(None, text="not painted"),
    )
    assert written(result("not painted"), refuses) == []
    assert written(result("not painted"), refuses, watched=CHANGED) == ["a.txt changed"]
    assert written(scenario=refuses) == ['on_refusal: the text is "painted", not "not painted"']
    assert written(scenario=replace(refuses, answers=(ANSWER,))) == []
    agrees = {"type": "object", "properties": {"agree": {"type": "boolean"}}}
    asked = form_request(params={"requestedSchema": agrees})
    accepts = replace(refuses, answers=(PreparedAnswer(content={"agree": False}),))
    run = Run(accepts, HANDSHAKE, "accept", result=PAINTED)
    script = Script((Step(accepts.answers[0]),), asked=[(0, asked)], _used={0})
    for outcome, refused in (
        (accept("answers", "", {"agree": False}), True),
        (accept("answers", "", {"agree": True}), False),
        (cancel("answers", ""), False),
    ):
        way = Way("accept", ())
        faults_of(run, way, None, script, [(asked, outcome)], alive=True)
        assert run.refused is refused


def test_that_a_refusal_must_be_told_as_on_refusal_says_holds_for_an_error_too() -> None:
    told = replace(PAINTS, on_refusal=Expectation(None, text="No.*"))
    refused = Way("decline", (), "refused", refuses=0)

    def after(given: Mapping[str, Any] | None, error: Exception | None, scenario: Scenario) -> Any:
        run = Run(scenario, HANDSHAKE, "decline", result=given, error=error)
        base = Run(scenario, HANDSHAKE, "accept", result=PAINTED)
        script = Script((), asked=[(0, COLOURED)])
        return faults_of(run, refused, base, script, (), alive=True)

    assert after(None, ProtocolCallError(-32602, "No."), told) == []
    assert after(None, ProtocolCallError(-32602, "Why?"), told) == [
        'on_refusal: the text is "Why?", not "No.*"'
    ]
    in_order = replace(told, on_refusal=Expectation(False))
    assert after(None, ProtocolCallError(-32602, "No."), in_order) == [
        "on_refusal: error -32602: No."
    ]
    assert after(result("no", failed=True), None, in_order) == ["on_refusal: the tool says isError"]


@pytest.mark.parametrize(("after", "told"), [(0, False), (1, False), (2, True)])
def test_as_many_questions_may_follow_a_refusal_as_on_refusal_allows_and_no_more(
    after: int, told: bool
) -> None:
    once = replace(PAINTS, on_refusal=Expectation(None, questions=1))
    run = Run(once, HANDSHAKE, "decline", result=result("no"))
    base = Run(once, HANDSHAKE, "accept", result=PAINTED)
    asked = [(number, COLOURED) for number in range(after + 1)]
    refused = Way("decline", (), "refused", refuses=0)
    found = faults_of(run, refused, base, Script((), asked=asked), (), alive=True)
    words = f"on_refusal: {after} questions came after the refusal, more than 1"
    assert (words in found) is told


def test_that_on_refusal_holds_for_the_accept_too_is_told_where_nothing_else_tells_acting() -> None:
    for same in (Expectation(None, text="paint*"), Expectation(is_error=False)):
        for expect in (Expectation(), Expectation(structured={"/a": 1})):
            scenario = replace(PAINTS, expect=expect, on_refusal=same)
            base = Run(scenario, HANDSHAKE, "accept", result=result("painted", a=1))
            acts = list(shown_of_acceptance(scenario, base, base.result or {}))
            assert acts, "without another word the accepted result itself is an act"
            assert cannot_tell(base, more_ways=True) is None
    text = Expectation(text="painted")
    scenario = replace(PAINTS, expect=text, on_refusal=replace(text, is_error=None))
    base = Run(scenario, HANDSHAKE, "accept", result=PAINTED)
    assert "tells a refusal from an act" in str(cannot_tell(base, more_ways=True))
