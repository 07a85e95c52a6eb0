"""Raw input to content: unset is not empty, and what is sent is what was meant."""

from __future__ import annotations

from typing import Any

import pytest

from elicit_tui.form.conversion import entry_for
from elicit_tui.form.field import Chosen, ChosenMany, EmptyOnPurpose, Ticked, Typed, Unset, is_unset
from elicit_tui.form.schema_reading import read_form
from tests.form.forms import field_of, form_of, sent, wrong

TEXT = {"type": "string"}
INTEGER = {"type": "integer"}
NUMBER = {"type": "number"}
BOOLEAN = {"type": "boolean"}
SINGLE = {"type": "string", "enum": ["a", "b"]}
MULTI = {"type": "array", "items": {"type": "string", "enum": ["a", "b", "c"]}}
LINES = {"type": "array", "items": {"type": "string"}}


@pytest.mark.parametrize("schema", [TEXT, INTEGER, NUMBER, BOOLEAN, SINGLE, MULTI, LINES])
@pytest.mark.parametrize("entry", [Unset(), Typed(""), Chosen(None), ChosenMany(())])
def test_an_optional_field_that_was_never_touched_is_left_out(schema: Any, entry: Any) -> None:
    assert is_unset(entry)
    assert sent(schema, entry) == {}


def test_a_field_that_is_not_among_the_entries_is_left_out() -> None:
    assert form_of({"a": TEXT, "b": BOOLEAN}).convert({}).content == {}


@pytest.mark.parametrize("schema", [TEXT, INTEGER, NUMBER, BOOLEAN, SINGLE, MULTI, LINES])
def test_a_required_field_that_was_never_touched_needs_an_answer(schema: Any) -> None:
    form = form_of({"it": schema}, "it")
    assert form.check_field("it", Unset()) == "needs an answer"
    problems = form.convert(form.initial()).problems
    assert [(one.field, one.message) for one in problems] == [("it", "needs an answer")]


def test_a_required_boolean_may_be_false() -> None:
    form = form_of({"it": BOOLEAN}, "it")
    conversion = form.convert({"it": Ticked(False)})
    assert conversion.ok
    assert conversion.content == {"it": False}


def test_a_default_that_was_cleared_is_not_sent() -> None:
    form = form_of({"it": {"type": "string", "default": "x"}})
    assert form.convert({**form.initial(), "it": Unset()}).content == {}
    assert form.convert(form.initial()).content == {"it": "x"}


def test_an_empty_text_is_sent_only_on_purpose() -> None:
    assert sent(TEXT, EmptyOnPurpose()) == {"it": ""}
    form = form_of({"it": TEXT}, "it")
    assert form.convert({"it": EmptyOnPurpose()}).content == {"it": ""}
    assert wrong({"type": "string", "minLength": 1}, EmptyOnPurpose()) == (
        "at least 1 character, now 0"
    )


def test_an_empty_list_is_sent_only_on_purpose() -> None:
    assert sent(MULTI, EmptyOnPurpose()) == {"it": []}
    assert sent(LINES, EmptyOnPurpose()) == {"it": []}
    assert wrong({**MULTI, "minItems": 1, "maxItems": 2}, EmptyOnPurpose()) == (
        "choose 1 to 2, now 0"
    )


@pytest.mark.parametrize("schema", [INTEGER, NUMBER, BOOLEAN, SINGLE])
def test_what_has_no_empty_value_cannot_be_empty_on_purpose(schema: Any) -> None:
    assert wrong(schema, EmptyOnPurpose()).endswith("it cannot be empty on purpose")


@pytest.mark.parametrize(
    ("schema", "entry", "wanted"),
    [
        (TEXT, Ticked(True), "a text"),
        (TEXT, Chosen("a"), "a text"),
        (INTEGER, Chosen(1), "a whole number, such as 12"),
        ({"type": "number"}, Chosen(1), "a number, such as 12 or 0.5"),
        (BOOLEAN, Typed("yes"), "choose yes or no"),
        (SINGLE, Typed("a"), "choose one of the listed"),
        (SINGLE, Chosen("z"), "choose one of the listed"),
        (SINGLE, ChosenMany(("a",)), "choose one of the listed"),
        (MULTI, Chosen("a"), "choose among the listed"),
        (MULTI, ChosenMany(("a", "z")), "choose among the listed"),
        (LINES, ChosenMany(("a",)), "one text on each line"),
    ],
)
def test_input_of_another_kind_is_a_problem_and_never_guessed(
    schema: Any, entry: Any, wanted: str
) -> None:
    assert wrong(schema, entry) == wanted
    assert form_of({"it": schema}).convert({"it": entry}).content == {}


