"""An agent that waits here for a call of another gateway process."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from elicit_tui.elicitation import Call
from elicit_tui.errors import StoreError
from elicit_tui.gateway.shared_calls import ATTENDS_SECONDS, SharedCalls
from elicit_tui.gateway.telling import PAUSED_META_KEY
from elicit_tui.store.calls import KeptCall
from elicit_tui.store.sealed_calls import CallSeen
from tests.gateway.held import Request
from tests.gateway.world import MovedClock, settled

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

    async def read(self, owner: str, call_id: str) -> None:
        self.notes.append("read")


def word(note: Any) -> str:
    """What a note is about, whoever left it."""
    return note if isinstance(note, str) else next(iter(note))


@pytest.mark.parametrize("meta", [{"id": "call"}, None])
async def test_a_call_that_goes_on_is_told_as_its_own_process_told_it(meta: Any) -> None:
    paused = None if meta is None else json.dumps({"_meta": {PAUSED_META_KEY: meta}}).encode()
    calls: Any = Calls(paused)
    shared = SharedCalls(calls, "owner", private=False, clock=MovedClock())
    request: Any = Request(0.0)
    told = await shared.attend("call", request, 0.0, "It still waits.")
    assert told["content"][0]["text"] == "It still waits."
    assert told.get("_meta") == (None if meta is None else {PAUSED_META_KEY: meta})
    assert [*map(word, calls.notes)] == ["attended", "left"]


async def test_an_agent_that_hangs_up_here_is_waited_for_no_more_where_its_call_is_made() -> None:
    calls: Any = Calls(None)
    clock = MovedClock()
    shared = SharedCalls(calls, "owner", private=False, clock=clock)
    request: Any = Request(clock.time())
    attending = asyncio.ensure_future(shared.attend("call", request, 60.0, "still"))
    await settled()
    (name,) = calls.notes[0].values()
    # Said again and again: where this gateway is killed, nobody says that it has left.
    await clock.move(ATTENDS_SECONDS)
    assert calls.notes == [{"attended": name}] * 2
    attending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await attending
    assert calls.notes[2:] == [{"left": name}]


async def test_who_hangs_up_while_it_is_noted_that_it_waits_has_left_all_the_same() -> None:
    calls: Any = Calls(None)
    whole, writes = calls.leave_note, asyncio.Event()

    async def written_all_the_same(owner: str, call_id: str, note: bytes) -> None:
        await whole(owner, call_id, note)
        await writes.wait()

    calls.leave_note = written_all_the_same
    shared = SharedCalls(calls, "owner", private=False, clock=MovedClock())
    request: Any = Request(0.0)
    attending = asyncio.ensure_future(shared.attend("call", request, 60.0, "still"))
    await settled()
    attending.cancel()
    writes.set()
    await asyncio.gather(attending, return_exceptions=True)
    assert [*map(word, calls.notes)] == ["attended", "left"]
    assert len({name for note in calls.notes for name in note.values()}) == 1


async def test_who_is_cancelled_again_while_its_note_is_written_has_left_it_all_the_same() -> None:
    calls: Any = Calls(None)
    written = asyncio.Event()
    whole = calls.leave_note

    async def slow(owner: str, call_id: str, note: bytes) -> None:
        if "left" in json.loads(note):
            await written.wait()
        await whole(owner, call_id, note)

    calls.leave_note = slow
    clock = MovedClock()
    request: Any = Request(clock.time())
    shared = SharedCalls(calls, "owner", private=False, clock=clock)
    attending = asyncio.ensure_future(shared.attend("call", request, 60.0, "still"))
    await settled()
    for _ in "12":  # The end of a whole group of tasks cancels each of them again and again.
        attending.cancel()
        await settled()
    written.set()
    await settled()
    assert [*map(word, calls.notes)] == ["attended", "left"]
    assert attending.cancelled()


async def test_an_outcome_is_told_also_where_nobody_can_be_told_that_it_was_waited_for() -> None:
    calls: Any = Calls(None)
    calls.seen = replace(calls.seen, outcome=b'{"result": {"content": []}}')
    whole = calls.leave_note

    async def full(owner: str, call_id: str, note: bytes) -> None:
        if "left" in json.loads(note):
            raise StoreError("The disk is full.")
        await whole(owner, call_id, note)

    calls.leave_note = full
    shared = SharedCalls(calls, "owner", private=False, clock=MovedClock())
    request: Any = Request(0.0)
    assert await shared.attend("call", request, 60.0, "still") == {"content": []}


async def test_only_a_tool_is_one_that_may_have_run() -> None:
    calls: Any = Calls(None)
    shared = SharedCalls(calls, "owner", private=False, clock=MovedClock())
    tool = Call("tools/call", "one")
    for call in (Call("prompts/get", "one"), Call("resources/read", "x://1"), tool):
        await shared.about_to_call(call)
    assert calls.ran == [tool.id]
