"""One line of text as an answer: plain prompts and KEY=VALUE arguments."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from elicit_tui.form.field import Chosen, ChosenMany, EmptyOnPurpose, Problem, Ticked, Typed, Unset
from elicit_tui.form.plain_text import entry_from_text
from tests.form.forms import field_of, form_of

BOOLEAN = {"type": "boolean"}
TITLED = {
    "type": "string",
    "oneOf": [
        {"const": "stg", "title": "Staging"},
        {"const": "prd", "title": "Production"},
        {"const": "1", "title": "Number one"},
    ],
}
MANY = {"type": "array", "items": {"enum": ["red", "green", "light, blue"]}}


@pytest.mark.parametrize("text", ["yes", "y", "true", "YES", " True "])
def test_yes_is_yes(text: str) -> None:
    assert entry_from_text(field_of(BOOLEAN), text) == Ticked(True)


@pytest.mark.parametrize("text", ["no", "n", "false", "No"])
def test_no_is_no(text: str) -> None:
    assert entry_from_text(field_of(BOOLEAN), text) == Ticked(False)


@pytest.mark.parametrize("text", ["1", "0", "on", "maybe", "yes please", "ÿes"])
def test_anything_else_is_neither_yes_nor_no(text: str) -> None:
    assert entry_from_text(field_of(BOOLEAN), text) == Problem("it", "yes or no")


@pytest.mark.parametrize("schema", [BOOLEAN, TITLED, MANY, {"type": "string"}])
def test_nothing_typed_is_unset(schema: Any) -> None:
    assert entry_from_text(field_of(schema), "") == Unset()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("stg", "stg"),
        ("Staging", "stg"),
        (" production ", "prd"),
        ("PRD", "prd"),
        ("2", "prd"),
        ("1", "1"),
        ("number ONE", "1"),
        ("3", "1"),
    ],
)
def test_a_choice_goes_by_value_label_or_number_in_that_order(text: str, value: str) -> None:
    assert entry_from_text(field_of(TITLED), text) == Chosen(value)


@pytest.mark.parametrize("text", ["0", "4", "-1", "stag", "٢", "[1]", "9" * 5000])
def test_what_names_no_choice_lists_the_choices(text: str) -> None:
    problem = entry_from_text(field_of(TITLED), text)
    assert problem == Problem("it", "one of: Staging, Production, Number one")


def test_choices_that_are_no_texts_go_by_their_json() -> None:
    field = field_of({"enum": [10, 20, True, "x"]})
    assert entry_from_text(field, "20") == Chosen(20)
    assert entry_from_text(field, "20.0") == Chosen(20)
    assert entry_from_text(field, "true") == Chosen(True)
    assert entry_from_text(field, "yes") == Chosen(True)
    assert entry_from_text(field, "4") == Chosen("x")


def test_labels_that_differ_only_in_case_are_not_guessed() -> None:
    field = field_of({"enum": ["abc", "ABC"]})
    assert entry_from_text(field, "ABC") == Chosen("ABC")
    assert isinstance(entry_from_text(field, "Abc"), Problem)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("red", ("red",)),
        ("red, GREEN", ("red", "green")),
        ("1,2", ("red", "green")),
        ("light, blue", ("light, blue",)),
        ('["red", "light, blue"]', ("red", "light, blue")),
        ("red,red", ("red",)),
    ],
)
def test_several_choices_have_commas_between(text: str, values: tuple[str, ...]) -> None:
    assert entry_from_text(field_of(MANY), text) == ChosenMany(values)


def test_an_empty_json_list_is_empty_on_purpose() -> None:
    assert entry_from_text(field_of(MANY), "[]") == EmptyOnPurpose()


@pytest.mark.parametrize("text", ["red, pink", ",", "[red", "[" * 100_001])
def test_one_unknown_choice_among_several_is_a_problem(text: str) -> None:
    problem = entry_from_text(field_of(MANY), text)
    assert isinstance(problem, Problem)
    assert problem.message.endswith("with commas between")


def test_text_and_numbers_are_taken_as_typed_and_judged_later() -> None:
    assert entry_from_text(field_of({"type": "string"}), " x ") == Typed(" x ")
    assert entry_from_text(field_of({"type": "integer"}), "x") == Typed("x")
    assert entry_from_text(field_of({"type": "string"}), "[1]") == Typed("[1]")


def test_a_list_of_free_texts_may_be_json() -> None:
    field = field_of({"type": "array", "items": {"type": "string"}})
    assert entry_from_text(field, ' ["a", "b"]') == Typed("a\nb")
    assert entry_from_text(field, "a, b") == Typed("a, b")
    assert entry_from_text(field, '{"a": 1}') == Typed('{"a": 1}')
    # What holds no texts alone is refused, and not sent as if it did.
    assert entry_from_text(field, '["a", 1]') == Chosen(("a", 1))


def test_a_text_of_two_lines_in_a_list_is_not_taken_apart() -> None:
    field = field_of({"type": "array", "items": {"type": "string"}})
    assert entry_from_text(field, r'["a\nb"]') == Problem("it", "one text on each line")
    assert entry_from_text(field, '["a", ""]') == Typed("a\n\n")


def test_a_json_list_without_end_is_taken_for_text() -> None:
    field = field_of({"type": "array", "items": {"type": "string"}})
    longest = f'["{"a" * 99_996}"]'
    assert entry_from_text(field, longest) == Typed("a" * 99_996)
    longer = f'["{"a" * 99_997}"]'
    assert entry_from_text(field, longer) == Typed(longer)


@pytest.mark.parametrize(("count", "more"), [(6, ""), (7, " …")])
def test_no_more_than_six_choices_are_listed(count: int, more: str) -> None:
    names = [f"c{number}" for number in range(1, count + 1)]
    problem = entry_from_text(field_of({"enum": names}), "none")
    assert problem == Problem("it", f"one of: c1, c2, c3, c4, c5, c6{more}")
    (found,) = form_of({"it": {"enum": names}}).judge({"it": "none"})
    assert found.message == f"choose one of: c1, c2, c3, c4, c5, c6{more}"


def test_a_value_goes_before_what_another_one_is_called() -> None:
    field = field_of(
        {"oneOf": [{"const": "a", "title": "b"}, {"const": " b ", "title": "c"}, {"const": "2"}]}
    )
    assert entry_from_text(field, " b ") == Chosen(" b ")
    assert entry_from_text(field, "b") == Chosen("a")
    assert entry_from_text(field, "2") == Chosen("2")
    assert entry_from_text(field, "02") == Chosen(" b ")


def test_what_cannot_be_answered_cannot_be_typed() -> None:
    assert entry_from_text(field_of({"type": "object"}), "x") == Problem(
        "it", "this property cannot be answered"
    )


def test_ten_thousand_numbers_of_choices_do_not_take_long() -> None:
    field = field_of({"type": "array", "items": {"enum": [f"c{n}" for n in range(500)]}})
    entry = entry_from_text(field, ",".join(f"c{n}" for n in range(500)))
    assert entry == ChosenMany(tuple(f"c{n}" for n in range(500)))


def test_showing_a_form_loads_neither_jsonschema_nor_regex() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^a+$"}}}
    program = (
        "import sys; from elicit_tui.form.schema_reading import read_form;"
        f"form = read_form({schema!r}); form.initial();"
        "loaded = {'jsonschema', 'regex', 'referencing', 'textual', 'mcp'} & set(sys.modules);"
        "assert not loaded, loaded; form.judge({'a': 'a'}); assert 'jsonschema' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_the_form_of_the_official_test_server_is_read_and_sent() -> None:
    form = form_of(
        {
            "name": {
                "title": "Full Name",
                "type": "string",
                "description": "Your full, legal name",
            },
            "check": {"title": "Agree to terms", "type": "boolean"},
            "firstLine": {"title": "Favorite first line", "type": "string", "default": "It was…"},
            "email": {"title": "Email", "type": "string", "format": "email"},
            "homepage": {"type": "string", "format": "uri", "title": "Homepage"},
            "birthdate": {"title": "Birthdate", "type": "string", "format": "date"},
            "integer": {"title": "Favorite Integer", "type": "integer", "default": 42},
            "number": {"title": "Favorite Number", "type": "number", "minimum": 0, "default": 3.14},
            "untitledSingle": {"type": "string", "enum": ["Monica", "Rachel"], "default": "Monica"},
            "untitledMultiple": {
                "type": "array",
                "minItems": 1,
                "maxItems": 3,
                "items": {"type": "string", "enum": ["Guitar", "Piano", "Drums"]},
                "default": ["Guitar"],
            },
            "legacy": {"type": "string", "enum": ["p1", "p2"], "enumNames": ["Cat", "Dog"]},
        },
        "name",
    )
    entries = {**form.initial(), "name": Typed("Ada"), "check": Ticked(False)}
    conversion = form.convert(entries)
    assert conversion.ok
    assert conversion.content == {
        "name": "Ada",
        "check": False,
        "firstLine": "It was…",
        "integer": 42,
        "number": 3.14,
        "untitledSingle": "Monica",
        "untitledMultiple": ["Guitar"],
    }
