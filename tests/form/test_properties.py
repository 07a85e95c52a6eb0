"""What must hold for every schema and every answer, tried on many random ones."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from elicit_tui.form.conversion import entry_for
from elicit_tui.form.field import Chosen, ChosenMany, EmptyOnPurpose, Ticked, Typed, Unset
from elicit_tui.form.form import Form
from elicit_tui.form.plain_text import entry_from_text
from elicit_tui.form.schema_reading import read_form
from tests.bounds import bounded
from tests.form.schemas import JSON, NUMBERS, STEADY, TEXT, answers, contents, schema_like, schemas


def _independently_valid(schema: dict[str, Any], content: Any) -> bool:
    return Draft202012Validator(schema).is_valid(content)


@st.composite
def _schema_and_content(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    schema = draw(schemas())
    return schema, draw(contents(schema))


@st.composite
def _schema_and_entries(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    schema = draw(schemas())
    entries: dict[str, Any] = {}
    for field in read_form(schema).fields:
        likely = answers(schema["properties"][field.name]).map(partial(entry_for, field))
        values = [choice.value for choice in field.choices] or ["none"]
        anything = st.one_of(
            st.just(Unset()),
            st.just(EmptyOnPurpose()),
            TEXT.map(Typed),
            NUMBERS.map(lambda number: Typed(json.dumps(number))),
            st.booleans().map(Ticked),
            st.sampled_from(values).map(Chosen),
            st.lists(st.sampled_from(values), max_size=4).map(lambda one: ChosenMany(tuple(one))),
        )
        entries[field.name] = draw(st.one_of(likely, likely, anything))
    return schema, entries


@STEADY
@given(_schema_and_entries())
def test_every_content_that_the_form_lets_through_satisfies_the_original_schema(
    case: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    schema, entries = case
    form = read_form(schema)
    conversion = form.convert(entries)
    assert set(conversion.content) <= set(schema["properties"])
    if conversion.ok:
        assert _independently_valid(schema, conversion.content)
        assert _independently_valid(schema, json.loads(json.dumps(conversion.content)))
        for field in form.fields:
            assert form.check_field(field.name, entries[field.name]) is None


@STEADY
@given(_schema_and_content())
def test_every_content_that_satisfies_the_schema_can_be_entered_and_sent(
    case: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    schema, content = case
    form = read_form(schema)
    if not _independently_valid(schema, content):
        assert form.judge(content)
        return
    assert form.refusal is None
    conversion = form.convert(form.entries_for(content))
    assert conversion.problems == ()
    assert conversion.content == content
    assert [type(value) is bool for value in conversion.content.values()] == [
        type(value) is bool for value in content.values()
    ]


@STEADY
@given(_schema_and_content())
def test_a_default_that_satisfies_the_schema_is_filled_in_and_sent(
    case: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    schema, content = case
    properties = {
        name: {**part, "default": content[name]} if name in content else part
        for name, part in schema["properties"].items()
    }
    form = read_form({**schema, "properties": properties})
    conversion = form.convert(form.initial())
    if _independently_valid(schema, content):
        assert conversion.problems == ()
        assert conversion.content == content


def _comes_to_an_end(form: Form, content: Any) -> None:
    """Everything a caller may ask of a form of unknown origin."""
    conversion = form.convert(form.initial())
    assert isinstance(conversion.ok, bool)
    assert form.schema_problem is None or form.judge({})
    assert isinstance(form.unenforced, tuple)
    for field in form.fields:
        form.notes_for(field.name)
        for text in ("", "a", "1", "yes"):
            entry_from_text(field, text)
            form.check_field(field.name, Typed(text))
        assert field.title.isprintable()
    form.judge({"a": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", "b": [1, {"a": None}]})
    form.judge(content)
    form.judge({"a": content, "b": content})


@settings(STEADY, max_examples=200)
@given(st.one_of(JSON, schema_like()), JSON)
def test_any_json_as_schema_becomes_a_form_or_a_refusal(schema: Any, content: Any) -> None:
    with bounded():
        for form in (read_form(schema), read_form(schema, purpose="arguments")):
            _comes_to_an_end(form, content)


@settings(STEADY, max_examples=200)
@given(st.dictionaries(st.sampled_from("ab"), schema_like()), schema_like(), schema_like())
def test_any_json_as_properties_becomes_fields_or_a_refusal(
    properties: dict[str, Any], definition: Any, more: Any
) -> None:
    schema = {"type": "object", "properties": properties, "$defs": {"a": definition}}
    if isinstance(more, dict):
        schema = {**more, **schema}
    form = read_form(schema)
    assert form.refusal is not None or len(form.fields) == len(properties)
    _comes_to_an_end(form, more)
    _comes_to_an_end(read_form(schema, purpose="arguments"), more)
