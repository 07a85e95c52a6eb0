"""The other ways that a question has: what is sent wrongly, and what says no within an accept."""

from __future__ import annotations

from typing import Any

import pytest

from elicit_tui.elicitation import accept
from elicit_tui.form.schema_reading import read_form
from elicit_tui.scenarios.saying_no import contents_that_say_no, says_no
from elicit_tui.scenarios.scenario import PreparedAnswer, Scenario
from elicit_tui.scenarios.ways import answers_gone_wrong
from tests.broker.conftest import form_request

THREE = {"type": "string", "enum": ["Bar", "Window", "Door"]}


def form_of(**field: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"value": field}, "required": ["value"]}


def wrong(sent: Any, **field: Any) -> dict[str, Any]:
    """What is sent wrongly for a question with this one field, by the name of the way."""
    asked = form_request(params={"requestedSchema": form_of(title="Value", **field)})
    scenario = Scenario("s", "s", "s", {}, (PreparedAnswer(content={"value": sent}),))
    ways = answers_gone_wrong(scenario, [(asked, accept("answers", "", {"value": sent}))])
    return {
        each.name.removeprefix("Value "): (each.wrong.content or {})["value"]
        for each in ways
        if each.wrong is not None and each.wrong.kind == "invalid" and each.field == "Value"
        if "value" in (each.wrong.content or {})
    }


@pytest.mark.parametrize(
    ("sent", "field", "ways"),
    [
        (
            3,
            {"type": "integer", "minimum": 1, "maximum": 12},
            {"is too small": 0, "is too large": 13},
        ),
        (
            ["Bar"],
            {"type": "array", "items": THREE, "minItems": 1, "maxItems": 2},
            {
                "is no choice": ["elicit-tui"],
                "has too few choices": [],
                "has too many choices": ["Bar", "Window", "Door"],
            },
        ),
        (
            "ABC",
            {"type": "string", "pattern": "^[A-Z]{3}$", "minLength": 3, "maxLength": 3},
            {"is too long": "AAAA", "is too short": "AB", "has the wrong form": "!!!"},
        ),
        (
            "a@b.example",
            {"type": "string", "format": "email", "maxLength": 60},
            {"is too long": "a" * 61, "has the wrong form": "elicit-tui"},
        ),
        ("2026-12-24", {"type": "string", "format": "date"}, {"has the wrong form": "elicit-tui"}),
        ("Bar", THREE, {"is no choice": "elicit-tui"}),
    ],
)
def test_each_limit_of_a_field_is_broken_by_itself(
    sent: Any, field: dict[str, Any], ways: dict[str, Any]
) -> None:
    found = wrong(sent, **field)
    assert {name: found.get(name) for name in ways} == ways
    others = {"has the wrong type", "is null", "is no whole number"}
    assert set(found) <= {*ways, *others}


@pytest.mark.parametrize(
    ("more", "kind"), [({"additionalProperties": False}, "invalid"), ({}, "extra")]
)
def test_a_property_that_is_not_asked_for_has_to_be_refused_where_the_schema_forbids_it(
    more: dict[str, Any], kind: str
) -> None:
    schema = {**form_of(type="string", title="Value"), **more}
    asked = form_request(params={"requestedSchema": schema})
    scenario = Scenario("s", "s", "s", {}, (PreparedAnswer(content={"value": "Bar"}),))
    ways = answers_gone_wrong(scenario, [(asked, accept("answers", "", {"value": "Bar"}))])
    (extra,) = (each.wrong for each in ways if each.name == "an extra property")
    assert extra is not None
    assert extra.kind == kind


@pytest.mark.parametrize(
    ("message", "field", "yes", "no"),
    [
        ("What now?", {"type": "string", "enum": ["delete", "keep"]}, "delete", "keep"),
        ("What now?", {"type": "string", "enum": ["copy", "keep"]}, "copy", None),
        ("Book it?", {"type": "string", "enum": ["y", "n"]}, "y", "n"),
        ("Book it?", {"type": "string", "enum": ["true", "false"]}, "true", "false"),
        ("Which way?", {"type": "string", "enum": ["e", "n"]}, "e", None),
        ("Type users to confirm.", {"type": "string"}, "users", "elicit-tui typed something else"),
        (
            "Sure?",
            {"type": "string", "description": "Type users to confirm."},
            "users",
            "elicit-tui typed something else",
        ),
        ("Type your name.", {"type": "string"}, "Ada", None),
        ("Type users to confirm.", {"type": "string", "maxLength": 5}, "users", None),
        ("Shall users be asked?", {"type": "string"}, "users", None),
        ("Type users.", {"type": "string"}, "users", None),
        ("Type y to confirm.", {"type": "string"}, "y", None),
        ("What now?", {"type": "string", "enum": ["go", "NOT_NOW"]}, "go", "NOT_NOW"),
    ],
)
def test_the_no_of_a_form_is_read_from_its_words(
    message: str, field: dict[str, Any], yes: str, no: str | None
) -> None:
    form = read_form(form_of(**field))
    found = [content for _, content in contents_that_say_no(form, {"value": yes}, None, message)]
    assert found == ([] if no is None else [{"value": no}])
    assert not says_no(form, {"value": yes}, None)


def test_one_box_that_can_be_sent_is_the_whole_question_beside_what_cannot() -> None:
    seats = {"type": "object", "properties": {"row": {"type": "string"}}}
    form = read_form({"type": "object", "properties": {"window": {"type": "boolean"}, "s": seats}})
    assert [field.name for field in form.fields if not field.sendable] == ["s"]
    found = list(contents_that_say_no(form, {"window": True}, None))
    assert found == [("window", {"window": False})]
    assert says_no(form, {"window": False}, None)
