"""How each kind of property, in each spelling, becomes a field."""

from __future__ import annotations

from typing import Any

import pytest

from elicit_tui.form.conversion import entry_for
from elicit_tui.form.field import Choice, Unset
from elicit_tui.form.formats import FORMATS
from elicit_tui.form.json_values import MISSING
from elicit_tui.form.schema_reading import read_form
from tests.form.forms import field_of, form_of


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ({"type": "string"}, "string"),
        ({"type": "string", "format": "email"}, "email"),
        ({"type": "string", "format": "uri"}, "uri"),
        ({"type": "string", "format": "date"}, "date"),
        ({"type": "string", "format": "date-time"}, "date-time"),
        ({"type": "string", "format": "uuid"}, "string"),
        ({"type": "string", "format": ["email"]}, "string"),
        ({"type": "number"}, "number"),
        ({"type": "integer"}, "integer"),
        ({"type": ["integer", "number"]}, "number"),
        ({"type": ["integer", "number", "null"]}, "number"),
        ({"type": "boolean"}, "boolean"),
        ({"type": "boolean", "enum": [True]}, "boolean"),
        ({"type": "string", "enum": ["a"]}, "single"),
        ({"type": "integer", "enum": [1, 2]}, "single"),
        ({"enum": ["a", "b"]}, "single"),
        ({"type": "string", "const": "a"}, "single"),
        ({"type": "string", "oneOf": [{"const": "a", "title": "A"}]}, "single"),
        ({"type": "string", "oneOf": [{"const": "a"}, True]}, "string"),
        ({"type": "string", "anyOf": [{"const": "a", "title": "A"}]}, "single"),
        ({"type": "array", "items": {"type": "string", "enum": ["a"]}}, "multi"),
        ({"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}]}}, "multi"),
        ({"type": "array", "items": {"oneOf": [{"const": "a", "title": "A"}]}}, "multi"),
        ({"type": "array", "items": {"type": ["string"], "enum": ["a"]}}, "multi"),
        ({"type": "array", "items": {"type": ["string"]}}, "string"),
        ({"minLength": 2}, "string"),
        ({"minimum": 2}, "number"),
        ({"type": ["string", "null"]}, "string"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "integer"),
        ({"allOf": [{"type": "boolean"}]}, "boolean"),
    ],
)
def test_each_spelling_of_the_subset_becomes_its_kind(schema: Any, kind: str) -> None:
    assert field_of(schema).kind == kind


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"a": {"type": "string"}}},
        {"type": "array", "items": {"type": "object"}},
        {"type": "array", "items": {"type": "number"}},
        {"type": "array", "items": {"enum": [1, 2]}},
        {"type": "array"},
        {"type": "array", "items": [{"type": "string"}]},
        {"type": "null"},
        {"type": ["string", "integer"]},
        {"type": "string", "enum": []},
        {"type": "string", "enum": [None, {"a": 1}]},
        {"type": "text"},
        {"anyOf": [{"type": "string"}]},
        {},
        True,
        {"$ref": "#/$defs/missing"},
        {"$ref": "https://evil.example/schema"},
        {"$ref": "#/properties/it"},
    ],
)
def test_what_lies_outside_the_subset_is_left_out_or_refused(schema: Any) -> None:
    optional = form_of({"it": schema, "other": {"type": "string"}})
    assert optional.fields[0].kind == "unsupported"
    assert not optional.fields[0].sendable
    assert optional.fields[0].notes
    assert optional.refusal is None
    assert "it" not in optional.initial()

    required = form_of({"it": schema, "other": {"type": "string"}}, "it")
    assert required.refusal is not None
    assert required.refusal.startswith("“it” is required, but it ")
    assert required.judge({"it": "a"})


def test_fields_keep_the_order_of_the_server() -> None:
    names = ["z", "a", "10", "9", "__proto__", "constructor", ""]
    form = form_of({name: {"type": "string"} for name in names})
    assert [field.name for field in form.fields] == names
    assert [field.name for field in form.fields if not field.title.strip()] == []


def test_titles_and_descriptions_are_shown_and_made_neutral() -> None:
    field = field_of({"type": "string", "title": "Na\u202eme\x1b[2J", "description": "a\x07\nb"})
    assert "\x1b" not in field.title
    assert "\u202e" not in field.title
    assert field.title.startswith("Na")
    assert field.description is not None
    assert "\x07" not in field.description
    assert "\n" in field.description


def test_the_title_of_a_field_without_one_is_its_name() -> None:
    assert field_of({"type": "string"}).title == "it"
    assert field_of({"type": "string", "title": "  "}).title == "it"
    assert field_of({"type": "string", "title": 12}).title == "it"


