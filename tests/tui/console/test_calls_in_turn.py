"""A call that waits for its turn, and one that ends before it was sent."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation import Call
from elicit_tui.errors import ServerError
from elicit_tui.host.events import CallSent, LogMessage
from tests.tui.console.reading import text_result
from tests.tui.console.stand import console
from tests.tui.console.test_calls import tool

pytestmark = pytest.mark.anyio


async def test_a_call_that_waits_for_its_turn_says_behind_which_and_has_no_log_of_it(
    tmp_path: Path,
) -> None:
    may_end = asyncio.Event()

    async def work(connection: Any, call: Call) -> dict[str, Any]:
        await may_end.wait()
        return {}

    tools = {"alpha": [tool("count"), tool("book")]}
    async with console(tmp_path, servers=["alpha"], tools=tools, work=work) as stand:
        connection = stand.host.connections["alpha"]
        connection.open_calls.take_turns = True
        first, second = stand.app.state.servers["alpha"].offers
        stand.app.call_offer("alpha", first)
        await stand.until(lambda: "running" in stand.text())
        assert "waits for its turn" not in stand.text(), "nothing is ahead of it"
        stand.app.call_offer("alpha", second)
        await stand.until(lambda: f"It waits for its turn: {first.name}" in stand.text())
        stand.host.tell(LogMessage("alpha", "info", None, "step 1"))
        logs = {record.call.name: list(record.log) for record in stand.app.state.calls}
        assert logs == {first.name: ["info: step 1"], second.name: []}
        may_end.set()
        await stand.until(lambda: not stand.app.state.calls.running)
        sent = [line.text for line in stand.app.state.activity if line.text.startswith("→")]
        assert sent == [f"→ {first.name}", f"→ {second.name}"]


async def test_the_time_that_a_call_waited_for_its_turn_is_told_apart_from_its_own(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["alpha"], size=(140, 40)) as stand:
        record = stand.app.state.calls.start("alpha", Call("tools/call", "book", {}))
        record.sent = False
        record.started -= 3_723
        stand.host.tell(CallSent("alpha", record.call.id))
        record.end("answered", result=text_result("x"))
        await stand.press("3")
        await stand.until(lambda: "in line 1:02:0" in stand.text())
        assert record.own_seconds < 3_723
        assert stand.text().count("1:02:0") == 1


async def test_a_call_that_ends_before_it_was_sent_is_told_as_never_sent_everywhere(
    tmp_path: Path,
) -> None:
    async def work(connection: Any, call: Call) -> dict[str, Any]:
        await gone.wait()
        raise ServerError("The server alpha ended.")

    gone, tools = asyncio.Event(), {"alpha": [tool("pay")]}
    async with console(tmp_path, tools=tools, work=work) as stand:
        stand.host.connections["alpha"].sends = False
        await stand.press("enter", "enter")
        await stand.until(lambda: "◐ waiting" in stand.text())
        assert not [each for each in stand.app.state.activity if "pay" in each.text]
        gone.set()
        await stand.until(lambda: "✗ never sent" in stand.text())
        assert "The server alpha ended." in stand.text()
        await stand.press("4")
        await stand.until(lambda: "← pay: never sent" in stand.text())
        assert "→ pay" not in stand.text()
        await stand.press("5")
        await stand.until(lambda: "never sent" in stand.text())


async def test_a_call_that_is_cancelled_before_it_was_sent_says_both(tmp_path: Path) -> None:
    async def work(connection: Any, call: Call) -> dict[str, Any]:
        await asyncio.Event().wait()
        return {}

    async with console(tmp_path, tools={"alpha": [tool("pay")]}, work=work) as stand:
        stand.host.connections["alpha"].sends = False
        await stand.press("enter", "enter")
        await stand.until(lambda: "◐ waiting" in stand.text())
        await stand.press("x")
        await stand.until(lambda: "cancelled, never sent" in stand.text())
