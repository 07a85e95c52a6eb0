"""What an agent is told of a call that another process makes, without a store."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from elicit_tui.elicitation import Call, now
from elicit_tui.errors import ElicitTuiError, ProtocolCallError, StoreError, TaskCancelled
from elicit_tui.gateway import telling
from elicit_tui.gateway.held_call import HeldCall, OutcomesUnread, TooManyCalls
from elicit_tui.gateway.shared_calls import (
    LOOK_SECONDS,
    NOTES_SECONDS,
    UNSURE_SECONDS,
    NotKnown,
    SharedCalls,
    owner_of,
    read_kept,
)
from elicit_tui.gateway.task_results import detailed, of_another
from elicit_tui.host.number_text import json_line
from elicit_tui.store.calls import Verdict
from elicit_tui.store.sealed_calls import CallSeen
from tests.gateway.held import Asks, Request
from tests.gateway.session_world import says
from tests.gateway.test_attended_elsewhere import CALL, Calls, word
from tests.gateway.world import WAIT, MovedClock, settled

pytestmark = pytest.mark.anyio


class Store:
    """What a store is told of calls, and what it says of a new one."""

    def __init__(self, *verdicts: Verdict) -> None:
        self.verdicts = list(verdicts)
        self.told: list[tuple[Any, ...]] = []
        self.trouble: StoreError | None = None

    async def begin(
        self, owner: str, call_id: str, key: bytes, *, private: bool, since: float | None
    ) -> Verdict:
        self.told.append((owner, key, private, since))
        return self.verdicts.pop(0)

    async def _keep(self, *told: Any) -> None:
        if self.trouble is not None:
            raise self.trouble
        self.told.append(told)

    async def paused(self, owner: str, call_id: str, text: bytes, *, is_task: bool) -> None:
        await self._keep("paused", call_id, json.loads(text), is_task)

    async def left(self, owner: str, call_id: str, *, is_left: bool, attended: bool) -> None:
        await self._keep("left", call_id, is_left, attended)

    async def ended(self, owner: str, call_id: str, outcome: bytes) -> None:
        await self._keep("ended", call_id, json.loads(outcome))

    async def read(self, owner: str, call_id: str) -> None:
        await self._keep("read", call_id)

    async def drop(self, owner: str, call_id: str) -> None:
        await self._keep("drop", call_id)

    async def abandon(self, owner: str, call_id: str) -> None:
        await self._keep("abandon", call_id)

    async def notes(self, owner: str, ids: Sequence[str]) -> list[tuple[str, bytes]]:
        await self._keep("notes", *ids)
        return [(ids[0], b'{"attended": 1, "size": 1.50}')]


def shared_by(store: Store, *, private: bool = False) -> tuple[SharedCalls, MovedClock]:
    clock, kept = MovedClock(), store
    calls: Any = kept
    return SharedCalls(calls, "owner", private=private, clock=clock), clock


TOOL = Call("tools/call", "one")


async def begun(store: Store, hold: float = 5.0, waits: float = 0.0) -> str | None:
    shared, clock = shared_by(store)
    request: Any = Request(clock.time())
    beginning = asyncio.ensure_future(shared.begin(TOOL, "key", request, hold))
    await settled()
    await clock.move(waits)
    return await asyncio.wait_for(beginning, WAIT)


# How a call begins


@pytest.mark.parametrize(
    ("verdict", "raised"),
    [
        (Verdict("full"), OutcomesUnread),
        (Verdict("too many"), TooManyCalls),
        (Verdict("not known", "earlier"), NotKnown),
    ],
)
async def test_a_call_that_may_not_begin_says_why(verdict: Verdict, raised: Any) -> None:
    with pytest.raises(raised):
        await begun(Store(verdict))


async def test_a_call_begins_or_joins_and_is_named_by_its_key_alone() -> None:
    store = Store(Verdict("begins"))
    assert await begun(store) is None
    assert store.told == [("owner", b"key", False, None)]
    assert await begun(Store(Verdict("joins", "earlier"))) == "earlier"


async def test_while_nobody_is_sure_that_another_gateway_lives_a_call_waits_as_it_is_held() -> None:
    store = Store(Verdict("unsure", "e", 7.0), Verdict("unsure", "e", 8.0), Verdict("begins"))
    assert await begun(store, waits=UNSURE_SECONDS * 2) is None
    assert [since for *_, since in store.told] == [None, 7.0, 8.0]
    endless = Store(*[Verdict("unsure", "e", 7.0)] * 9)
    with pytest.raises(NotKnown, match="not known whether the tool ran"):
        await begun(endless, hold=2.0, waits=UNSURE_SECONDS * 2)
    assert len(endless.told) == 3


# What is written of one


async def held_call(outcome: Any = None) -> HeldCall:
    """A call that came to this, or that goes on."""
    work: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    held = HeldCall(TOOL, "web", "key", task=work)  # type: ignore[arg-type]
    if isinstance(outcome, BaseException):
        work.set_exception(outcome)
    elif outcome == "cancelled":
        work.cancel()
    elif outcome is not None:
        work.set_result(outcome)
    return held


async def test_a_pause_is_written_and_a_task_only_given_where_it_could_be() -> None:
    store = Store()
    shared, _ = shared_by(store)
    held = await held_call()
    assert await shared.paused(held, {"content": []})
    assert held.task_kept is None
    assert await shared.paused(held, {"resultType": "task"})
    assert held.task_kept is True
    assert store.told == [
        ("paused", held.id, {"content": []}, False),
        ("paused", held.id, {"resultType": "task"}, True),
    ]
    store.trouble = StoreError("full")
    # It was written before, or it can come back here.
    assert await shared.paused(held, {"resultType": "task"})
    assert await shared.paused(held, {"content": []})
    assert await shared.paused(await held_call(), {"content": []})
    fresh = await held_call()
    assert not await shared.paused(fresh, {"resultType": "task"})
    assert fresh.task_kept is False
    alone, _ = shared_by(Store(), private=True)
    assert await alone.paused(await held_call(), {"resultType": "task"})


async def test_what_nobody_comes_for_elsewhere_is_not_written_and_forgotten_once_read() -> None:
    store = Store()
    shared, _ = shared_by(store, private=True)
    held = await held_call({"content": []})
    await shared.paused(held, {"content": []})
    await shared.agent_side(held)
    await shared.ended(held)
    await asyncio.wait_for(shared.hear_notes(lambda: [held.id], lambda *heard: None), WAIT)
    assert await shared.seen(held.id) is None
    assert store.told == []
    await shared.delivered(held.id, named=True)
    assert store.told == [("drop", held.id)]


async def test_an_outcome_is_written_once_and_may_be_read_again_where_its_id_was_told() -> None:
    store = Store()
    shared, _ = shared_by(store)
    held = await held_call({"content": []})
    for _ in "12":
        await shared.ended(held)
    assert store.told == [("ended", held.id, {"result": {"content": []}})]
    store.told.clear()
    await shared.delivered(held.id, named=True)
    await shared.delivered(held.id, named=False)
    await shared.agent_side(held)
    await shared.abandoned(held.id)
    assert [told[0] for told in store.told] == ["read", "drop", "left", "abandon"]
    store.trouble = StoreError("gone")
    await shared.delivered(held.id, named=True)
    await shared.abandoned(held.id)
    again = await held_call({})
    with pytest.raises(StoreError):
        await shared.ended(again)
    assert not again.is_kept


async def test_what_others_leave_is_looked_for_now_and_then_where_there_is_anything() -> None:
    store = Store()
    shared, clock = shared_by(store)
    heard: list[Any] = []
    ids: list[str] = []
    hearing = asyncio.ensure_future(shared.hear_notes(lambda: ids, lambda *of: heard.append(of)))
    await settled()
    await clock.move(NOTES_SECONDS)
    assert store.told == []
    ids.append("call")
    store.trouble = StoreError("gone for a moment")
    await clock.move(NOTES_SECONDS)
    store.trouble = None
    await clock.move(NOTES_SECONDS)
    assert heard == [("call", {"attended": 1, "size": 1.5})]
    hearing.cancel()
    await asyncio.gather(hearing, return_exceptions=True)


# What another gateway reads of it


@pytest.mark.parametrize(
    ("outcome", "comes_to"),
    [
        ({"content": [1.0]}, {"content": [1.0]}),
        ("cancelled", telling.text_result(telling.CANCELLED, is_error=True)),
        (
            TaskCancelled("theirs"),
            telling.text_result(telling.TASK_CANCELLED_BELOW, is_error=True),
        ),
        (ProtocolCallError(-32602, "no", {"a": 1}), ProtocolCallError),
        (ElicitTuiError("It failed."), ElicitTuiError),
    ],
)
async def test_what_a_call_came_to_is_the_same_on_another_gateway(
    outcome: Any, comes_to: Any
) -> None:
    store = Store()
    here, _ = shared_by(store)
    await here.ended(await held_call(outcome))
    ((_, _, written),) = store.told
    calls: Any = Calls(None)
    ended = replace(calls.seen, outcome=json.dumps(written).encode())
    calls.seen = ended
    there, request = SharedCalls(calls, "owner", private=False, clock=MovedClock()), Request(0.0)
    someone: Any = request
    if isinstance(comes_to, dict):
        assert await there.attend("call", someone, 0.0, "still") == comes_to
    else:
        with pytest.raises(comes_to) as raised:
            await there.attend("call", someone, 0.0, "still")
        assert str(raised.value) == str(outcome)
        assert type(raised.value) is type(outcome)
        if isinstance(outcome, ProtocolCallError):
            assert (raised.value.code, raised.value.data) == (-32602, {"a": 1})  # type: ignore[attr-defined]
    # It was read, and the gateway that made it is told so.
    assert [*map(word, calls.notes)] == ["attended", "read", "read", "left"]
    assert calls.notes[1:3] == ["read", {"read": True}]


@pytest.mark.parametrize(
    "outcome",
    [
        {"content": [1.0]},
        "cancelled",
        TaskCancelled("theirs"),
        ProtocolCallError(-32602, "no", {"a": 1}),
        ProtocolCallError(-5, "no", None),
        ElicitTuiError("It failed."),
        RuntimeError("a bug"),
    ],
)
async def test_the_end_of_a_task_is_the_same_on_another_gateway(outcome: Any) -> None:
    store = Store()
    here, _ = shared_by(store)
    held = await held_call(outcome)
    held.ended_at, held.is_task = now(), True
    await here.ended(held)
    ((_, _, written),) = store.told
    there = of_another(CallSeen(CALL, "lives", None, json.dumps(written).encode()))
    for key in ("status", "statusMessage", "result", "error"):
        assert there.get(key) == detailed(held).get(key)


@pytest.mark.parametrize("state", ["called", "not called"])
async def test_of_a_call_whose_gateway_died_it_is_said_whether_it_may_have_run(state: Any) -> None:
    calls: Any = Calls(None)
    calls.seen = CallSeen(replace(CALL, state=state), "dead", None, None)
    shared = SharedCalls(calls, "owner", private=False, clock=MovedClock())
    request: Any = Request(0.0)
    told = await shared.attend("call", request, 0.0, "still")
    words = telling.RUN_NOT_KNOWN if state == "called" else telling.NOT_RUN
    assert told == telling.text_result(words, is_error=True)
    assert "read" in calls.notes


async def test_a_call_that_ends_meanwhile_is_told_and_one_that_nobody_knows_too() -> None:
    calls: Any = Calls(None)
    clock = MovedClock()
    shared = SharedCalls(calls, "owner", private=False, clock=clock)
    assert await shared.seen(5) is None
    request: Any = Request(clock.time())
    waiting = asyncio.ensure_future(shared.attend("call", request, 60.0, "still"))
    await settled()
    await clock.move(LOOK_SECONDS)
    assert not waiting.done()
    calls.seen = replace(calls.seen, outcome=b'{"result": {"content": []}}')
    await clock.move(LOOK_SECONDS)
    assert await asyncio.wait_for(waiting, WAIT) == {"content": []}
    calls.seen = None
    unknown = await shared.attend("call", request, 60.0, "still")
    assert unknown == telling.text_result(telling.NOT_KNOWN, is_error=True)


async def test_an_agent_that_waits_for_another_gateway_is_told_so_every_ten_seconds() -> None:
    calls: Any = Calls(None)
    clock = MovedClock()
    shared = SharedCalls(calls, "owner", private=False, clock=clock)
    request: Any = Asks(clock.time())
    waiting = asyncio.ensure_future(shared.attend("call", request, 25.0, "still"))
    await settled()
    await clock.move(24.9)
    assert [message for _, message in request.ticks] == [telling.ticking(10), telling.ticking(20)]
    await clock.move(1)
    assert says(await asyncio.wait_for(waiting, WAIT)) == "still"
    await clock.move(20)
    assert len(request.ticks) == 2


def test_an_owners_name_tells_nothing_of_its_token() -> None:
    assert owner_of("digest") != owner_of("other")
    assert (len(owner_of("digest")), "digest" in owner_of("digest")) == (32, False)


def test_a_number_of_a_kept_call_is_spelled_as_it_came() -> None:
    assert json_line(read_kept(b'{"result":1.50}')).strip() == b'{"result":1.50}'
