"""What becomes of an answer and of a draft in an inbox, look by look of a scripted store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from elicit_tui.broker.inbox import Inbox
from elicit_tui.broker.inbox_events import HANDED, UNKNOWN, Delivery
from elicit_tui.elicitation import Question
from elicit_tui.elicitation.question import Draft
from elicit_tui.form.field import Typed
from elicit_tui.store.store import Answer, Waiting
from tests.broker.conftest import form_request
from tests.broker.elsewhere import bounded, sent
from tests.broker.test_inbox_hears import Told, turned
from tests.broker.test_inbox_words import ME, waits

pytestmark = pytest.mark.anyio


def typed(text: str) -> Draft:
    draft = Draft()
    draft.write({"colour": Typed(text)}, frozenset({"colour"}))
    return draft


def with_draft(waiting: Waiting, text: str) -> Waiting:
    assert waiting.question is not None
    return replace(waiting, question=replace(waiting.question, draft=typed(text)))


def text_of(waiting: Waiting) -> Any:
    assert waiting.question is not None
    entry = waiting.question.draft.entries.get("colour")
    return entry and entry.text


class Answering:
    """An inbox in which one answer has won and is not judged yet."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, first: Waiting) -> None:
        self.first = first
        self.told = Told([first])
        self.stands = first
        """As the store has the question where it is asked for it."""
        self.calls: list[Any] = []
        for name in ("answer", "claim", "get"):
            monkeypatch.setattr(self.told.store, name, getattr(self, f"_{name}"), raising=False)

    async def _answer(self, _: str, answer: Answer) -> Waiting:
        self.calls.append("answer")
        return replace(self.first, state="answered", answer_id=answer.id, answered_by=ME)

    async def _claim(self, _: str, by: object, draft: Draft) -> None:
        self.calls.append(dict(draft.entries))

    async def _get(self, _: str) -> Waiting:
        self.calls.append("get")
        assert len(self.calls) < 10, "it is asked for without an end"
        return self.stands

    async def becomes(self, then: Callable[[Inbox, asyncio.Future[Delivery]], None]) -> Delivery:
        async def answers(inbox: Inbox) -> Delivery:
            going = asyncio.ensure_future(inbox.answer(self.first.id, sent(colour="red")))
            for _ in range(5):
                await asyncio.sleep(0)
            then(inbox, going)
            delivery: Delivery = await bounded(going)
            assert not inbox._given
            return delivery

        delivery: Delivery = await self.told.read(answers)
        return delivery


async def test_an_answer_that_won_and_that_the_store_then_lost_is_said_to_be_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = Answering(monkeypatch, waits())
    delivery = await world.becomes(lambda inbox, _: inbox._changed([world.first]))
    assert delivery.kind == "reopened"
    assert delivery.sentence == "The store lost the answer, which did not go out."


async def test_a_look_from_before_an_answer_won_says_nothing_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    confirmed = asyncio.Event()

    class Slow(Answering):
        async def _answer(self, question_id: str, answer: Answer) -> Waiting:
            await confirmed.wait()
            return await super()._answer(question_id, answer)

    world = Slow(monkeypatch, waits())

    def looks(inbox: Inbox, _: object) -> None:
        inbox._changed([world.first])
        assert [given.ended.done() for given in inbox._given.values()] == [False]
        inbox._changed([replace(world.first, state="settled", decided_by="user", action="accept")])
        confirmed.set()

    assert (await world.becomes(looks)).sentence == "Sent."


