"""A tool is called only as it was when a person allowed it, over a connection without a server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from elicit_tui.elicitation import Call, Outcome, ServerIdentity, accept, cancel
from elicit_tui.errors import (
    INVALID_ANSWER,
    Interrupted,
    ProtocolCallError,
    ServerError,
    ToolRefused,
)
from elicit_tui.host.gate import ToolGate
from elicit_tui.host.offers import Tool
from tests.host.world import python_server, says, world

pytestmark = pytest.mark.anyio

SERVER = ServerIdentity("jobs", "stdio", "jobs-server")
CALL = Call("tools/call", "build")


class Gated:
    """A connection that lists what it is told to."""

    def __init__(self, *listings: Any, tells: bool = True) -> None:
        self.id, self.name, self.identity = "c1", "jobs", SERVER
        self.process_id: int | None = 7
        self.tells_of_changed_tools = tells
        self.listings = list(listings)
        self.listed = 0
        self.gate: ToolGate | None = None
        self.is_gone = False

    async def settled(self) -> None:
        if self.is_gone:
            raise ServerError("It went away.")

    async def tools(self) -> list[Tool]:
        self.listed += 1
        now = self.listings.pop(0) if len(self.listings) > 1 else self.listings[0]
        if isinstance(now, Exception):
            raise now
        tools = [Tool("build", raw=now)]
        assert self.gate is not None
        self.gate.listed(tools)
        return tools


class Approving:
    """A broker that answers each approval as it is told."""

    def __init__(self, *outcomes: Outcome | None, needs: bool = True) -> None:
        self.outcomes = list(outcomes)
        self.needs = needs
        self.asked: list[Any] = []
        self.open: tuple[Any, ...] = ()
        self.ended: list[tuple[Any, Outcome]] = []
        self.meanwhile: Callable[[], None] = lambda: None

    def needs_definition(self, server: str, tool: str) -> bool:
        return self.needs

    async def approve(self, server: Any, call: Call, *told: Any) -> Outcome | None:
        self.asked.append(told)
        self.meanwhile()
        return self.outcomes.pop(0) if len(self.outcomes) > 1 else self.outcomes[0]

    def end_where(self, matches: Callable[[Any], bool], outcome: Outcome) -> None:
        for request in filter(matches, self.open):
            self.ended.append((request, outcome))


ALLOWED = accept("user", "Yes.", None)


def gate_of(connection: Gated, broker: Approving) -> ToolGate:
    connection.gate = ToolGate(connection, broker)  # type: ignore[arg-type]
    return connection.gate


async def test_a_tool_is_called_only_as_it_was_when_a_person_allowed_it() -> None:
    first, second = {"name": "build", "description": "a"}, {"name": "build", "description": "b"}
    connection, broker = Gated(first, second, tells=False), Approving(ALLOWED)
    gate = gate_of(connection, broker)
    with pytest.MonkeyPatch.context() as now:
        now.setattr("elicit_tui.host.gate.LIVE_SECONDS", 0.0)
        await gate.passed(CALL)
    assert [(told[0], told[2]) for told in broker.asked] == [(first, None), (second, first)]
    assert {told[1] for told in broker.asked} == {"pid 7"}
    connection.process_id = None
    await gate.passed(CALL)
    assert broker.asked[-1][1] == "connection c1"


async def test_a_list_counts_until_the_server_tells_of_another_one() -> None:
    connection = Gated({"name": "build"})
    gate = gate_of(connection, Approving(None))
    for _ in range(3):
        await gate.passed(CALL)
    assert connection.listed == 1
    gate.changed()
    await gate.passed(CALL)
    assert connection.listed == 2
    await gate.passed(Call("tools/call", "unlisted"))
    assert connection.listed == 4
    unasked = Gated({"name": "build"})
    await gate_of(unasked, Approving(None, needs=False)).passed(CALL)
    assert unasked.listed == 0
    untold = Gated({"name": "build"}, tells=False)
    await gate_of(untold, Approving(None)).passed(CALL)
    assert untold.listed == 1


async def test_a_list_that_is_refused_or_none_leaves_the_tool_unknown_and_a_lost_server_tells() -> (
    None
):
    for error in (ProtocolCallError(-1, "no"), ServerError("no list", code=INVALID_ANSWER)):
        broker = Approving(ALLOWED)
        await gate_of(Gated(error), broker).passed(CALL)
        assert broker.asked == [(None, "pid 7", None)]
    with pytest.raises(ServerError, match="went away"):
        await gate_of(Gated(ServerError("It went away.")), Approving(None)).passed(CALL)


async def test_a_call_that_is_not_allowed_or_given_up_is_not_made() -> None:
    connection = Gated({"name": "build"})
    with pytest.raises(ToolRefused):
        await gate_of(connection, Approving(cancel("user", "No."))).passed(CALL)
    gone = Approving(cancel("server", "Gone."))
    connection.is_gone = True
    with pytest.raises(ServerError, match=r"It went away\."):
        await gate_of(connection, gone).passed(CALL)
    broker = Approving(ALLOWED)
    gate = gate_of(Gated({"name": "build"}), broker)
    own = SimpleNamespace(may_belong_to=lambda call: call == CALL.id)
    other = SimpleNamespace(may_belong_to=lambda call: False)
    broker.open = (own, other)
    ended = cancel("user", "Cancelled.")
    assert not gate.give_up(CALL.id, ended)
    waited: list[bool] = []
    broker.meanwhile = lambda: waited.append(gate.give_up(CALL.id, ended))
    with pytest.raises(Interrupted):
        await gate.passed(CALL)
    assert (waited, broker.ended) == ([True], [(own, ended)])
    # It waits here no longer, and the next one is not given up for it.
    assert not gate.give_up(CALL.id, ended)
    broker.meanwhile = lambda: None
    await gate.passed(CALL)


async def test_a_call_that_passed_knows_what_its_tool_calls_a_secret() -> None:
    pin, plain = {"type": "string", "format": "password"}, {"type": "string"}
    schema = {"type": "object", "properties": {"pin": pin, "city": plain}}
    gate = gate_of(Gated({"name": "build"}), Approving(None, needs=False))
    gate.listed([Tool("build", input_schema=schema)])
    passed = await gate.passed(CALL)
    assert (passed, passed.secrets) == (CALL, {"pin"})


async def test_a_question_of_a_call_knows_what_the_tool_calls_a_secret(tmp_path: Path) -> None:
    form = {"message": "Where?", "requestedSchema": {"type": "object", "properties": {}}}
    (tmp_path / "script").write_text(json.dumps({"tools": {"build": [{"ask": form}]}}))
    server = python_server("scripted", "scripted.py", str(tmp_path / "script"))
    async with world(server, answer=says({})) as here:
        connection = await here.host.connect("scripted")
        pin = {"type": "string", "format": "password"}
        tool = Tool("build", input_schema={"type": "object", "properties": {"pin": pin}})
        connection.gate.listed([tool])
        await asyncio.wait_for(connection.call(Call("tools/call", "build", {"pin": "1234"})), 20)
    (asked,) = here.person.asked
    assert asked.request.call is not None
    assert asked.request.call.secrets == {"pin"}
