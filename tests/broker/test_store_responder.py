"""A question that another process answers: asked by a real broker, answered through an inbox."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from elicit_tui.broker.contracts import CallingAgent
from elicit_tui.broker.inbox_events import Delivery, InboxEvent, QuestionCame
from elicit_tui.elicitation import (
    Call,
    Deadline,
    Outcome,
    Question,
    ServerIdentity,
    accept,
    cancel,
    decline,
)
from elicit_tui.form.field import Typed
from elicit_tui.store.store import Asker
from tests.broker.conftest import form_request
from tests.broker.elsewhere import Person, World, bounded, sent

pytestmark = pytest.mark.anyio

DESTROYS = {"name": "drop", "annotations": {"destructiveHint": True}}


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


async def test_of_two_answers_of_one_person_at_once_one_goes_out_and_both_are_told(
    world: World,
) -> None:
    broker, person = await world.asks(), await world.person()
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    question = await person.sees()
    answers = [person.inbox.answer(question.id, sent(colour=each)) for each in ("red", "blue")]
    replies = await bounded(asyncio.gather(*answers))
    assert sorted(reply.kind == "sent" for reply in replies) == [False, True]
    content = (await bounded(asked)).content
    assert content == {"colour": ("red", "blue")[replies[1].kind == "sent"]}


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


async def test_who_approves_a_tool_of_an_agent_that_is_away_is_asked_again_and_reads_why(
    world: World,
) -> None:
    broker, person = (
        await world.asks(agent=CallingAgent(lambda request: True)),
        await world.person(),
    )
    server, call = ServerIdentity("s", "stdio", "s"), Call("tools/call", "drop")
    asked = asyncio.ensure_future(broker.approve(server, call, DESTROYS, "pid 1"))
    question = await person.sees("Call “drop” of “s”?")
    yes = accept("user", "You allowed it.", None, scope="once")
    reply = await bounded(person.inbox.answer(question.id, yes))
    assert (reply.kind, reply.sentence) == (
        "reopened",
        "The agent has left; this cannot be approved until it is back.",
    )
    reply = await bounded(person.inbox.answer(question.id, decline("user", "No.")))
    assert (reply.kind, reply.sentence) == ("sent", "Declined.")
    outcome = await bounded(asked)
    assert outcome.action == "decline"


async def test_a_yes_to_a_call_is_told_as_that_and_never_as_sent(world: World) -> None:
    broker, person = await world.asks(), await world.person()
    server, call = ServerIdentity("s", "stdio", "s"), Call("tools/call", "drop")
    asked = asyncio.ensure_future(broker.approve(server, call, DESTROYS, "pid 1"))
    question = await person.sees("Call “drop” of “s”?")
    yes = accept("user", "You allowed it.", None, scope="once")
    reply = await bounded(person.inbox.answer(question.id, yes))
    assert (reply.kind, reply.sentence) == ("sent", "Allowed.")
    assert (await bounded(asked)).action == "accept"


async def test_a_page_that_is_open_elsewhere_is_answered_when_its_server_reports_it_finished(
    world: World,
) -> None:
    broker, person = await world.asks(), await world.person()
    page = {"mode": "url", "message": "Sign in", "url": "https://a.b/c", "elicitationId": "page-1"}
    asked = asyncio.ensure_future(broker.resolve(form_request("Sign in", params=page)))
    question = await person.sees("Sign in")
    world.responder.page_finished("paint", "page-1")
    # Nobody has agreed to it yet, so nobody has answered it.
    after = asyncio.ensure_future(broker.resolve(form_request()))
    await bounded(person.inbox.answer((await person.sees()).id, sent(colour="red")))
    await bounded(after)
    assert not asked.done()
    question.draft.opened = True
    await person.inbox.claim(question.id)
    outcome = await bounded(asked)
    assert (outcome.action, outcome.decided_by) == ("accept", "user")
    assert outcome.answered_by == person.inbox.me
    told = "The server reported its page finished; that answers it."
    assert await person.told_why(question) == [told]


async def test_a_page_that_is_open_when_its_server_reports_it_finished_is_answered_then(
    world: World,
) -> None:
    broker, person = await world.asks(), await world.person()
    page = {"mode": "url", "message": "Sign in", "url": "https://a.b/c", "elicitationId": "page-1"}
    asked = asyncio.ensure_future(broker.resolve(form_request("Sign in", params=page)))
    question = await person.sees("Sign in")
    question.draft.opened = True
    await person.inbox.claim(question.id)
    after = asyncio.ensure_future(broker.resolve(form_request()))
    await bounded(person.inbox.answer((await person.sees()).id, sent(colour="red")))
    await bounded(after)
    assert not asked.done()
    world.responder.page_finished("paint", "page-1")
    assert (await bounded(asked)).action == "accept"
    # What has ended is remembered no more, also where its server reports it once again.
    world.responder.page_finished("paint", "page-1")
    assert not world.responder._put


async def test_a_page_is_not_finished_by_what_another_server_reports(world: World) -> None:
    broker, person = await world.asks(), await world.person()
    page = {"mode": "url", "message": "Sign in", "url": "https://a.b/c", "elicitationId": "page-1"}
    asked = asyncio.ensure_future(broker.resolve(form_request("Sign in", params=page)))
    question = await person.sees("Sign in")
    world.responder.page_finished("another", "page-1")
    question.draft.opened = True
    await person.inbox.claim(question.id)
    # The asking process has seen the open page once it has seen what was answered after it.
    after = asyncio.ensure_future(broker.resolve(form_request()))
    await bounded(person.inbox.answer((await person.sees()).id, sent(colour="red")))
    await bounded(after)
    assert not asked.done()
    await bounded(person.inbox.answer(question.id, decline("user", "You pressed Decline.")))
    assert (await bounded(asked)).action == "decline"


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
    replies: list[asyncio.Future[Delivery]] = []

    def answer_at_once(person: Person) -> Callable[[InboxEvent], None]:
        def hear(event: InboxEvent) -> None:
            if isinstance(event, QuestionCame):
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


async def test_what_came_is_told_once(world: World) -> None:
    broker, person = await world.asks(), await world.person()
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    question = await person.sees()
    await bounded(person.inbox.answer(question.id, sent(colour="red")))
    await bounded(asked)
    came = [event for event in person.told if isinstance(event, QuestionCame)]
    assert [event.waiting.id for event in came] == [question.id]


async def test_what_has_ended_is_not_read_again_for_each_later_question(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker, person = await world.asks(), await world.person()
    changes = world.asking_store.changes
    read: list[str] = []

    async def noted(since: int = 0, wait_sec: float = 0) -> Any:
        found = await changes(since, wait_sec)
        read.extend(waiting.id for waiting in found.waiting)
        return found

    monkeypatch.setattr(world.asking_store, "changes", noted)
    asked_before: list[str] = []
    for _ in range(3):
        read.clear()
        asked = asyncio.ensure_future(broker.resolve(form_request()))
        question = await person.sees()
        await bounded(person.inbox.answer(question.id, sent(colour="red")))
        await bounded(asked)
        await person.sees_nothing()
        assert question.id in read
        # How the one before ended comes once more; what is older does not.
        assert not set(asked_before[:-1]) & set(read)
        asked_before.append(question.id)


async def test_a_question_that_is_asked_once_more_waits_for_another_answer(world: World) -> None:
    await world.asks()
    person = await world.person()
    question = Question(form_request())  # As for a hook that failed: no attempt is counted.
    asked = asyncio.ensure_future(world.responder.respond(question, Deadline(300)))
    shown = await person.sees()
    given = asyncio.ensure_future(person.inbox.answer(shown.id, sent(colour="red")))
    assert (await bounded(asked)).content == {"colour": "red"}
    asked = asyncio.ensure_future(world.responder.respond(question, Deadline(300)))
    assert (await bounded(given)).kind == "reopened"
    shown = await person.sees()
    given = asyncio.ensure_future(person.inbox.answer(shown.id, sent(colour="blue")))
    assert (await bounded(asked)).content == {"colour": "blue"}
    given.cancel()
    await asyncio.gather(given, return_exceptions=True)


class Keys(Deadline):
    """Counts the keys that moved it."""

    def __init__(self) -> None:
        super().__init__(300)
        self.keys = 0
        self.pressed = asyncio.Event()

    def touch(self) -> None:
        self.keys += 1
        self.pressed.set()


async def test_a_key_in_an_inbox_moves_the_deadline_once_whatever_is_told_after_it(
    world: World,
) -> None:
    await world.asks()
    person, deadline = await world.person(), Keys()
    asked = asyncio.ensure_future(world.responder.respond(Question(form_request()), deadline))
    shown = await person.sees()
    for keys in (1, 2):
        await person.inbox.claim(shown.id)
        await bounded(deadline.pressed.wait())
        deadline.pressed.clear()
        assert deadline.keys == keys
    given = asyncio.ensure_future(person.inbox.answer(shown.id, sent(colour="red")))
    assert (await bounded(asked)).content == {"colour": "red"}
    assert deadline.keys == 2
    given.cancel()
    await asyncio.gather(given, return_exceptions=True)


async def test_all_that_a_person_may_say_is_brought_back_with_who_said_it(world: World) -> None:
    await world.asks()
    person = await world.person()
    asked = asyncio.ensure_future(world.responder.respond(Question(form_request()), Deadline(300)))
    shown = await person.sees()
    told = accept(
        "user",
        "You allowed it.",
        {"colour": "red"},
        seen=frozenset({"message"}),
        acknowledged=frozenset({"a.b"}),
        scope="session",
        note="Mind the gap.",
    )
    given = asyncio.ensure_future(person.inbox.answer(shown.id, told))
    brought = await bounded(asked)
    assert brought == replace(told, via="inbox", answered_by=person.inbox.me)
    given.cancel()
    await asyncio.gather(given, return_exceptions=True)
