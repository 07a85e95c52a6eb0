"""Each list that is longer than its box says where one is in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from elicit_tui.elicitation import Call
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