async def test_the_end_of_another_question_is_none_of_an_answer_that_is_judged_yet(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = Answering(monkeypatch, waits())
    other = waits(state="settled", decided_by="store", question=None)

    def ends(inbox: Inbox, _: object) -> None:
        inbox._changed([other])
        inbox._changed([replace(world.first, state="settled", decided_by="user", action="accept")])

    assert (await world.becomes(ends)).sentence == "Sent."


async def test_an_answer_is_judged_once_though_its_question_changes_again_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = Answering(monkeypatch, waits())
    ended = replace(world.first, state="settled", decided_by="store", question=None)
    delivery = await world.becomes(lambda inbox, _: inbox._changed([ended, ended]))
    assert (delivery.kind, delivery.sentence) == ("unknown", UNKNOWN)


async def test_an_agents_own_question_is_said_to_be_handed_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = Answering(monkeypatch, waits(question=Question(form_request(handed_to="codex"))))
    ended = replace(world.first, state="settled", decided_by="user", action="accept", question=None)
    delivery = await world.becomes(lambda inbox, _: inbox._changed([ended]))
    assert (delivery.kind, delivery.sentence) == ("sent", HANDED)


async def test_what_was_typed_is_in_the_store_before_the_answer_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = Answering(monkeypatch, with_draft(waits(), "red"))
    ended = replace(world.first, state="settled", decided_by="user", action="accept")
    await world.becomes(lambda inbox, _: inbox._changed([ended]))
    assert world.calls == [{"colour": Typed("red")}, "answer"]


async def test_what_one_typed_here_before_is_there_again_and_no_later_look_changes_it() -> None:
    mine = with_draft(waits(state="claimed", held_by=ME), "red")
    (waiting,) = await Told([mine], [with_draft(mine, "blue")]).read()
    assert text_of(waiting) == "red"


async def test_what_was_typed_is_kept_while_its_answer_is_judged_and_given_back() -> None:
    first = waits()
    answered = replace(first, state="answered", answered_by=ME)

    async def given_back(inbox: Inbox) -> Any:
        (before,) = inbox.waiting
        assert before.question is not None
        before.question.draft.write({"colour": Typed("re")}, frozenset({"colour"}))
        inbox._changed([answered])
        inbox._changed([replace(first, attempt=2)])
        return inbox.waiting

    (waiting,) = await Told([first]).read(given_back)
    assert text_of(waiting) == "re"


async def test_what_was_given_back_to_another_is_at_hand_here_before_the_next_look(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = waits()
    assert first.question is not None
    noted = replace(first.question, attempt=2, note="Not valid.")
    told = Told([first])

    async def answer(question_id: str, given: Answer) -> Waiting:
        return replace(first, attempt=2, question=noted)

    monkeypatch.setattr(told.store, "answer", answer, raising=False)

    async def answers(inbox: Inbox) -> None:
        (before,) = inbox.waiting
        assert before.question is not None
        delivery = await bounded(inbox.answer(first.id, sent(colour="red")))
        assert (delivery.kind, delivery.question.note) == ("reopened", "Not valid.")
        assert delivery.question.form is before.question.form is not None
        assert delivery.question.draft is before.question.draft
        # An answer from here on is one to the attempt that is shown.
        assert [waiting.attempt for waiting in inbox.waiting] == [2]

    await told.read(answers)


async def test_who_puts_a_question_off_leaves_the_others_what_was_typed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    left, first = list[Any](), with_draft(waits(), "red")
    told = Told([first])

    async def release(_: str, draft: Draft) -> None:
        left.append(dict(draft.entries))

    monkeypatch.setattr(told.store, "release", release, raising=False)
    await told.read(lambda inbox: inbox.release(first.id))
    assert left == [{"colour": Typed("red")}]


async def test_the_others_are_told_of_one_key_once_and_not_every_second_from_then_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("elicit_tui.broker.inbox.CLAIM_SECONDS", 0.01)
    first, claims = waits(), list[str]()
    told = Told([first])

    async def claim(question_id: str, *_: object) -> None:
        claims.append(question_id)

    async def touches(inbox: Inbox) -> None:
        inbox.touched(first.id)
        await turned(0.2)

    monkeypatch.setattr(told.store, "claim", claim, raising=False)
    await told.read(touches)
    assert claims == [first.id]
