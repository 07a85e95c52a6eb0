"""A server that stands still: what its call waits for is said, and the call can be cancelled."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation import Call
from elicit_tui.host.events import LogMessage
from elicit_tui.tui.console import call_telling
from tests.tui.console.stand import FakeConnection, console
from tests.tui.console.test_calls import tool

pytestmark = pytest.mark.anyio


async def never() -> Any:
    await asyncio.Event().wait()


async def first_listed(connection: FakeConnection, call: Call) -> dict[str, Any]:
    """Ask the server for its tools before the call, as the gate does; nothing comes."""
    connection.tools = never  # type: ignore[method-assign]
    await connection.gate.passed(call)
    return {}


async def test_a_call_whose_server_lists_no_tools_says_what_it_waits_for_and_is_cancelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(call_telling, "LISTED_SECONDS", 0.0)
    tools = {"alpha": [tool("ping")]}
    settings: dict[str, Any] = {"tools": tools, "work": first_listed, "size": (140, 30)}
    async with console(tmp_path, servers=["alpha"], **settings) as stand:
        monkeypatch.setattr(stand.runtime.broker, "needs_definition", lambda *names: True)
        stand.host.connections["alpha"].open_calls.take_turns = True
        stand.host.connections["alpha"].sends = False
        stand.app.call_offer("alpha", stand.app.state.servers["alpha"].offers[0])
        told = "It has not gone out yet: “alpha” was asked what"
        await stand.until(lambda: told in stand.text())
        assert "waits for its server" in stand.text()
        assert "waits for its turn" not in stand.text()
        stand.host.tell(LogMessage("alpha", "info", None, "of another call"))
        (record,) = stand.app.state.calls
        assert not record.log
        await stand.press("x")
        await stand.until(lambda: record.state == "cancelled")
