"""Keys that are pressed while a server is still starting go to that server, and none is lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.events import Key

from elicit_tui.elicitation import Call
from elicit_tui.tui.console.bars import SearchLine
from tests.tui.console.stand import FakeConnection, FakeHost, Stand, console
from tests.tui.console.test_calls import tool

pytestmark = pytest.mark.anyio

TOOLS = {"alpha": [tool("one")], "beta": [tool("two"), tool("three")]}


@asynccontextmanager
async def beta_is_starting(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Stand, asyncio.Event]]:
    """The console while one of its servers takes its time, until the event lets it go on."""
    goes_on = asyncio.Event()
    connect = FakeHost.connect

    async def slowly(host: FakeHost, name: str) -> FakeConnection:
        if name == "beta":
            await goes_on.wait()
        return await connect(host, name)

    async def alpha_is_there(stand: Stand) -> None:
        await stand.until(lambda: "● alpha" in stand.text() and "one" in stand.text())

    monkeypatch.setattr(FakeHost, "connect", slowly)
    monkeypatch.setattr(Stand, "settled", alpha_is_there)
    async with console(path, tools=TOOLS) as stand:
        yield stand, goes_on


async def at_once(stand: Stand, *keys: str) -> None:
    """As they come from a terminal while the console is at work."""
    for key in keys:
        character: Any = {"slash": "/"}.get(key, key if len(key) == 1 else None)
        await stand.app.on_event(Key(key, character))


async def test_a_server_is_searched_while_it_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with beta_is_starting(tmp_path, monkeypatch) as (stand, goes_on):
        await at_once(stand, "down", "slash", *"re")
        await stand.until(lambda: "“beta” is starting …" in stand.text())
        await stand.until(lambda: stand.app.screen.query_one(SearchLine).value == "re")
        assert "one" not in stand.text()
        goes_on.set()
        await stand.until(lambda: "three" in stand.text())
        assert "two" not in stand.text()
        await stand.press("enter", "enter")
        await stand.until(lambda: [call.server for call in stand.app.state.calls] == ["beta"])


async def test_a_call_is_made_again_once_its_server_is_ready_and_that_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with beta_is_starting(tmp_path, monkeypatch) as (stand, _):
        old = stand.app.state.calls.start("beta", Call("tools/call", "two", {}))
        old.end("answered", result={})
        await stand.press("3")
        await at_once(stand, "a", "a")
        await stand.until(lambda: "still starting" in stand.notices())
        await stand.pilot.pause()
        assert stand.notices().count("“beta” is still starting") == 1
        assert len(stand.app.state.calls) == 1