def test_text_is_sent_exactly_as_typed() -> None:
    for text in ("  a ", "a\nb", "\t", "👩‍👩‍👧", "'\"\\", "null", "12"):
        assert sent(TEXT, Typed(text)) == {"it": text}


def test_blanks_around_formatted_text_and_numbers_do_not_count() -> None:
    assert sent({"type": "string", "format": "email"}, Typed(" a@b.c ")) == {"it": "a@b.c"}
    assert sent({"type": "string", "format": "date"}, Typed("2026-11-21 ")) == {"it": "2026-11-21"}
    assert sent({"type": "string", "format": "date"}, Typed("  ")) == {}
    assert sent(INTEGER, Typed(" 7 ")) == {"it": 7}
    assert sent(INTEGER, Typed("  ")) == {}


def test_lengths_are_counted_in_code_points() -> None:
    short = {"type": "string", "minLength": 3, "maxLength": 3}
    assert sent(short, Typed("a👍é")) == {"it": "a👍é"}
    assert sent(short, Typed("👩‍👧")) == {"it": "👩‍👧"}
    assert wrong(short, Typed("👍👍")) == "at least 3 characters, now 2"
    assert wrong(short, Typed("e\u0301ee")) == "at most 3 characters, now 4"


def test_choices_are_sent_as_their_values() -> None:
    titled = {"oneOf": [{"const": "s", "title": "Staging"}, {"const": "p", "title": "Prod"}]}
    assert sent({"type": "string", **titled}, Chosen("p")) == {"it": "p"}
    assert sent({"type": "integer", "enum": [1, 2]}, Chosen(2.0)) == {"it": 2}
    assert sent({"enum": [0, False, ""]}, Chosen(False)) == {"it": False}
    assert sent({"enum": [0, False, ""]}, Chosen(0)) == {"it": 0}
    assert sent({"enum": [0, False, ""]}, Chosen("")) == {"it": ""}
    assert sent(MULTI, ChosenMany(("c", "a"))) == {"it": ["c", "a"]}


def test_how_many_were_chosen_is_said() -> None:
    schema = {**MULTI, "minItems": 1, "maxItems": 2}
    assert wrong(schema, ChosenMany(("a", "b", "c"))) == "choose 1 to 2, now 3"
    assert wrong({**MULTI, "minItems": 2, "maxItems": 2}, ChosenMany(("a",))) == (
        "choose exactly 2, now 1"
    )
    assert wrong({**MULTI, "uniqueItems": True}, ChosenMany(("a", "a"))) == "each only once"


def test_each_line_is_one_text_of_a_list() -> None:
    assert sent(LINES, Typed("a\nb c\n")) == {"it": ["a", "b c"]}
    assert sent(LINES, Typed("a\n\nb")) == {"it": ["a", "", "b"]}
    assert wrong({**LINES, "maxItems": 1}, Typed("a\nb")) == "at most 1 line, now 2"
    short = {"type": "array", "items": {"type": "string", "maxLength": 1}}
    assert wrong(short, Typed("a\nbb")) == "line 2: at most 1 character, now 2"
    for items in (["a"], [""], ["", "a"], ["a", ""], ["", ""], []):
        assert sent(LINES, entry_for(field_of(LINES), items)) == {"it": items}


def test_all_problems_come_in_the_order_of_the_fields() -> None:
    form = form_of({"c": INTEGER, "a": TEXT, "b": {"type": "string", "minLength": 2}}, "a", "c")
    conversion = form.convert({"c": Typed("x"), "b": Typed("y")})
    assert [problem.field for problem in conversion.problems] == ["c", "a", "b"]
    assert conversion.content == {"b": "y"}


def test_what_was_typed_amiss_into_a_required_field_is_told_as_such_and_not_as_missing() -> None:
    form = form_of({"it": INTEGER}, "it")
    (problem,) = form.convert({"it": Typed("many")}).problems
    assert problem.message == form.check_field("it", Typed("many"))
    assert problem.message == "a whole number, such as 12"


