"""What a run came to is judged by what was asked and answered; no server is needed for that."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.broker import Resolved
from elicit_tui.elicitation import (
    ElicitationRequest,
    Finding,
    Review,
    Severity,
    cancel,
    decline,
)
from elicit_tui.elicitation.eras import HANDSHAKE, MODERN
from elicit_tui.elicitation.outcome import INTERNAL_ERROR
from elicit_tui.errors import ProtocolCallError, ServerError
from elicit_tui.scenarios.acting import cannot_tell, shown_of_acceptance
from elicit_tui.scenarios.judging import (
    faults_of,
    hint_of,
)
from elicit_tui.scenarios.one_scenario import ways_known
from elicit_tui.scenarios.reading import _expectation
from elicit_tui.scenarios.result import Run
from elicit_tui.scenarios.scenario import Expectation, PreparedAnswer, Runner, Scenario
from elicit_tui.scenarios.script import Script, Step
from elicit_tui.scenarios.snapshots import question_snapshot, snapshot_file
from elicit_tui.scenarios.watching import State, Watched
from elicit_tui.scenarios.ways import Way
from tests.broker.conftest import COLOUR, form_request
from tests.scenarios.painting import NOTHING

OTHER = {"type": "object", "properties": {"shade": {"type": "string"}}}
DECLINED = Way("decline", (), "refused", refuses=0)
ACCEPTED = {"content": [{"type": "text", "text": "painted"}]}
REFUSED = {"content": [{"type": "text", "text": "not painted"}]}
PAINTS = Scenario("paints", "paint", "paint")


def judged(
    *asked: ElicitationRequest,
    result: Mapping[str, Any] | None = REFUSED,
    error: Exception | None = None,
    watched: Watched = NOTHING,
    alive: bool = True,
    before: Sequence[ElicitationRequest] = (),
    scenario: Scenario = PAINTS,
) -> list[str]:
    """What is wrong with a run whose first question was declined; the accept had asked `before`."""
    run = Run(scenario, HANDSHAKE, "decline", result=result, error=error)
    base = Run(scenario, HANDSHAKE, "accept", result=ACCEPTED, asked=list(before))
    script = Script((), asked=[(None if n else 0, each) for n, each in enumerate(asked)])
    run.watched = watched
    return faults_of(run, DECLINED, base, script, (), alive=alive)


def with_schema(schema: Mapping[str, Any]) -> ElicitationRequest:
    return form_request(params={"requestedSchema": schema})


def test_a_refusal_that_is_taken_is_no_fault() -> None:
    assert judged(with_schema(COLOUR)) == []


def test_the_same_question_after_its_refusal_is_a_fault_and_another_one_of_the_accept_is_not() -> (
    None
):
    assert judged(with_schema(COLOUR), with_schema(dict(COLOUR))) == [
        "it asks again what was refused: Which colour?"
    ]
    shade = form_request("Which shade?")
    assert judged(with_schema(COLOUR), shade, before=[shade]) == []


def test_a_question_in_other_words_after_a_refusal_is_a_fault_unless_it_is_expected() -> None:
    shade = form_request("Which shade?")
    asked = with_schema(COLOUR), shade
    (fault,) = judged(*asked)
    assert fault.startswith("it asks again, in other words, after a refusal: Which shade?")
    # The message is the same; what is asked for is not.
    (fault,) = judged(with_schema(COLOUR), with_schema(OTHER))
    assert "in other words" in fault
    # The accept was asked so in a form; a page is another question.
    page = replace(shade, params={"mode": "url", "message": shade.message, "url": "https://a"})
    (fault,) = judged(with_schema(COLOUR), page, before=[shade])
    assert "in other words" in fault
    told = replace(PAINTS, on_refusal=Expectation(is_error=None, questions=1))
    assert judged(*asked, scenario=told) == []
    (fault,) = judged(*asked, asked[1], scenario=told)
    assert fault == "on_refusal: 2 questions came after the refusal, more than 1"


def test_that_a_refusal_has_the_accepts_text_is_noted_unless_on_refusal_says_it() -> None:
    scenario = replace(PAINTS, expect=Expectation(structured={"/done": True}))
    same = {**ACCEPTED, "structuredContent": {"done": False}}
    told = replace(scenario, on_refusal=Expectation(None, text="painted"))
    for one, notes in ((scenario, 1), (told, 0)):
        run, base = (Run(one, HANDSHAKE, "decline", result=each) for each in (same, ACCEPTED))
        run.watched = NOTHING
        script = Script((), asked=[(0, form_request())])
        assert faults_of(run, DECLINED, base, script, (), alive=True) == []
        assert len([note for note in run.notes if "its text is the accept's" in note]) == notes


def test_what_a_result_says_is_told_in_neutral_text() -> None:
    hostile = {"content": [{"type": "text", "text": "painted\x1b[31m"}]}
    scenario = replace(PAINTS, expect=Expectation(text="painted*"))
    (fault,) = judged(form_request(), result=hostile, scenario=scenario)
    assert "it acted all the same" in fault
    assert "\x1b" not in fault


def test_any_part_of_what_is_expected_is_an_act_unless_on_refusal_says_what_stands_there() -> None:
    expect = Expectation(structured={"/released": True, "/environment": "prod"})
    half = {"structuredContent": {"released": True, "environment": "none"}, **REFUSED}
    scenario = replace(PAINTS, expect=expect)
    (fault,) = judged(with_schema(COLOUR), result=half, scenario=scenario)
    assert fault == "it acted all the same: structured /released is true (not painted)"
    kept = replace(scenario, on_refusal=Expectation(None, structured={"/released": True}))
    assert judged(with_schema(COLOUR), result=half, scenario=kept) == []
    other = replace(scenario, on_refusal=Expectation(None, structured={"/environment": None}))
    assert (
        "on_refusal: structured /environment"
        in judged(with_schema(COLOUR), result=half, scenario=other)[1]
    )


def test_without_an_expectation_any_value_of_the_accepted_result_but_an_argument_is_an_act() -> (
    None
):
    scenario = Scenario("releases", "ship", "ship", {"version": "1.2"})
    accepted = {"released": True, "environment": "prod", "version": "1.2", "warnings": 0}
    for now, acts in (
        ({**accepted, "environment": "none"}, True),
        ({**accepted, "released": False}, True),
        ({**accepted, "released": False, "environment": None}, False),
        ({"released": False}, False),
    ):
        base = Run(scenario, HANDSHAKE, "accept", result={"structuredContent": accepted})
        found = list(shown_of_acceptance(scenario, base, {"structuredContent": now}))
        assert bool(found) is acts, found


def test_an_accepted_result_after_a_refusal_is_a_fault() -> None:
    assert judged(with_schema(COLOUR), result=ACCEPTED) == [
        "it acted all the same: the result is the accepted one (painted)"
    ]


def test_a_question_that_did_not_come_was_not_refused() -> None:
    assert judged() == ["question 1 did not come"]


@pytest.mark.parametrize(
    ("error", "faults"),
    [
        (ProtocolCallError(-32602, "Declined."), []),
        (ProtocolCallError(INTERNAL_ERROR, "Traceback"), ["error -32603: Traceback"]),
        (ProtocolCallError(INTERNAL_ERROR, "Tr\x1bace"), ["error -32603: Tr␛ace"]),
        (ServerError("It went away."), ["It went away."]),
    ],
)
def test_an_error_of_the_protocol_is_a_refusal_and_a_breakdown_is_not(
    error: Exception, faults: list[str]
) -> None:
    assert judged(with_schema(COLOUR), result=None, error=error) == faults


@pytest.mark.parametrize(
    "said",
    [
        "This server has no back-channel for server-initiated requests",
        "elicitation via server-initiated requests is unavailable on 2026-07-28 connections.",
        '"elicitation/create" cannot be sent while serving a request on protocol version 2026-07-28'
        ": return an InputRequests map instead (multi round-trip requests, SEP-2322)",
    ],
    ids=["Python SDK", "FastMCP", "Go SDK"],
)
def test_a_server_that_pushes_in_the_later_revision_gets_the_hint_whoever_says_so(
    said: str,
) -> None:
    result = {"content": [{"type": "text", "text": said}], "isError": True}
    run = Run(PAINTS, MODERN, "accept", result=result, protocol_version=MODERN, failures=["x"])
    assert "write --eras 2025-11-25" in str(hint_of(run))
    assert hint_of(replace(run, protocol_version=HANDSHAKE)) is None
    # Told as an error of the protocol it is the same; a server whose question came can push.
    told = replace(run, result=None, error=ProtocolCallError(-32000, said))
    assert "write --eras 2025-11-25" in str(hint_of(told))
    came = Resolved(with_schema(COLOUR), Review(), decline("answers", "No."))
    assert hint_of(replace(run, resolved=[came])) is None
    assert hint_of(replace(run, failures=[])) is None


def test_an_error_of_a_server_that_asks_only_in_the_other_revision_names_it() -> None:
    error = ProtocolCallError(-32021, "Missing required client capability")
    run = Run(PAINTS, "auto", "accept", error=error, protocol_version=HANDSHAKE, failures=["x"])
    assert "try --eras 2026-07-28" in str(hint_of(run))
    assert "try --eras 2025-11-25" in str(hint_of(replace(run, protocol_version=MODERN)))
    assert hint_of(replace(run, error=ProtocolCallError(-32050, "broken"))) is None


def test_a_server_that_never_answered_gets_no_hint_of_a_revision() -> None:
    run = Run(PAINTS, "auto", "accept", error=ServerError("It did not start."), failures=["x"])
    assert run.protocol_version is None
    assert hint_of(run) is None


def test_what_a_refusal_changed_and_a_server_that_is_gone_are_faults() -> None:
    changed = Watched({"a.txt": State("1")}, {"a.txt": State("2")})
    assert judged(with_schema(COLOUR), watched=changed, alive=False) == [
        "the server no longer answers afterwards",
        "a.txt changed",
    ]


def test_an_author_is_told_what_to_write_in_the_words_of_the_place() -> None:
    shade = form_request("Which shade?")
    told: tuple[tuple[Runner, str], ...] = (
        ("command", "on_refusal = { questions = N } allows up to N"),
        ("pytest", "on_refusal = { questions = N } allows up to N"),
        ("fixture", 'on_refusal={"questions": N} allows up to N'),
    )
    for runner, words in told:
        scenario = replace(PAINTS, runner=runner)
        (fault,) = judged(with_schema(COLOUR), shade, scenario=scenario)
        assert words in fault
    error = ProtocolCallError(-32021, "Missing required client capability")
    run = Run(PAINTS, "auto", "accept", error=error, protocol_version=HANDSHAKE, failures=["x"])
    run.scenario = replace(PAINTS, runner="pytest")
    assert "try elicit_eras = 2026-07-28 in the ini file" in str(hint_of(run))


@pytest.mark.parametrize(
    ("agreed", "refusal", "others"),
    [(True, None, True), (False, None, False), (False, {}, True), (True, {"agree": True}, False)],
)
def test_a_form_that_is_sent_with_a_no_has_no_other_ways(
    tmp_path: Path, agreed: bool, refusal: Any, others: bool
) -> None:
    agrees = {"type": "object", "properties": {"agree": {"type": "boolean"}}, "required": ["agree"]}
    file = tmp_path / "paints.toml"
    answer = PreparedAnswer(content={"agree": agreed}, refusal=refusal)
    kept = {"paints": {HANDSHAKE: [question_snapshot(with_schema(agrees))]}}
    snapshot_file(file).write_text(json.dumps(kept))
    names = ways_known(replace(PAINTS, answers=(answer,), file=file), HANDSHAKE)
    assert ("accept" in names, "decline" in names) == (True, others)


def test_a_question_that_is_kept_may_want_what_its_scenario_does_not_give_any_more(
    tmp_path: Path,
) -> None:
    file = tmp_path / "paints.toml"
    kept = {"paints": {HANDSHAKE: [question_snapshot(with_schema(COLOUR))]}}
    snapshot_file(file).write_text(json.dumps(kept))
    answer = PreparedAnswer(content={"shade": "red"})
    names = ways_known(replace(PAINTS, answers=(answer,), file=file), HANDSHAKE)
    assert {"accept", "decline", "Colour is null"} <= set(names)
    assert "what is optional is left out" not in names


def test_a_refusal_told_as_an_error_in_the_words_of_the_accept_is_no_act() -> None:
    scenario = replace(PAINTS, expect=Expectation(text="*painted*"))
    assert judged(with_schema(COLOUR), scenario=scenario) == [
        'it acted all the same: the text is "not painted" (not painted)'
    ]
    assert judged(with_schema(COLOUR), result={**REFUSED, "isError": True}, scenario=scenario) == []


def test_a_refusal_that_is_told_in_the_words_of_the_accept_is_told() -> None:
    scenario = replace(PAINTS, expect=Expectation(structured={"/painted": True}))
    run = Run(scenario, HANDSHAKE, "decline")
    base = Run(scenario, HANDSHAKE, "accept", result={**ACCEPTED, "structuredContent": {}})
    script = Script((), asked=[(0, with_schema(COLOUR))])
    for words, told in ((ACCEPTED, 1), (REFUSED, 0)):
        run.notes, run.result = [], {**words, "structuredContent": {"painted": False}}
        assert faults_of(run, DECLINED, base, script, (), alive=True) == []
        assert [note.partition(",")[0] for note in run.notes] == ["its text is the accept's"] * told


def test_a_scenario_whose_content_says_no_is_told_that_it_has_no_other_ways() -> None:
    run = Run(PAINTS, HANDSHAKE, "accept", refused=True)
    assert "reads as a no" in str(cannot_tell(run, more_ways=True))
    assert cannot_tell(run, more_ways=False) is None
    run.scenario = replace(PAINTS, watch=("a.txt",))
    assert "only answer is a no" in str(cannot_tell(run, more_ways=False))


def test_a_question_that_a_limit_refused_is_told_so_and_not_as_one_that_never_came() -> None:
    request, why = with_schema(COLOUR), "More than 30 questions came within a minute."
    run = Run(PAINTS, HANDSHAKE, "decline", result=REFUSED)
    run.resolved = [Resolved(request, Review(), cancel("flood", why))]
    base = Run(PAINTS, HANDSHAKE, "accept", result=ACCEPTED)
    told = [f"“Which colour?” was not answered by the scenario. {why}"]
    assert faults_of(run, DECLINED, base, Script(()), (), alive=True) == told
    # Nor is anything else told, which only comes of it.
    written = Script((Step(PreparedAnswer()),))
    expected = replace(PAINTS, expect=Expectation(text="painted", questions=1))
    run.scenario = expected
    assert faults_of(run, DECLINED, None, written, (), alive=True) == told


def test_a_question_that_the_guardian_blocked_says_how_to_test_it_all_the_same() -> None:
    request = with_schema(COLOUR)
    finding = Finding("credentials.secret", Severity.BLOCK, "message", "token", "Do not type it.")
    outcome = decline("guardian", "Declined by the guardian.")
    run = Run(PAINTS, HANDSHAKE, "accept", result=REFUSED)
    run.resolved = [Resolved(request, Review((finding,)), outcome)]
    (how,) = faults_of(run, DECLINED, None, Script(()), (), alive=True)
    assert 'guardian.on_block = "ask"' in how
    assert 'despite = ["credentials.secret"]' in how


def test_a_tool_that_acts_without_its_question_is_told_in_these_words() -> None:
    answers, changed = (PreparedAnswer(),), Watched({"wall": State("1")}, {"wall": State("2")})
    for scenario, watched, result, told in (
        (replace(PAINTS, expect=Expectation(text="paint*")), NOTHING, ACCEPTED, 'the text is "pai'),
        (replace(PAINTS, expect=Expectation(text="paint*")), NOTHING, REFUSED, None),
        (replace(PAINTS, watch=("wall",)), changed, REFUSED, "wall changed"),
    ):
        run = Run(replace(scenario, answers=answers), HANDSHAKE, "accept", result=result)
        run.watched = watched
        script = Script((Step(answers[0]),))
        way = Way("accept", (Step(answers[0]),))
        faults = faults_of(run, way, None, script, (), alive=True)
        assert "answer 1 was not used: its question did not come" in faults
        found = [each for each in faults if each.startswith("it acted and asked nobody")]
        assert len(found) == (told is not None)
        assert all(str(told) in each for each in found)


@pytest.mark.parametrize(
    ("result", "told"),
    [
        (ACCEPTED, 'expect = { text = "painted*" }'),
        (
            {"content": [{"type": "text", "text": "\nPainted [1] wall?\nIt is blue now."}]},
            'expect = { text = "Painted [[]1] wall[?]*" }',
        ),
        (
            {**ACCEPTED, "structuredContent": {"wall": "north", "count": 0, "done": True}},
            'expect = { structured = { "/done" = true } }',
        ),
    ],
)
def test_a_scenario_that_says_nothing_of_acting_is_told_what_it_could_say(
    result: Mapping[str, Any], told: str
) -> None:
    scenario = replace(PAINTS, arguments={"wall": "north"})
    run = Run(scenario, HANDSHAKE, "accept", result=result)
    assert told in str(cannot_tell(run, more_ways=True))


def test_a_day_that_is_expected_is_written_in_toml_and_compared_as_json_has_it() -> None:
    day, moment = date(2026, 11, 29), datetime(2026, 11, 29, 12, tzinfo=timezone.utc)
    expected = _expectation({"structured": {"day": day, "all": [moment]}})
    assert expected.structured == {"day": "2026-11-29", "all": ["2026-11-29T12:00:00Z"]}
    assert _expectation({}).structured is None
