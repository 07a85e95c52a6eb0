"""A question that another process answers: asked by a real broker, answered through an inbox."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.broker import Broker
from elicit_tui.broker.inbox import Came, Inbox, InboxEvent, Left, Reply
from elicit_tui.broker.waiting import StoreResponder, StoreWatch
from elicit_tui.elicitation import Answerer, Deadline, Outcome, Question, accept, cancel, decline
from elicit_tui.elicitation.drafts import Draft
from elicit_tui.elicitation.settings import ElicitationSettings, Settings
from elicit_tui.form.entry import Typed
from elicit_tui.guardian import Guardian
from elicit_tui.ledger import Ledger
from elicit_tui.policy import Policy
from elicit_tui.store import Asker, SqliteStore
from tests.broker.conftest import form_request

pytestmark = pytest.mark.anyio

BOUND = 60.0
ASKER = Asker("session-one", "claude-code", "2.1.319", "/home/me/work")


def sent(**content: Any) -> Outcome:
    return accept("user", "You sent the form.", content)


class Person:
    """Somebody at a terminal, with the inbox in front of them."""

    def __init__(self, inbox: Inbox) -> None:
        self.inbox = inbox
        self.told: list[InboxEvent] = []
        self._news = asyncio.Event()
        inbox.subscribe(self._hear)

    def _hear(self, event: InboxEvent) -> None:
        self.told.append(event)
        self._news.set()

    async def until(self, holds: Callable[[], Any]) -> Any:
        async def wait() -> None:
            while not holds():
                self._news.clear()
                await self._news.wait()

        await asyncio.wait_for(wait(), BOUND)
        return holds()

    async def sees(self, message: str = "Which colour?") -> Question:
        def shown() -> Question | None:
            for waiting in self.inbox.waiting:
                if waiting.question and waiting.question.request.message == message:
                    return waiting.question
            return None

        found: Question = await self.until(shown)
        return found

    async def sees_nothing(self) -> None:
        await self.until(lambda: not self.inbox.waiting)

    def why_it_left(self, question: Question) -> list[str]:
        return [
            event.sentence
            for event in self.told
            if isinstance(event, Left) and event.waiting.id == question.id
        ]


class World:
    """Processes that share one store: brokers that ask, and inboxes."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.path = directory / "store.sqlite3"
        self.refusal: str | None = None
        self._closing: list[Callable[[], Any]] = []

    async def store(self, role: Any) -> SqliteStore:
        store = await SqliteStore.open(self.path, role)
        self._closing.append(store.close)
        return store

    async def asks(self, asker: Asker = ASKER, **elicitation: Any) -> Broker:
        settings = Settings(elicitation=ElicitationSettings(**elicitation))
        store = await self.store("asker")
        await store.begin(asker)
        responder = StoreResponder(store, asker, StoreWatch(store))
        ledger = Ledger.open(self.directory / "ledger.sqlite3")
        broker = Broker(settings, Policy(settings), Guardian(settings.guardian), ledger, responder)
        broker.subscribe(responder.heard)

        async def close() -> None:
            await broker.close()
            await responder.close()
            ledger.close()

        self._closing.append(close)
        self.ledger = ledger
        self.asking_store = store
        return broker

    async def person(self, terminal: str = "pts/3") -> Person:
        store = await self.store("answerer")
        inbox = Inbox(
            store,
            "inbox",
            me=Answerer("me", terminal, "laptop", ("41 elicit-tui", "40 bash")),
            refusal=lambda asking: self.refusal,
        )
        context = inbox.watched()
        await context.__aenter__()
        self._closing.append(lambda: context.__aexit__(None, None, None))
        return Person(inbox)

    async def close(self) -> None:
        for close in reversed(self._closing):
            await close()


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    world = World(tmp_path)
    yield world
    await world.close()


async def bounded(task: Any) -> Any:
    return await asyncio.wait_for(task, BOUND)


