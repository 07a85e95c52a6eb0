"""What a schema expects, on one line: for a person who writes the JSON of an argument."""

from __future__ import annotations

from typing import Any

import pytest

from elicit_tui.form.shape import secret_names, shape, text_names
from tests.form.test_arguments import RELATIONS

ENTITIES = {
    "type": "object",
    "properties": {
        "entities": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "rank": {"type": "integer"},
                    "observations": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["name", "observations"],
            },
        },
        "dry": {"type": "boolean"},
    },
    "required": ["entities"],
}


def test_a_shape_shows_texts_in_quotes_lists_and_what_may_be_left_out() -> None:
    assert shape(ENTITIES) == (
        '{"entities": [{"name": "…", "rank"?: whole number, "observations": ["…", …]}, …], '
        '"dry"?: true|false}'
    )


@pytest.mark.parametrize(
    ("schema", "shown"),
    [
        ({"enum": ["a", "b", 3]}, '"a"|"b"|3'),
        ({"enum": list("abcdef")}, '"a"|"b"|"c"|"d"|…'),
        ({"type": ["null", "number"]}, "number"),
        ({"anyOf": [{"type": "null"}, {"type": "string"}]}, '"…"'),
        ({"type": "object"}, "{…}"),
        ({"type": "object", "properties": {"a\x1b[2J\u202e": {}}}, None),
        (True, "…"),
        (None, "…"),
        ({"properties": 3, "items": 4, "enum": 5}, "{…}"),
        ({"type": []}, "…"),
        ({"type": [5, "null"]}, "null"),
        ({"type": [5, {}]}, "…"),
        ({"type": 5}, "…"),
        ({"type": "array", "items": {"type": "integer"}}, "[whole number, …]"),
        ({"type": ["array"], "items": True}, "[…]"),
    ],
)
def test_a_shape_is_neutral_whatever_the_schema_is(schema: Any, shown: str | None) -> None:
    written = shape(schema)
    assert written.isprintable()
    assert written == shown or (shown is None and "\x1b" not in written)


def test_a_shape_of_a_schema_without_end_is_short() -> None:
    assert '"of"?: ' in shape(RELATIONS)
    assert len(shape(RELATIONS)) < 2_000
    wide = {"properties": {f"p{number}": {"type": "string"} for number in range(5_000)}}
    assert shape(wide).endswith(", …}")
    assert len(shape(wide)) < 2_000


def test_the_keys_of_texts_are_those_that_are_texts_wherever_they_stand() -> None:
    assert text_names(ENTITIES) == {"name", "observations"}
    both = {"properties": {"x": {"type": "string"}, "y": {"properties": {"x": {"type": "null"}}}}}
    assert text_names(both) == frozenset()
    assert text_names(None) == frozenset()


@pytest.mark.parametrize(
    "beside",
    [
        {"enum": [f"choice {number}" for number in range(20_000)]},
        {"oneOf": [{"const": number, "title": f"{number}"} for number in range(20_000)]},
        {"properties": {f"p{number}": {"type": "string"} for number in range(20_000)}},
    ],
    ids=["texts", "titled", "properties"],
)
def test_no_number_of_choices_hides_that_what_stands_beside_them_is_a_secret(beside: Any) -> None:
    login = {"properties": {"pin": {"type": "string", "format": "password"}}}
    for properties in ({"login": login, "z": beside}, {"a": beside, "login": login}):
        assert secret_names({"type": "object", "properties": properties}) == {"pin"}
    assert secret_names(None) == frozenset()
