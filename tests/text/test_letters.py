"""Words that are one slip from another one, whatever their length."""

from __future__ import annotations

import tracemalloc

import pytest

from elicit_tui.text.letters import within_one_slip


@pytest.mark.parametrize("other", ["google", "gogle", "googgle", "goagle", "ogogle"])
def test_one_letter_more_less_other_or_moved_is_one_slip(other: str) -> None:
    assert within_one_slip("google", other)


@pytest.mark.parametrize("other", ["gle", "gooogglee", "apple", ""])
def test_more_than_that_is_another_word(other: str) -> None:
    assert not within_one_slip("google", other)


def test_a_word_as_long_as_a_page_is_compared_by_its_length_alone() -> None:
    tracemalloc.start()
    try:
        assert not within_one_slip("z" * 4_000, "google")
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()