async def test_an_answer_from_another_process_goes_out_and_its_giver_reads_that(
    world: World,
) -> None:
    broker, person = await world.asks(), await world.person()
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    question = await person.sees()
    assert question.form is not None
    reply = await bounded(person.inbox.answer(question.id, sent(colour="red")))
    assert (reply.kind, reply.sentence) == ("sent", "Sent.")
    outcome = await bounded(asked)
    assert (outcome.action, outcome.decided_by, outcome.content) == (
        "accept",
        "user",
        {"colour": "red"},
    )
    row = world.ledger.row(question.id).as_json()
    assert (row["action"], row["via"]) == ("accept", "inbox")
    assert row["answeredBy"] == {
        "user": "me",
        "terminal": "pts/3",
        "machine": "laptop",
        "ancestry": ["41 elicit-tui", "40 bash"],
    }


@pytest.mark.parametrize(
    ("outcome", "said"),
    [(decline("user", "No."), "Declined."), (cancel("user", "Away."), "Cancelled.")],
)
async def test_a_refusal_goes_out_too(world: World, outcome: Outcome, said: str) -> None:
    broker, person = await world.asks(), await world.person()
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    question = await person.sees()
    reply = await bounded(person.inbox.answer(question.id, outcome))
    assert (reply.kind, reply.sentence) == ("sent", said)
    assert (await bounded(asked)).action == outcome.action


async def test_a_question_that_waited_before_the_inbox_was_opened_is_there(world: World) -> None:
    broker, first = await world.asks(), await world.person()
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    question = await first.sees()
    later = await world.person("pts/4")
    assert [waiting.id for waiting in later.inbox.waiting] == [question.id]
    await bounded(later.inbox.answer(question.id, sent(colour="red")))
    await bounded(asked)


async def test_an_answer_that_does_not_do_comes_back_with_what_was_typed(world: World) -> None:
    broker, person = await world.asks(), await world.person()
    other = await world.person("pts/4")
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    question = await person.sees()
    question.draft.entries = {"colour": Typed("wrong")}
    question.draft.touched = frozenset({"colour"})
    reply = await bounded(person.inbox.answer(question.id, sent(colour=5)))
    assert reply.kind == "reopened"
    assert reply.question is not None
    assert reply.question.attempt == 2
    assert reply.question.note
    assert reply.question.draft is question.draft
    elsewhere = await other.until(
        lambda: next((one for one in other.inbox.waiting if one.attempt == 2), None)
    )
    assert elsewhere.question.draft == question.draft
    again = await bounded(person.inbox.answer(question.id, sent(colour="red")))
    assert again.kind == "sent"
    assert (await bounded(asked)).content == {"colour": "red"}


async def test_who_was_slower_reads_who_was_first_and_keeps_what_was_typed(world: World) -> None:
    broker = await world.asks()
    first, second = await world.person("pts/3"), await world.person("pts/7")
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    question, same = await first.sees(), await second.sees()
    same.draft.entries = {"colour": Typed("blue")}
    same.draft.touched = frozenset({"colour"})
    fast, slow = await bounded(
        asyncio.gather(
            first.inbox.answer(question.id, sent(colour="red")),
            second.inbox.answer(question.id, sent(colour="blue")),
        )
    )
    kinds = {fast.kind, slow.kind}
    assert kinds == {"sent", "late"}
    late, winner = (slow, "pts/3") if slow.kind == "late" else (fast, "pts/7")
    assert late.sentence == f"Answered on {winner} by me."
    assert same.draft.entries == {"colour": Typed("blue")}
    await bounded(asked)
    await second.sees_nothing()
    assert second.why_it_left(same)


