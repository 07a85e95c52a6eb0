"""A result is held against its outputSchema as the judge would, whether it is asked or not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from elicit_tui.form.form import problem_in
from elicit_tui.host.output_schema import output_problem

NAMES = st.sampled_from(("a", "b", "c"))
TYPES = ("array", "boolean", "integer", "null", "number", "object", "string", "nothing")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | NAMES,
    lambda part: st.lists(part, max_size=3) | st.dictionaries(NAMES, part, max_size=3),
)
ODDITIES = st.fixed_dictionaries(
    {},
    optional={
        "title": st.just("Title") | st.none(),
        "default": VALUES,
        "x-of-somebody": VALUES,
        "$schema": st.just("http://json-schema.org/draft-07/schema#"),
        "minLength": st.just(2),
        "const": VALUES,
    },
)


def schemas(parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    plain = st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(TYPES) | st.just(["string", "null"]),
            "properties": st.dictionaries(NAMES, parts, max_size=3),
            "required": st.lists(NAMES, max_size=2) | st.just("a"),
            "items": parts,
            "additionalProperties": st.booleans() | parts,
        },
    )
    return st.tuples(plain, ODDITIES).map(lambda both: {**both[0], **both[1]})


SCHEMAS = st.recursive(schemas(st.just({})), schemas, max_leaves=6)


@given(VALUES, SCHEMAS)
@example({"result": "decline"}, {"type": "object", "required": ["result"]})
@example({"a": True}, {"properties": {"a": {"type": "integer"}}})
@example({"a": 1.0}, {"properties": {"a": {"type": "integer"}}})
@example({"a": 1}, {"properties": {}, "additionalProperties": False})
@example({}, {"properties": {"a": {"type": "nothing"}}})
@example([1, "a"], {"items": {"type": "integer"}})
@example({"a": 1}, {"required": ["a", "a"]})
@example({"a": 1}, {"required": ["a", 1]})
@example({"a": 1}, {"required": "a"})
@example({"a": 1}, {"properties": ["a"]})
@example({"a": 1}, {"properties": {"a": {"const": 2}}})
@example([1], {"items": [{"type": "string"}]})
@example({"a": 1}, {"title": 5})
@example({"a": 1}, {"type": ["object", 5]})
@example({"b": 1}, {"additionalProperties": {"type": "string"}})
@example(True, {"type": "number"})
@example(1, {"type": "number"})
def test_what_is_told_of_a_result_is_what_the_judge_says(value: Any, schema: Any) -> None:
    told = output_problem({"structuredContent": value}, schema)
    judged = problem_in(value, schema)
    assert (told is None) is (judged is None)
    assert judged is None or judged.message in str(told)


def test_a_plain_schema_that_is_kept_needs_no_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    def judge(value: Any, schema: Any) -> None:
        raise AssertionError("the judge was asked")

    monkeypatch.setattr("elicit_tui.host.output_schema.problem_in", judge)
    schema = {
        "type": "object",
        "properties": {"result": {"type": "array", "items": {"type": "string", "title": "Line"}}},
        "required": ["result"],
        "x-of-somebody": True,
    }
    assert output_problem({"structuredContent": {"result": ["a", "b"]}}, schema) is None
    with pytest.raises(AssertionError, match="was asked"):
        output_problem({"structuredContent": {"result": [1]}}, schema)
