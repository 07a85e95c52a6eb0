"""Each list that is longer than its box says where one is in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from elicit_tui.elicitation import Call
from elicit_tui.tui.console.place_in_list import PlacedList
from elicit_tui.tui.console.views import LineView, RowList
from tests.tui.console.reading import text_result
from tests.tui.console.stand import Stand, console
from tests.tui.console.test_calls import tool

pytestmark = pytest.mark.anyio


def borders(stand: Stand) -> str:
    return "\n".join(line for line in stand.text().splitlines() if "╰" in line)


async def test_tools_say_which_of_them_the_cursor_is_on(tmp_path: Path) -> None:
    tools = {"alpha": [tool(f"tool{number}") for number in range(28)]}
    async with console(tmp_path, servers=["alpha"], tools=tools, size=(80, 24)) as stand:
        await stand.until(lambda: "1 of 28" in borders(stand))
        await stand.press("enter", *["down"] * 3)
        await stand.until(lambda: "4 of 28" in borders(stand))
        await stand.press("slash", *"tool27")
        await stand.until(lambda: " of 28" not in borders(stand))


async def test_calls_say_which_of_them_the_cursor_is_on_where_they_are_many(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"], size=(80, 24)) as stand:
        for number in range(28):
            call = Call("tools/call", f"tool{number}", {})
            stand.app.state.calls.start("alpha", call).end("answered", result=text_result("x"))
            if number == 2:
                await stand.press("3")
                await stand.until(lambda: "tool2" in stand.text())
                assert " of 3" not in borders(stand)
        stand.app.state.version += 1
        await stand.until(lambda: " of 28" in borders(stand))
        await stand.press("home", "down", "down", "down")
        await stand.until(lambda: "4 of 28" in borders(stand))


async def test_the_activity_says_which_of_its_lines_is_in_sight(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"], size=(80, 24)) as stand:
        for number in range(200):
            stand.app.state.activity.add("alpha", f"line {number}")
        await stand.press("4")
        await stand.until(lambda: "end of 2" in borders(stand))
        await stand.press("home", "down")
        await stand.until(lambda: "line 2 of 2" in borders(stand))


def set_off(listing: PlacedList) -> set[str]:
    """What stands out in the first row of a list as found."""
    drawn = listing._draw(listing.keys[0], listing.size.width)
    return {text for line in drawn for text, role in line if role == "hit"}


@pytest.mark.parametrize(
    ("pane", "listing"), [("1", "offer-list"), ("3", "call-list"), ("5", "history-rows")]
)
async def test_what_was_searched_for_stands_out_in_each_list_and_its_frame_counts_what_is_found(
    tmp_path: Path, pane: str, listing: str
) -> None:
    names = ["read_file", "read_notes", "write_file", "move"]
    tools = {"alpha": [tool(name) for name in names]}
    async with console(tmp_path, servers=["alpha"], tools=tools, size=(80, 24)) as stand:
        for name in names:
            call = Call("tools/call", name, {})
            stand.app.state.calls.start("alpha", call).end("answered", result=text_result("x"))
        await stand.press(pane)
        await stand.until(lambda: "write_file" in stand.text())
        await stand.press("slash", *"FILE")
        await stand.until(lambda: "1 of 2 found" in borders(stand))
        rows = stand.app.screen.query_one(f"#{listing}", PlacedList)
        assert set_off(rows) == {"file"}
        await stand.press("enter", "down")
        await stand.until(lambda: "2 of 2 found" in borders(stand))
        await stand.press("slash", *"nowhere")
        await stand.until(lambda: "found" not in borders(stand) and "atches" in stand.text())
        await stand.press("escape")
        await stand.until(lambda: "write_file" in stand.text())
        assert set_off(rows) == set()


async def test_what_was_searched_for_stands_out_in_the_activity_which_counts_it(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["alpha"], size=(80, 24)) as stand:
        for number in range(30):
            stand.app.state.activity.add("alpha", f"line {number}")
        await stand.press("4", "slash", *"line 2")
        await stand.until(lambda: "12 found" in borders(stand))
        lines = stand.app.screen.query_one("#activity-lines", LineView).lines
        assert {text for line in lines for text, role in line if role == "hit"} == {"line", "2"}


async def test_what_a_search_found_is_walked_by_the_keys_of_a_pager(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"], size=(80, 24)) as stand:
        for number in range(3):
            call = Call("tools/call", f"tool{number}", {})
            stand.app.state.calls.start("alpha", call).end("answered", result=text_result("x"))
        await stand.press("5")
        await stand.until(lambda: "tool2" in stand.text())
        await stand.press("n")
        await stand.until(lambda: "Nothing is looked for: / searches." in stand.notices())
        await stand.press("slash", *"tool", "enter", "n", "n", "N")
        await stand.until(lambda: "2 of 3 found" in borders(stand))


async def test_where_a_frame_has_little_room_what_is_found_is_counted_and_no_word_is_cut(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["alpha"], size=(80, 24)) as stand:
        call = Call("tools/call", "look", {})
        stand.app.state.calls.start("alpha", call).end("answered", result=text_result("x"))
        await stand.press("3", "slash", *"look")
        await stand.until(lambda: "─ 1 of 1 found · W Kept ─" in borders(stand))


@pytest.mark.parametrize("ends", [["enter", "escape"], ["escape"]], ids=["in the list", "at once"])
async def test_a_search_of_the_history_that_ends_leaves_the_cursor_at_what_was_found(
    tmp_path: Path, ends: list[str]
) -> None:
    async with console(tmp_path, servers=["alpha"], size=(80, 24)) as stand:
        for number in range(5):
            call = Call("tools/call", f"tool{number}", {})
            stand.app.state.calls.start("alpha", call).end("answered", result=text_result("x"))
        await stand.press("5")
        await stand.until(lambda: "tool2" in stand.text())
        await stand.press("slash", *"tool2")
        await stand.until(lambda: "1 of 1 found" in borders(stand))
        await stand.press(*ends)
        await stand.until(lambda: "tool4" in stand.text())
        rows = stand.app.query_one("#history-rows", RowList)
        await stand.until(lambda: rows.has_focus and rows.key == list(rows.keys)[2])
