"""What each planned way answers, what of the written answer it keeps, and what it sends."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation import (
    Deadline,
    ElicitationRequest,
    Finding,
    Question,
    Severity,
    accept,
)
from elicit_tui.errors import ConfigError
from elicit_tui.form.schema_reading import read_form
from elicit_tui.scenarios import read_scenarios
from elicit_tui.scenarios.scenario import Expectation, PreparedAnswer, Scenario
from elicit_tui.scenarios.script import Script, Step, content_of
from elicit_tui.scenarios.ways import Way, answers_gone_wrong, branches
from tests.broker.conftest import form_request


def asks(*required: str, message: str = "Which?", **fields: Any) -> ElicitationRequest:
    schema = {"type": "object", "properties": fields, "required": list(required)}
    return form_request(message, params={"requestedSchema": schema})


def planned(answer: PreparedAnswer, *asked: ElicitationRequest) -> dict[str, Way]:
    """The ways to refuse, by name; every question is answered by this answer."""
    scenario = Scenario("s", "s", "s", answers=(answer,) * len(asked))
    sent = accept("answers", "", answer.content)
    return {each.name: each for each in branches(scenario, [(one, sent) for one in asked])}


def wrong(content: dict[str, Any], asked: ElicitationRequest) -> dict[str, Way]:
    scenario = Scenario("s", "s", "s", answers=(PreparedAnswer(content=content),))
    ways = answers_gone_wrong(scenario, [(asked, accept("answers", "", content))])
    return {each.name: each for each in ways}


def sent_in(way: Way) -> Any:
    assert way.wrong is not None
    return way.wrong.content


def test_each_way_to_refuse_answers_as_its_name_says_the_question_that_it_names() -> None:
    answer = PreparedAnswer(content={"a": "x"}, message="Which*")
    ways = planned(answer, asks(a={"type": "string"}), asks(a={"type": "string"}))
    for number in (1, 2):
        for action in ("decline", "cancel"):
            way = ways[f"{action} {number}"]
            assert (way.refuses, len(way.steps)) == (number - 1, number)
            assert way.steps[-1].answer == PreparedAnswer(action, message="Which*")  # type: ignore[arg-type]
            assert [step.answer for step in way.steps[:-1]] == [answer] * (number - 1)
        assert ways[f"deadline {number}"].steps[-1] == Step(answer, "wait")
        assert ways[f"deadline {number}"].refuses == number - 1


def test_a_no_within_a_form_keeps_all_of_the_answer_but_its_defaults() -> None:
    fields = {"seat": {"type": "string"}, "confirm": {"type": "boolean", "default": True}}
    answer = PreparedAnswer(
        content={"seat": "bar", "confirm": True}, use_defaults=True, despite=("x.*",), message="W*"
    )
    step = planned(answer, asks(**fields))["no"].steps[-1]
    assert step.answer == replace(
        answer, content={"seat": "bar", "confirm": False}, use_defaults=False
    )


def test_of_several_ways_to_say_no_each_names_its_field() -> None:
    fields = {name: {"type": "boolean"} for name in ("confirm_a", "confirm_\x1bb", "other")}
    ways = planned(PreparedAnswer(content=dict.fromkeys(fields, True)), asks(**fields))
    assert {name for name in ways if name.startswith("no")} == {
        "no to confirm_a",
        "no to confirm_␛b",
    }


def test_a_no_is_read_from_the_message_and_an_author_may_say_another_one() -> None:
    typed = asks("a", message="Type users to confirm.", a={"type": "string"})
    (no,) = (
        way
        for way in planned(PreparedAnswer(content={"a": "users"}), typed).values()
        if way.name == "no"
    )
    assert no.steps[-1].answer.content == {"a": "elicit-tui typed something else"}
    for stated, content in (({"a": "stop"}, {"a": "stop"}), ({}, None)):
        answer = PreparedAnswer(content={"a": "users"}, refusal=stated)
        way = planned(answer, typed).get("no")
        assert (way.steps[-1].answer.content if way is not None else None) == content


def test_what_is_typed_fits_its_schema_and_a_decline_brings_it_too() -> None:
    fields = {"name": {"type": "string"}, "code": {"type": "string", "maxLength": 5}}
    ways = wrong({"name": "Ada", "code": "x"}, asks("name", "code", **fields))
    for name in ("what is typed comes back in the result only", "a decline with content"):
        typed = ways[name].typed
        assert sent_in(ways[name]) == {"name": typed, "code": "x"}


def test_nothing_is_left_out_that_the_form_as_a_whole_wants() -> None:
    asked = asks(a={"type": "string"}, b={"type": "string"})
    some = {**asked.params["requestedSchema"], "minProperties": 1}
    wants_one = form_request("Which?", params={"requestedSchema": some})
    assert "what is optional is left out" in wrong({"a": "x"}, asked)
    assert "what is optional is left out" not in wrong({"a": "x"}, wants_one)


@pytest.mark.parametrize(
    ("sent", "field", "name", "value"),
    [
        (9, {"type": "integer", "maximum": 9}, "is no whole number", 8.5),
        (3, {"type": "integer", "exclusiveMaximum": 4}, "is no whole number", 3.5),
        (4, {"type": "integer", "exclusiveMinimum": 3, "multipleOf": 2}, "is no multiple of 2", 5),
        (
            6,
            {"type": "integer", "minimum": 4, "multipleOf": 2, "not": {"const": 4}},
            "is no multiple of 2",
            5,
        ),
        (4, {"type": "integer", "exclusiveMaximum": 5, "multipleOf": 2}, "is no multiple of 2", 3),
        (
            ["a", "b"],
            {"type": "array", "items": {"enum": ["a", "b", "c"]}, "minItems": 2},
            "is no choice",
            ["elicit-tui", "b"],
        ),
        (
            ["a", "b"],
            {"type": "array", "items": {"enum": ["a", "b", "c"]}, "minItems": 2},
            "has too few choices",
            ["a"],
        ),
        (
            ["x"],
            {"type": "array", "items": {"type": "string"}},
            "has the wrong type",
            "elicit-tui",
        ),
        ("a", {"type": "string"}, "has the wrong type", 1234567),
        ("a", {"type": "string", "enum": ["a"]}, "has the wrong type", 1234567),
        ("a", {"type": "string", "enum": ["a"]}, "is no choice", "elicit-tui"),
        (True, {"type": "boolean"}, "has the wrong type", "elicit-tui"),
    ],
)
def test_a_wrong_value_is_wrong_in_one_thing_alone(
    sent: Any, field: dict[str, Any], name: str, value: Any
) -> None:
    ways = wrong({"v": sent}, asks("v", v={**field, "title": "V"}))
    assert sent_in(ways[f"V {name}"])["v"] == value


@pytest.mark.parametrize("step", [3, 10**400])
def test_limits_beyond_all_floats_have_no_fraction_and_no_step_beside_them(step: int) -> None:
    field = {"type": "integer", "minimum": 10**400, "multipleOf": step, "title": "V"}
    names = wrong({"v": 10**400 * 3}, asks("v", v=field))
    assert "V is too small" in names
    assert not {name for name in names if "whole" in name or "multiple" in name}


def test_a_field_that_nobody_can_answer_is_sent_nothing_wrong() -> None:
    fields = {"a": {"type": "string"}, "b": {"type": "object", "properties": {}}}
    found = {way.field for way in wrong({"a": "x"}, asks("a", **fields)).values()}
    assert found == {"a", None}


def test_what_an_author_writes_stands_before_a_default() -> None:
    form = read_form(
        {
            "type": "object",
            "properties": {
                "a": {"type": "string", "default": "theirs"},
                "b": {"type": "string", "default": "b"},
            },
        }
    )
    answer = PreparedAnswer(content={"a": "mine"}, use_defaults=True)
    assert content_of(form, answer) == {"a": "mine", "b": "b"}
    assert content_of(form, replace(answer, use_defaults=False)) == {"a": "mine"}


@pytest.mark.anyio
async def test_what_an_answer_itself_is_found_to_hold_is_acknowledged_with_it() -> None:
    found = Finding("outgoing.token", Severity.WARN, "content.colour", "token", "Look.")
    question = Question(form_request(), examine=lambda content: (found,))
    script = Script([Step(PreparedAnswer(content={"colour": "red"}))])
    outcome = await script.respond(question, Deadline(60))
    assert (outcome.action, outcome.acknowledged) == ("accept", {found.id})
    assert script.problems == []


# Files

WHOLE = """
[[scenario]]
name = "first"
server = "table"
call = "book"

