"""What a form's author got wrong: found by the schema alone, each below its own keyword."""

from __future__ import annotations

from typing import Any

import pytest

from elicit_tui.form.mistakes import mistakes, no_form, trouble_of_choices

KNOWN = frozenset(
    "type title description default enum enumNames oneOf anyOf const items format pattern "
    "minLength maxLength minItems maxItems minimum maximum exclusiveMinimum exclusiveMaximum "
    "multipleOf allOf properties $ref".split()
)
TEXT, NUMBER, SIZE = {"type": "string"}, {"type": "number"}, {"type": "integer"}
CHOSEN = {"type": "array", "items": {"enum": ["a", "b"]}}


def found_in(schema: dict[str, Any]) -> list[tuple[str, str]]:
    return list(mistakes(schema, KNOWN))


@pytest.mark.parametrize(
    ("schema", "found"),
    [
        ({"type": "text"}, [("type", "'text'")]),
        ({"type": ["string", "null"]}, [("type", "['string', 'null']")]),
        ({"title": "T"}, [("type", "no type")]),
        ({**TEXT, "widget": 1, "x-a": 2}, [("widget", "widget"), ("x-a", "x-a")]),
        ({"type": "array"}, [("items", "a list of free text")]),
        ({"type": "array", "items": TEXT}, [("items", "a list of free text")]),
        ({"type": "array", "items": True}, [("items", "a list of free text")]),
        ({**CHOSEN, "minItems": 3}, [("minItems", "more than there are choices")]),
        ({**TEXT, "minLength": 100_001}, [("minLength", "100001")]),
    ],
)
def test_a_field_that_nobody_can_fill_in_names_the_keyword_that_is_wrong(
    schema: dict[str, Any], found: list[tuple[str, str]]
) -> None:
    assert found_in(schema) == found


@pytest.mark.parametrize(
    "schema",
    [
        *({"type": kind} for kind in ("string", "number", "integer", "boolean", "object")),
        *({key: []} for key in ("enum", "oneOf", "anyOf", "$ref", "const", "allOf", "properties")),
        *({"type": "array", "items": {key: []}} for key in ("enum", "oneOf", "anyOf", "$ref")),
        {**CHOSEN, "minItems": 2},
        {**TEXT, "minLength": 100_000},
        {**TEXT, "minLength": None},
        {**NUMBER, "minimum": -5, "maximum": -1},
    ],
)
def test_what_a_form_may_ask_is_no_mistake(schema: dict[str, Any]) -> None:
    assert found_in(schema) == []


@pytest.mark.parametrize(
    ("low", "high", "least", "most", "wrong"),
    [
        ("minimum", "maximum", 5, 4, True),
        ("minimum", "maximum", 5, 5, False),
        ("minLength", "maxLength", 5, 4, True),
        ("minLength", "maxLength", 5, 5, False),
        ("minItems", "maxItems", 2, 1, True),
        ("minItems", "maxItems", 2, 2, False),
        ("exclusiveMinimum", "maximum", 5, 5, True),
        ("exclusiveMinimum", "maximum", 5, 6, False),
        ("minimum", "exclusiveMaximum", 5, 5, True),
        ("minimum", "exclusiveMaximum", 5, 6, False),
        ("exclusiveMinimum", "exclusiveMaximum", 5, 5, True),
        ("exclusiveMinimum", "exclusiveMaximum", 5, 6, False),
        ("minimum", "maximum", 5, "4", False),
    ],
)
def test_two_bounds_that_leave_nothing_between_them_are_a_mistake(
    low: str, high: str, least: Any, most: Any, wrong: bool
) -> None:
    base = {**CHOSEN} if "Items" in low else {**NUMBER}
    told = [(key, why) for key, why in found_in({**base, low: least, high: most}) if key == low]
    assert told == ([(low, f"{least} > {most}")] if wrong else [])


@pytest.mark.parametrize(
    "key", ["minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum", "multipleOf"]
)
def test_a_bound_is_a_number_and_of_what_is_counted_nothing_at_least(key: str) -> None:
    for value in ("5", True, float("nan")):
        assert (key, repr(value)) in found_in({**NUMBER, key: value})
    below = key in ("minimum", "maximum")
    assert ((key, "-1") in found_in({**NUMBER, key: -1})) is not below
    assert ((key, "0") in found_in({**NUMBER, key: 0})) is (key == "multipleOf")


