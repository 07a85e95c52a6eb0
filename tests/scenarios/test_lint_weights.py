"""`elicit-tui lint`: how grave a mistake is, what is none, and what is told once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation import Severity
from elicit_tui.host.offers import Tool
from elicit_tui.scenarios import lint_questions, lint_server, read_scenarios
from elicit_tui.scenarios.snapshots import question_snapshot
from tests.broker.conftest import form_request
from tests.scenarios.test_lint import GUESTS, PLACES, SCENARIO, form, snapshots

NOTE, WARN, BLOCK = Severity.NOTE, Severity.WARN, Severity.BLOCK
ROOT = "requestedSchema"


def told(directory: Path, question: Any) -> list[tuple[Severity, str, str]]:
    """What is told of a question, in its order."""
    (linted,) = lint_questions(read_scenarios([snapshots(directory, question)]))
    return [(each.severity, each.rule, each.where) for each in linted.review.findings]


def with_root(**more: Any) -> dict[str, Any]:
    question = form()
    question["requestedSchema"].update(more)
    return question


def of_tool(**more: Any) -> list[tuple[Severity, str, str]]:
    right = {"name": "book", "description": "Books a table.", "inputSchema": {"type": "object"}}
    read = Tool.read({**right, **more})
    assert read is not None
    (linted,) = lint_server("table", [read])
    return [(each.severity, each.rule, each.where) for each in linted.review.findings]


@pytest.mark.parametrize(
    "more",
    [
        {"title": "Booking"},
        {"$schema": "https://json-schema.org/draft/2020-12/schema"},
    ],
)
def test_what_every_sdk_writes_at_the_root_is_silent(tmp_path: Path, more: Any) -> None:
    assert told(tmp_path, with_root(**more)) == []


@pytest.mark.parametrize(
    ("key", "severity"),
    [
        ("description", NOTE),
        ("$comment", NOTE),
        ("x-theirs", NOTE),
        ("additionalProperties", NOTE),
        ("minProperties", WARN),
    ],
)
def test_a_remark_beyond_the_specification_is_noted_and_what_binds_is_warned_of(
    tmp_path: Path, key: str, severity: Severity
) -> None:
    value = {"description": "x", "$comment": "x", "additionalProperties": False}.get(key, 1)
    seen = told(tmp_path, with_root(**{key: value}))
    rule = "lint.beyond_specification"
    assert [each for each in seen if each[1].startswith("lint.")] == [
        (severity, rule, f"{ROOT}.{key}")
    ]


@pytest.mark.parametrize(
    ("field", "found"),
    [
        ({"type": "string", "enum": ["Bar", "Window seat"]}, [(NOTE, "choice_titles", ".enum")]),
        ({"type": "string", "enum": ["Bar", "us-1"]}, [(WARN, "choice_titles", ".enum")]),
        ({"type": "string", "enum": ["no", "Yes"]}, [(WARN, "choice_titles", ".enum")]),
        ({"type": "string", "enum": ["us-1"], "enumNames": ["East"]}, []),
        ({"type": "string", "oneOf": [{"const": "y", "title": "Yes"}]}, []),
        (
            {"type": "string", "oneOf": [{"const": "y", "title": ""}]},
            [(WARN, "choice_titles", ".oneOf")],
        ),
        (
            {"type": "array", "items": {"type": "string", "enum": ["us-1"]}},
            [(WARN, "choice_titles", ".items.enum")],
        ),
        (
            {"type": "array", "items": {"anyOf": [{"const": "a"}]}},
            [(WARN, "choice_titles", ".items.anyOf")],
        ),
        ({"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}]}}, []),
        (
            {"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}], "x-of": 1}},
            [(NOTE, "beyond_specification", ".items.x-of")],
        ),
        ({"type": "array", "items": {"enum": ["Bar"]}, "uniqueItems": True}, None),
        *(({"type": "string", "format": each}, []) for each in ("email", "uri", "date")),
        ({"type": "string", "format": "date-time", "minLength": 1, "maxLength": 9}, []),
        ({"type": "boolean", "default": False, "description": "Bar?"}, []),
        ({"type": "boolean", "minimum": 1}, [(WARN, "beyond_specification", ".minimum")]),
        ({"type": "number", "minimum": 0, "maximum": 9.5}, []),
        ({"type": "string", "default": "", "minLength": 3}, []),
        ({"type": "string", "default": "ab", "minLength": 3}, [(WARN, "default", ".default")]),
    ],
)
def test_a_field_is_told_of_what_is_wrong_with_it_and_of_nothing_else(
    tmp_path: Path, field: dict[str, Any], found: Any
) -> None:
    seen = told(tmp_path, form("seat", required=False, **field))
    place = PLACES.replace("guests", "seat")
    # The answer of the scenario names another field.
    ours = [each for each in seen if each[1] != "lint.answer"]
    if found is None:
        assert (WARN, "lint.beyond_specification", f"{place}.uniqueItems") in ours
    else:
        assert ours == [(grave, f"lint.{rule}", f"{place}{end}") for grave, rule, end in found]


@pytest.mark.parametrize(
    ("values", "evidence", "severity"),
    [
        (["Bar", "us-1", "y"], '["us-1", "y"]', WARN),
        (["Bar", "Window seat"], '["Bar", "Window seat"]', NOTE),
        ([1, 2], "[1, 2]", NOTE),
        ([1, "us-1", None], '["us-1"]', WARN),
    ],
)
def test_the_choices_that_a_person_reads_as_codes_are_the_evidence(
    tmp_path: Path, values: list[Any], evidence: str, severity: Severity
) -> None:
    question = form("seat", required=False, enum=values)
    (linted,) = lint_questions(read_scenarios([snapshots(tmp_path, question)]))
    found = [each for each in linted.review.findings if each.rule == "lint.choice_titles"]
    assert [(each.evidence, each.severity) for each in found] == [(evidence, severity)]


def test_what_only_the_guardian_sees_of_a_schema_is_told_too(tmp_path: Path) -> None:
    seen = told(tmp_path, form("seat", required=False, type="string", minLength=5, maxLength=3))
    place = PLACES.replace("guests", "seat")
    assert (WARN, "schema.flat_mistake", f"{place}.minLength") in seen


def test_the_gravest_is_told_first_and_the_same_once(tmp_path: Path) -> None:
    question = form("deep", type="object", properties={})
    question["requestedSchema"]["description"] = "a remark"
    question["requestedSchema"]["required"] = ["deep", "deep"]
    seen = told(tmp_path, question)
    assert seen[0] == (BLOCK, "lint.unanswerable", ROOT)
    assert [each[0] for each in seen] == sorted((each[0] for each in seen), reverse=True)
    assert len(seen) == len(set(seen))
    # No answer fits a form that nobody can answer.
    assert "lint.answer" not in [rule for _, rule, _ in seen]


def test_what_a_person_would_be_told_is_said_to_be_that(tmp_path: Path) -> None:
    question = form("password", type="string")
    (linted,) = lint_questions(read_scenarios([snapshots(tmp_path, question)]))
    theirs = [each for each in linted.review.findings if not each.rule.startswith("lint.")]
    ours = [each for each in linted.review.findings if each.rule.startswith("lint.")]
    assert theirs
    assert all(each.advice.startswith("A person is told: ") for each in theirs)
    assert not any(each.advice.startswith("A person is told: ") for each in ours)


def test_a_danger_is_told_beside_a_mistake_at_the_same_place_and_the_same_mistake_once(
    tmp_path: Path,
) -> None:
    place = PLACES.replace("guests", "seat")
    seen = told(tmp_path, form("seat", required=False, type="string", enum=["us-1\u202e", "eu-2"]))
    rules = {rule for _, rule, where in seen if where == f"{place}.enum"}
    assert rules == {"lint.choice_titles", "hidden.direction"}
    seen = told(tmp_path, form("seat", required=False, type="string", default="abcd", maxLength=3))
    rules = {rule for _, rule, where in seen if where == f"{place}.default"}
    assert rules == {"lint.default"}


def test_nothing_that_a_server_or_a_file_calls_something_is_told_with_its_effect(
    tmp_path: Path,
) -> None:
    file = snapshots(tmp_path, form("se\x1bat", type="string", enum=["us-1\x1b"], **{"x\x1b": 1}))
    file.write_text(SCENARIO.replace('"books"', '"bo\\u001boks"'))
    kept = file.with_name("books.snapshots.json")
    kept.write_text(kept.read_text().replace('"books"', '"bo\\u001boks"'))
    (linted,) = lint_questions(read_scenarios([file]))
    assert linted.subject == "bo␛oks: question 1"
    ours = [each for each in linted.review.findings if each.rule.startswith("lint.")]
    assert {each.rule for each in ours} >= {"lint.choice_titles", "lint.beyond_specification"}
    for each in linted.review.findings:
        assert f"{each.where}{each.evidence}{each.advice}".isprintable()
    assert any("se␛at" in each.where for each in ours)


def test_a_page_has_no_form_to_mend(tmp_path: Path) -> None:
    page = {
        "mode": "url",
        "message": "Log in.",
        "url": "https://table.example/login",
        "elicitationId": "1",
    }
    # A snapshot keeps no name of it, which is another one each time.
    kept = question_snapshot(form_request(params=page))
    assert "elicitationId" not in kept
    for snapshot in (page, kept):
        assert [each for each in told(tmp_path, snapshot) if each[1].startswith("lint.")] == []


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("content = { guests = 13 }", [(WARN, "lint.answer", "answers 1")]),
        ("content = { guests = 12 }", []),
        ('action = "decline"', []),
    ],
)
def test_an_answer_that_accepts_has_to_fit_its_question(
    tmp_path: Path, answer: str, found: Any
) -> None:
    file = snapshots(tmp_path, form())
    file.write_text(SCENARIO.replace("content = { guests = 3 }", answer))
    (linted,) = lint_questions(read_scenarios([file]))
    assert [(each.severity, each.rule, each.where) for each in linted.review.findings] == found


def test_a_question_without_an_answer_of_its_own_is_looked_at_all_the_same(tmp_path: Path) -> None:
    file = snapshots(tmp_path, form(), form("name", type="string", minimum=1))
    first, second = lint_questions(read_scenarios([file]))
    assert first.review.findings == ()
    assert [each.rule for each in second.review.findings] == ["lint.beyond_specification"]


# Tools


def test_a_broken_rule_of_the_protocol_stands_before_the_tools_and_at_the_servers_file() -> None:
    tool = Tool.read({"name": "book", "description": "Books.", "inputSchema": {"type": "object"}})
    assert tool is not None
    file = Path("server.py")
    server, of_tool = lint_server("table", [tool], ["It wrote no message."], file)
    assert (server.subject, of_tool.subject) == ("the server", "tool book")
    assert [each.rule for each in server.review.findings] == ["lint.protocol"]
    assert server.review.findings[0].severity == BLOCK
    assert server.file == of_tool.file == file
    assert len(list(lint_server("table", [tool]))) == 1


@pytest.mark.parametrize(("name", "right"), [("a" * 128, True), ("a" * 129, False), ("é", False)])
def test_a_tools_name_is_short_and_plain(name: str, right: bool) -> None:
    assert of_tool(name=name) == ([] if right else [(WARN, "lint.tool_name", "name")])


@pytest.mark.parametrize("description", [None, "", "\n"])
def test_a_tool_that_nobody_describes_is_told(description: Any) -> None:
    assert of_tool(description=description) == [(WARN, "lint.tool_description", "description")]


@pytest.mark.parametrize(
    ("schema", "found"),
    [
        ({"type": "object", "properties": {"n": GUESTS}, "required": ["n"]}, []),
        (
            {"type": "object", "properties": {"n": GUESTS}, "required": ["n", "m"]},
            [(WARN, "lint.input_schema", "inputSchema.required")],
        ),
        ({"properties": {}}, [(BLOCK, "lint.input_schema", "inputSchema.type")]),
        ({"type": "object", "required": "n"}, [(BLOCK, "lint.input_schema", "inputSchema")]),
        (
            {"type": "object", "properties": {"n": {"type": "string", "default": 1}}},
            [(WARN, "lint.default", "inputSchema.properties.n.default")],
        ),
        ({"type": "object", "properties": {"n": True}}, []),
    ],
)
def test_arguments_have_to_be_described_where_they_are_required(schema: Any, found: Any) -> None:
    assert of_tool(inputSchema=schema) == found


HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")


@pytest.mark.parametrize("hint", HINTS)
def test_each_hint_is_true_or_false(hint: str) -> None:
    found = [(WARN, "lint.tool_hints", f"annotations.{hint}")]
    assert of_tool(annotations={hint: "true"}) == of_tool(annotations={hint: None}) == found
    assert of_tool(annotations={hint: True}) == of_tool(annotations={hint: False}) == []


def test_hints_contradict_each_other_only_where_both_are_true() -> None:
    for read, destroys in ((True, False), (False, True), (False, False)):
        assert of_tool(annotations={"readOnlyHint": read, "destructiveHint": destroys}) == []
    assert of_tool(annotations="none") == []
    assert of_tool(outputSchema={"type": "object"}) == []
