"""The reader of results on the whole screen, for its tests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from elicit_tui.elicitation import Call
from elicit_tui.tui.console.panels.calls import CallsPane
from elicit_tui.tui.console.screens.result_reader import ResultScreen
from tests.tui.console.stand import Stand, console
from tests.tui.console.test_calls import tool

ROWS = [{"name": f"host-{number}", "load": number / 10, "up": True} for number in range(30)]


def text_result(*texts: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text} for text in texts], **more}


@asynccontextmanager
async def reading(
    path: Path, *results: dict[str, Any], size: tuple[int, int] = (100, 30)
) -> AsyncIterator[tuple[Stand, ResultScreen]]:
    """The reader on the last of these results, each of one more call of the same tool."""
    left = list(results)

    async def work(connection: Any, call: Call) -> dict[str, Any]:
        return left.pop(0)

    tools = {"alpha": [tool("look")]}
    async with console(path, servers=["alpha"], tools=tools, work=work, size=size) as stand:
        offer = stand.app.state.servers["alpha"].offers[0]
        for number in range(len(results)):
            stand.app.call_offer("alpha", offer)
            await stand.until(lambda count=number + 1: ended(stand) == count)
        await stand.until(lambda: last_is_pointed_at(stand))
        await stand.press("z")
        await stand.until(lambda: isinstance(stand.app.screen, ResultScreen))
        screen = stand.app.screen
        assert isinstance(screen, ResultScreen)
        yield stand, screen
        await stand.press("escape")


def ended(stand: Stand) -> int:
    return sum(record.state == "answered" for record in stand.app.state.calls)


def last_is_pointed_at(stand: Stand) -> bool:
    """The cursor follows a new call as the pane is drawn, a moment after it ended."""
    record = stand.app.query_one(CallsPane).record
    return record is not None and record is next(iter(stand.app.state.calls))


async def search(stand: Stand, words: str) -> None:
    await stand.press("slash")
    await stand.press(*words)
    await stand.press("enter")
