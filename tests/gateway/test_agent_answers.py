"""What an agent answers in its person's place: once, only what waits, and never before a person."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from elicit_tui.elicitation import Outcome, Question, accept, form_of
from elicit_tui.gateway.asking import agent_outcome
from tests.broker.conftest import form_request
from tests.gateway.test_asking import MakeWorld, ended, make_world
from tests.gateway.world import settled

pytestmark = pytest.mark.anyio
__all__ = ["make_world"]


async def test_the_agents_own_answer_counts_once_and_only_while_it_is_waited_for(
    make_world: MakeWorld,
) -> None:
    world = make_world("console")
    question = world.question()
    answer = accept("agent", "The agent answered.", {"colour": "red"})
    assert not world.asking.answer_by_agent(question.id, answer)
    asking = await world.asks(question)
    assert world.asking.answer_by_agent(question.id, answer)
    assert not world.asking.answer_by_agent(question.id, answer)
    assert await ended(asking) is answer
    assert world.person.withdrawn == [question]
    assert not world.asking.answer_by_agent(question.id, answer)


async def test_where_a_person_and_the_agent_answer_at_once_the_persons_counts(
    make_world: MakeWorld,
) -> None:
    world = make_world("console")
    question = world.question()
    asking = await world.asks(question)
    answer = accept("agent", "The agent answered.", {"colour": "red"})
    assert world.asking.answer_by_agent(question.id, answer)
    world.person.sends(question, {"colour": "blue"})
    assert (await ended(asking)).decided_by == "user"
    other = world.question()
    asking = await world.asks(other)
    world.person.sends(other, {"colour": "blue"})
    await ended(asking)
    assert not world.asking.answer_by_agent(other.id, answer)


async def test_an_agents_answer_goes_out_once_nobody_can_answer_any_more(
    make_world: MakeWorld,
) -> None:
    world, taken_out = make_world("console"), asyncio.Event()

    async def slow(*given: Any) -> Outcome:
        try:
            return await asyncio.get_running_loop().create_future()
        finally:
            await taken_out.wait()

    world.person.respond = slow  # type: ignore[method-assign]
    question = world.question()
    asking = await world.asks(question)
    answer = accept("agent", "The agent answered.", {"colour": "red"})
    assert world.asking.answer_by_agent(question.id, answer)
    await settled()
    assert not asking.done()
    taken_out.set()
    assert await ended(asking) is answer


def test_an_answer_of_the_agent_that_is_none_says_why() -> None:
    request = form_request()
    question = Question(request, form=form_of(request))
    assert 'action is "accept"' in str(agent_outcome(question, "yes", {}))
    broken = str(agent_outcome(question, "accept", {"colour": 5}))
    assert "content.colour: a text" in broken
    assert "content.colour: needs an answer" in str(agent_outcome(question, "accept", "red"))
    given = agent_outcome(question, "accept", {"colour": "red"})
    assert isinstance(given, Outcome)
    assert (given.action, given.decided_by, given.content) == ("accept", "agent", {"colour": "red"})
    for action in ("decline", "cancel"):
        refused = agent_outcome(question, action, None)
        assert isinstance(refused, Outcome)
        assert (refused.action, refused.decided_by, refused.via) == (action, "agent", "agent")