def test_limits_are_read_in_all_their_spellings() -> None:
    number = field_of({"type": "number", "minimum": 1, "exclusiveMaximum": 2.5, "multipleOf": 0.5})
    assert (number.minimum, number.exclusive_maximum, number.multiple_of) == (1, 2.5, 0.5)
    number = field_of({"type": "integer", "exclusiveMinimum": 1, "maximum": 9})
    assert (number.minimum, number.exclusive_minimum, number.maximum) == (None, 1, 9)
    text = field_of({"type": "string", "minLength": 2.0, "maxLength": 5, "pattern": "^a"})
    assert (text.min_length, text.max_length, text.pattern) == (2, 5, "^a")
    multi = field_of({"type": "array", "items": {"enum": ["a"]}, "minItems": 1, "maxItems": 2})
    assert (multi.min_items, multi.max_items) == (1, 2)


@pytest.mark.parametrize(
    ("schema", "hint"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 10}, "1 to 10"),
        ({"type": "number", "minimum": 1.0, "maximum": 2.5}, "1 to 2.5"),
        ({"type": "number", "minimum": 0}, "at least 0"),
        ({"type": "number", "maximum": 9}, "at most 9"),
        (
            {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
            "more than 0 and less than 1",
        ),
        ({"type": "number", "exclusiveMinimum": 0, "minimum": 5}, "at least 5"),
        ({"type": "number", "exclusiveMinimum": 5, "minimum": 5}, "more than 5"),
        ({"type": "number", "exclusiveMinimum": 6, "minimum": 5}, "more than 6"),
        ({"type": "number", "exclusiveMaximum": 5, "maximum": 5}, "less than 5"),
        ({"type": "number", "exclusiveMaximum": 4, "maximum": 5}, "less than 4"),
        ({"type": "number", "exclusiveMaximum": 6, "maximum": 5}, "at most 5"),
        ({"type": "integer", "multipleOf": 5}, "a multiple of 5"),
        ({"type": "integer", "multipleOf": 1}, ""),
        ({"type": "number", "multipleOf": 1}, "a multiple of 1"),
        (
            {"type": "integer", "minimum": 0, "maximum": 9, "multipleOf": 3},
            "0 to 9, a multiple of 3",
        ),
        ({"type": "string", "minLength": 3, "maxLength": 20}, "3 to 20 characters"),
        ({"type": "string", "minLength": 1}, "at least 1 character"),
        ({"type": "string", "maxLength": 1}, "at most 1 character"),
        ({"type": "string", "minLength": 4, "maxLength": 4}, "exactly 4 characters"),
        (
            {"type": "array", "items": {"enum": ["a"]}, "minItems": 1, "maxItems": 2},
            "choose 1 to 2",
        ),
        ({"type": "array", "items": {"enum": ["a"]}, "minItems": 2}, "choose at least 2"),
        ({"type": "array", "items": {"enum": ["a"]}, "maxItems": 1}, "choose at most 1"),
        ({"type": "array", "items": {"enum": ["a"]}}, ""),
        (
            {"type": "array", "items": {"type": "string"}, "maxItems": 3},
            "one text on each line, at most 3 lines",
        ),
        ({"type": "boolean"}, ""),
    ],
)
def test_a_hint_says_in_a_few_words_what_is_wanted(schema: Any, hint: str) -> None:
    assert field_of(schema).hint == hint


def test_a_format_shows_an_example_as_placeholder() -> None:
    for name in FORMATS:
        field = field_of({"type": "string", "format": name})
        form = form_of({"it": {"type": "string", "format": name}})
        assert form.check_field("it", entry_for(field, field.placeholder)) is None


@pytest.mark.parametrize(
    ("schema", "multiline"),
    [
        ({"type": "string"}, False),
        ({"type": "string", "maxLength": 199}, False),
        ({"type": "string", "maxLength": 200}, True),
        ({"type": "string", "minLength": 300}, True),
        ({"type": "string", "default": "a\nb"}, True),
        ({"type": "string", "default": "a b"}, False),
        ({"type": "string", "format": "uri", "maxLength": 2000}, False),
        ({"type": "array", "items": {"type": "string"}}, True),
    ],
)
def test_text_is_multi_line_when_long_text_is_allowed(schema: Any, multiline: bool) -> None:
    assert field_of(schema).multiline is multiline


def test_choices_show_their_titles_and_send_their_values() -> None:
    expected = (Choice("s", "Staging"), Choice("p", "Production"))
    titled = [{"const": "s", "title": "Staging"}, {"const": "p", "title": "Production"}]
    for schema in (
        {"type": "string", "enum": ["s", "p"], "enumNames": ["Staging", "Production"]},
        {"type": "string", "oneOf": titled},
        {"type": "string", "anyOf": titled},
        {"type": "array", "items": {"anyOf": titled}},
        {"type": "array", "items": {"oneOf": titled}},
        {"type": "array", "items": {"enum": ["s", "p"], "enumNames": ["Staging", "Production"]}},
    ):
        assert field_of(schema).choices == expected


def test_enum_names_that_are_too_few_or_no_texts_leave_the_values_as_labels() -> None:
    field = field_of({"enum": ["a", "b", "c"], "enumNames": ["A", 12]})
    assert [choice.label for choice in field.choices] == ["A", "b", "c"]
    assert [c.label for c in field_of({"enum": ["a"], "enumNames": "x"}).choices] == ["a"]


