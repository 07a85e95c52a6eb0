"""The one judge: fetches nothing, never raises, never freezes, and never lets pass in doubt."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from elicit_tui.form.field import Typed
from elicit_tui.form.limits import MAX_DEPTH, too_large
from elicit_tui.form.schema_reading import read_form
from tests.bounds import bounded
from tests.form.forms import form_of


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("something was fetched")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)


TEXT = {"type": "string"}
UNKNOWN = "the server's schema refers to something that it does not hold"


@pytest.mark.parametrize(
    ("broken", "where"),
    [
        ({"a": {"type": "text"}}, "properties.a.type"),
        ({"a": {"type": "string", "minLength": -1}}, "properties.a.minLength must be at least 0"),
        (
            {"a": {"type": "string", "minLength": "1"}},
            "properties.a.minLength must be of type integer",
        ),
        ({"a": {"type": "number", "multipleOf": 0}}, "properties.a.multipleOf must be more than 0"),
        ({"a": {"type": "string", "pattern": 1}}, "properties.a.pattern must be of type string"),
        ({"a": {"type": "number", "minimum": "1"}}, "properties.a.minimum must be of type number"),
        (
            {"a": {"type": "array", "items": 5}},
            "properties.a.items must be of type object or boolean",
        ),
        ({"a": {"oneOf": []}}, "properties.a.oneOf"),
        ({"a": {"anyOf": {}}}, "properties.a.anyOf must be of type array"),
        (
            {"a": {"oneOf": [{"const": "a", "title": 1}]}},
            "properties.a.oneOf.0.title must be of type string",
        ),
        (
            {"a": {"oneOf": [{"const": "a"}, {"const": "b", "title": 1}]}},
            "properties.a.oneOf.1.title must be of type string",
        ),
        (
            {"a": {"items": {"anyOf": [{"const": "a"}, {"const": "b", "description": 1}]}}},
            "properties.a.items.anyOf.1.description must be of type string",
        ),
        ({"a": 12}, "properties.a must be of type object or boolean"),
    ],
)
def test_what_is_no_schema_says_where_and_is_never_accepted(broken: Any, where: str) -> None:
    form = form_of(broken)
    assert form.schema_problem is not None
    assert where in form.schema_problem
    assert form.judge({})
    assert form.judge({"a": "x"})
    assert not form.convert(form.initial()).ok


def test_a_pattern_that_python_could_not_compile_does_not_make_it_no_schema() -> None:
    form = form_of({"a": {"type": "string", "pattern": r"^(?<x>\p{L})\u{61}$"}})
    assert form.schema_problem is None
    assert form.judge({"a": "éa"}) == ()


@pytest.mark.parametrize(
    "dialect",
    [
        "http://json-schema.org/draft-04/schema#",
        "http://json-schema.org/draft-07/schema#",
        "https://evil.example/schema",
        "",
        "nonsense",
    ],
)
def test_it_is_always_2020_12_whatever_the_schema_claims(dialect: str) -> None:
    exclusive = {"type": "number", "exclusiveMinimum": 3, "$schema": dialect}
    form = form_of(
        {"a": exclusive, "b": {"type": "string", "pattern": "^x"}}, **{"$schema": dialect}
    )
    assert form.schema_problem is None
    assert form.judge({"a": 4, "b": "x"}) == ()
    assert [problem.message for problem in form.judge({"a": 3})] == ["more than 3"]
    assert form.judge({"b": "y"})


def test_a_dialect_hidden_where_a_reference_finds_it_changes_nothing() -> None:
    hidden = {"$schema": "http://json-schema.org/draft-07/schema#", "pattern": "^(a|aa|ab?)+$"}
    form = form_of({"a": {"$ref": "#/x-hidden/0"}, "b": TEXT}, **{"x-hidden": [hidden]})
    with bounded():
        form.judge({"a": "a" * 60 + "!"})


@pytest.mark.parametrize(
    "reference",
    [
        "https://evil.example/schema.json",
        "http://127.0.0.1:1/schema.json",
        "file:///etc/passwd",
        "other.json#/a",
        "#/$defs/missing",
        "#missing",
        "#/properties/a",
        "#",
    ],
)
def test_a_reference_that_leads_nowhere_is_a_no_and_nothing_is_fetched(reference: str) -> None:
    form = form_of({"a": {"$ref": reference}, "b": TEXT})
    assert form.judge({"b": "x"}) == ()
    with bounded():
        if reference != "#":
            assert form.judge({"a": "x"})
        assert form.judge({"a": {"a": {"a": "x"}}})


def test_an_identifier_of_the_schema_fetches_nothing_and_changes_nothing() -> None:
    form = form_of(
        {"a": {"$ref": "#/$defs/t"}},
        **{"$id": "https://evil.example/root.json", "$defs": {"t": {"type": "string"}}},
    )
    assert form.judge({"a": "x"}) == ()
    assert form.judge({"a": 1})


def _laughing(times: int) -> dict[str, Any]:
    definitions: dict[str, Any] = {
        f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(times)
    }
    return {**definitions, f"d{times}": {"type": "object"}}


BOMBS: list[dict[str, Any]] = [
    {"allOf": [{"$ref": "#"}]},
    {"allOf": [{"$ref": "#/$defs/d0"}], "$defs": _laughing(30)},
    {
        "allOf": [{"$ref": "#/$defs/a"}],
        "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
    },
    {"$dynamicRef": "#"},
    {"unevaluatedProperties": False, "allOf": [{"unevaluatedProperties": False}]},
    {"unevaluatedProperties": False, "patternProperties": {"^(a|aa|ab?)+$": {}}},
    {"unevaluatedProperties": False, "$ref": "#/$defs/d0", "$defs": _laughing(30)},
    {"anyOf": [{"not": {}} for _ in range(16_000)]},
    {"allOf": [{} for _ in range(49_000)]},
    {"required": [{"a": number} for number in range(20_000)]},
    {"required": [str(number) for number in range(40_000)]},
    {"enum": [[number] for number in range(20_000)]},
    {"x": "y" * 1_000_001},
    {"x": list(range(50_001))},
    {"dependentSchemas": {"a": {"$ref": "#"}}},
    {"if": {"$ref": "#"}, "then": {}},
    {"not": {"$ref": "#"}},
    {"$id": 5},
    {"dependentSchemas": {"a": {"$ref": "#"}}, "x": 1},
    {"$ref": 5},
    {"$schema": {"a": 1}},
    {"$anchor": "a", "$ref": "#a"},
    {"minProperties": 1e400},
    {"maxProperties": float("nan")},
]


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_hostile_schema_is_a_no_in_a_moment(bomb: dict[str, Any]) -> None:
    with bounded():
        form = form_of({"a": TEXT, "b": {"type": "number"}}, **bomb)
        assert form.judge({"a": "a" * 1000 + "!", "b": 1.5})
        assert not form.convert(form.initial()).ok or "dependentSchemas" in bomb


def _nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"not": schema}
    return schema


def test_a_schema_may_be_deep_but_not_endless() -> None:
    assert form_of({"a": _nested(30)}).refusal is None
    refusal = form_of({"a": _nested(100_000)}).refusal
    assert refusal == "the form is too large: its schema is nested more than 40 levels deep"
    deepest: list[Any] = []
    for _ in range(MAX_DEPTH - 1):
        deepest = [deepest]
    assert too_large(deepest) is None
    assert too_large([deepest]) is not None


def test_names_without_end_are_refused_like_texts_without_end() -> None:
    refusal = form_of({"a" * 1_000_001: TEXT}).refusal
    assert refusal == "the form is too large: its schema has more than 1,000,000 characters"


def test_more_fields_than_a_person_would_fill_in_are_refused() -> None:
    assert form_of({f"p{number}": TEXT for number in range(300)}).refusal is None
    refusal = form_of({f"p{number}": TEXT for number in range(301)}).refusal
    assert refusal == "the form is too large: it has 301 fields; no form has more than 300"
    assert read_form({"properties": {str(n): TEXT for n in range(400)}}, "arguments").beyond


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "number", "multipleOf": 1e-320}, 1e308),
        ({"type": "number", "multipleOf": 0.1}, 10**4000 - 1),
        ({"type": "number", "minimum": 10**400}, 1.5),
        ({"type": "number", "maximum": 1e308}, 10**3999),
        ({"type": "integer", "multipleOf": 10**400}, 7),
        ({"enum": [10**400]}, 1e308),
    ],
)
def test_numbers_of_any_size_are_compared_exactly_and_never_break_it(
    schema: Any, value: Any
) -> None:
    assert [problem.field for problem in form_of({"a": schema}).judge({"a": value})] in ([], ["a"])


@pytest.mark.parametrize(
    "content",
    [
        None,
        [],
        "x",
        {"a": None},
        {"a": {"b": 1}},
        {"a": [1]},
        {"a": [["x"]]},
        {"a": float("nan")},
        {"a": float("inf")},
        {"a": 10**5000},
        {"a": -(10**5000)},
        {"a": "\ud800"},
        {"\ud800": "a"},
        {1: "a"},
        {"b": "a", 1: "a"},
        {"a": b"bytes"},
        {"a": object()},
    ],
)
def test_what_cannot_be_sent_is_refused_although_the_schema_allows_it(content: Any) -> None:
    form = form_of({"a": {"title": "anything"}, "b": TEXT})
    assert form.judge(content)
    assert all(problem.message.isprintable() for problem in form.judge(content))


def test_true_is_not_one_and_one_is_one_point_zero() -> None:
    form = form_of({"a": {"enum": [1]}, "b": {"const": False}, "c": {"type": "integer"}})
    assert form.judge({"a": 1.0}) == ()
    assert form.judge({"a": True})
    assert form.judge({"b": 0})
    assert form.judge({"c": 5.0}) == ()
    assert form.judge({"c": True})
    unique = form_of({"a": {"type": "array", "items": TEXT, "uniqueItems": True}})
    assert unique.judge({"a": ["1", "1.0"]}) == ()
    assert unique.judge({"a": ["x", "x"]})


def test_a_constant_that_stands_twice_in_one_of_cannot_be_chosen() -> None:
    twice = [{"const": "a", "title": "A"}, {"const": "a", "title": "B"}, {"const": "b"}]
    form = form_of({"one": {"type": "string", "oneOf": twice}, "any": {"anyOf": twice}})
    assert [problem.field for problem in form.judge({"one": "a"})] == ["one"]
    assert form.judge({"one": "b", "any": "a"}) == ()


def test_errors_of_undeclared_names_belong_to_the_form() -> None:
    form = form_of({"a": TEXT}, additionalProperties=False)
    problems = form.judge({"a": "x", "extra": 1})
    assert [(one.field, one.message) for one in problems] == [
        (None, "“extra”: nothing that the form does not ask for")
    ]


@pytest.mark.parametrize(
    ("schema", "value", "message"),
    [
        ({"type": "string"}, 1, "a text"),
        ({"type": "integer"}, "1", "a whole number"),
        ({"type": "integer"}, 1.5, "a whole number"),
        ({"type": "number"}, "1", "a number"),
        ({"type": "boolean"}, "true", "yes or no"),
        ({"type": "array", "items": {"enum": ["a"]}}, "a", "a list"),
        ({"type": ["string", "null"]}, 1, "a text or nothing"),
        ({"type": "boolean", "enum": [True]}, False, "it must be yes"),
        ({"type": "boolean", "const": False}, True, "it must be no"),
        ({"enum": ["a", "b"]}, "c", "choose one of: a, b"),
        (
            {"oneOf": [{"const": "a", "title": "A"}, {"const": "b", "title": "B"}]},
            "c",
            "choose one of: a (A), b (B)",
        ),
        ({"type": "array", "items": {"enum": ["a"]}}, ["z"], "choose one of: a"),
        (
            {"enum": ["a", "b"], "not": {"const": "a"}},
            "a",
            "it does not satisfy “not” of the server's schema",
        ),
        (
            {"type": "string", "anyOf": [{"minLength": 5}, {"pattern": "^x"}]},
            "a",
            "it does not satisfy “anyOf” of the server's schema",
        ),
        ({"type": "string", "allOf": [{"const": "a"}, {"minLength": 1}]}, "b", "it must be a"),
        (
            {"type": "string", "allOf": [{"enum": ["a"]}, {"minLength": 1}]},
            "b",
            "one of the listed values",
        ),
        ({"$ref": "#/$defs/gone"}, "x", UNKNOWN),
        ({"$ref": "#/properties/a"}, "x", "checking it by the server's schema takes too long"),
        (
            {"type": "string", "not": {"const": "x"}},
            "x",
            "it does not satisfy “not” of the server's schema",
        ),
    ],
)
def test_the_verdict_is_worded_for_a_person(schema: Any, value: Any, message: str) -> None:
    assert [problem.message for problem in form_of({"a": schema}).judge({"a": value})] == [message]


def test_ten_thousand_answers_to_five_thousand_choices_are_judged_in_a_moment() -> None:
    titled = [{"const": str(number), "title": f"t{number}"} for number in range(5_000)]
    form = form_of(
        {
            "many": {"type": "array", "items": {"anyOf": titled}, "uniqueItems": True},
            "more": {"type": "array", "items": {"enum": [str(n) for n in range(5_000)]}},
        }
    )
    chosen = [str(number) for number in range(5_000)]
    with bounded():
        assert form.judge({"many": chosen, "more": chosen}) == ()
        assert form.convert(form.entries_for({"many": chosen, "more": chosen})).ok


def test_branches_that_are_no_choices_are_judged_as_they_are() -> None:
    branches = [{"pattern": "^a"}, {"pattern": "b$"}]
    form = form_of({"any": {**TEXT, "anyOf": branches}, "one": {**TEXT, "oneOf": branches}})
    assert [field.kind for field in form.fields] == ["string", "string"]
    assert form.judge({"any": "a..b", "one": "a"}) == ()
    assert [problem.field for problem in form.judge({"any": "x", "one": "a..b"})] == ["any", "one"]


def test_an_answer_has_no_field_that_was_not_asked_for_whatever_the_schema_allows() -> None:
    for more in ({}, {"additionalProperties": True}, {"patternProperties": {"^b": {}}}):
        form = form_of({"a": TEXT}, **more)
        assert form.judge({"a": "x"}) == ()
        (problem,) = form.judge({"a": "x", "b": 1})
        assert problem.message == "“b”: nothing that the form does not ask for"
        assert read_form(form.schema, "arguments").judge({"a": "x", "b": 1}) == ()


def test_names_beyond_the_declared_ones_are_judged_by_their_own_schema() -> None:
    form = form_of({"a": TEXT}, additionalProperties={"type": "integer"})
    assert read_form(form.schema, "arguments").judge({"a": "x", "b": 1}) == ()
    assert [problem.message for problem in form.judge({"b": "x"})] == ["“b”: a whole number"]
    odd = {"type": "string", "patternProperties": {"a": False}, "additionalProperties": False}
    assert form_of({"a": {**odd, "uniqueItems": True, "multipleOf": 2}}).judge({"a": "x"}) == ()
    repeated = {"type": "array", "items": TEXT, "uniqueItems": False}
    assert form_of({"a": repeated}).judge({"a": ["x", "x"]}) == ()


def test_arguments_beyond_the_declared_ones_are_refused_where_the_schema_says_so() -> None:
    schema = {"type": "object", "properties": {"a": TEXT}, "additionalProperties": False}
    problems = read_form(schema, "arguments").judge({"a": "x", "extra": 1})
    assert [(one.field, one.message) for one in problems] == [
        (None, "“extra”: nothing that the form does not ask for")
    ]


def test_arguments_are_looked_through_to_their_depth_for_what_cannot_be_written() -> None:
    form = read_form({"type": "object", "properties": {"a": {"type": "object"}}}, "arguments")
    assert form.judge({"a": {"b": [{"c": "x"}]}}) == ()
    for unwritable in ("half \ud800", float("nan")):
        assert form.judge({"a": {"b": [{"c": unwritable}]}})


def test_an_interrupt_is_not_taken_for_a_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    form = form_of({"a": TEXT})
    assert form.judge({"a": "x"}) == ()

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(form.judge_of_schema, "_whole", interrupted)
    with pytest.raises(KeyboardInterrupt):
        form.judge({"a": "x"})


@pytest.mark.parametrize(
    ("name", "base"), [("PanicException", BaseException), ("TooMuchWork", Exception)]
)
def test_a_panic_or_what_is_only_called_like_a_trouble_of_the_judge_is_a_no(
    name: str, base: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    def panicking(*_: object) -> None:
        raise type(name, (base,), {})

    form = form_of({"a": TEXT})
    monkeypatch.setattr(form.judge_of_schema, "_whole", panicking)
    assert [problem.message for problem in form.judge({"a": "x"})] == [
        "it could not be checked by the server's schema"
    ]


def test_an_unknown_or_unanswerable_field_has_nothing_to_check() -> None:
    form = form_of({"a": {"type": "object"}})
    assert form.check_field("a", Typed("x")) is None
    assert form.check_field("ghost", Typed("x")) is None
