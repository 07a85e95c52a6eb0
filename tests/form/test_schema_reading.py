"""What a schema refers to, what of it binds without being drawn, and what is no form at all."""

from __future__ import annotations

from typing import Any

import pytest

from elicit_tui.form.field import Chosen, Typed
from elicit_tui.form.json_values import MISSING
from elicit_tui.form.limits import at_pointer
from elicit_tui.form.schema_reading import read_form
from tests.form.forms import field_of, form_of


def test_a_reference_inside_the_schema_is_followed() -> None:
    definitions = {
        "Colour": {"type": "string", "enum": ["red", "green"], "title": "Colour"},
        "Alias": {"$ref": "#/$defs/Colour"},
        "a/b~c": {"type": "integer"},
        "two words": {"type": "integer"},
    }
    form = form_of(
        {
            "direct": {"$ref": "#/$defs/Colour"},
            "twice": {"$ref": "#/$defs/Alias", "title": "Its own title"},
            "wrapped": {"allOf": [{"$ref": "#/$defs/Colour"}], "default": "red"},
            "many": {"type": "array", "items": {"$ref": "#/$defs/Colour"}},
            "escaped": {"$ref": "#/$defs/a~1b~0c"},
            "encoded": {"$ref": "#/$defs/two%20words"},
        },
        **{"$defs": definitions},
    )
    assert [field.kind for field in form.fields] == [
        "single",
        "single",
        "single",
        "multi",
        "integer",
        "integer",
    ]
    assert form.by_name["direct"].title == "Colour"
    assert form.by_name["twice"].title == "Its own title"
    assert form.judge({"direct": "red", "many": ["green"], "escaped": 3}) == ()
    assert form.judge({"direct": "blue"})
    assert form.check_field("escaped", Typed("3")) is None
    assert form.check_field("direct", Chosen("red")) is None
    assert form.convert(form.initial()).content == {"wrapped": "red"}


@pytest.mark.parametrize(
    ("reference", "kind", "value"), [("a~1b", "integer", 3), ("a~01b", "boolean", True)]
)
def test_a_name_that_holds_an_escape_is_told_from_the_name_that_the_escape_means(
    reference: str, kind: str, value: Any
) -> None:
    definitions = {"a/b": {"type": "integer"}, "a~1b": {"type": "boolean"}}
    form = form_of({"it": {"$ref": f"#/$defs/{reference}"}}, **{"$defs": definitions})
    assert form.fields[0].kind == kind
    assert form.judge({"it": value}) == ()


@pytest.mark.parametrize(
    "reference", [5, "#anchor", "other.json#/$defs/a", "/$defs/a", "#/$defs/list/2", "#/$defs/x"]
)
def test_what_a_reference_does_not_find_in_its_own_schema_is_not_drawn(reference: Any) -> None:
    definitions = {"a": {"type": "string"}, "list": [{"type": "integer"}, {"type": "string"}]}
    drawn = field_of({"$ref": reference}, **{"$defs": definitions})
    assert drawn.kind == "unsupported"
    assert "refers to something that its schema does not hold" in drawn.why_unsupported


@pytest.mark.parametrize("place", ["-1", "x", "²", "2", "9" * 5000])
def test_an_item_of_a_list_is_found_by_its_number_and_by_nothing_else(place: str) -> None:
    held = {"list": ["zero", "one"]}
    assert at_pointer(held, "/list/1") == "one"
    assert at_pointer(held, f"/list/{place}") is MISSING
    assert at_pointer("text", "/0") is MISSING
    assert at_pointer("text", "/t") is MISSING


def test_references_without_end_are_refused() -> None:
    chain = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(30)}
    chain["d30"] = {"type": "string"}
    assert field_of({"$ref": "#/$defs/d0"}, **{"$defs": chain}).kind == "unsupported"
    assert field_of({"$ref": "#/$defs/d20"}, **{"$defs": chain}).kind == "string"