def test_content_comes_back_as_the_input_that_made_it() -> None:
    form = form_of({"t": TEXT, "i": INTEGER, "n": NUMBER, "b": BOOLEAN, "s": SINGLE, "m": MULTI})
    content = {"t": "x", "i": 10**30, "n": 5.0, "b": False, "s": "b", "m": ["a", "c"]}
    entries = form.entries_for({**content, "not declared": 1})
    assert entries["n"] == Typed("5.0")
    assert entries["i"] == Typed("1" + "0" * 30)
    assert entries["m"] == ChosenMany(("a", "c"))
    assert form.convert(entries).content == content
    assert form.entries_for({}) == {name: Unset() for name in content}
    assert form.entries_for(dict.fromkeys(content)) == form.entries_for({})


@pytest.mark.parametrize("schema", [INTEGER, NUMBER, BOOLEAN])
def test_content_of_another_kind_comes_back_as_it_was_written_and_is_refused(schema: Any) -> None:
    entry = entry_for(field_of(schema), "many")
    assert entry == Typed("many")
    assert not form_of({"it": schema}).convert({"it": entry}).ok


def test_prototype_names_are_names_like_any_other() -> None:
    names = ["__proto__", "constructor", "toString", "hasOwnProperty", "__class__", "$schema"]
    form = form_of(dict.fromkeys(names, TEXT), *names)
    entries = {name: Typed(name) for name in names}
    assert form.convert(entries).ok
    assert form.convert(entries).content == {name: name for name in names}


def test_what_binds_fields_together_is_found_when_sending() -> None:
    form = form_of({"a": TEXT, "b": TEXT}, dependentRequired={"a": ["b", "gone"]})
    assert form.convert({"b": Typed("1")}).ok
    problems = form.convert({"a": Typed("1")}).problems
    assert [(one.field, one.message) for one in problems] == [
        ("b", "needs an answer"),
        (None, "needs an answer"),
    ]


def test_what_is_there_already_or_is_not_bound_needs_no_other_answer() -> None:
    bound = {"a": ["b", "c"], "d": ["b"], "e": ["f"]}
    form = form_of(dict.fromkeys("abcdef", TEXT), dependentRequired=bound)
    problems = form.convert({"a": Typed("1"), "b": Typed("1")}).problems
    assert [(one.field, one.message) for one in problems] == [("c", "needs an answer")]


def test_only_what_is_missing_needs_an_answer() -> None:
    form = form_of({"a": TEXT, "b": TEXT}, "a", "b")
    assert [one.field for one in form.judge({"a": "x"})] == ["b"]


def test_a_tool_without_arguments_has_an_empty_form() -> None:
    form = read_form({"type": "object"}, purpose="arguments")
    assert form.is_confirmation
    assert form.beyond is None
    assert form.judge({}) == ()
    one = {"type": "object", "properties": {"a": TEXT}, "additionalProperties": True}
    assert read_form(one, purpose="arguments").beyond is None


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"a": {"type": "object"}}},
        {"type": "object", "properties": {"a": {"type": "object"}}, "required": ["a"]},
        {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "number"}}}},
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"type": "object", "patternProperties": {"^x-": {"type": "string"}}},
        {"type": "object", "properties": {}, "required": ["a"]},
        {"$ref": "#/$defs/a", "$defs": {"a": {"type": "object"}}, "type": "array"},
    ],
)
def test_arguments_beyond_the_subset_ask_for_a_json_editor(schema: Any) -> None:
    form = read_form(schema, purpose="arguments")
    assert form.beyond
    assert form.refusal is None
    assert not form.is_confirmation


def test_arguments_beyond_the_subset_are_judged_by_the_whole_schema() -> None:
    tree = {
        "type": "object",
        "properties": {"tree": {"$ref": "#/$defs/node"}},
        "required": ["tree"],
        "$defs": {
            "node": {
                "type": "object",
                "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
                "required": ["children"],
            }
        },
    }
    form = read_form(tree, purpose="arguments")
    assert form.beyond
    assert form.judge({"tree": {"children": [{"children": []}]}}) == ()
    assert form.judge({"tree": {"children": [{}]}})
    assert form.judge({})