[[scenario]]
name = "books"
server = "table"
call = "book"
arguments = { day = "2026-12-24", n = 3 }
watch = ["a.txt", "b.txt"]
changes = 2
expect = { is_error = true, text = "No*", structured = { "/a" = [1, 2] }, questions = 2 }
on_refusal = { text = "not*", structured = { "/b" = { c = 1 } }, questions = 1 }

[[scenario.answers]]
message = "For*"
content = { guests = 3 }
use_defaults = true
despite = ["url.*", "x"]
refusal = { guests = 0 }

[[scenario.answers]]
action = "cancel"
"""


def test_a_scenario_is_read_as_it_is_written(tmp_path: Path) -> None:
    file = tmp_path / "books.toml"
    file.write_text(WHOLE)
    first, whole = read_scenarios([file])
    assert first == Scenario("first", "table", "book", file=file, line=2)
    assert whole == Scenario(
        "books",
        "table",
        "book",
        {"day": "2026-12-24", "n": 3},
        (
            PreparedAnswer("accept", "For*", {"guests": 3}, True, ("url.*", "x"), {"guests": 0}),
            PreparedAnswer("cancel"),
        ),
        Expectation(True, "No*", {"/a": [1, 2]}, 2),
        # Whether a refusal fails is left open.
        Expectation(None, "not*", {"/b": {"c": 1}}, 1),
        ("a.txt", "b.txt"),
        2,
        file,
        7,
    )
    file.write_text(WHOLE.replace("on_refusal = {", "on_refusal = { is_error = false,"))
    _, whole = read_scenarios([file])
    assert whole.on_refusal is not None
    assert whole.on_refusal.is_error is False


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ('watch = ["a.txt", "b.txt"]\n', "", "goes with watch: nothing is watched"),
        ("changes = 2", "changes = 0", "changes"),
        ('"/b"', '"b"', "is not a JSON pointer"),
        ("questions = 1", "questions = -1", "questions"),
    ],
)
def test_what_is_wrong_in_several_files_is_told_at_once(
    tmp_path: Path, was: str, now: str, said: str
) -> None:
    files = [tmp_path / name for name in ("a.toml", "b.toml")]
    for file in files:
        file.write_text(WHOLE.replace(was, now))
    with pytest.raises(ConfigError) as error:
        read_scenarios(files)
    told = str(error.value).splitlines()
    for file in files:
        assert any(str(file) in line and said in line for line in told), told
