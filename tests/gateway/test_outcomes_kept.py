"""How many outcomes of paused calls a session keeps: the newest 64, and 16 MiB at most."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from elicit_tui.elicitation import Call, Question
from elicit_tui.gateway.held_call import HeldCall, Paused
from elicit_tui.gateway.held_calls import HeldCalls
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

    async def ends(self, held: HeldCall, text: str = "done") -> None:
        self._ends[held.id].set_result({"content": [{"type": "text", "text": text}]})
        await settled()

    def known(self, calls: list[HeldCall]) -> list[bool]:
        return [self.calls.known(held.id) is held for held in calls]


async def test_the_newest_64_outcomes_are_kept_and_what_is_under_way_never_goes() -> None:
    session = Session()
    waiting = await session.paused(0)
    ended = []
    for number in range(1, 71):
        ended.append(await session.paused(number))
        await session.ends(ended[-1])
    assert session.known(ended) == [False] * 6 + [True] * 64
    assert session.known([waiting]) == [True]
    await session.ends(waiting)


async def test_16_mib_of_outcomes_are_kept_and_the_oldest_go_first() -> None:
    session = Session()
    ended = []
    for number in range(5):
        ended.append(await session.paused(number))
        await session.ends(ended[-1], "x" * (4 * MIB - 1024))
    assert session.known(ended) == [False, True, True, True, True]
    # One that is too large by itself leaves nothing that could be read again.
    huge = await session.paused(5)
    await session.ends(huge, "x" * (17 * MIB))
    assert session.known([*ended, huge]) == [False] * 6
