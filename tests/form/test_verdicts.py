"""How the judge names what it found, and that it is the same judge each time it is asked."""

from __future__ import annotations

from typing import Any

import pytest

from elicit_tui.form.field import Typed
from elicit_tui.form.schema_reading import read_form
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


def test_a_pattern_binds_texts_alone() -> None:
    form = form_of({"a": {"pattern": "^x"}, "b": {"items": {"format": "email"}, "pattern": "^x"}})
    assert form.judge({"a": 5, "b": ["a@b.c"]}) == ()
    assert [problem.field for problem in form.judge({"a": "5", "b": ["a"]})] == ["a", "b"]


def test_a_form_is_judged_as_often_as_one_likes() -> None:
    words = {"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": 9}}
    form = form_of({"a": words})
    many = {"a": ["word"] * 10_000}
    for _ in range(3):
        assert form.judge(many) == ()
        assert form.check_field("a", Typed("word\n" * 10_000)) is None