async def test_a_question_that_somebody_has_open_is_seen_as_theirs(world: World) -> None:
    broker = await world.asks()
    first, second = await world.person("pts/3"), await world.person("pts/7")
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    question = await first.sees()
    await second.sees()
    await first.inbox.claim(question.id)

    def theirs() -> Answerer | None:
        (waiting,) = second.inbox.waiting
        return second.inbox.held_elsewhere(waiting)

    assert (await second.until(theirs)).terminal == "pts/3"
    await first.until(lambda: first.inbox.waiting[0].state == "claimed")
    assert first.inbox.held_elsewhere(first.inbox.waiting[0]) is None
    await first.inbox.release(question.id)
    await second.until(lambda: theirs() is None)
    asked.cancel()


async def test_what_somebody_types_is_at_hand_elsewhere(world: World) -> None:
    broker = await world.asks()
    first, second = await world.person("pts/3"), await world.person("pts/7")
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    question, same = await first.sees(), await second.sees()
    question.draft.entries = {"colour": Typed("gre")}
    question.draft.touched = frozenset({"colour"})
    await first.inbox.claim(question.id)
    await second.until(lambda: same.draft.typed)
    assert same.draft == Draft({"colour": Typed("gre")}, frozenset({"colour"}))
    asked.cancel()


async def test_typing_elsewhere_moves_the_deadline(world: World) -> None:
    store = await world.store("asker")
    await store.begin(ASKER)
    responder = StoreResponder(store, ASKER, StoreWatch(store))
    person = await world.person()
    seconds = [0.0]
    moved = asyncio.Event()

    class Told(Deadline):
        def touch(self) -> None:
            super().touch()
            moved.set()

    deadline = Told(90, lambda: seconds[0])
    asked = asyncio.ensure_future(responder.respond(Question(form_request()), deadline))
    question = await person.sees()
    assert deadline.remaining == 90
    seconds[0] = 85.0
    await person.inbox.claim(question.id)
    await asyncio.wait_for(moved.wait(), BOUND)
    assert deadline.remaining == 60
    asked.cancel()


async def test_a_deadline_that_passes_takes_the_question_off_the_inbox(world: World) -> None:
    broker, person = await world.asks(timeout_sec=0.3), await world.person()
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    question = await person.sees()
    outcome = await bounded(asked)
    assert outcome.decided_by == "deadline"
    await person.sees_nothing()
    assert person.why_it_left(question)
    reply = await bounded(person.inbox.answer(question.id, sent(colour="red")))
    assert reply.kind == "gone"


async def test_what_the_server_withdraws_cannot_be_answered(world: World) -> None:
    broker, person = await world.asks(), await world.person()
    request = form_request()
    asked = asyncio.ensure_future(broker.resolve(request))
    question = await person.sees()
    broker.withdraw(request.id, "The server withdrew the question.")
    assert (await bounded(asked)).action is None
    await person.sees_nothing()
    reply = await bounded(person.inbox.answer(question.id, sent(colour="red")))
    assert reply.kind == "gone"


async def test_a_gateway_that_ends_cancels_truthfully_and_leaves_nothing(world: World) -> None:
    broker, person = await world.asks(), await world.person()
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    question = await person.sees()
    await bounded(broker.close())
    assert (await bounded(asked)).decided_by == "shutdown"
    await person.sees_nothing()
    assert len(person.why_it_left(question)) == 1


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
    await person.sees_nothing()
    assert person.why_it_left(question) == ["The session that asked has ended."]


async def test_who_may_not_answer_is_told_why_and_changes_nothing(world: World) -> None:
    broker, person = await world.asks(), await world.person()
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    question = await person.sees()
    world.refusal = "This process belongs to an agent."
    for outcome in (sent(colour="red"), decline("user", "No."), cancel("user", "Away.")):
        reply = await bounded(person.inbox.answer(question.id, outcome))
        assert (reply.kind, reply.sentence) == ("refused", world.refusal)
    assert not asked.done()
    world.refusal = None
    await bounded(person.inbox.answer(question.id, sent(colour="red")))
    assert (await bounded(asked)).action == "accept"


