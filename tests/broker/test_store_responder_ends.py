"""How a question leaves the inbox when nobody there answered it."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from typing import Any

import pytest

from elicit_tui.broker import store_responder
from elicit_tui.elicitation import Deadline, Outcome, Question
from elicit_tui.errors import StoreError
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


async def test_who_asks_ends_only_once_the_store_knows_how_the_last_question_ended(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker, person = await world.asks(), await world.person()
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    question = await person.sees()
    settle, told = world.asking_store.settle, list[str]()

    async def slow(question_id: str, *how: Any) -> None:
        for _ in range(10):
            await asyncio.sleep(0)
        await settle(question_id, *how)
        told.append(question_id)

    monkeypatch.setattr(world.asking_store, "settle", slow)
    broker.withdraw(question.id, "The server withdrew the question.")
    await bounded(asked)
    await bounded(world.responder.close())
    assert told == [question.id]


async def test_a_store_that_cannot_be_told_the_last_end_holds_up_nobody_and_is_told_no_more(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_responder, "CLOSE_SECONDS", 0.05)
    broker, person = await world.asks(), await world.person()
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    question = await person.sees()
    given_up = asyncio.Event()

    async def never(*_: Any) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            given_up.set()

    monkeypatch.setattr(world.asking_store, "settle", never)
    broker.withdraw(question.id, "The server withdrew the question.")
    await bounded(asked)
    await bounded(world.responder.close())
    await asyncio.sleep(0)
    assert given_up.is_set()


async def test_a_question_is_taken_out_of_the_store_though_its_asking_is_cancelled_twice(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.asks()
    person = await world.person()
    question = Question(form_request())
    asked = asyncio.ensure_future(world.responder.respond(question, Deadline(300)))
    await person.sees()
    withdraw, begun, goes_on = world.asking_store.withdraw, asyncio.Event(), asyncio.Event()
    ended = asyncio.get_running_loop().create_future()

    async def slow(question_id: str) -> None:
        begun.set()
        try:
            await goes_on.wait()
            ended.set_result(await withdraw(question_id))
        except asyncio.CancelledError:
            ended.cancel()

    monkeypatch.setattr(world.asking_store, "withdraw", slow)
    asked.cancel()
    await bounded(begun.wait())
    asked.cancel()
    assert isinstance((await asyncio.gather(asked, return_exceptions=True))[0], BaseException)
    goes_on.set()
    await bounded(ended)
    await person.sees_nothing()


async def test_ends_that_the_store_refused_are_told_to_it_again_in_their_order(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_responder, "RETRY_SECONDS", 0.0)
    broker, person = await world.asks(), await world.person()
    asked = [
        asyncio.ensure_future(broker.resolve(form_request(each))) for each in ("Red?", "Blue?")
    ]
    questions = [await person.sees("Red?"), await person.sees("Blue?")]
    settle, told, refused = world.asking_store.settle, list[str](), list[bool]()

    async def refuses(question_id: str, *how: Any) -> None:
        # Also once when all have ended: no later end leads to another try.
        all_ended = all(each.done() for each in asked)
        if not all_ended or True not in refused:
            refused.append(all_ended)
            raise StoreError("The disk is away for a moment.")
        told.append(question_id)
        await settle(question_id, *how)

    monkeypatch.setattr(world.asking_store, "settle", refuses)
    for question in questions:
        broker.withdraw(question.id, "The server withdrew the question.")
    await bounded(asyncio.gather(*asked))
    for question in questions:
        assert await person.told_why(question) == ["The server took it back, or went away."]
    first, second = questions
    assert told == [first.id, second.id]


async def test_what_nobody_foresaw_of_one_end_costs_no_other_and_is_told_when_all_ends(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker, person = await world.asks(), await world.person()
    settle, failed = world.asking_store.settle, list[str]()

    async def fails_once(question_id: str, *how: Any) -> None:
        if not failed:
            failed.append(question_id)
            raise ZeroDivisionError("broken on purpose")
        await settle(question_id, *how)

    monkeypatch.setattr(world.asking_store, "settle", fails_once)
    for message in ("Red?", "Blue?"):
        asked = asyncio.ensure_future(broker.resolve(form_request(message)))
        question = await person.sees(message)
        broker.withdraw(question.id, "The server withdrew the question.")
        await bounded(asked)
    assert await person.told_why(question) == ["The server took it back, or went away."]
    with pytest.raises(ZeroDivisionError):
        await bounded(world.responder.close())
    await bounded(world.responder.close())


async def test_of_several_ends_that_nobody_foresaw_each_is_told_once_when_all_ends(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker, person = await world.asks(), await world.person()
    faults = [KeyError("first"), ZeroDivisionError("second"), KeyError("first")]
    failing = iter(faults)

    async def fails(*_: Any) -> None:
        raise next(failing)

    monkeypatch.setattr(world.asking_store, "settle", fails)
    for message in ("Red?", "Blue?", "Green?"):
        asked = asyncio.ensure_future(broker.resolve(form_request(message)))
        question = await person.sees(message)
        broker.withdraw(question.id, "The server withdrew the question.")
        await bounded(asked)
    with pytest.raises(RuntimeError) as raised:
        await bounded(world.responder.close())
    assert str(raised.value) == "KeyError: 'first'; ZeroDivisionError: second"
    assert raised.value.__cause__ is faults[0]
    await bounded(world.responder.close())


async def test_the_store_is_told_one_end_though_the_server_takes_a_decided_question_back(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker, person = await world.asks(), await world.person()
    request = form_request()
    asked = asyncio.ensure_future(broker.resolve(request))
    question = await person.sees()
    settle, told = world.asking_store.settle, list[str | None]()

    async def noted(question_id: str, outcome: Outcome) -> None:
        told.append(outcome.action)
        await settle(question_id, outcome)

    monkeypatch.setattr(world.asking_store, "settle", noted)
    await bounded(person.inbox.answer(question.id, sent(colour="red")))
    await bounded(asked)
    await bounded(world.responder.close())
    broker.taken_back(request, "The server took it back.")
    await bounded(world.responder.close())
    assert told == ["accept"]


async def test_the_end_of_a_question_that_was_just_being_put_is_told_too(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker, person = await world.asks(), await world.person()
    put = world.asking_store.put

    async def slow(*given: Any) -> None:
        await put(*given)
        await asyncio.Event().wait()

    monkeypatch.setattr(world.asking_store, "put", slow)
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    question = await person.sees()
    broker.withdraw(question.id, "The server withdrew the question.")
    await bounded(asked)
    assert await person.told_why(question) == ["The server took it back, or went away."]
