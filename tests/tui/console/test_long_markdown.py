"""Of long Markdown only what is reached is drawn; its end and all that is searched are found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.content import Content
from textual.widgets import Markdown
from textual.widgets.markdown import MarkdownBlock

from elicit_tui.elicitation import Call
from elicit_tui.tui.console.markdown_page import HERE, HIT, MarkdownPage
from elicit_tui.tui.console.markdown_parts import parts_of
from tests.tui.console.reading import reading as a_result
from tests.tui.console.stand import FakeConnection, Stand, console
from tests.tui.console.test_calls import tool

pytestmark = pytest.mark.anyio

SECTION = "## Chapter {}\n\nSome **bold** words.\n\n- one\n- two\n\n```\n## code {}\n```\n"
TEXT = "\n".join(SECTION.format(number, number) for number in range(60))


async def reading(stand: Stand) -> None:
    """Call for the text, and read it on the whole screen."""
    await stand.press("right", "enter")
    await stand.until(lambda: "Chapter 0" in stand.text())
    await stand.press("z")
    await stand.until(lambda: "Markdown · alpha" in stand.text())
    await stand.until(lambda: "Some bold words." in stand.text())


async def work(connection: FakeConnection, call: Call) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": TEXT}]}


async def test_the_first_screen_waits_for_nothing_below_it(tmp_path: Path) -> None:
    async with console(
        tmp_path, tools={"alpha": [tool("doc", {})]}, work=work, size=(80, 24)
    ) as stand:
        await reading(stand)
        assert len(stand.app.screen.query(MarkdownBlock)) < 60
        await stand.press("end")
        await stand.until(lambda: "Chapter 59" in stand.text())
        made = len(stand.app.screen.query(Markdown))
        assert made <= 4, "what is left comes at once: the page is laid out anew for each part"


async def test_what_is_searched_is_found_in_what_was_not_reached_yet(tmp_path: Path) -> None:
    async with console(
        tmp_path, tools={"alpha": [tool("doc", {})]}, work=work, size=(80, 24)
    ) as stand:
        await reading(stand)
        await stand.press("slash", *"chapter 59", "enter")
        await stand.until(lambda: "1 of 1 for" in stand.text())
        await stand.until(lambda: "Chapter 59" in stand.text().split("1 of 1")[0])


async def test_a_search_says_that_it_looks_until_all_of_the_text_is_drawn(tmp_path: Path) -> None:
    short = "\n".join(SECTION.format(number, number) for number in range(8))
    async with a_result(tmp_path, {"content": [{"type": "text", "text": short}]}) as (
        stand,
        screen,
    ):
        await stand.until(lambda: "Markdown · alpha" in stand.text())
        page = screen.query_one(MarkdownPage)
        await stand.until(lambda: not page._draws)
        page._draws = True  # Nothing more of it comes before it is told to go on.
        await stand.press("slash", *"chapter 7", "enter")
        await stand.until(lambda: "looking … for “chapter 7”" in stand.text())
        page._draws = False
        page.call_later(page._go_on)
        await stand.until(lambda: "1 of 1 for" in stand.text())


async def test_what_was_counted_before_all_of_the_text_is_drawn_says_so(tmp_path: Path) -> None:
    short = "\n".join(SECTION.format(number, number) for number in range(8))
    async with a_result(tmp_path, {"content": [{"type": "text", "text": short}]}) as (
        stand,
        screen,
    ):
        await stand.until(lambda: "Markdown · alpha" in stand.text())
        page = screen.query_one(MarkdownPage)
        await stand.until(lambda: not page._draws)
        page._draws = True  # Nothing more of it comes before it is told to go on.
        await stand.press("slash", *"chapter", "enter")
        await stand.until(lambda: "so far for “chapter”" in stand.text())
        page._draws = False
        page.call_later(page._go_on)
        await stand.until(lambda: "1 of 8 for “chapter”" in stand.text())


async def test_code_longer_than_the_window_is_drawn_whole_and_found_in_line_by_line(
    tmp_path: Path,
) -> None:
    code = "\n".join(f"line {number} of code" for number in range(52))
    text = f"# Tree\n\n```\n{code}\n```\n\n## After\n\nline 40 again.\n"
    result = {"content": [{"type": "text", "text": text}]}
    async with a_result(tmp_path, result, size=(80, 24)) as (stand, screen):
        await stand.until(lambda: "line 1 of code" in stand.text())
        await stand.press("end")
        await stand.until(lambda: "line 51 of code" in stand.text() and "After" in stand.text())
        await stand.press("slash", *"line 40", "enter")
        await stand.until(lambda: "1 of 2 for" in stand.text())
        await stand.until(lambda: "line 40 of code" in stand.text())
        await stand.press("n")
        await stand.until(lambda: "line 40 again" in stand.text())
        await stand.press("n")
        await stand.until(lambda: "line 40 of code" in stand.text())
        assert isinstance(screen.view, MarkdownPage)
        assert not screen.view.unfinished


async def test_of_what_stands_everywhere_that_around_the_place_one_is_at_is_set_off(
    tmp_path: Path,
) -> None:
    code = "\n".join("a" * 60 for _ in range(400))
    text = f"# Letters\n\n```\n{code}\n```\n"
    result = {"content": [{"type": "text", "text": text}]}
    async with a_result(tmp_path, result, size=(80, 24)) as (stand, screen):
        await stand.until(lambda: "Letters" in stand.text())
        page = screen.query_one(MarkdownPage)
        await stand.until(lambda: not page.unfinished)
        places = page.find("a")
        assert len(places) == 24_000
        for part, start in (places[0], places[12_000], places[-1]):
            page.go_to((part, start))
            drawn = part.content
            assert isinstance(drawn, Content)
            marked = [span.start for span in drawn.spans if span.style == HIT]
            assert len(marked) == 2_000 or start == places[-1][1]
            assert min(marked) <= start <= max(marked)
            assert [span.start for span in drawn.spans if span.style == HERE] == [start]


def test_the_parts_are_the_text_and_no_block_is_torn() -> None:
    parts = parts_of(TEXT)
    assert len(parts) > 10
    assert "\n".join(parts) == TEXT
    assert all(part.count("```") % 2 == 0 for part in parts)
    listed = "- one\n\n- two\n\n" * 100
    assert parts_of(listed) == [listed], "a list is one"
    fenced = "```\n" + "Words.\n\n" * 100 + "```"
    assert parts_of(fenced) == [fenced]


def test_each_part_knows_where_the_links_lead_that_are_named_elsewhere() -> None:
    text = "See [here].\n\n" * 100 + "[here]: https://example.com/there\n"
    parts = parts_of(text)
    assert len(parts) > 2
    assert all("[here]: https://example.com/there" in part for part in parts)
