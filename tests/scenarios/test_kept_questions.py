"""What is kept of a server's questions, what of a change is told, and how runs are reported."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from elicit_tui.elicitation import accept
from elicit_tui.elicitation.eras import HANDSHAKE, MODERN
from elicit_tui.elicitation.settings import Rule
from elicit_tui.errors import UsageError
from elicit_tui.form.schema_reading import read_form
from elicit_tui.scenarios import ways
from elicit_tui.scenarios.reading import scenario_from_answers
from elicit_tui.scenarios.result import Run, Suite, junit_xml
from elicit_tui.scenarios.saying_no import contents_that_say_no, says_no
from elicit_tui.scenarios.scenario import PreparedAnswer, Scenario
from elicit_tui.scenarios.snapshots import (
    Kept,
    Snapshots,
    question_snapshot,
    request_of,
    snapshot_file,
)
from elicit_tui.scenarios.ways import answers_gone_wrong
from tests.broker.conftest import COLOUR, form_request

FORM = {"mode": "form", "message": "Which?", "requestedSchema": COLOUR}


def schema(**fields: Any) -> dict[str, Any]:
    return {"type": "object", "properties": fields}


def asks(properties: Any, **more: Any) -> dict[str, Any]:
    return {**FORM, "requestedSchema": {"type": "object", "properties": properties, **more}}


def snapshots(tmp_path: Path, kept: Any = None) -> Snapshots:
    file = tmp_path / "paint.toml"
    if kept is not None:
        text = kept if isinstance(kept, str) else json.dumps(kept, indent=2)
        snapshot_file(file).write_text(text)
    return Snapshots(file)


def test_of_an_address_no_query_and_no_user_is_kept() -> None:
    for url, kept in (
        ("https://me:pw@a.example:8/x?token=1#y", "https://a.example:8/x"),
        ("http://[broken?token=1", "http://[broken"),
    ):
        params = {"mode": "url", "message": "Go.", "url": url, "elicitationId": "1"}
        found = question_snapshot(form_request(params=params))
        assert found == {"mode": "url", "message": "Go.", "url": kept}
        again = request_of("paint", Kept(MODERN, 3, found))
        assert (again.mode, again.url, again.wire_id, again.era) == ("url", kept, 3, "modern")
        assert again.defect is None
    form = request_of("paint", Kept(HANDSHAKE, 0, FORM))
    assert (form.era, form.message) == ("handshake", "Which?")


def test_every_change_of_a_question_is_told_by_its_place(tmp_path: Path) -> None:
    first = asks({"a": {"type": "string"}, "b/c": {"type": "string"}})
    kept = snapshots(tmp_path, {"paints": {HANDSHAKE: [first], "broken": 5}})
    assert kept.differences("paints", HANDSHAKE, [first]) == []
    assert kept.differences("paints", MODERN, [first]) is None
    assert kept.differences("other", HANDSHAKE, [first]) is None
    assert kept.differences("paints", "broken", [first]) is None
    place = "question 1 changed /requestedSchema/properties"
    for now, told in (
        (
            asks({"b/c": {"type": "string"}, "a": {"type": "string"}}),
            [f'{place} (order): ["a","b/c"] became ["b/c","a"]'],
        ),
        (
            asks({"a": {"type": "string"}}),
            [f'{place}/b~1c: {{"type":"string"}} became nothing'],
        ),
        (
            asks({"a": {"type": "string"}, "b/c": {"type": "number"}}),
            [f'{place}/b~1c/type: "string" became "number"'],
        ),
    ):
        found = kept.differences("paints", HANDSHAKE, [now])
        assert [each.replace(": ", ":").replace(", ", ",") for each in found or ()] == [
            each.replace(": ", ":").replace(", ", ",") for each in told
        ]
    assert kept.differences("paints", HANDSHAKE, [first, first]) == ["1 questions became 2"]
    assert kept.differences("paints", HANDSHAKE, []) == ["1 questions became 0"]


def test_questions_of_two_revisions_may_differ_in_what_stands_at_the_top_of_a_schema(
    tmp_path: Path,
) -> None:
    kept = snapshots(tmp_path)
    first = asks({"a": {"type": "string"}}, title="Paint")
    assert kept.between_eras("paints", HANDSHAKE, [first]) == []
    assert kept.between_eras("paints", HANDSHAKE, [asks({})]) == []
    assert kept.between_eras("paints", HANDSHAKE, [first]) == []
    assert kept.between_eras("paints", MODERN, [asks({"a": {"type": "string"}})]) == []
    (told,) = kept.between_eras("paints", MODERN, [asks({"a": {"type": "number"}})])
    assert told.startswith(f"question 1 is another one than in {HANDSHAKE}, /requestedSchema")
    (told,) = kept.between_eras("paints", MODERN, [asks({"a": {"type": "string"}}, required=["a"])])
    assert "/requestedSchema/required" in told
    (told,) = kept.between_eras("paints", MODERN, [])
    assert told == f"there are 0 questions, in {HANDSHAKE} 1"
    assert kept.between_eras("other", MODERN, []) == []


def test_the_questions_that_are_kept_are_found_with_their_lines(tmp_path: Path) -> None:
    text = (
        '{\n "other": {"x": [1]},\n "paints": {\n  "2026-07-28": [5,\n   {"mode": "form"}],\n'
        '  "2025-11-25": [\n   {"mode": "form",\n    "message": "m"},\n   {"mode": "url"}\n  ],\n'
        '  "odd": 5\n }\n}'
    )
    kept = snapshots(tmp_path, text)
    found = [(each.revision, each.number, each.line) for each in kept.questions("paints")]
    assert found == [(MODERN, 1, 5), (HANDSHAKE, 0, 7), (HANDSHAKE, 1, 9)]
    assert list(kept.questions("none")) == []
    assert kept.kept_questions("paints", HANDSHAKE)[0] == HANDSHAKE
    assert kept.kept_questions("paints", "auto")[0] == HANDSHAKE
    assert kept.kept_questions("paints", MODERN) == (None, ())
    assert kept.kept_questions("none", "auto") == (None, ())


def test_snapshots_are_written_where_something_changed_alone(tmp_path: Path) -> None:
    kept = snapshots(tmp_path)
    assert not kept.write()
    assert not kept.path.exists()
    kept.take_over("paints", HANDSHAKE, [FORM])
    assert kept.write()
    assert not kept.write()
    before = kept.path.read_bytes()
    again = Snapshots(tmp_path / "paint.toml")
    again.take_over("paints", HANDSHAKE, [FORM])
    assert not again.write()
    again.take_over("paints", MODERN, [])
    assert again.write()
    assert kept.path.read_bytes() != before
    assert Snapshots(tmp_path / "paint.toml").kept_questions("paints", HANDSHAKE)[1] == [FORM]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[]", "are none; remove the file"),
        ('{"paints": []}', "are none"),
        ("{", "cannot be read"),
        ('{"a": {}, "a": {}}', "cannot be read"),
        ("[" * 100_000, "cannot be read"),
    ],
)
def test_what_is_no_snapshots_is_said(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        snapshots(tmp_path, text)


def test_snapshots_that_are_no_file_are_said(tmp_path: Path) -> None:
    snapshot_file(tmp_path / "paint.toml").mkdir()
    with pytest.raises(UsageError, match="are no file"):
        snapshots(tmp_path)
    there = Snapshots(tmp_path / "other.toml")
    there.path = tmp_path / "none" / "other.snapshots.json"
    there.take_over("paints", HANDSHAKE, [FORM])
    with pytest.raises(UsageError, match="cannot be written"):
        there.write()


# How runs are reported


def test_a_report_counts_runs_failures_and_an_end_before_its_time() -> None:
    scenario = Scenario("pa\x1bints", "paint", "draw", file=Path("a.toml"))
    runs = [
        Run(scenario, HANDSHAKE, "accept", seconds=1.5),
        Run(scenario, "auto", "decline", "refused", failures=["first", "sec\x1bond"]),
        Run(replace(scenario, file=Path("b.toml")), HANDSHAKE, "accept"),
    ]
    root = ElementTree.fromstring(junit_xml(Suite(runs)))
    assert [root.get(key) for key in ("tests", "failures", "errors", "time")] == [
        "3",
        "1",
        "0",
        "1.500",
    ]
    suites = list(root)
    assert [(each.get("name"), each.get("tests")) for each in suites] == [
        ("a.toml", "2"),
        ("b.toml", "1"),
    ]
    first, second = suites[0]
    assert first.get("name") == f"pa␛ints: accept ({HANDSHAKE})"
    assert (first.get("classname"), len(first)) == ("paint.draw", 0)
    assert second.get("name") == "pa␛ints: decline"
    assert (second[0].get("type"), second[0].get("message")) == ("refused", "first")
    assert second[0].text == "first\nsec␛ond"
    ended = ElementTree.fromstring(junit_xml(Suite([]), "It ended."))
    assert (ended.get("tests"), ended.get("errors")) == ("1", "1")
    assert ended[0][0][0].get("message") == "It ended."


def test_a_scenario_is_written_of_the_answers_that_are_for_its_tool() -> None:
    rules = (
        Rule("accept", server="pa*", content={"a b": 1}, despite=("x.*",), use_defaults=True),
        Rule("decline", tool="draw", message="Sure*"),
        Rule("accept", server="other", content={}),
        Rule("accept", tool="other"),
        Rule("accept", content={}),
    )
    text = scenario_from_answers(rules, "paint", "draw", {"n": 1})
    assert text.startswith('[[scenario]]\nname = "draw"\nserver = "paint"\ncall = "draw"\n')
    assert "arguments = { n = 1 }" in text
    assert "expect = { questions = 3 }" in text
    first, second, third = text.split("[[scenario.answers]]")[1:]
    assert first == ('\nuse_defaults = true\ndespite = ["x.*"]\ncontent = { "a b" = 1 }\n\n')
    assert second == '\nmessage = "Sure*"\naction = "decline"\n\n'
    assert third == "\ncontent = {}"
    assert "arguments" not in scenario_from_answers(rules, "paint", "draw", {})
    with pytest.raises(UsageError, match="No entry of the answers file is for draw of paint"):
        scenario_from_answers(rules[2:4], "paint", "draw", {})
    for value in (None, {"deep": [None]}, "\ud800"):
        with pytest.raises(UsageError, match="'n' cannot stand in a scenario"):
            scenario_from_answers(rules, "paint", "draw", {"m": 1, "n": value})
    with pytest.raises(UsageError, match="asks, and a scenario asks nobody"):
        scenario_from_answers((Rule("ask"),), "paint", "draw", {})


# What a form's no is, and what is wrong


@pytest.mark.parametrize(
    ("told", "content", "says"),
    [
        ({"a": "stop"}, {"a": "stop"}, True),
        ({"a": "stop"}, {"a": "go"}, False),
        ({"a": "stop"}, {}, False),
        ({"a": "stop", "b": 1}, {"a": "stop"}, False),
        ({}, {"a": "no"}, False),
        (None, {"a": "no"}, True),
        (None, {"a": "yes"}, False),
        (None, {}, False),
    ],
)
def test_what_an_author_says_is_the_no_counts_and_empty_means_none(
    told: Any, content: dict[str, Any], says: bool
) -> None:
    form = read_form(schema(a={"type": "string", "enum": ["yes", "no", "stop", "go"]}))
    assert says_no(form, content, told) is says
    ways = list(contents_that_say_no(form, {"a": "yes", "c": 1}, told))
    if told is None:
        assert ways == [("a", {"a": "no", "c": 1})]
    else:
        assert ways == ([(", ".join(told), {"a": "yes", "c": 1, **told})] if told else [])


def test_choices_that_are_no_texts_say_no_by_their_titles_alone() -> None:
    choices = [{"const": 1, "title": "Go on"}, {"const": 0, "title": "No"}]
    form = read_form(schema(a={"type": "integer", "oneOf": choices}))
    assert [says_no(form, {"a": value}, None) for value in (0, 1)] == [True, False]


def test_of_the_revisions_that_are_kept_the_older_one_is_asked_for_first(tmp_path: Path) -> None:
    later, older = [{"message": "later"}], [{"message": "older"}]
    kept = snapshots(tmp_path, {"paints": {MODERN: later, HANDSHAKE: older}})
    assert kept.kept_questions("paints", "auto") == (HANDSHAKE, older)
    assert kept.kept_questions("paints", MODERN) == (MODERN, later)


@pytest.mark.parametrize(
    ("fields", "sent", "noes"),
    [
        ({"ok": {"type": "boolean"}}, {"ok": True}, {"ok": False}),
        ({"any": {"type": "boolean"}}, {"any": True}, {"any": False}),
        ({"any": {"type": "boolean"}, "b": {"type": "object"}}, {"any": True}, {"any": False}),
        ({"any": {"type": "boolean"}, "b": {"type": "string"}}, {"any": True}, {}),
        ({"ok": {"type": "boolean"}, "b": {"type": "string"}}, {"ok": True}, {"ok": False}),
        (
            {"is_ok": {"type": "boolean", "title": "All"}, "b": {"type": "string"}},
            {"is_ok": True},
            {"is_ok": False},
        ),
        ({"ok": {"type": "boolean"}}, {"ok": False}, {}),
        ({"ok": {"type": "boolean"}}, {}, {}),
        ({"a": {"type": "string", "enum": ["no", *"abcd"]}}, {"a": "a"}, {}),
        ({"a": {"type": "string", "enum": ["no"]}}, {"a": "no"}, {}),
        ({"a": {"type": "string", "enum": ["no preference", "x"]}}, {"a": "x"}, {}),
        ({"a": {"type": "string", "enum": ["No, thanks", "x"]}}, {"a": "x"}, {"a": "No, thanks"}),
        (
            {"a": {"oneOf": [{"const": "1", "title": "Cancel it"}, {"const": "2", "title": "x"}]}},
            {"a": "2"},
            {"a": "1"},
        ),
    ],
)
def test_a_yes_or_no_is_a_no_where_it_is_about_all_that_is_asked(
    fields: Any, sent: dict[str, Any], noes: dict[str, Any]
) -> None:
    for field in fields.values():
        field.setdefault("type", "string")
    form = read_form(schema(**fields))
    ways = dict(contents_that_say_no(form, sent, None))
    assert {name: content[name] for name, content in ways.items()} == noes


def wrong(sent: Any, **field: Any) -> dict[str, list[Any]]:
    asked = form_request(
        params={"requestedSchema": {**schema(value=field, other={"type": "string"})}}
    )
    scenario = Scenario("s", "s", "s", {}, (PreparedAnswer(content={"value": sent}),))
    found: dict[str, list[Any]] = {}
    for each in answers_gone_wrong(scenario, [(asked, accept("answers", "", {"value": sent}))]):
        if each.wrong is not None and each.wrong.kind == "invalid" and each.field == "value":
            content = each.wrong.content or {}
            found.setdefault(each.name, []).append(content.get("value"))
    return found


def test_a_number_is_sent_beyond_each_of_its_limits_and_between_its_steps() -> None:
    found = wrong(4, type="integer", exclusiveMinimum=2, exclusiveMaximum=9, multipleOf=2)
    assert found["value is too small"][0] <= 2
    assert found["value is too large"][0] >= 9
    assert found["value is no whole number"] == [4.5]
    assert found["value is no multiple of 2"][0] % 2 == 1
    assert found["value is null"] == [None]
    assert found["value has the wrong type"] == ["elicit-tui"]
    assert "value is missing" not in found
    halves = wrong(1.5, type="number", minimum=0, maximum=3, multipleOf=0.5)
    (value,) = halves["value is no multiple of 0.5"]
    assert 0 <= value <= 3
    assert "value is no whole number" not in halves
    free = wrong(1, type="integer")
    assert set(free) == {
        "value has the wrong type",
        "value is null",
        "value is no whole number",
    }


def test_a_choice_that_is_titled_is_sent_by_its_title_too() -> None:
    choices = [{"const": "a", "title": "First"}, {"const": "b", "title": "b"}]
    assert wrong("a", type="string", oneOf=choices)["value is a title and no value"] == ["First"]
    assert "value is a title and no value" not in wrong("b", type="string", enum=["a", "b"])
    many = wrong(["a"], type="array", items={"anyOf": choices}, minItems=1)
    assert many["value is a title and no value"] == [["First"]]
    assert many["value has too few choices"] == [[]]
    assert many["value is no choice"] == [["elicit-tui"]]


def test_only_the_first_fields_of_a_long_form_are_answered_wrongly(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ways, "MOST_FIELDS", 2)
    fields = {name: {"type": "integer"} for name in "abc"}
    content = dict.fromkeys(fields, 1)
    asked = form_request(params={"requestedSchema": {**schema(**fields), "required": ["a"]}})
    scenario = Scenario("s", "s", "s", {}, (PreparedAnswer(content=content),))
    wrong = list(answers_gone_wrong(scenario, [(asked, accept("answers", "", content))]))
    assert {each.field for each in wrong} == {"a", "b", None}
    assert [each.name for each in wrong if each.name.endswith("is missing")] == ["a is missing"]
    short = next(each for each in wrong if each.name == "what is optional is left out")
    assert short.wrong is not None
    assert short.wrong.content == {"a": 1}