async def test_an_answer_says_nothing_that_a_person_may_not_say(world: World) -> None:
    broker, person = await world.asks(), await world.person()
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    question = await person.sees()
    forged = Outcome("accept", "policy", "x", {"colour": "red"}, key="k", layer="managed")
    await bounded(person.inbox.answer(question.id, forged))
    outcome = await bounded(asked)
    assert (outcome.decided_by, outcome.key, outcome.layer) == ("user", None, None)


async def test_many_questions_of_many_askers_each_get_their_own_answer(world: World) -> None:
    brokers = [
        await world.asks(Asker(f"session-{number}", f"agent-{number}"), limits=_wide())
        for number in range(3)
    ]
    people = [await world.person(f"pts/{number}") for number in range(2)]
    replies: list[asyncio.Future[Reply]] = []

    def answer_at_once(person: Person) -> Callable[[InboxEvent], None]:
        def hear(event: InboxEvent) -> None:
            if isinstance(event, Came):
                outcome = sent(colour=event.waiting.id[:4])
                given = person.inbox.answer(event.waiting.id, outcome)
                replies.append(asyncio.ensure_future(given))

        return hear

    for person in people:
        person.inbox.subscribe(answer_at_once(person))
    asked = {}
    for number, broker in enumerate(brokers):
        for count in range(8):
            request = form_request(f"{number}-{count}?")
            asked[request.id] = asyncio.ensure_future(broker.resolve(request))
    for request_id, task in asked.items():
        assert (await bounded(task)).content == {"colour": request_id[:4]}
    kinds = [reply.kind for reply in await bounded(asyncio.gather(*replies))]
    assert kinds.count("sent") == len(asked)


def _wide() -> Any:
    from elicit_tui.elicitation.settings import ElicitationLimits

    return ElicitationLimits(per_minute=1000, pending=1000)


# When the store cannot


async def test_a_locked_store_is_cancel_by_store_and_never_an_accept(world: World) -> None:
    broker = await world.asks()
    with closing(sqlite3.connect(world.path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        outcome = await bounded(broker.resolve(form_request()))
        assert (outcome.action, outcome.decided_by) == ("cancel", "store")
        assert "in use by another program" in outcome.reason
        other.execute("ROLLBACK")


async def test_a_full_store_is_cancel_by_store(world: World) -> None:
    broker = await world.asks()
    file = world.asking_store._file
    pages = file.rows("PRAGMA page_count")[0][0] + 1
    await file.run(lambda: file.do(f"PRAGMA max_page_count = {pages}"))
    outcome = await bounded(broker.resolve(form_request(params={"more": "m" * 60_000})))
    assert (outcome.action, outcome.decided_by) == ("cancel", "store")
    assert "no space left" in outcome.reason


async def test_a_store_that_is_gone_is_cancel_by_store(world: World) -> None:
    broker = await world.asks()
    for file in world.directory.glob("store.sqlite3*"):
        file.unlink()
    outcome = await bounded(broker.resolve(form_request()))
    assert (outcome.action, outcome.decided_by) == ("cancel", "store")


@pytest.mark.parametrize("column", ["asked", "answer"])
async def test_a_blob_that_was_changed_ends_its_question_by_store(
    world: World, column: str
) -> None:
    broker, person = await world.asks(), await world.person()
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    question = await person.sees()
    with closing(sqlite3.connect(world.path, isolation_level=None)) as file:
        file.execute(
            f"UPDATE questions SET {column} = zeroblob(80), state = 'answered',"
            " changed = (SELECT number + 1 FROM counter) WHERE id = ?",
            (question.id,),
        )
        file.execute("UPDATE counter SET number = number + 1")
    outcome = await bounded(asked)
    assert (outcome.action, outcome.decided_by) == ("cancel", "store")


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


async def test_what_came_is_told_once(world: World) -> None:
    broker, person = await world.asks(), await world.person()
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    question = await person.sees()
    await bounded(person.inbox.answer(question.id, sent(colour="red")))
    await bounded(asked)
    came = [event for event in person.told if isinstance(event, Came)]
    assert [event.waiting.id for event in came] == [question.id]
