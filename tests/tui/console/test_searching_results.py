"""A result is searched: every place is counted, set off and gone to, in each of its forms."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from textual.color import Color

from elicit_tui.elicitation import Call
from elicit_tui.tui.console.bars import SearchLine
from elicit_tui.tui.console.found_lines import FoundLines
from elicit_tui.tui.console.result_table import ResultTable
from elicit_tui.tui.console.screens.result_reader import ResultScreen
from tests.tui.console.reading import ROWS, reading, search, text_result
from tests.tui.console.stand import Stand, console

pytestmark = pytest.mark.anyio


def standing_out(stand: Stand, words: str) -> int:
    """How many times these words stand on the screen in the colour of what is to be seen."""
    wanted = Color.parse(stand.app.theme_variables["warning"]).rich_color
    strips = stand.app.screen._compositor.render_strips(stand.app.screen.size)
    segments = [part for strip in strips for part in strip if part.style is not None]
    return sum(part.text == words and part.style.color == wanted for part in segments)


def drawn_as(stand: Stand, words: str) -> list[str]:
    """How each piece of the screen is set off that says just this, but for its colour."""
    strips = stand.app.screen._compositor.render_strips(stand.app.screen.size)
    styles = [part.style for strip in strips for part in strip if part.text.strip() == words]
    return [
        "here" if style.reverse else "hit"
        for style in styles
        if style is not None and (style.reverse or style.underline)
    ]


@pytest.mark.parametrize("way", ["text", "markdown"])
async def test_what_was_found_and_where_one_is_are_told_without_their_colours(
    tmp_path: Path, way: str
) -> None:
    result = text_result("# Rain\n\nof a\n\nrain of b")
    async with reading(tmp_path, result) as (stand, screen):
        await screen._show(way)
        await search(stand, "of")
        await stand.until(lambda: "1 of 2 for “of”" in stand.text())
        await stand.until(lambda: drawn_as(stand, "of") == ["here", "hit"])
        await stand.press("n")
        await stand.until(lambda: drawn_as(stand, "of") == ["hit", "here"])


async def test_in_json_a_found_word_of_a_key_is_told_and_no_boolean_looks_like_one(
    tmp_path: Path,
) -> None:
    data = {"hosts": [{"up": False, "none": None}], "no-host": 1}
    async with reading(tmp_path, text_result("x", structuredContent=data)) as (stand, screen):
        await screen._show("json")
        await search(stand, "host")
        await stand.until(lambda: drawn_as(stand, "host") == ["hit", "hit"])
        assert [standing_out(stand, words) for words in ("false", "null")] == [0, 0]


async def test_a_search_in_a_text_goes_from_place_to_place(tmp_path: Path) -> None:
    lines = "\n".join(f"line {number} of a log" for number in range(200))
    async with reading(tmp_path, text_result(lines)) as (stand, _):
        await search(stand, "line 15")
        await stand.until(lambda: "1 of 11 for “line 15”" in stand.text())
        await stand.press("n")
        await stand.until(lambda: "line 150 of" in stand.text())
        assert "2 of 11" in stand.text()
        await stand.press("N", "N")
        await stand.until(lambda: "line 159 of" in stand.text())


async def test_the_place_that_one_is_at_stands_out_without_a_colour(tmp_path: Path) -> None:
    def reversed_texts(stand: Stand) -> list[str]:
        strips = stand.app.screen._compositor.render_strips(stand.app.screen.size)
        return [
            part.text for strip in strips for part in strip if part.style and part.style.reverse
        ]

    async with reading(tmp_path, text_result("one log\nanother log")) as (stand, _):
        await search(stand, "log")
        await stand.until(lambda: reversed_texts(stand) == ["log"])


async def test_in_the_search_line_no_key_that_leads_there_is_named(tmp_path: Path) -> None:
    async with reading(tmp_path, text_result("a log")) as (stand, _):
        assert "/ Search" in stand.text().splitlines()[-1]
        await stand.press("slash")
        await stand.until(lambda: "Enter Find" in stand.text().splitlines()[-1])
        assert "/ Search" not in stand.text()


async def test_another_view_goes_on_with_the_search_until_escape_ends_it(tmp_path: Path) -> None:
    lines = "\n".join(f"line {number} of a log" for number in range(200))
    async with reading(tmp_path, text_result(lines)) as (stand, screen):
        await search(stand, "line 15")
        await stand.until(lambda: "1 of 11 for “line 15” · Text" in stand.text())
        await stand.press("t")
        await stand.until(lambda: "for “line 15” · JSON" in stand.text())
        await stand.press("t")
        await stand.until(lambda: "1 of 11 for “line 15” · Text" in stand.text())
        await stand.press("escape")
        await stand.until(lambda: "for “line 15”" not in stand.text())
        assert not screen.query_one(SearchLine).display
        assert not screen.query_one(SearchLine).value
        await stand.press("escape")
        await stand.until(lambda: stand.app.screen is not screen)


async def test_a_text_that_is_not_laid_out_yet_is_not_said_to_hold_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    say = ResultScreen.say

    def overheard(screen: ResultScreen) -> None:
        say(screen)
        said.append(str(screen.query_one(".dialog").border_subtitle))

    monkeypatch.setattr(ResultScreen, "say", overheard)
    lines = "\n".join(f"line {number} of a log" for number in range(200))
    result = text_result(lines, structuredContent={"log": lines, "of": 200})
    async with reading(tmp_path, result) as (stand, _):
        await search(stand, "line 15")
        await stand.until(lambda: "for “line 15” · JSON" in stand.text())
        await stand.press("t")
        await stand.until(lambda: "1 of 11 for “line 15” · Text" in stand.text())
        assert any(words.startswith("looking … for “line 15” · Text") for words in said)
        assert not any(words.startswith("nothing found") for words in said)


async def test_each_place_is_counted_in_a_text_and_in_its_markdown_and_stands_out(
    tmp_path: Path,
) -> None:
    text = (
        "# A session\n\nOf a session, another session and one Session.\n\n"
        "- a session\n\n```\nsession = session\n```\n\n| what |\n|---|\n| session |\n"
    )
    async with reading(tmp_path, text_result(text), size=(100, 40)) as (stand, screen):
        assert screen._way == "markdown"
        await search(stand, "session")
        await stand.until(lambda: "1 of 8 for “session” · Markdown" in stand.text())
        # One of them is where one is, and one has another case.
        await stand.until(lambda: standing_out(stand, "session") == 6)
        await stand.press("n", "n")
        await stand.until(lambda: "3 of 8" in stand.text())
        await stand.press("t")
        await stand.until(lambda: "3 of 8 for “session” · Text" in stand.text())
        await stand.until(lambda: standing_out(stand, "session") == 6)
        await stand.press("t", "t", "escape")
        await stand.until(lambda: "for “session”" not in stand.text())
        await stand.until(lambda: standing_out(stand, "session") == 0)


async def test_a_search_goes_to_rows_of_a_table_that_are_not_listed_and_finds_values_alone(
    tmp_path: Path,
) -> None:
    many = [{"number": number, "name": f"user {number}"} for number in range(1, 1_102)]
    async with reading(tmp_path, text_result(json.dumps(many))) as (stand, _):
        await stand.until(lambda: "1 of 1,101 · Table · alpha" in stand.text())
        await stand.press("slash")
        await stand.until(lambda: isinstance(stand.app.focused, SearchLine))
        await stand.press(*"user 1100", "enter")
        await stand.until(
            lambda: "1 of 1 for “user 1100” · Table, row 1,100 of 1,101 · alpha" in stand.text()
        )
        table = stand.app.screen.query_one(ResultTable)
        assert table.row["name"] == "user 1100"
        await stand.press("escape")
        await stand.until(lambda: "1,100 of 1,101 · Table · alpha" in stand.text())
        await search(stand, "number")
        await stand.until(lambda: "nothing found for “number”, a column's name" in stand.text())


# What the cursor is on has the colours of the cursor.
@pytest.mark.parametrize(("way", "count"), [("json", 4), ("table", 4)])
async def test_all_that_was_looked_for_stands_out_until_the_search_ends(
    tmp_path: Path, way: str, count: int
) -> None:
    result = text_result("x", structuredContent={"hosts": ROWS[:5]})
    async with reading(tmp_path, result) as (stand, screen):
        await screen._show(way)
        await search(stand, "host-")
        await stand.until(lambda: standing_out(stand, "host-") == count)
        await stand.press("escape")
        await stand.until(lambda: standing_out(stand, "host-") == 0)


async def test_in_a_result_beside_the_calls_enter_shows_it_whole_and_slash_searches_it(
    tmp_path: Path,
) -> None:
    async with reading(tmp_path, text_result("one\ntwo")) as (stand, _):
        await stand.press("escape", "enter")
        await stand.until(lambda: "Esc Calls" in stand.text())
        await stand.press("enter")
        await stand.until(lambda: isinstance(stand.app.screen, ResultScreen))
        await stand.press("escape", "slash")
        await stand.until(lambda: isinstance(stand.app.screen, ResultScreen))
        await stand.until(lambda: isinstance(stand.app.focused, SearchLine))
        await stand.press(*"two", "enter")
        await stand.until(lambda: "1 of 1 for “two”" in stand.text())
        await stand.press("escape")
        await stand.until(lambda: "for “two”" not in stand.text())


@pytest.mark.parametrize("way", ["text", "markdown"])
async def test_a_search_begins_where_one_is_and_goes_around(tmp_path: Path, way: str) -> None:
    text = "# Rain\n\n" + "\n\n".join(f"rain {number}" for number in range(60))
    async with reading(tmp_path, text_result(text)) as (stand, screen):
        await screen._show(way)
        await stand.press("end")
        await stand.until(lambda: "rain 59" in stand.text())
        await search(stand, "rain 5")
        await stand.until(lambda: " of 11 for “rain 5”" in stand.text())
        assert "1 of 11" not in stand.text().replace("11 of 11", "")
        await search(stand, "rain 1")
        await stand.until(lambda: "1 of 11 for “rain 1”" in stand.text())


@pytest.mark.parametrize("way", ["text", "markdown"])
async def test_slash_in_a_result_beside_the_calls_keeps_the_place_where_one_read(
    tmp_path: Path, way: str
) -> None:
    text = "## Rain\n\n" * (way == "markdown")
    text += "\n\n".join(f"rain {number}" for number in range(90))
    async with reading(tmp_path, text_result(text), size=(100, 30)) as (stand, _):
        await stand.press("escape", "enter")
        await stand.until(lambda: "Esc Calls" in stand.text())
        await stand.press("G")
        await stand.until(lambda: "rain 89" in stand.text())
        await stand.press("slash")
        await stand.until(lambda: isinstance(stand.app.screen, ResultScreen))
        await stand.until(lambda: "rain 89" in stand.text())
        assert "rain 1\n" not in stand.text()
        await stand.press(*"rain 8", "enter")
        await stand.until(lambda: " of 11 for “rain 8”" in stand.text())
        await stand.press("escape")


async def test_the_key_that_searches_says_what_it_searches(tmp_path: Path) -> None:
    async with reading(tmp_path, text_result("one\ntwo"), size=(140, 30)) as (stand, _):
        await stand.press("escape")
        await stand.until(lambda: "/ Search calls" in stand.text())
        await stand.press("enter")
        await stand.until(lambda: "/ Search result" in stand.text())
        await stand.press("z")
        await stand.until(lambda: isinstance(stand.app.screen, ResultScreen))


PROSE = "Red wine.\n" + "Nothing.\n" * 60 + "A green apple.\n" + "Nothing.\n" * 60 + "Red."
FRUITS = [{"fruit": "apple"}, *({"fruit": f"none {n}"} for n in range(60)), {"fruit": "red"}]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (PROSE, "of 3 for “apple red”, each alone"),
        (f"# Fruits\n\n{PROSE}\n\n- **one**\n- two\n", "of 3 for “apple red”, each alone"),
        (json.dumps(FRUITS), "of 2 rows for “apple red”, each alone"),
        ("An apple that is red.\nA red one.", "of 1 for “apple red”"),
    ],
)
async def test_behind_a_search_of_the_calls_for_several_words_n_goes_to_each_that_stands_out(
    tmp_path: Path, text: str, told: str
) -> None:
    async with console(tmp_path, servers=["alpha"], size=(120, 30)) as stand:
        record = stand.app.state.calls.start("alpha", Call("tools/call", "look", {}))
        record.end("answered", result=text_result(text))
        await stand.press("3")
        await stand.until(lambda: "n Note" in stand.text())
        await stand.press("slash", *"apple look red", "enter")
        await stand.until(lambda: "n To what is found" in stand.text())
        await stand.press("n")
        await stand.until(lambda: f"1 {told}" in stand.text())
        await stand.press("N")
        last = told.split()[1]
        await stand.until(lambda: f"{last} {told}" in stand.text())


async def test_of_several_words_those_stand_out_to_whose_lines_n_goes(tmp_path: Path) -> None:
    text = "A red one.\nAn apple that is red.\nAn apple.\nRed is the apple."
    async with reading(tmp_path, text_result(text), size=(100, 30)) as (stand, screen):
        await search(stand, "apple red")
        await stand.until(lambda: "1 of 2 for “apple red”" in stand.text())
        view = screen.view
        assert isinstance(view, FoundLines)
        drawn = [{role for _, role in view.line_at(number)} for number in range(4)]
        assert [bool(roles & {"hit", "here"}) for roles in drawn] == [False, True, False, True]
