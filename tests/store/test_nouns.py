"""What is kept of a question is that question, to the last digit."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elicit_tui.elicitation import Call, Outcome, Question, accept
from elicit_tui.elicitation.question import Draft
from elicit_tui.errors import StoreError
from elicit_tui.form.field import Chosen, ChosenMany, EmptyOnPurpose, Ticked, Typed, Unset
from elicit_tui.store.calls import KeptCall
from elicit_tui.store.nouns import noun_of, read, written
from tests.store.world import WARNING, question

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


def spelled(value: Any) -> str:
    return json.dumps(value)


OBJECTS = st.dictionaries(st.text(), JSON, max_size=4)


@settings(max_examples=40)
@given(params=JSON, arguments=OBJECTS, draft=OBJECTS)
def test_any_question_comes_back_as_it_was(
    params: Any, arguments: dict[str, Any], draft: dict[str, Any]
) -> None:
    asked = question()
    call = Call("tools/call", "deploy", arguments)
    request = replace(asked.request, params=params, calls=(call,))
    asked = replace(asked, request=request, note="n", attempt=3, outgoing=(WARNING,))
    back = read(Question, written(asked))
    assert back == asked
    assert spelled(back.request.params) == spelled(params)
    assert spelled(back.request.calls[0].arguments) == spelled(arguments)
    kept = Draft({name: Chosen(value) for name, value in draft.items()}, frozenset(draft), True)
    assert read(Draft, written(kept)) == kept


@pytest.mark.parametrize(
    "value", ["5", "5.0", "5e2", "-0.0", "1" * 4000, "1e400", '"\\ud800"', "9007199254740993"]
)
def test_a_value_keeps_its_text(value: str) -> None:
    asked = question(params={"message": json.loads(value)})
    assert repr(read(Question, written(asked)).request.params) == repr(asked.request.params)


def test_each_kind_of_entry_comes_back() -> None:
    entries = {
        "unset": Unset(),
        "typed": Typed("5.0"),
        "empty": EmptyOnPurpose(),
        "ticked": Ticked(False),
        "chosen": Chosen("a"),
        "many": ChosenMany(("a", "b")),
    }
    draft = Draft(entries, frozenset({"typed"}))
    assert read(Draft, written(draft)) == draft


def test_an_outcome_comes_back_with_what_was_acknowledged() -> None:
    outcome = accept(
        "user", "Sent.", {"n": 5.0}, acknowledged=frozenset({"b", "a"}), via="inbox", scope=None
    )
    assert read(Outcome, written(outcome)) == outcome


@pytest.mark.parametrize("value", [object(), b"bytes", {1: "no text"}, {"deep": {1, 2}}])
def test_what_is_no_json_is_not_kept(value: Any) -> None:
    with pytest.raises(StoreError, match="cannot be kept"):
        written(question(params=value))


def test_a_number_too_long_to_write_is_not_kept() -> None:
    with pytest.raises(StoreError, match="cannot be kept"):
        written(question(params={"n": 10**5000}))


@pytest.mark.parametrize(
    "text", [b"[]", b"{}", b"nonsense", b'{"request": 5}', b'{"request": null, "more": 1}']
)
def test_what_another_version_wrote_is_said(text: bytes) -> None:
    with pytest.raises(StoreError, match="another version"):
        read(Question, text)


@pytest.mark.parametrize("named", ["Spoken", "Choice", "str", "", 5, None, ["Typed"]])
def test_an_entry_of_a_kind_that_is_not_known_was_written_by_another_version(named: Any) -> None:
    entry = {"is": named, "text": "x"}
    kept = json.dumps({"entries": {"a": entry}, "touched": ["a"]}).encode()
    with pytest.raises(StoreError, match="another version"):
        read(Draft, kept)


@pytest.mark.parametrize(
    ("name", "value", "fits"),
    [
        ("begun_at", 5, True),
        ("begun_at", 5.5, True),
        ("begun_at", True, False),
        ("begun_at", "5", False),
        ("size", 5, True),
        ("size", True, False),
        ("size", 5.0, False),
        ("has_id", True, True),
        ("has_id", 1, False),
        ("state", "called", True),
        ("state", "frobnicated", False),
        ("ended_at", None, True),
        ("begun_at", None, False),
        ("process", 5, False),
        ("paused", b"sealed", True),
        ("paused", "text", False),
        ("unknown", 5, False),
    ],
)
def test_each_part_of_a_noun_is_of_its_type(name: str, value: Any, fits: bool) -> None:
    whole = {"owner": "o", "id": "a", "key": "k", "process": "p", "begun_at": 1.0, "key_id": "s"}
    assert noun_of(KeptCall, whole).begun_at == 1.0
    if fits:
        assert getattr(noun_of(KeptCall, {**whole, name: value}), name) == value
        return
    with pytest.raises(StoreError, match="another version"):
        noun_of(KeptCall, {**whole, name: value})


def test_what_is_nested_too_deep_to_be_written_is_refused_in_a_sentence() -> None:
    deep: Any = []
    for _ in range(20_000):
        deep = [deep]
    with pytest.raises(StoreError, match="cannot be kept"):
        written(deep)
