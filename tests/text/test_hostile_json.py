"""Digests: one for each JSON value, however it is spelled and whatever it holds."""

from __future__ import annotations

from typing import Any

from elicit_tui.text.hostile_json import digest


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