def test_a_choice_that_nobody_named_is_called_by_its_value_as_a_person_writes_it() -> None:
    field = field_of({"enum": [True, False, 1, 2.5, 2.0, "a"]})
    assert [choice.label for choice in field.choices] == ["yes", "no", "1", "2.5", "2.0", "a"]


def test_choices_of_the_same_label_are_told_apart_by_their_values() -> None:
    field = field_of({"enum": ["s1", "s2", "p"], "enumNames": ["Safe", "Safe", "Other"]})
    assert [choice.label for choice in field.choices] == ["Safe (s1)", "Safe (s2)", "Other"]


def test_a_choice_that_is_there_twice_is_shown_once() -> None:
    field = field_of({"enum": ["a", "b", "a"]})
    assert [choice.value for choice in field.choices] == ["a", "b"]
    assert field.notes == ("1 of its choices is there twice",)
    mixed = field_of({"enum": [1, True, 1.0, "1"]})
    assert [repr(choice.value) for choice in mixed.choices] == ["1", "True", "'1'"]


def test_choices_that_cannot_be_sent_are_left_out_with_a_note() -> None:
    field = field_of({"type": "string", "enum": ["a", 1, None, {"x": 1}]})
    assert [choice.value for choice in field.choices] == ["a"]
    assert field.notes == ("3 of its choices cannot be sent and are left out",)


def test_hostile_labels_are_neutral_and_never_blank() -> None:
    field = field_of({"enum": ["\x1b[2J", " ", "", "a\nb"], "enumNames": [" ", "", "\u202e", None]})
    assert all(choice.label.strip() for choice in field.choices)
    assert all(choice.label.isprintable() for choice in field.choices)
    assert [choice.value for choice in field.choices] == ["\x1b[2J", " ", "", "a\nb"]


def test_more_choices_than_a_person_could_look_through_are_refused() -> None:
    field = field_of({"enum": [str(number) for number in range(5_001)]})
    assert field.kind == "unsupported"
    assert field.why_unsupported == "has more than 5,000 choices"
    assert len(field_of({"enum": [str(number) for number in range(5_000)]}).choices) == 5_000


@pytest.mark.parametrize("default", [False, 0, "", "text", 0.0, [], ["a"]])
def test_defaults_that_count_as_nothing_are_kept_too(default: Any) -> None:
    kinds: dict[type, Any] = {
        bool: {"type": "boolean"},
        int: {"type": "integer"},
        float: {"type": "number"},
        str: {"type": "string"},
        list: {"type": "array", "items": {"enum": ["a"]}},
    }
    form = form_of({"it": {**kinds[type(default)], "default": default}})
    assert form.fields[0].default == default
    conversion = form.convert(form.initial())
    assert conversion.ok
    assert conversion.content == {"it": default}
    assert type(conversion.content["it"]) is type(default)


@pytest.mark.parametrize(
    ("schema", "default"),
    [
        ({"type": "string"}, 5),
        ({"type": "string"}, None),
        ({"type": "integer"}, "5"),
        ({"type": "integer"}, 5.5),
        ({"type": "integer"}, True),
        ({"type": "number"}, float("inf")),
        ({"type": "boolean"}, "false"),
        ({"type": "boolean"}, 0),
        ({"type": "string", "enum": ["a"]}, "b"),
        ({"type": "array", "items": {"enum": ["a"]}}, ["a", "b"]),
        ({"type": "array", "items": {"enum": ["a"]}}, "a"),
        ({"type": "array", "items": {"type": "string"}}, [1]),
        ({"type": "string", "format": "date"}, " 2026-11-21"),
    ],
)
def test_a_default_of_no_use_is_said_and_never_sent(schema: Any, default: Any) -> None:
    form = form_of({"it": {**schema, "default": default}})
    assert form.initial() == {"it": Unset()}
    assert any("default" in note for note in form.fields[0].notes)
    assert form.convert(form.initial()).content == {}


def test_a_default_outside_the_limits_is_filled_in_and_its_problem_shown() -> None:
    form = form_of({"it": {"type": "integer", "minimum": 1, "maximum": 10, "default": 0}})
    assert form.check_field("it", form.initial()["it"]) == "between 1 and 10"
    assert not form.convert(form.initial()).ok


def test_a_null_default_of_an_optional_value_is_no_default() -> None:
    field = field_of({"anyOf": [{"type": "string"}, {"type": "null"}], "default": None})
    assert field.default is MISSING
    assert field.nullable
    assert field.notes == ()


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "number", "not": {"const": 5}},
        {"type": "integer", "maximum": 9, "not": {"const": 5}},
        {"type": "string", "not": {"const": "a"}},
    ],
)
def test_what_binds_a_field_and_is_not_drawn_is_noted(schema: dict[str, Any]) -> None:
    (field,) = read_form({"type": "object", "properties": {"a": schema}}).fields
    assert field.notes == ("also checked when you send: not",)
