"""How the judge names what it found, and that it is the same judge each time it is asked."""

from __future__ import annotations

from typing import Any

import pytest

from elicit_tui.form.field import Typed
from elicit_tui.form.schema_reading import read_form
from elicit_tui.form.wording import NOT_ASKED_FOR
from tests.form.forms import form_of

TEXT = {"type": "string"}


@pytest.mark.parametrize("purpose", ["elicitation", "arguments"])
def test_a_name_that_cannot_be_written_as_utf_8_is_never_sent(purpose: Any) -> None:
    name = "half \ud800"
    schema = {"type": "object", "properties": {name: {"type": "string"}}}
    problems = read_form(schema, purpose=purpose).judge({name: "x"})
    assert [problem.message for problem in problems] == [
        "text and numbers that can be written as JSON"
    ]


def test_what_was_not_asked_for_is_named_in_neutral_text() -> None:
    (problem,) = form_of({"a": TEXT}).judge({"a": "x", "b\x1b[31m": 1})
    assert problem.message.startswith("“b␛[31m”: ")


def test_a_name_that_is_no_text_cannot_be_sent() -> None:
    (problem,) = read_form({"type": "object"}, "arguments").judge({"b": "x", 1: "x"})
    assert str(problem) == "names that are texts"


def test_what_a_schema_requires_beside_its_fields_is_named_in_neutral_text() -> None:
    form = form_of({"a": TEXT, "b": TEXT}, allOf=[{"required": ["b", "c\x1b[31m"]}])
    assert [(one.field, one.message) for one in form.judge({"a": "x"})] == [
        ("b", "needs an answer"),
        (None, "“c␛[31m” needs an answer"),
    ]


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"pattern": "^x"}, 5),
        ({"format": "email"}, 5),
        ({"multipleOf": 2}, "odd"),
        ({"multipleOf": 2}, True),
        ({"uniqueItems": True}, "xx"),
        ({"uniqueItems": True}, 5),
        ({"patternProperties": {"a": False}}, "a"),
        ({"additionalProperties": False}, ["a"]),
        ({"required": ["a"], "dependentRequired": {"a": ["b"]}}, "a"),
    ],
)
def test_a_keyword_binds_values_of_its_own_type_alone(schema: Any, value: Any) -> None:
    assert read_form({"properties": {"a": schema}}, "arguments").judge({"a": value}) == ()


@pytest.mark.parametrize("key", ["anyOf", "oneOf"])
def test_a_constant_with_more_than_a_title_is_judged_by_all_that_it_says(key: str) -> None:
    branches = [{"const": "ab", "title": "A", "maxLength": 1}, {"const": "c", "description": "C"}]
    form = form_of({"a": {key: branches}})
    assert form.judge({"a": "c"}) == ()
    assert [problem.field for problem in form.judge({"a": "ab"})] == ["a"]


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ({"anyOf": [{"type": "string"}, {"minimum": 9}]}, "anyOf"),
        ({"oneOf": [{"const": 1}]}, "oneOf"),
        ({"not": {"type": "integer"}}, "not"),
        (False, None),
    ],
)
def test_of_a_value_that_is_no_field_it_is_said_which_keyword_says_no(
    schema: Any, told: str | None
) -> None:
    (problem,) = read_form({"additionalProperties": schema}, "arguments").judge({"a": 5})
    why = NOT_ASKED_FOR if told is None else f"it does not satisfy “{told}” of the server's schema"
    assert problem.message == f"“a”: {why}"


def test_objects_are_told_apart_by_their_keys_and_values() -> None:
    schema = {"properties": {"a": {"enum": [{"b": 1}, {"c": [2]}]}}}
    form = read_form(schema, "arguments")
    assert form.judge({"a": {"b": 1.0}}) == form.judge({"a": {"c": [2]}}) == ()
    for other in ({"b": 2}, {"c": 1}, {"b": 1, "c": [2]}, {}, {"b": True}):
        assert form.judge({"a": other})


def test_a_form_is_judged_as_often_as_one_likes() -> None:
    words = {"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": 9}}
    form = form_of({"a": words})
    many = {"a": ["word"] * 10_000}
    for _ in range(3):
        assert form.judge(many) == ()
        assert form.check_field("a", Typed("word\n" * 10_000)) is None