def test_a_keyword_that_is_not_drawn_still_binds_and_is_said() -> None:
    form = form_of({"it": {"type": "string", "not": {"const": "no"}, "x-order": 3}})
    assert form.fields[0].kind == "string"
    assert form.fields[0].notes == (
        "also checked when you send: not",
        "the form does not know what this means: x-order",
    )
    assert form.judge({"it": "yes"}) == ()
    assert form.judge({"it": "no"})
    assert field_of({"type": "string", "examples": ["a"], "$comment": "b"}).notes == ()
    assert field_of({"type": "integer", "minLength": 3}).notes == ()


@pytest.mark.parametrize(("count", "more"), [(8, ""), (9, " and 1 more"), (11, " and 3 more")])
def test_of_many_keywords_that_are_not_drawn_the_first_ones_are_said(count: int, more: str) -> None:
    names = [f"x-{number:02}" for number in range(count)]
    field = field_of({"type": "string", **dict.fromkeys(names, 1)})
    said = ", ".join(names[:8])
    assert field.notes == (f"the form does not know what this means: {said}{more}",)


def test_a_format_that_nobody_checks_is_said() -> None:
    assert field_of({"type": "string", "format": "uuid"}).notes == (
        "the format “uuid” is not checked",
    )


def test_keywords_of_the_whole_form_bind_and_are_said() -> None:
    form = form_of(
        {"a": {"type": "string"}, "b": {"type": "string"}}, minProperties=1, **{"x-ui": 1}
    )
    assert form.notes == (
        "also checked when you send: minProperties",
        "the form does not know what this means: x-ui",
    )
    conversion = form.convert(form.initial())
    assert [problem.message for problem in conversion.problems] == ["at least 1 answer, now 0"]
    assert conversion.problems[0].field is None


def test_a_form_without_properties_is_a_plain_confirmation() -> None:
    form = read_form({"type": "object", "properties": {}})
    assert form.is_confirmation
    assert form.convert({}).ok
    assert form.convert({}).content == {}
    assert not form_of({"a": {"type": "string"}}).is_confirmation


@pytest.mark.parametrize(
    "schema",
    [
        None,
        12,
        "object",
        [],
        {},
        {"type": "object"},
        {"type": "array", "properties": {}},
        {"type": "object", "properties": []},
        {"type": ["object", "null"], "properties": {}},
        {"type": "object", "properties": {}, "required": ["ghost"]},
        {"type": "object", "properties": {"a": {"type": "string"}, "b": 12}},
        {"type": "object", "properties": {"a": None}},
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["gh\x1bost"]},
    ],
)
def test_what_is_no_form_is_a_refusal_in_a_sentence(schema: Any) -> None:
    form = read_form(schema)
    assert form.refusal
    assert form.refusal.isprintable()
    assert not form.is_confirmation
    assert form.judge({})
    assert not form.convert(form.initial()).ok


def test_title_and_description_of_the_form_are_read() -> None:
    form = form_of({"a": {"type": "string"}}, title="Deploy\x1b", description="Two\nlines")
    assert form.title is not None
    assert form.title.startswith("Deploy")
    assert "\x1b" not in form.title
    assert form.description == "Two\nlines"


@pytest.mark.parametrize(
    ("schema", "binding"),
    [
        ({"type": ["array", "null"], "items": {"enum": ["a"]}, "contains": {}}, "contains"),
        ({"type": ["null", "integer"], "enum": [1, 2], "minimum": 1}, "minimum"),
        ({"type": "string", "enum": ["a"], "minLength": 1}, "minLength"),
        ({"type": "string", "contains": {}}, None),
        ({"type": "boolean", "minLength": 1, "not": {"const": True}}, "not"),
    ],
)
def test_what_binds_its_type_and_is_not_drawn_is_said(schema: Any, binding: str | None) -> None:
    told = [note for note in field_of(schema).notes if note.startswith("also checked")]
    assert told == ([] if binding is None else [f"also checked when you send: {binding}"])
