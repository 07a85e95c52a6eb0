"""The list of the demo's tools says at a glance which tool shows what."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from elicit_tui.demo import forms
from elicit_tui.demo.demo_tools import TOOLS
from elicit_tui.tui.console.servers import found_by, read_offers, searched_for

COLUMNS = 20
"""Cells for a title beside the longest name, in a terminal of 80 columns."""

OFFERS = read_offers("tool", [tool.as_json() for tool in TOOLS.values()])


@pytest.mark.parametrize(
    ("words", "tool"),
    [
        ("form", "book_table"),
        ("yes", "clear_cache"),
        ("no", "clear_cache"),
        ("page", "sign_in"),
        ("warning", "deploy"),
        ("long list", "choose_colours"),
        ("search", "choose_colours"),
        ("two", "plan_trip"),
        ("queue", "plan_trip"),
        ("dangerous", "verify_account"),
        ("secret", "verify_account"),
    ],
)
def test_the_first_tool_that_a_search_by_what_it_shows_finds_shows_it(
    words: str, tool: str
) -> None:
    assert found_by(words, OFFERS, *searched_for(words, OFFERS))[0].name == tool


def test_a_title_says_what_a_tool_shows_beside_its_name_in_a_small_window() -> None:
    assert max(cell_len(offer.title) for offer in OFFERS) <= COLUMNS
    titles = {offer.name: offer.title for offer in OFFERS}
    assert titles["choose_colours"] == "A long list"
    assert len(set(titles.values())) == len(titles)


def test_the_number_of_choices_that_is_told_is_true() -> None:
    described = {offer.name: offer.description for offer in OFFERS}["choose_colours"]
    assert f"{len(forms.NAMED_COLOURS.split())} choices" in described
