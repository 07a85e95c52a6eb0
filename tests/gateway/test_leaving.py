"""How long a call stays whose agent went away: half a minute from when it left, each time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from elicit_tui.elicitation import Call, ElicitationRequest, Question, ServerIdentity
from elicit_tui.gateway.departures import LEFT_SECONDS
from elicit_tui.gateway.held_call import HeldCall
from elicit_tui.gateway.held_calls import HeldCalls
from tests.broker.conftest import form_request
from tests.gateway.held import Request, Watcher
from tests.gateway.world import MovedClock, settled

pytestmark = pytest.mark.anyio

HOLD = 1000.0


class Agent:
    """Makes one call that asks a person, leaves it and comes back to it."""

    def __init__(self) -> None:
        self.clock = MovedClock()
        self.watcher = Watcher()
        self.calls = HeldCalls(self.clock)
        self.calls.watched_by(self.watcher)
        work = asyncio.get_running_loop().create_future()
        self.held: HeldCall = self.calls.start(Call("tools/call", "one", {}), "s", "key", work)
        self._attending: asyncio.Future[object] | None = None

    async def comes(self) -> None:
        request = Request(self.clock.time())
        attended = self.calls.attend(self.held, request, HOLD)  # type: ignore[arg-type]
        self._attending = asyncio.ensure_future(attended)
        await settled()

    def is_asked(self) -> None:
        question = Question(form_request())
        self.held.waiting[question.id] = question
        self.held.has_asked = True

    async def leaves(self) -> None:
        assert self._attending is not None
        self._attending.cancel()
        await asyncio.gather(self._attending, return_exceptions=True)


@pytest.fixture
async def agent() -> AsyncIterator[Agent]:
    agent = Agent()
    await agent.comes()
    agent.is_asked()
    yield agent
    await agent.calls.end()


async def test_a_call_whose_agent_stays_away_is_withdrawn(agent: Agent) -> None:
    await agent.leaves()
    await agent.clock.move(LEFT_SECONDS - 1)
    assert agent.watcher.withdrawn == []
    await agent.clock.move(1)
    assert agent.watcher.withdrawn == [agent.held]


async def test_a_call_that_its_agent_came_back_to_is_never_withdrawn(agent: Agent) -> None:
    await agent.leaves()
    await agent.clock.move(LEFT_SECONDS - 1)
    await agent.comes()
    await agent.clock.move(LEFT_SECONDS * 3)
    assert agent.watcher.withdrawn == []
    assert agent.watcher.states == ["left", "waiting"]


async def test_an_agent_that_leaves_once_more_has_its_whole_time_again(agent: Agent) -> None:
    await agent.leaves()
    await agent.clock.move(LEFT_SECONDS - 1)
    await agent.comes()
    await agent.leaves()
    await agent.clock.move(LEFT_SECONDS - 1)
    assert agent.watcher.withdrawn == []
    await agent.clock.move(1)
    assert agent.watcher.withdrawn == [agent.held]


async def test_a_call_that_begins_while_its_server_waits_for_a_login_is_held_when_its_agent_leaves(
    agent: Agent,
) -> None:
    await agent.leaves()
    server = ServerIdentity("s", "stdio", "s")
    login = Question(ElicitationRequest(server, {"message": "Log in"}, kind="authorization"))
    with agent.calls.waiting_for(login):
        work = asyncio.get_running_loop().create_future()
        agent.held = agent.calls.start(Call("tools/call", "two", {}), "s", "other", work)
        await agent.comes()
        await agent.leaves()
        await settled()
        assert (work.cancelled(), agent.held.left) == (False, True)


async def test_held_calls_of_no_session_fail_instead_of_leaving_a_question_to_stand() -> None:
    calls = HeldCalls(MovedClock())
    work = asyncio.get_running_loop().create_future()
    held = calls.start(Call("tools/call", "one", {}), "s", "key", work)
    with pytest.raises(RuntimeError, match="watched_by"):
        calls.give_up(held)
    work.cancel()
