"""Lists follow what is new unless one has moved away; the keys that only seem to leave say so."""

from __future__ import annotations

from pathlib import Path

import pytest

from elicit_tui.tui.console.rows import RowList
from tests.tui.console.stand import console
from tests.tui.console.test_calls import tool

pytestmark = pytest.mark.anyio


async def test_the_newest_call_is_in_view_and_under_the_cursor(tmp_path: Path) -> None:
    async with console(tmp_path, tools={"alpha": [tool("one")]}, size=(100, 16)) as stand:
        await stand.press("enter")
        offer = stand.app.session.servers["alpha"].offers[0]
        for number in range(1, 13):
            stand.app.call_offer("alpha", offer)
            await stand.until(
                lambda number=number: (
                    len(stand.app.session.calls) == number and not stand.app.session.calls.running
                )
            )
        await stand.until(lambda: stand.app.screen.query(RowList))
        rows = stand.app.screen.query_one("#call-list", RowList)
        newest = next(iter(stand.app.session.calls)).call.id
        await stand.until(lambda: rows.key == newest and rows.scroll_y == 0)


async def test_ctrl_c_says_what_leaves_in_our_own_words(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        await stand.press("ctrl+c")
        await stand.until(lambda: "^Q leaves" in stand.notices())


async def test_a_run_is_told_in_one_line_when_it_is_over(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        for key in ("ctrl+s", "ctrl+n"):
            request = stand.ask()
            await stand.shown(request)
            await stand.press(*("a", key) if key == "ctrl+s" else (key,))
            await stand.until(lambda request=request: stand.outcome(request) is not None)
        assert stand.app.session.summary() == "2 questions: 1 accepted, 1 declined"
