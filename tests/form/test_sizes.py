"""How large a schema, a question or a pattern may be: exactly so much, and no more."""

from __future__ import annotations

from typing import Any

import pytest

from elicit_tui.form.field import Typed
from elicit_tui.form.form import problem_in
from elicit_tui.form.json_values import json_key, same_json
from elicit_tui.form.limits import pointer_part, too_large
from elicit_tui.form.pattern import SchemaPatterns
from elicit_tui.form.pattern_steps import Patterns
from elicit_tui.text.hostile_json import is_larger_than
from tests.form.forms import field_of, form_of

TOO_LONG = "it is too long"


@pytest.mark.parametrize(
    ("value", "parts"),
    [
        (None, 1),
        ("a" * 19, 1),
        ("a" * 20, 2),
        ("a" * 45, 3),
        ([], 1),
        ([1, 2, 3], 4),
        ((1, 2, 3), 4),
        ({"a": 1, "b": [2, "c" * 20]}, 6),
        ([[[["a" * 60]]]], 8),
    ],
)
def test_the_parts_of_a_value_are_its_values_and_every_twenty_characters(
    value: Any, parts: int
) -> None:
    assert is_larger_than(value, parts - 1)
    assert not is_larger_than(value, parts)


def test_a_schema_has_so_many_parts_characters_and_levels_and_no_more() -> None:
    assert too_large([1] * 49_999) is None
    assert too_large([1] * 50_000) == "its schema has more than 50,000 parts"
    assert too_large([[1] * 25_000, [1] * 25_000]) == "its schema has more than 50,000 parts"
    assert too_large({"a": "b" * 999_999}) is None
    assert too_large({"a": "b" * 1_000_000}) == "its schema has more than 1,000,000 characters"
    assert too_large(["b" * 600_000, ("c" * 600_000,)]) is not None


def test_a_property_may_refer_on_so_often_and_no_further() -> None:
    chain = {f"d{number}": {"$ref": f"#/$defs/d{number + 1}"} for number in range(16)}
    chain["d16"] = {"type": "string"}
    # The last of sixteen steps tells that there is nothing left to follow.
    assert field_of({"$ref": "#/$defs/d2"}, **{"$defs": chain}).kind == "string"
    refused = field_of({"$ref": "#/$defs/d1"}, **{"$defs": chain})
    assert refused.why_unsupported == "refers on and on, more than 16 times"


@pytest.mark.parametrize(
    ("name", "part"), [("a/b", "a~1b"), ("a~b", "a~0b"), ("~1", "~01"), (5, "5")]
)
def test_a_name_is_escaped_where_it_stands_in_a_pointer(name: object, part: str) -> None:
    assert pointer_part(name) == part


def test_a_pattern_is_run_up_to_a_length_and_all_of_a_form_up_to_another() -> None:
    assert SchemaPatterns().search("a" * 4_000, "b") is False
    assert SchemaPatterns().untranslatable("a" * 4_001) == TOO_LONG
    many = SchemaPatterns()
    kept = [many.untranslatable(f"{number:04}" + "a" * 3_996) for number in range(13)]
    assert kept == [None] * 12 + [TOO_LONG]
    assert many.untranslatable("b" * 2_000) == TOO_LONG


@pytest.mark.parametrize(
    ("pattern", "trouble"),
    [
        ("a" * 2_000, None),
        ("a" * 2_001, "catastrophic"),
        ("(a", "broken"),
        ("[b-a]", "broken"),
        ("a{2,1}", "broken"),
        (r"^(?<year>\d+)$", "unusual"),
        (r"(a)\1", "unusual"),
        (r"^\p{L}\u{1F600}$", None),
        ("(?:a|a)*(?:b|b)*c", "catastrophic"),
    ],
)
def test_a_pattern_is_tried_in_so_many_steps(pattern: str, trouble: str | None) -> None:
    assert Patterns().trouble_in(pattern) == trouble


def test_two_values_are_the_same_json_where_json_schema_says_so() -> None:
    assert same_json({"a": [1, "x"], "b": None}, {"b": None, "a": [1.0, "x"]})
    for left, right in ((1, True), (0, False), (None, "None"), ([1, 2], [2, 1]), ({"a": 1}, {})):
        assert not same_json(left, right)
    assert json_key(("a", 1)) == json_key(["a", 1.0])
    assert json_key(b"a") != json_key("a")


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        (None, "it is not a JSON Schema object"),
        (5, "it is not a JSON Schema object"),
        ({"enum": ["a" * 1_000_001]}, "its schema has more than 1,000,000 characters"),
        ({"type": "text"}, "it is not a JSON Schema: type"),
    ],
)
def test_by_what_is_no_schema_or_has_no_end_nothing_is_valid(schema: Any, told: str) -> None:
    problem = problem_in({}, schema)
    assert problem is not None
    assert problem.message.startswith(told)


def test_a_field_of_a_broken_schema_says_so_while_it_is_typed() -> None:
    form = form_of({"a": {"type": "string"}, "b": {"type": "string", "minLength": -1}})
    told = form.check_field("a", Typed("x"))
    assert told == form.schema_problem
    assert "properties.b.minLength" in str(told)
