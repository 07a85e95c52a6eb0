"""Where the references of a schema lead, and how deep it is; a bounded part of it is looked at."""

from __future__ import annotations

from typing import Any

import pytest

from elicit_tui.form.limits import depth, references
from tests.bounds import bounded


def leads(part: Any, **definitions: Any) -> list[tuple[str, bool]]:
    """Each reference of a field, and whether it leads out of the schema or back to itself."""
    root = {"properties": {"it": part}, "$defs": definitions}
    found = list(references([("it", part)], root))
    assert all(name == "it" for name, _, _ in found)
    return [(reference, wrong) for _, reference, wrong in found]


def to(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


@pytest.mark.parametrize(
    ("reference", "out"),
    [
        ("#/$defs/a", False),
        ("#/$defs/gone", False),
        ("other.json#/a", True),
        ("https://a.example/s", True),
        ("/$defs/a", True),
        ("", True),
    ],
)
@pytest.mark.parametrize("keyword", ["$ref", "$dynamicRef", "$recursiveRef"])
def test_a_reference_that_leads_out_of_its_schema_is_told(
    keyword: str, reference: str, out: bool
) -> None:
    assert leads({keyword: reference}, a={"type": "string"}) == [(reference, out)]


def test_a_reference_that_leads_back_to_where_it_stands_is_told_and_a_chain_is_not() -> None:
    assert leads(to("a"), a=to("b"), b=to("c"), c={"type": "string"}) == [("#/$defs/a", False)]
    assert leads(to("a"), a=to("a")) == [("#/$defs/a", True)]
    assert leads(to("a"), a=to("b"), b={"items": to("a")}) == [("#/$defs/a", True)]
    # A circle behind it is not its own.
    assert leads(to("a"), a=to("b"), b=to("b")) == [("#/$defs/a", False)]
    # The one that leads back may be any of several.
    many = {"allOf": [to("x"), to("y"), to("a")]}
    assert leads(to("a"), a=many, x=to("y"), y={}) == [("#/$defs/a", True)]


def test_each_part_has_its_own_references_wherever_they_stand_in_it() -> None:
    root = {"$defs": {"a": {"type": "string"}}}
    deep = {"items": {"anyOf": [{"type": "null"}, to("a")]}, "$ref": 5}
    found = list(references([("one", to("a")), ("none", {"type": "string"}), ("two", deep)], root))
    assert sorted(found) == [
        ("one", "#/$defs/a", False),
        ("two", "#/$defs/a", False),
        ("two", "5", True),
    ]


def test_references_without_end_are_followed_in_a_moment() -> None:
    chain = {f"d{number}": to(f"d{number + 1}") for number in range(5_000)}
    wide = {"anyOf": [to("d0")] * 5_000}
    with bounded():
        found = leads(wide, **chain, d5000=wide)
    # The part itself is the first of the thousand objects that are looked at.
    assert found == [("#/$defs/d0", True)] * 999


def test_a_depth_counts_objects_in_one_another_and_no_lists() -> None:
    assert depth("text") == depth(5) == depth(None) == depth([]) == depth([[[]]]) == 0
    assert depth({}) == depth([{}]) == 1
    assert depth({"a": {"b": 1}, "c": []}) == 2
    assert depth({"a": [{"b": {"c": {}}}, 5]}) == 4
    nested: Any = {}
    for _ in range(30):
        nested = {"a": nested}
    assert depth(nested) == 12
    assert depth(nested, 3) == 3
    # Of a long list no more than its beginning.
    assert depth([{}] * 49 + [{"a": {}}]) == 2
    assert depth([{}] * 50 + [{"a": {}}]) == 1
