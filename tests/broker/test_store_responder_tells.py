"""What is told of a question in the store: that nobody is there, and where its agent is."""

from __future__ import annotations

import asyncio

import pytest

from elicit_tui.broker.store_responder import _page_is_open, _Watched
from elicit_tui.elicitation import Deadline, Draft, ElicitationRequest, Question, cancel
from tests.broker.conftest import World, form_request
from tests.broker.elsewhere import bounded, sent
from tests.broker.test_inbox_words import waits

pytestmark = pytest.mark.anyio


async def test_a_question_that_is_put_while_nobody_is_there_is_told_of_once_with_its_agent(
    world: World,
) -> None:
    told: list[tuple[ElicitationRequest, str | None]] = []
    first_told = asyncio.Event()

    def tell(request: ElicitationRequest, agent: str | None) -> None:
        told.append((request, agent))
        first_told.set()

    broker = await world.asks()
    world.responder.tell_waiting = tell
    person = await world.person()
    alone = form_request("Is anybody there?")
    first = asyncio.ensure_future(broker.resolve(alone))
    question = await person.sees("Is anybody there?")
    # Shown elsewhere as soon as it was put, which may be before it is known that nobody is there.
    await bounded(first_told.wait())
    assert told == [(alone, "claude-code")]
    await person.presses_a_key()
    second = asyncio.ensure_future(broker.resolve(form_request()))
    await person.sees()
    assert told == [(alone, "claude-code")]
    await person.inbox.answer(question.id, sent(colour="red"))
    await bounded(first)
    await broker.close()
    await bounded(second)


async def test_where_the_agent_is_meanwhile_is_seen_in_every_inbox(world: World) -> None:
    broker, person = await world.asks(), await world.person()
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    question = await person.sees()
    for state in ("paused", "left", "waiting"):
        await world.responder.mark_agent(question.id, state)  # type: ignore[arg-type]
        await person.until(lambda now=state: person.inbox.waiting[0].agent_state == now)
    await broker.close()
    await bounded(asked)


async def test_an_agent_that_is_away_when_its_question_comes_is_seen_to_be_away(
    world: World,
) -> None:
    await world.asks()
    person, question = await world.person(), Question(form_request())
    asked = asyncio.ensure_future(world.responder.respond(question, Deadline(0), lambda: "left"))
    await person.sees()
    await person.until(lambda: person.inbox.waiting[0].agent_state == "left")
    asked.cancel()
    await bounded(asyncio.wait([asked]))


async def test_where_the_agent_is_is_said_anew_when_it_is_asked_again(world: World) -> None:
    broker, person = await world.asks(), await world.person()
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    question = await person.sees()
    await world.responder.mark_agent(question.id, "paused")
    reply = await bounded(person.inbox.answer(question.id, sent(colour=5)))
    assert reply.kind == "reopened"
    await person.until(lambda: person.inbox.waiting[0].agent_state == "waiting")
    await broker.close()
    await bounded(asked)


async def test_a_question_that_somebody_took_out_of_the_store_is_cancelled_by_it(
    world: World,
) -> None:
    broker, person = await world.asks(), await world.person()
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    question = await person.sees()
    await world.asking_store.settle(question.id, cancel("user", "Another program did it."))
    outcome = await bounded(asked)
    assert (outcome.action, outcome.decided_by) == ("cancel", "store")
    assert outcome.reason == "The question was taken out of the store."


async def test_a_question_that_was_never_looked_at_is_looked_at_once_more_by_nobody() -> None:
    watched, seen = _Watched(), waits()
    watched.show_again()
    looking = asyncio.ensure_future(watched.next())
    await asyncio.sleep(0)
    assert not looking.done()
    watched.show(seen)
    assert await bounded(looking) is seen
    watched.show_again()
    assert await bounded(watched.next()) is seen


@pytest.mark.parametrize(
    ("state", "is_open"), [("open", True), ("claimed", True), ("answered", False)]
)
async def test_a_page_that_was_refused_is_not_open_whatever_its_server_reports_then(
    state: str, is_open: bool
) -> None:
    question = Question(form_request(), draft=Draft(opened=True))
    assert _page_is_open(waits(state=state, question=question)) is is_open
    assert not _page_is_open(waits(state=state, question=Question(form_request())))
