"""What a person allowed holds for the tool as its server describes it at that moment."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import Any

import pytest

from elicit_tui.broker import BrokerEvent, Notice
from elicit_tui.elicitation import Call
from elicit_tui.errors import Interrupted, ServerError
from elicit_tui.host.gate import MOST_DEFINITIONS
from tests.host.world import HANDSHAKE, MODERN, allows, raw_server, world

WAIT = 20

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("protocol", [HANDSHAKE, MODERN])
async def test_a_tool_that_changed_without_a_word_is_asked_about_again(
    protocol: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("elicit_tui.host.gate.LIVE_SECONDS", 0.0)
    server = raw_server(protocol, "--changes-silently", default_tools_approval_mode="prompt")
    async with world(server, answer=allows("session")) as here:
        connection = await here.host.connect("raw")
        for _ in range(2):
            await asyncio.wait_for(connection.call(Call("tools/call", "good")), WAIT)
        shown = [question.request.params["tool"] for question in here.person.asked]
        assert [tool["description"] for tool in shown] == ["called 0 times", "called 1 times"]


async def test_a_tool_that_is_another_each_time_it_is_looked_at_is_not_called(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("elicit_tui.host.gate.LIVE_SECONDS", 0.0)
    server = raw_server(HANDSHAKE, "--changes-always", default_tools_approval_mode="prompt")
    async with world(server, answer=allows("once")) as here:
        connection = await here.host.connect("raw")
        with pytest.raises(ServerError, match="keeps changing what it says of the tool"):
            await asyncio.wait_for(connection.call(Call("tools/call", "good")), WAIT)
        assert len(here.person.asked) == MOST_DEFINITIONS
        first, second = here.person.asked[:2]
        assert first.note is None or "while you read" not in first.note
        assert second.note is not None
        assert "changed what it says of this tool while you read: its description." in second.note
        assert "nothing was called" in second.note
        assert second.request.definition_before == first.request.definition


@pytest.mark.parametrize("protocol", [HANDSHAKE, MODERN])
async def test_a_tool_that_is_listed_twice_is_asked_about_by_its_more_dangerous_entry(
    protocol: Any,
) -> None:
    async with world(raw_server(protocol, "--twice"), answer=allows("once")) as here:
        told: list[BrokerEvent] = []
        here.broker.subscribe(told.append)
        connection = await here.host.connect("raw")
        tools = await connection.tools()
        assert sorted(tool.name for tool in tools) == ["good", "hidden"]
        await asyncio.wait_for(connection.call(Call("tools/call", "good")), WAIT)
        [asked] = here.person.asked
        assert asked.request.definition["annotations"] == {"destructiveHint": True}
        sentences = [event.sentence for event in told if isinstance(event, Notice)]
        assert any("lists good more than once" in sentence for sentence in sentences)


async def test_a_call_is_cancelled_at_once_though_its_server_stands_still() -> None:
    async with world(raw_server(HANDSHAKE, default_tools_approval_mode="prompt")) as here:
        connection = await here.host.connect("raw")
        assert connection.process_id is not None
        call = Call("tools/call", "good")
        os.kill(connection.process_id, signal.SIGSTOP)
        try:
            made = asyncio.ensure_future(connection.call(call))
            while not connection.gate.awaits_list(call.id):
                await asyncio.wait((made,), timeout=0.01)
            assert connection.gate.holds(call.id)
            await connection.cancel(call.id)
            await asyncio.wait((made,), timeout=WAIT)
            assert isinstance(made.done() and made.exception(), Interrupted)
        finally:
            os.kill(connection.process_id, signal.SIGCONT)
        assert not connection.gate.awaits_list(call.id)
        assert not here.person.asked
