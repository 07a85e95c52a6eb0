"""Digests: one for each JSON value, whatever it holds. Shown, a value costs what a screen holds."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elicit_tui.text import data, hostile_json, readable_json
from elicit_tui.text.hostile_json import SHOWN_CHARACTERS, bounded_json, digest
from tests.text.alphabet import any_text


def test_the_order_of_keys_makes_no_difference() -> None:
    one = {"type": "object", "properties": {"a": {"type": "string", "title": "\ud800"}}}
    same = {"properties": {"a": {"title": "\ud800", "type": "string"}}, "type": "object"}
    assert digest(one) == digest(same)
    assert len(digest(one)) == 64


def test_any_other_difference_does() -> None:
    assert len({digest(value) for value in ({"a": 1}, {"a": "1"}, {"a": [1]}, None, {}, [])}) == 6


def test_what_json_cannot_spell_has_a_digest_too() -> None:
    deep: Any = "bottom"
    for _ in range(5_000):
        deep = [deep]
    assert len({digest(deep), digest({1: {2}}), digest(10**5_000)}) == 3


JSON_VALUES = st.recursive(
    st.integers() | any_text | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(any_text, inner, max_size=4),
    max_leaves=9,
)


@given(JSON_VALUES, st.integers(1, 5))
def test_a_value_that_is_spelled_part_by_part_has_the_digest_of_the_whole(
    value: Any, parts: int
) -> None:
    whole = json.dumps(value, sort_keys=True, separators=(",", ":"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hostile_json, "_AT_ONCE", parts)
        patch.setattr(hostile_json, "_ENTRIES", 2)
        assert digest(value) == hashlib.sha256(whole.encode()).hexdigest()


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """All JSON that is written, before anything of it is escaped."""
    texts: list[str] = []
    dumps = json.dumps

    def write(*given: Any, **how: Any) -> str:
        texts.append(dumps(*given, **how))
        return texts[-1]

    monkeypatch.setattr(data.json, "dumps", write)
    return texts


@pytest.mark.parametrize(
    "value",
    [
        {"a": ["\u202e" * 20_000] * 200},
        {f"{number}{'é' * 1_000_000}": number for number in range(5)},
        [{"é" * 19_000 + str(number): "\u202e" * 19_000} for number in range(200)],
        {"a": "\u202e" * 5_000_000},
    ],
    ids=["texts", "keys", "both", "one text"],
)
def test_no_more_of_a_value_is_written_than_is_shown(value: Any, written: list[str]) -> None:
    shown = bounded_json(value)
    assert len(shown) <= SHOWN_CHARACTERS + 1
    assert sum(map(len, written)) < 2 * SHOWN_CHARACTERS


@given(JSON_VALUES, st.integers(0, 90))
def test_what_is_shown_begins_as_all_of_it_would(value: Any, characters: int) -> None:
    whole = readable_json(value)
    cut = whole[:characters] + "…" if len(whole) > characters else whole
    assert bounded_json(value, characters=characters) == cut


def test_a_name_that_was_cut_hides_no_value_of_another() -> None:
    long = "k" * 30_000
    cut = f"{'k' * 20_000}… (30,000 characters)"
    shown = json.loads(bounded_json({cut[:-1]: 0, cut: 1, long: 2, "…": 3, "l": 4}, values=5))
    assert [*shown.values()] == [0, 1, 2, 3, "1 more"]
