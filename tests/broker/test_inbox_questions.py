"""Questions of other processes in the queue of this one, answered by its own responder."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace

import pytest

from elicit_tui.broker import inbox_questions
from elicit_tui.broker.inbox_events import Delivery, InboxEvent, QuestionCame, QuestionLeft
from elicit_tui.broker.inbox_questions import LEAST_SECONDS, InboxQuestions
from elicit_tui.elicitation import Outcome, Question, Queue, decline, now
from elicit_tui.errors import StoreError
from elicit_tui.form.field import Typed
from elicit_tui.store.store import Waiting
from tests.broker.conftest import Person as Screen
from tests.broker.conftest import form_request
from tests.broker.test_inbox_words import waits
from tests.broker.test_store_responder import Person, World, bounded, sent

pytestmark = pytest.mark.anyio


class Console:
    """A process with a screen, a queue and the inbox in it."""

    def __init__(self, person: Person) -> None:
        self.inbox = person.inbox
        self.person = person
        self.screen = Screen()
        self.queue = Queue()
        self.told: asyncio.Queue[tuple[Question, Delivery]] = asyncio.Queue()
        self.serving = InboxQuestions(
            person.inbox, self.screen, self.queue, lambda *what: self.told.put_nowait(what)
        )
        self._all = asyncio.ensure_future(self.serving.ask_all())

    def sends(self, question: Question, outcome: Outcome) -> None:
        self.screen.answers[question.id].set_result(outcome)

    async def hears(self) -> Delivery:
        _, reply = await bounded(self.told.get())
        return reply

    async def leaves(self) -> None:
        self._all.cancel()
        await asyncio.gather(self._all, return_exceptions=True)


async def console(world: World, terminal: str = "pts/3") -> Console:
    return Console(await world.person(terminal))


async def test_it_comes_like_a_question_of_our_own_and_its_answer_goes_to_who_asked(
    world: World,
) -> None:
    broker, here = await world.asks(), await console(world)
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    question = await here.screen.sees()
    assert [pending.question for pending in here.queue] == [question]
    here.sends(question, sent(colour="red"))
    assert (await here.hears()).kind == "sent"
    assert (await bounded(asked)).content == {"colour": "red"}
    assert len(here.queue) == 0
    await here.leaves()


async def test_it_is_as_old_as_since_it_was_put_for_whoever_looks(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker, here = await world.asks(), await console(world)
    monkeypatch.setattr(inbox_questions, "now", lambda: now() + timedelta(seconds=30))
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    question = await here.screen.sees()
    (pending,) = here.queue
    assert pending.age >= 30
    here.sends(question, sent(colour="red"))
    assert (await bounded(asked)).action == "accept"
    await here.leaves()


@pytest.mark.parametrize(("server", "takes_note"), [("agent", True), ("paint", False)])
async def test_who_refuses_an_agents_own_question_can_tell_it_why_and_no_server(
    world: World, server: str, takes_note: bool
) -> None:
    broker, here = await world.asks(), await console(world)
    asked = asyncio.ensure_future(broker.resolve(form_request(server=server)))
    question = await here.screen.sees()
    assert question.takes_note is takes_note
    here.sends(question, decline("user", "No."))
    assert (await bounded(asked)).action == "decline"
    await here.leaves()


async def test_an_answer_that_is_given_back_is_asked_here_again(world: World) -> None:
    broker, here = await world.asks(), await console(world)
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    question = await here.screen.sees()
    here.sends(question, sent(colour=5))
    again = await here.screen.sees(2)
    assert (again.id, again.attempt) == (question.id, 2)
    assert again.note
    here.sends(again, sent(colour="red"))
    assert (await here.hears()).kind == "sent"
    assert (await bounded(asked)).action == "accept"
    assert len(here.screen.shown) == 2
    await here.leaves()


async def test_what_was_answered_elsewhere_leaves_the_screen_and_what_was_typed_is_kept(
    world: World,
) -> None:
    broker = await world.asks()
    here, there = await console(world, "pts/3"), await console(world, "pts/7")
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    question, same = await here.screen.sees(), await there.screen.sees()
    question.draft.entries = {"colour": Typed("bl")}
    question.draft.touched = frozenset({"colour"})
    there.sends(same, sent(colour="red"))
    reply = await here.hears()
    assert (reply.kind, reply.sentence) == ("gone", "Answered on pts/7 by me.")
    assert here.screen.taken_off == [question.id]
    assert question.draft.entries == {"colour": Typed("bl")}
    assert len(here.queue) == 0
    assert (await bounded(asked)).content == {"colour": "red"}
    await here.leaves()
    await there.leaves()


async def test_what_the_asker_withdraws_leaves_the_screen(world: World) -> None:
    broker, here = await world.asks(), await console(world)
    request = form_request()
    asked = asyncio.ensure_future(broker.resolve(request))
    await here.screen.sees()
    broker.withdraw(request.id, "The server withdrew the question.")
    assert (await here.hears()).kind == "gone"
    await bounded(asked)
    assert here.screen.taken_off == [request.id]
    await here.leaves()


async def test_a_console_that_closes_gives_its_questions_back_to_the_others(world: World) -> None:
    broker = await world.asks()
    here, there = await console(world, "pts/3"), await world.person("pts/7")
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    question = await here.screen.sees()
    await here.inbox.claim(question.id)
    await there.until(lambda: there.inbox.waiting and there.inbox.waiting[0].held_by)
    await here.leaves()
    await there.until(lambda: there.inbox.waiting[0].held_by is None)
    assert here.screen.taken_off == [question.id]
    assert not asked.done()
    reply = await bounded(there.inbox.answer(question.id, decline("user", "No.")))
    assert reply.kind == "sent"
    await bounded(asked)


async def test_a_refused_answer_leaves_the_question_waiting(world: World) -> None:
    broker, here = await world.asks(), await console(world)
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    question = await here.screen.sees()
    world.refusal = "This process belongs to an agent."
    here.sends(question, sent(colour="red"))
    reply = await here.hears()
    assert (reply.kind, reply.sentence) == ("refused", world.refusal)
    assert not asked.done()
    assert [waiting.id for waiting in here.inbox.waiting] == [question.id]
    asked.cancel()
    await here.leaves()


async def test_only_who_asks_lets_a_deadline_pass(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker, here = await world.asks(timeout_sec=3), await console(world)
    # By the clock of this process it is long over, which ends nothing.
    monkeypatch.setattr(inbox_questions, "now", lambda: now() + timedelta(hours=1))
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    await here.screen.sees()
    (pending,) = here.queue
    assert pending.deadline.remaining == LEAST_SECONDS
    assert (await bounded(asked)).decided_by == "deadline"
    assert (await here.hears()).kind == "gone"
    assert pending.deadline.remaining is None
    await here.leaves()


@pytest.mark.parametrize("seconds", [0, 600])
async def test_who_answers_sees_what_is_left_where_it_was_asked(
    world: World, seconds: float
) -> None:
    broker, here = await world.asks(timeout_sec=seconds), await console(world)
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    await here.screen.sees()
    (pending,) = here.queue
    left = pending.deadline.remaining
    assert left is None if seconds == 0 else left is not None and 500 < left <= 600
    assert pending.deadline.started
    await broker.close()
    await bounded(asked)
    await here.leaves()


class GivesBack:
    """An inbox with one question; the first answer is given back, the next one goes out."""

    def __init__(self) -> None:
        self.waiting = (waits(),)
        self.answers: list[Outcome] = []
        self.keys: list[str] = []
        self.touched = self.keys.append
        self._listeners: list[Callable[[InboxEvent], None]] = []
        self.subscribe = self._listeners.append

    def get(self, question_id: str) -> Waiting:
        return self.waiting[0]

    def tell(self, event: InboxEvent) -> None:
        for listener in self._listeners:
            listener(event)

    async def still_waits(self, question_id: str) -> bool:
        return False

    async def answer(self, question_id: str, outcome: Outcome) -> Delivery:
        self.answers.append(outcome)
        if len(self.answers) > 1:
            return Delivery("sent", "Sent.")
        self.tell(QuestionCame(self.waiting[0]))
        for _ in range(10):  # As long as the store needs to say what became of it.
            await asyncio.sleep(0)
        question = self.waiting[0].question
        assert question is not None
        return Delivery("reopened", "Not valid.", replace(question, attempt=2))


async def test_what_is_given_back_is_asked_once_and_told_once_it_went_out() -> None:
    inbox = GivesBack()
    here = Console(SimpleNamespace(inbox=inbox))  # type: ignore[arg-type]
    here.sends(await here.screen.sees(), sent(colour=5))
    again = await here.screen.sees(2)
    assert again.attempt == 2
    (pending,) = here.queue
    pending.deadline.touch()
    assert inbox.keys == [again.id]
    # As whoever declines all that waits, or mutes its server, ends it in the queue.
    no = decline("user", "You declined all waiting questions of paint.")
    assert here.queue.settle_where(lambda pending: True, no) == 1
    assert (await here.hears()).kind == "sent"
    assert inbox.answers[1:] == [no]
    assert (len(here.screen.shown), here.told.qsize(), len(here.queue)) == (2, 0, 0)
    await here.leaves()


async def test_another_ones_answer_that_is_given_back_at_once_is_asked_here_again() -> None:
    inbox = GivesBack()
    here = Console(SimpleNamespace(inbox=inbox))  # type: ignore[arg-type]
    question = await here.screen.sees()
    # Before the screen has let go of the question that another terminal answered.
    inbox.tell(QuestionLeft(inbox.waiting[0], "Answered on pts/7 by me."))
    inbox.tell(QuestionCame(inbox.waiting[0]))
    again = await here.screen.sees(2)
    assert again.id == question.id
    assert (await here.hears()).sentence == "Answered on pts/7 by me."
    assert [pending.question for pending in here.queue] == [again]
    await here.leaves()


async def test_a_question_that_the_screen_fails_at_is_told_and_stays_with_the_others() -> None:
    here = Console(SimpleNamespace(inbox=GivesBack()))  # type: ignore[arg-type]
    question = await here.screen.sees()
    here.screen.answers[question.id].set_exception(ValueError("no\x1b such widget"))
    reply = await here.hears()
    assert (reply.kind, reply.sentence) == (
        "refused",
        "The question could not be put to anybody here: ValueError: no␛ such widget",
    )
    assert len(here.queue) == 0
    await here.leaves()


async def test_a_store_that_fails_while_an_answer_goes_out_is_told_as_not_known() -> None:
    class Fails(GivesBack):
        async def answer(self, question_id: str, outcome: Outcome) -> Delivery:
            raise StoreError("The disk is gone.")

    here = Console(SimpleNamespace(inbox=Fails()))  # type: ignore[arg-type]
    here.sends(await here.screen.sees(), sent(colour="red"))
    reply = await here.hears()
    assert (reply.kind, reply.sentence) == ("unknown", "The disk is gone.")
    await here.leaves()


async def test_what_a_store_that_fails_once_did_not_get_is_asked_again_with_what_was_typed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("elicit_tui.broker.inbox.RETRY_SECONDS", 0.01)
    broker, here = await world.asks(), await console(world)
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    question = await here.screen.sees()
    question.draft.entries = {"colour": Typed("red")}
    store = here.inbox._store

    def fails_once(name: str) -> None:
        works = getattr(store, name)

        async def fails(*_: object) -> None:
            monkeypatch.setattr(store, name, works)
            raise StoreError("It is in use.")

        monkeypatch.setattr(store, name, fails)

    fails_once("answer")
    fails_once("get")
    here.sends(question, sent(colour="red"))
    assert (await here.hears()).kind == "unknown"
    again = await here.screen.sees(2)
    assert (again.id, again.draft.entries) == (question.id, {"colour": Typed("red")})
    here.sends(again, sent(colour="red"))
    assert (await here.hears()).kind == "sent"
    assert (await bounded(asked)).action == "accept"
    await here.leaves()


async def test_a_question_is_given_up_also_where_the_store_cannot_be_told() -> None:
    class Fails(GivesBack):
        async def release(self, question_id: str) -> None:
            raise StoreError("The disk is gone.")

    here = Console(SimpleNamespace(inbox=Fails()))  # type: ignore[arg-type]
    await here.screen.sees()
    asking = asyncio.ensure_future(here.serving.ask(here.inbox.waiting[0].id))
    await here.screen.sees(2)
    asking.cancel()
    await asyncio.wait([asking], timeout=30)
    assert asking.cancelled()
    await here.leaves()


async def test_what_is_given_back_and_cannot_be_shown_again_is_told_and_asked_no_more() -> None:
    class Gone(GivesBack):
        async def answer(self, question_id: str, outcome: Outcome) -> Delivery:
            return Delivery("reopened", "It was asked again meanwhile.")

    here = Console(SimpleNamespace(inbox=Gone()))  # type: ignore[arg-type]
    here.sends(await here.screen.sees(), sent(colour="red"))
    reply = await here.hears()
    assert (reply.kind, reply.sentence) == ("reopened", "It was asked again meanwhile.")
    assert len(here.screen.shown) == 1
    await here.leaves()


async def test_a_console_is_closed_only_once_its_questions_were_given_back() -> None:
    released: list[str] = []

    class Slow(GivesBack):
        async def release(self, question_id: str) -> None:
            for _turn in range(10):
                await asyncio.sleep(0)
            released.append(question_id)

    here = Console(SimpleNamespace(inbox=Slow()))  # type: ignore[arg-type]
    question = await here.screen.sees()
    await here.leaves()
    assert released == here.screen.taken_off == [question.id]
    assert len(here.queue) == 0