@pytest.mark.parametrize(
    ("schema", "default", "fits"),
    [
        (TEXT, "a", True),
        (TEXT, 5, False),
        (SIZE, 5.0, True),
        (SIZE, 5.5, False),
        (SIZE, True, False),
        ({"type": "boolean"}, False, True),
        ({"type": "boolean"}, 0, False),
        ({"type": "text"}, "a", False),
        (CHOSEN, ["z"], True),
        (CHOSEN, "a", False),
        ({**TEXT, "enum": ["a", "b"]}, "b", True),
        ({**TEXT, "enum": ["a", "b"]}, "c", False),
        ({**SIZE, "enum": [1, 2]}, 2.0, True),
        ({**TEXT, "oneOf": [{"const": "a"}]}, "A", False),
        ({**TEXT, "minLength": 2, "maxLength": 3}, "ab", True),
        ({**TEXT, "minLength": 2, "maxLength": 3}, "a", False),
        ({**TEXT, "minLength": 2, "maxLength": 3}, "abcd", False),
        ({**TEXT, "minLength": 2}, "", True),
        ({**TEXT, "minimum": 9}, "a", True),
        ({**NUMBER, "minimum": 2, "maximum": 3}, 2, True),
        ({**NUMBER, "minimum": 2, "maximum": 3}, 3, True),
        ({**NUMBER, "minimum": 2, "maximum": 3}, 1, False),
        ({**NUMBER, "minimum": 2, "maximum": 3}, 4, False),
        ({**NUMBER, "minLength": 9}, 1, True),
        ({}, 5, True),
        ({"type": ["string", "null"]}, 5, True),
    ],
)
def test_a_default_is_of_its_type_one_of_its_choices_and_within_its_bounds(
    schema: dict[str, Any], default: Any, fits: bool
) -> None:
    told = [why for key, why in found_in({**schema, "default": default}) if key == "default"]
    assert told == ([] if fits else [repr(default)])


@pytest.mark.parametrize(
    ("key", "schema", "trouble"),
    [
        ("enum", {"enum": []}, "empty"),
        ("enum", {"enum": "a"}, "empty"),
        ("oneOf", {"oneOf": {}}, "empty"),
        ("enum", {"enum": list(range(1_000))}, None),
        ("enum", {"enum": list(range(1_001))}, "1001 choices"),
        ("enum", {"enum": ["a", "b", "a"]}, "a choice stands there twice"),
        ("enum", {"enum": [1, 1.0]}, "a choice stands there twice"),
        ("enum", {"enum": [1, True, "1"]}, None),
        ("oneOf", {"oneOf": [{"const": "a"}, {"const": "a"}]}, "a choice stands there twice"),
        ("oneOf", {"oneOf": [{"title": "A"}, {"title": "A"}]}, "a choice stands there twice"),
        ("oneOf", {"oneOf": [{"const": "a", "title": "A"}, {"const": "b", "title": "A"}]}, None),
        ("enumNames", {"enum": ["a", "b"], "enumNames": ["A", "A"]}, None),
        ("enumNames", {"enum": ["a", "b"], "enumNames": ["A"]}, "not as many as enum"),
        ("enumNames", {"enum": "ab", "enumNames": ["A", "B"]}, "not as many as enum"),
        ("enumNames", {"enumNames": ["A", "B"]}, None),
    ],
)
def test_choices_are_few_told_apart_and_named_each(
    key: str, schema: dict[str, Any], trouble: str | None
) -> None:
    assert trouble_of_choices(key, schema[key], schema) == trouble


def test_mistakes_are_found_in_whatever_json_stands_there() -> None:
    kinds = ("string", "number", "boolean", "array")
    for odd in (None, 5, [], {}, "x", [None], {"a": None}, 10**4_000, float("inf")):
        for declared in (odd, *kinds):
            schema = {"widget": odd, **dict.fromkeys(KNOWN, odd), "type": declared}
            assert found_in(schema)[0] == ("widget", "widget")
        told = trouble_of_choices("enum", odd, {"enum": odd})
        assert told == (None if odd == [None] else "empty")


ENDLESS, SAID = 10**5000, "a number without end"


@pytest.mark.parametrize(
    ("schema", "found"),
    [
        ({**TEXT, "minLength": ENDLESS}, [("minLength", SAID)]),
        ({**SIZE, "minimum": ENDLESS, "maximum": 1}, [("minimum", f"{SAID} > 1")]),
        ({**SIZE, "maximum": -ENDLESS, "minimum": 1}, [("minimum", f"1 > {SAID}")]),
        ({**TEXT, "maxLength": -ENDLESS}, [("maxLength", SAID)]),
        ({**TEXT, "default": ENDLESS}, [("default", SAID)]),
        ({"type": [ENDLESS]}, [("type", SAID)]),
    ],
)
def test_a_number_that_nobody_can_write_is_a_mistake_like_any_other(
    schema: dict[str, Any], found: list[tuple[str, str]]
) -> None:
    assert found_in(schema) == found


@pytest.mark.parametrize(
    ("required", "evidence"),
    [
        ({"required": ["a"]}, None),
        ({"required": ["a", "b"]}, "['a', 'b']"),
        ({"required": [5]}, "[5]"),
        ({"required": [["a"]]}, "[['a']]"),
        ({"required": [ENDLESS]}, SAID),
        ({"required": ENDLESS}, SAID),
    ],
)
def test_what_is_required_has_to_be_names_of_fields(
    required: dict[str, Any], evidence: str | None
) -> None:
    schema = {"type": "object", "properties": {"a": TEXT, "5": TEXT}, **required}
    found = list(no_form(schema, {"type", "properties", "required"}, ()))
    assert found == ([] if evidence is None else [(False, ".required", evidence)])
