"""A call that waits for a person is answered when its hold is over."""

from __future__ import annotations

import asyncio

import pytest

from elicit_tui.elicitation import Call, Question
from elicit_tui.gateway.held_call import Paused
from elicit_tui.gateway.held_calls import HeldCalls
from tests.broker.conftest import form_request
from tests.gateway.held import Request, Watcher
from tests.gateway.world import WAIT, MovedClock, settled

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("rounds", range(8))
async def test_a_hold_that_ends_just_as_the_question_comes_is_not_longer(rounds: int) -> None:
    clock = MovedClock()
    calls = HeldCalls(clock)
    calls.watched_by(Watcher())
    work = asyncio.get_running_loop().create_future()
    held = calls.start(Call("tools/call", "one", {}), "s", "key", work)
    attending = asyncio.ensure_future(calls.attend(held, Request(clock.time()), 10))  # type: ignore[arg-type]
    await settled()
    question = Question(form_request())
    held.waiting[question.id] = question
    held.changed()
    for _ in range(rounds):
        await asyncio.sleep(0)
    await clock.move(11)
    assert isinstance(await asyncio.wait_for(attending, WAIT), Paused)
    await calls.end()
