"""What an agent answers in its person's place: once, only what waits, and never before a person."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from elicit_tui.elicitation import Outcome, Question, form_of
from elicit_tui.gateway.agent_answers import agent_outcome
from tests.broker.conftest import form_request
from tests.gateway.test_asking import MakeWorld, World, ended, make_world
from tests.gateway.world import settled

pytestmark = pytest.mark.anyio
__all__ = ["make_world"]


def answers(world: World, question: Question, colour: str = "red") -> str | None:
    """As the agent does by `elicit_answer`; what it is told where that does not count."""
    given = {"question": question.id, "action": "accept", "content": {"colour": colour}}
    return world.asking.agent_answers.take(world.held, given)


async def test_the_agents_own_answer_counts_once_and_only_while_it_is_waited_for(
    make_world: MakeWorld,
) -> None:
    world = make_world("console")
    question = world.question()
    assert answers(world, question) is None
    asking = await world.asks(question)
    assert answers(world, question) is None
    assert answers(world, question, "blue") is None
    outcome = await ended(asking)
    assert (outcome.decided_by, outcome.content) == ("agent", {"colour": "red"})
    assert world.person.withdrawn == [question]
    assert answers(world, question) is None


async def test_an_answer_to_one_question_does_not_count_for_the_next(
    make_world: MakeWorld,
) -> None:
    world = make_world("console")
    first, second = world.question(), world.question()
    asking = await world.asks(first)
    world.person.sends(first, {"colour": "blue"})
    await ended(asking)
    asking = await world.asks(second)
    told = answers(world, first)
    assert told is not None
    assert told.startswith("That question does not wait, so nothing was answered.")
    assert second.id in told
    await settled()
    assert not asking.done()
    nameless = {"action": "accept", "content": {"colour": "red"}}
    assert world.asking.agent_answers.take(world.held, nameless) == told
    assert not asking.done()


async def test_without_leave_no_agent_answers_whoever_hands_it_over(make_world: MakeWorld) -> None:
    world = make_world("console", agents=False)
    question = world.question()
    asking = await world.asks(question)
    assert (answers(world, question) or "").startswith("No agent may answer here for its user.")
    assert world.asking.agent_answers.asked(world.held) == ""
    await settled()
    assert not asking.done()


async def test_where_a_person_and_the_agent_answer_at_once_the_persons_counts(
    make_world: MakeWorld,
) -> None:
    world = make_world("console")
    question = world.question()
    asking = await world.asks(question)
    assert answers(world, question) is None
    world.person.sends(question, {"colour": "blue"})
    assert (await ended(asking)).decided_by == "user"


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
    assert answers(world, question) is None
    await settled()
    assert not asking.done()
    taken_out.set()
    assert (await ended(asking)).decided_by == "agent"


@pytest.mark.parametrize("content", ['{"colour": "red"}', "red", ["red"], 5, False])
def test_an_answer_of_the_agent_that_is_no_object_does_not_go_out_as_an_empty_one(
    content: Any,
) -> None:
    request = form_request()
    schema = {"type": "object", "properties": {"colour": {"type": "string"}}}
    request = replace(request, params={**request.params, "requestedSchema": schema})
    question = Question(request, form=form_of(request))
    assert "content is an object" in str(agent_outcome(question, "accept", content))


@pytest.mark.parametrize("content", ["", [], "no", None])
def test_a_decline_of_the_agent_holds_whatever_it_says_beside_it(content: Any) -> None:
    request = form_request()
    given = agent_outcome(Question(request, form=form_of(request)), "decline", content)
    assert isinstance(given, Outcome)
    assert (given.action, given.content) == ("decline", None)


def test_an_answer_of_the_agent_that_is_none_says_why() -> None:
    request = form_request()
    question = Question(request, form=form_of(request))
    assert 'action is "accept"' in str(agent_outcome(question, "yes", {}))
    broken = str(agent_outcome(question, "accept", {"colour": 5}))
    assert "content.colour: a text" in broken
    assert "content.colour: needs an answer" in str(agent_outcome(question, "accept", None))
    given = agent_outcome(question, "accept", {"colour": "red"})
    assert isinstance(given, Outcome)
    assert (given.action, given.decided_by, given.content) == ("accept", "agent", {"colour": "red"})
    for action in ("decline", "cancel"):
        refused = agent_outcome(question, action, None)
        assert isinstance(refused, Outcome)
        assert (refused.action, refused.decided_by, refused.via) == (action, "agent", "agent")
