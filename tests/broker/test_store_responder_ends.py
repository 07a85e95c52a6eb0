"""How a question leaves the inbox when nobody there answered it."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing

import pytest

from elicit_tui.elicitation import Question
from tests.broker.conftest import form_request
from tests.broker.elsewhere import ASKER, World, bounded, sent

pytestmark = pytest.mark.anyio


async def test_a_deadline_that_passes_takes_the_question_off_the_inbox(world: World) -> None:
    broker, person = await world.asks(timeout_sec=0.3), await world.person()
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    question = await person.sees()
    outcome = await bounded(asked)
    assert outcome.decided_by == "deadline"
    assert await person.told_why(question) == ["No answer was given in time."]
    reply = await bounded(person.inbox.answer(question.id, sent(colour="red")))
    assert reply.kind == "gone"


async def test_what_the_server_withdraws_cannot_be_answered(world: World) -> None:
    broker, person = await world.asks(), await world.person()
    request = form_request()
    asked = asyncio.ensure_future(broker.resolve(request))
    question = await person.sees()
    broker.withdraw(request.id, "The server withdrew the question.")
    assert (await bounded(asked)).action is None
    assert await person.told_why(question) == ["The server took it back, or went away."]
    reply = await bounded(person.inbox.answer(question.id, sent(colour="red")))
    assert reply.kind == "gone"


async def test_a_gateway_that_ends_cancels_truthfully_and_leaves_nothing(world: World) -> None:
    broker, person = await world.asks(), await world.person()
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    question = await person.sees()
    await bounded(broker.close())
    assert (await bounded(asked)).decided_by == "shutdown"
    assert await person.told_why(question) == [
        "The session that asked has ended. Nothing was sent."
    ]


async def test_an_asker_that_dies_before_it_settled_leaves_it_unknown(world: World) -> None:
    store = await world.store("asker")
    await store.begin(ASKER)
    person = await world.person()
    await store.put(Question(form_request()), ASKER)
    question = await person.sees()
    answered = asyncio.ensure_future(person.inbox.answer(question.id, sent(colour="red")))
    await person.sees_nothing()
    await store.close()
    reply = await bounded(answered)
    assert reply.kind == "unknown"
    assert reply.sentence.endswith("it is not known whether the answer went out.")


async def test_an_asker_that_dies_takes_its_questions_with_it(world: World) -> None:
    store = await world.store("asker")
    await store.begin(ASKER)
    person = await world.person()
    await store.put(Question(form_request()), ASKER)
    question = await person.sees()
    await store.close()
    assert await person.told_why(question) == [
        "The session that asked has ended. Nothing was sent."
    ]


async def test_a_question_whose_end_nobody_tells_is_said_to_be_taken_back(world: World) -> None:
    store = await world.store("asker")
    await store.begin(ASKER)
    person = await world.person()
    await store.put(Question(form_request()), ASKER)
    question = await person.sees()
    await store.withdraw(question.id)
    assert await person.told_why(question) == ["It was taken back."]


async def test_an_end_that_cannot_be_told_now_is_told_later(world: World) -> None:
    broker, person = await world.asks(), await world.person()
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    question = await person.sees()
    with closing(sqlite3.connect(world.path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        broker.withdraw(question.id, "The server withdrew the question.")
        assert (await bounded(asked)).action is None
        assert person.inbox.waiting
        other.execute("ROLLBACK")
    await person.sees_nothing()
