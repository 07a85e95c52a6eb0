"""What an agent is told of a call that another process makes, without a store."""

from __future__ import annotations

import json
from typing import Any

import pytest

from elicit_tui.elicitation import Call
from elicit_tui.gateway.shared_calls import SharedCalls
from elicit_tui.gateway.telling import PAUSED_META_KEY
from elicit_tui.store.calls import KeptCall
from elicit_tui.store.sealed_calls import CallSeen
from tests.gateway.held import Request
from tests.gateway.world import MovedClock

pytestmark = pytest.mark.anyio

CALL = KeptCall("owner", "call", "key", "process", 0.0, "secret")


class Calls:
    """A call of another process that goes on."""

    def __init__(self, paused: bytes | None) -> None:
        self.seen = CallSeen(CALL, "lives", paused, None)
        self.notes: list[Any] = []
        self.ran: list[str] = []

    async def look(self, owner: str, call_id: str) -> CallSeen:
        return self.seen

    async def leave_note(self, owner: str, call_id: str, note: bytes) -> None:
        self.notes.append(json.loads(note))

    async def called(self, owner: str, call_id: str) -> None:
        self.ran.append(call_id)


@pytest.mark.parametrize("meta", [{"id": "call"}, None])
async def test_a_call_that_goes_on_is_told_as_its_own_process_told_it(meta: Any) -> None:
    paused = None if meta is None else json.dumps({"_meta": {PAUSED_META_KEY: meta}}).encode()
    calls: Any = Calls(paused)
    shared = SharedCalls(calls, "owner", private=False, clock=MovedClock())
    request: Any = Request(0.0)
    told = await shared.attend("call", request, 0.0, "It still waits.")
    assert told["content"][0]["text"] == "It still waits."
    assert told.get("_meta") == (None if meta is None else {PAUSED_META_KEY: meta})
    assert calls.notes == [{"attended": 1}, {"attended": -1}]


async def test_only_a_tool_is_one_that_may_have_run() -> None:
    calls: Any = Calls(None)
    shared = SharedCalls(calls, "owner", private=False, clock=MovedClock())
    tool = Call("tools/call", "one")
    for call in (Call("prompts/get", "one"), Call("resources/read", "x://1"), tool):
        await shared.about_to_call(call)
    assert calls.ran == [tool.id]
