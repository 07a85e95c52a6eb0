"""What can be chosen in a schema, and its texts, for whoever looks before a form is drawn."""

from __future__ import annotations

from typing import Any

import pytest

from elicit_tui.form.choices import both_ends, choice_texts, is_select, is_select_of_few
from tests.bounds import bounded
from tests.form.forms import field_of


@pytest.mark.parametrize(
    ("schema", "selects"),
    [
        ({"enum": ["a"]}, True),
        ({"enum": []}, True),
        ({"const": None}, True),
        ({"oneOf": [{"const": "a"}, {"enum": ["b"]}]}, True),
        ({"anyOf": [{"const": "a"}]}, True),
        ({"oneOf": [{"type": "string"}], "anyOf": [{"const": "a"}]}, True),
        ({"oneOf": []}, False),
        ({"oneOf": [{"const": "a"}, {"type": "string"}]}, False),
        ({"oneOf": [{"enum": ["a", "b"]}]}, False),
        ({"oneOf": [{"enum": "a"}]}, False),
        ({"oneOf": {"const": "a"}}, False),
        ({"enum": "ab"}, False),
        ({"type": "string"}, False),
    ],
)
def test_a_select_is_known_by_its_values_however_they_are_spelt(
    schema: dict[str, Any], selects: bool
) -> None:
    assert is_select(schema) is selects


@pytest.mark.parametrize(
    ("schema", "few"),
    [
        ({"enum": ["a", "b"]}, True),
        ({"enum": ["a", "b", "c"]}, False),
        ({"enum": ["a", "b", "a", "b", "a"]}, True),
        ({"enum": [1, 1.0, True]}, True),
        ({"enum": [1, True, "1"]}, False),
        ({"type": "string", "enum": ["a", 1, None, {"x": 1}, True]}, True),
        ({"type": "string", "enum": [1, 2]}, False),
        ({"enum": []}, False),
        ({"type": "string"}, False),
        ({"const": "a"}, True),
        ({"oneOf": [{"const": "a"}, {"const": "b"}]}, True),
    ],
)
def test_few_are_those_of_which_so_many_different_ones_can_be_sent(
    schema: dict[str, Any], few: bool
) -> None:
    assert is_select_of_few(schema, 2) is few


def test_whether_there_are_few_is_known_before_a_long_list_is_read() -> None:
    with bounded():
        assert not any(is_select_of_few({"enum": list(range(100_000))}, 2) for _ in range(1_000))


@pytest.mark.parametrize(
    ("schema", "texts"),
    [
        ({"enum": ["a", 5, "b"], "enumNames": ["A", None]}, ["enum a", "enum b", "enumNames A"]),
        (
            {"oneOf": [{"const": "a", "title": "A", "description": "D"}, {"const": 5}, "x"]},
            ["oneOf.const a", "oneOf.title A", "oneOf.description D"],
        ),
        ({"anyOf": [{"title": "A", "note": "N"}]}, ["anyOf.title A"]),
        (
            {"items": {"enum": ["a"], "anyOf": [{"const": "b"}], "items": {"enum": ["no"]}}},
            ["items.enum a", "items.anyOf.const b"],
        ),
        ({"enum": "a", "oneOf": {"const": "a"}, "items": ["a"]}, []),
    ],
)
def test_every_text_of_a_choice_stands_below_its_keyword(
    schema: dict[str, Any], texts: list[str]
) -> None:
    assert [f"{key} {text}" for key, text in choice_texts(schema, 10)] == texts


def test_of_a_long_list_of_choices_the_texts_of_both_ends_are_read() -> None:
    long = {"enum": list("abcdefg"), "oneOf": [{"const": name} for name in "tuvwxyz"]}
    assert "".join(text for _, text in choice_texts(long, 4)) == "abfgtuyz"
    assert "".join(text for _, text in choice_texts({"items": long}, 4)) == "abfgtuyz"


@pytest.mark.parametrize(
    ("values", "most", "ends"),
    [
        ([1, 2, 3, 4, 5], 4, [1, 2, 4, 5]),
        ([1, 2, 3, 4], 4, [1, 2, 3, 4]),
        ([1, 2, 3], 4, [1, 2, 3]),
        ([1], 4, [1]),
        ((1, 2, 3, 4, 5), 2, [1, 5]),
        ([], 4, []),
        ("abc", 4, []),
        ({"a": 1}, 4, []),
        (None, 4, []),
    ],
)
def test_both_ends_of_a_list_are_told_and_nothing_twice(
    values: object, most: int, ends: list[int]
) -> None:
    assert list(both_ends(values, most)) == ends


def test_a_choices_label_is_no_longer_than_a_line() -> None:
    (choice,) = field_of({"enum": ["a" * 1_000]}).choices
    assert choice.label == "a" * 174 + "…⟨1,000 characters in all⟩"
    assert len(choice.label) == 200
    assert choice.value == "a" * 1_000


@pytest.mark.parametrize(
    ("enum", "notes"),
    [
        (["a", None], ("1 of its choices cannot be sent and is left out",)),
        (["a", "a", "b", "b"], ("2 of its choices are there twice",)),
        (
            ["a", "a", None, []],
            (
                "2 of its choices cannot be sent and are left out",
                "1 of its choices is there twice",
            ),
        ),
    ],
)
def test_choices_that_are_not_shown_are_counted(enum: list[Any], notes: tuple[str, ...]) -> None:
    assert field_of({"enum": enum}).notes == notes
