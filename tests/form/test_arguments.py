"""Arguments as JSON: what is wrong deep in them has its place, and what they begin with."""

from __future__ import annotations

import json
from typing import Any

import pytest

from elicit_tui.form.form import problem_in
from elicit_tui.form.schema_reading import read_form
from elicit_tui.form.skeleton import skeleton
from tests.bounds import bounded

RELATIONS = {
    "type": "object",
    "properties": {
        "relations": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "from": {"type": "string"},
                    "to": {"type": "string"},
                    "weight": {"type": "number"},
                    "of": {"$ref": "#/properties/relations/items"},
                    "names": {"type": "array", "minItems": 1, "maxItems": 2},
                    "n": {"type": "integer", "multipleOf": 2},
                },
                "required": ["from", "to", "weight"],
            },
        }
    },
    "required": ["relations"],
}


@pytest.mark.parametrize(
    ("relation", "inside", "message"),
    [
        ({"from": "a"}, "[0]", "to, weight are missing"),
        ({"from": "a", "to": "b"}, "[0]", "weight is missing"),
        ({"from": "a", "to": "b", "weight": "c"}, "[0].weight", "a number"),
        (
            {"from": "a", "to": "b", "weight": 1, "of": {"from": "\x1b[2J", "weight": 1}},
            "[0].of",
            "to is missing",
        ),
        ({"from": "a", "to": "b", "weight": 1, "names": []}, "[0].names", "1 to 2 items, now 0"),
        ({**dict.fromkeys(("from", "to"), "a"), "weight": 1, "n": 5}, "[0].n", "a multiple of 2"),
    ],
)
def test_what_is_wrong_deep_in_an_argument_is_named_with_its_place(
    relation: Any, inside: str, message: str
) -> None:
    content = {"relations": [relation]}
    (problem,) = read_form(RELATIONS, purpose="arguments").judge(content)
    assert str(problem) == f"relations{inside}: {message}"
    pointer = inside.replace("[", "/").replace("]", "").replace(".", "/")
    assert str(problem_in(content, RELATIONS)) == f"/relations{pointer}: {message}"


TAKES = {"properties": {"x": {"type": "string"}}, "required": ["x"]}


@pytest.mark.parametrize(
    ("schema", "keyword"),
    [
        ({"$ref": "#/$defs/Takes", "$defs": {"Takes": TAKES}}, "$ref"),
        ({"oneOf": [TAKES, {"properties": {"y": {}}, "required": ["y"]}]}, "oneOf"),
        ({"properties": {"a": {"type": "string"}}, "allOf": [TAKES]}, "allOf"),
        ({"anyOf": [{"$ref": "#/$defs/Takes"}], "$defs": {"Takes": TAKES}}, "anyOf"),
    ],
)
def test_arguments_that_no_field_is_drawn_for_are_written_as_json(
    schema: dict[str, Any], keyword: str
) -> None:
    form = read_form({"type": "object", **schema}, purpose="arguments")
    assert form.beyond == f"its schema describes arguments below {keyword}"
    assert not form.is_confirmation
    assert form.judge({"x": "a"}) == ()


@pytest.mark.parametrize(
    "rest", [{"anyOf": [{"required": ["x"]}]}, {"allOf": [TAKES, True]}, {"oneOf": "no list"}, {}]
)
def test_arguments_that_are_only_bound_together_are_drawn(rest: dict[str, Any]) -> None:
    assert read_form({"type": "object", **TAKES, **rest}, purpose="arguments").beyond is None


def test_thousands_of_objects_that_may_each_stand_once_are_judged_in_a_moment() -> None:
    schema = {"type": "object", "properties": {"rows": {"type": "array", "uniqueItems": True}}}
    form = read_form(schema, purpose="arguments")
    rows = [{"row": number} for number in range(3_000)]
    with bounded():
        assert form.judge({"rows": rows}) == ()
        assert problem_in({"rows": [*rows, {"row": 0}]}, schema) is not None


def test_json_begins_with_the_keys_that_the_schema_requires_and_no_value_is_made_up() -> None:
    assert skeleton(RELATIONS) == {"relations": [{"from": None, "to": None, "weight": None}]}
    assert read_form(RELATIONS, purpose="arguments").judge(skeleton(RELATIONS)) != ()
    mixed = {
        "required": ["sure", "tags", "rows", "way", "of", "any", "more", 7],
        "properties": {
            "sure": {"type": "boolean"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "rows": {"type": "array", "items": {"type": "object", "properties": {"x": {}}}},
            "way": {"anyOf": [{"type": "null"}, {"type": ["null", "integer"]}]},
            "of": {"type": "object", "properties": {"x": {}}},
            "more": {"$ref": "#/$defs/gone"},
            "optional": {"type": "string"},
        },
    }
    nothing = dict.fromkeys(("sure", "tags", "rows", "way", "of", "any", "more"))
    assert skeleton(mixed) == {**nothing, "tags": [None], "rows": [None]}


PLACE = {"type": "object", "required": ["x"], "properties": {"x": {"type": "string"}}}


@pytest.mark.parametrize(
    ("items", "begins"),
    [
        ({"type": "string"}, [None]),
        ({"type": "null"}, None),
        ({"type": ["string", "null"]}, None),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, None),
        ({"anyOf": [{"type": "null"}, PLACE]}, [{"x": None}]),
        ({**PLACE, "anyOf": [{"required": ["x"]}, {"required": ["y"]}]}, [{"x": None}]),
        ({"anyOf": [{"type": "null"}, {"type": "object"}]}, None),
        ({"anyOf": [{"type": "null"}, {"type": "string", "required": ["x"]}]}, None),
        ({"required": PLACE["required"], "properties": PLACE["properties"]}, [{"x": None}]),
        ({}, None),
        (None, None),
    ],
)
def test_a_list_shows_that_it_is_one_where_what_stands_in_it_cannot_be_sent(
    items: Any, begins: Any
) -> None:
    schema = {"required": ["of"], "properties": {"of": {"type": "array", "items": items}}}
    assert skeleton(schema) == {"of": begins}
    if begins is not None:
        assert read_form(schema, purpose="arguments").judge(skeleton(schema)) != ()


def _nested(levels: int, as_lists: bool) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        part = {"type": "array", "items": schema} if as_lists else schema
        schema = {"type": "object", "required": ["a"], "properties": {"a": part}}
    return schema


@pytest.mark.parametrize(
    ("as_lists", "begins"),
    [
        (False, {"a": {"a": {"a": {"a": {"a": {"a": {"a": None}}}}}}}),
        (True, {"a": [{"a": [{"a": [{"a": None}]}]}]}),
    ],
)
def test_json_begins_with_six_levels_of_objects_and_lists_within_it(
    as_lists: bool, begins: Any
) -> None:
    assert skeleton(_nested(5, as_lists=False)) == {"a": {"a": {"a": {"a": {"a": None}}}}}
    assert skeleton(_nested(9, as_lists)) == begins


def test_a_key_that_is_too_long_to_be_shown_is_left_to_the_person() -> None:
    required = ["a" * 200, "b" * 201]
    assert skeleton({"type": "object", "required": required}) == {"a" * 200: None}


def test_what_json_begins_with_is_bounded() -> None:
    names = [f"n{number}" for number in range(1_000)]
    wide: dict[str, Any] = {"type": "object", "required": names}
    wide["properties"] = {name: {"$ref": "#"} for name in names}
    endless = {"required": ["a"], "properties": {"a": {"$ref": "#/properties/a"}}}
    assert len(json.dumps(skeleton(wide))) < 100_000
    assert skeleton(endless) == {"a": None}
