"""Outcomes of paused calls: none is lost unread, and 64 or 16 MiB unread ones stop new calls."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from elicit_tui.elicitation import Call, Question
from elicit_tui.gateway.held_call import HeldCall, OutcomesUnread, Paused
from elicit_tui.gateway.held_calls import HeldCalls
from elicit_tui.gateway.tasks import Tasks
from tests.broker.conftest import form_request
from tests.gateway.held import Request, Watcher
from tests.gateway.world import MovedClock, settled

pytestmark = pytest.mark.anyio

MIB = 1024 * 1024


class Session:
    """Calls that are paused at once, and end when a test says so."""

    def __init__(self) -> None:
        self.calls = HeldCalls(MovedClock())
        self.calls.watched_by(Watcher())
        self._ends: dict[str, asyncio.Future[dict[str, Any]]] = {}

    async def paused(self, number: int) -> HeldCall:
        end = asyncio.get_running_loop().create_future()
        call = Call("tools/call", "one", {"number": number})
        held = self.calls.start(call, "s", f"key {number}", end)
        question = Question(form_request())
        held.waiting[question.id] = question
        reply = await self.calls.attend(held, Request(0.0), 0)  # type: ignore[arg-type]
        assert isinstance(reply, Paused)
        held.waiting.clear()
        self._ends[held.id] = end
        return held

    async def given_a_task(self, number: int) -> HeldCall:
        held = await self.paused(number)
        held.is_task = True
        return held

    async def ends(self, held: HeldCall, text: str = "done") -> None:
        self._ends[held.id].set_result({"content": [{"type": "text", "text": text}]})
        await settled()

    async def reads(self, held: HeldCall) -> None:
        await self.calls.attend(held, Request(0.0), 0, resumed=True)  # type: ignore[arg-type]

    def known(self, calls: list[HeldCall]) -> list[bool]:
        return [self.calls.by_id(held.id) is held for held in calls]


async def test_nothing_is_called_while_64_outcomes_are_unread_and_none_of_them_is_lost() -> None:
    session = Session()
    waiting = await session.paused(0)
    ended = []
    for number in range(1, 65):
        ended.append(await session.paused(number))
        await session.ends(ended[-1])
    with pytest.raises(OutcomesUnread):
        await session.paused(65)
    assert session.known([waiting, *ended]) == [True] * 65
    await session.reads(ended[3])
    another = await session.paused(66)
    await session.ends(another)
    # What was read gives place; what was not, and what is under way, never goes.
    assert session.known([waiting, *ended, another]) == [True] * 4 + [False] + [True] * 61
    await session.ends(waiting)


async def test_nothing_is_called_while_16_mib_are_unread_and_what_was_read_goes_first() -> None:
    session = Session()
    ended = [await session.paused(number) for number in range(6)]
    for held in ended[:4]:
        await session.ends(held, "x" * (4 * MIB))
    with pytest.raises(OutcomesUnread):
        await session.paused(6)
    await session.reads(ended[2])
    assert session.known(ended) == [True, True, False, True, True, True]
    # One that is too large by itself is there all the same, until it was read.
    await session.ends(ended[4], "x" * (17 * MIB))
    assert session.known(ended[4:5]) == [True]
    await session.reads(ended[4])
    assert session.known(ended[4:5]) == [False]
    await session.ends(ended[5])


async def test_a_task_is_read_once_its_end_was_told_and_makes_room_for_another_call() -> None:
    session = Session()
    tasks = Tasks(session.calls, None)
    given = [await session.given_a_task(number) for number in range(64)]
    assert (await tasks.get(given[0].id))["status"] == "working"
    for held in given:
        await session.ends(held)
    with pytest.raises(OutcomesUnread):
        await session.paused(64)
    assert (await tasks.get(given[0].id))["status"] == "completed"
    await session.ends(await session.paused(64))
