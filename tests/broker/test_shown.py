"""What of a text was on the screen: its parts, and what a person's writing makes of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elicit_tui.elicitation.shown import SeenPart

TEXTS = st.text("ab ", max_size=12)


def test_what_nobody_else_wrote_need_not_be_shown() -> None:
    assert SeenPart().whole
    assert SeenPart.none_of("").whole
    assert not SeenPart.none_of("a").whole


def test_it_is_whole_once_its_parts_touch_in_whatever_order() -> None:
    shown = SeenPart.none_of("0123456789")
    for first, end in ((6, 10), (0, 3), (2, 5)):
        shown = shown.with_part(first, end)
        assert not shown.whole
    assert shown.parts == ((0, 5), (6, 10))
    assert shown.with_part(-4, 40).whole
    assert shown.with_part(5, 6).whole


@pytest.mark.parametrize(
    ("old", "seen", "new", "whole"),
    [
        ("a long text", (2, 11), "", True),
        ("a long text", (2, 11), "b", True),
        ("a long text", (2, 11), "a long text!", False),
        ("a long text", (0, 6), "a long", True),
        ("a long text", (0, 6), "a long tex", False),
        ("a long text", (0, 6), "x a long text", False),
    ],
)
def test_what_the_person_writes_is_seen_and_the_rest_is_as_it_was(
    old: str, seen: tuple[int, int], new: str, whole: bool
) -> None:
    assert SeenPart.none_of(old).with_part(*seen).edited(old, new).whole is whole


@given(TEXTS, st.integers(0, 12), st.integers(0, 12), st.text("xy", max_size=12))
def test_nothing_that_was_left_as_it_stood_counts_as_seen_by_writing_elsewhere(
    left: str, first: int, end: int, typed: str
) -> None:
    old = f"<{left}>"
    first, end = sorted((min(first, len(left)), min(end, len(left))))
    new = old[: 1 + first] + typed + old[1 + end :]
    shown = SeenPart.none_of(old).edited(old, new)
    assert not shown.whole
    assert all(begin >= 1 and stop <= len(new) - 1 for begin, stop in shown.parts)
    assert shown.with_part(0, 1 + first).with_part(len(new) - len(old[1 + end :]), len(new)).whole
