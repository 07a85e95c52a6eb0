"""What an inbox says: where the agent is, how a question left, what became of an answer."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from elicit_tui.broker.inbox_events import (
    CALL_ENDED,
    HANDED,
    LEFT_TO_AGENT,
    PAGE_FINISHED,
    SESSION_ENDED,
    TAKEN_BACK,
    TELL_AGENT,
    UNKNOWN,
    agent_away,
    delivered,
    elsewhere,
    end_of,
    is_judged,
    is_lost,
    not_taken,
    of_agent,
)
from elicit_tui.elicitation import Answerer, Call, Question, cancel, decline, now
from elicit_tui.elicitation.outcome import PUBLIC_REASONS
from elicit_tui.store.living import machine_id
from elicit_tui.store.store import Answer, Asker, Grant, Waiting
from tests.broker.conftest import World, form_request
from tests.broker.elsewhere import ASKER, bounded, sent

ME = Answerer("me", "pts/3", "laptop")
THERE = replace(ME, terminal="pts/7")


def waits(**more: Any) -> Waiting:
    call = Call("tools/call", "paint", id="0123456789abcdef")
    asked = Question(form_request(calls=(call,)))
    nothing = dict.fromkeys(
        ("tool", "deadline", "last_key_at", "held_by", "answer_id", "answered_by", "action")
    )
    known: dict[str, Any] = {
        "id": asked.id,
        "session": "s",
        "state": "open",
        "attempt": 1,
        "digest": "d",
        "kind": "elicitation",
        "agent": "codex",
        "server": "paint",
        "put_at": now(),
        "question": asked,
        "asker": ASKER,
        "agent_state": "waiting",
        "decided_by": None,
        "unreadable": None,
    }
    return Waiting(**{**nothing, **known, **more})


def ended(by: Any, action: Any = "cancel", **more: Any) -> Waiting:
    return waits(state="settled", decided_by=by, action=action, **more)


ANSWER = Answer(sent(colour="red"), ME, 1, "d")


@pytest.mark.parametrize(
    ("state", "said", "away"),
    [
        ("waiting", "The agent waits for your answer.", ""),
        (
            "left",
            "The agent has left; unless it comes back, this is taken back within 30 s.",
            "the agent has left",
        ),
        (
            "paused",
            "The agent was told to come back (it knows this as 01234567); "
            "your answer is kept for it.",
            "the agent was told to come back with 01234567",
        ),
    ],
)
def test_where_the_agent_is_meanwhile_is_said(state: Any, said: str, away: str) -> None:
    assert of_agent(waits(agent_state=state)) == said
    assert agent_away(waits(agent_state=state)) == away


def test_an_agent_whose_call_cannot_be_read_is_told_of_without_its_id() -> None:
    unread = waits(agent_state="paused", question=None)
    assert of_agent(unread) == "The agent was told to come back; your answer is kept for it."
    assert agent_away(unread) == "the agent was told to come back"


def test_the_machine_of_an_agent_is_said_where_it_is_another_one() -> None:
    there = replace(ASKER, machine="host\x1b[2J" + "x" * 80, machine_id="another")
    said = elsewhere(there)
    assert said.startswith(" on host")
    assert said.isprintable()
    assert len(said) == len(" on ") + 60
    for here in (None, Asker("s", "codex"), replace(there, machine_id=machine_id())):
        assert elsewhere(here) == ""
    assert elsewhere(replace(there, machine_id="")) == ""


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (ended("user", "accept", answered_by=THERE), "Answered on pts/7 by me."),
        (ended(None, None), TAKEN_BACK),
        (ended("user", "accept"), PAGE_FINISHED),
        (ended("server", "cancel"), CALL_ENDED),
        (ended("server", None), "The server took it back, or went away."),
        (ended("shutdown"), SESSION_ENDED),
        (ended("withdrawn"), "The agent took its call back, or left. Nothing was sent."),
        (ended("deadline"), "No answer was given in time."),
        (
            ended("nobody", None),
            "It was handed back to the agent unanswered, which asks by itself.",
        ),
        (ended("agent", "decline"), "The agent answered it."),
        (ended("client", "accept"), "It was answered in the agent's own client."),
    ],
)
def test_how_a_question_left_is_said_to_who_did_not_answer_it(left: Waiting, said: str) -> None:
    assert end_of(left) == said


@pytest.mark.parametrize(
    ("result", "kind", "said"),
    [
        (None, "gone", "This question waits no more."),
        (ended("user", "accept", answered_by=THERE), "late", "Answered on pts/7 by me."),
        (waits(state="answered", answered_by=THERE), "late", "Answered on pts/7 by me."),
        (ended("withdrawn"), "gone", "The agent took its call back, or left. Nothing was sent."),
        (waits(attempt=2), "reopened", "It was asked again meanwhile."),
    ],
)
def test_who_gave_an_answer_that_did_not_win_reads_why(
    result: Waiting | None, kind: str, said: str
) -> None:
    reply = not_taken(result)
    assert (reply.kind, reply.sentence) == (kind, said)
    again = result.question if result is not None and kind == "reopened" else None
    assert reply.question is again


@pytest.mark.parametrize(
    ("judged", "given", "handed", "kind", "said"),
    [
        (ended("user", "accept"), sent(), False, "sent", "Sent."),
        (ended("user", "accept", kind="approval"), sent(), False, "sent", "Allowed."),
        (ended("user", "decline"), decline("user", "No."), False, "sent", "Declined."),
        (ended("user", "cancel"), cancel("user", "No."), False, "sent", "Cancelled."),
        (
            ended("user", "accept", agent_state="paused"),
            *(sent(), False, "sent", f"Sent. {TELL_AGENT}"),
        ),
        (ended("user", "accept", agent_state="left"), sent(), False, "sent", "Sent."),
        (ended("user", "accept"), sent(), True, "sent", HANDED),
        (ended("user", "decline"), decline("user", "No."), True, "sent", HANDED),
        (ended("user", "cancel"), cancel("user", "No."), True, "sent", LEFT_TO_AGENT),
        # Not what was answered here, and not the person's end.
        (ended("user", "decline"), sent(), False, "gone", PAGE_FINISHED),
        (
            ended("user", "decline", answered_by=THERE),
            *(sent(), False, "gone", PUBLIC_REASONS["user"]),
        ),
        (
            ended("deadline", "cancel"),
            *(cancel("user", "No."), False, "gone", "No answer was given in time."),
        ),
        (ended("store"), sent(), False, "unknown", UNKNOWN),
        (ended("withdrawn"), sent(), False, "gone", None),
        (waits(attempt=2), sent(), False, "reopened", "The answer did not go out."),
        (waits(), sent(), False, "reopened", "The store lost the answer, which did not go out."),
    ],
)
def test_what_became_of_an_answer_is_told_to_who_gave_it(
    judged: Waiting, given: Any, handed: bool, kind: str, said: str | None
) -> None:
    reply = delivered(judged, replace(ANSWER, outcome=given), None, handed=handed)
    assert (reply.kind, reply.sentence) == (kind, said or end_of(judged))


def test_an_answer_that_is_given_back_brings_its_question_with_the_reason() -> None:
    again = replace(waits().question, note="The answer is too short.")  # type: ignore[type-var]
    reply = delivered(waits(attempt=2), ANSWER, again)
    assert (reply.sentence, reply.question) == ("The answer is too short.", again)


@pytest.mark.parametrize(
    ("waiting", "judged", "lost"),
    [
        (waits(state="answered"), False, False),
        (waits(), False, True),
        (waits(state="claimed"), False, True),
        (waits(attempt=2), True, False),
        (ended("user", "accept"), True, False),
    ],
)
def test_an_answer_is_judged_lost_or_on_its_way(waiting: Waiting, judged: bool, lost: bool) -> None:
    assert is_judged(waiting, ANSWER) is judged
    assert is_lost(waiting, ANSWER) is lost
    assert is_lost(None, ANSWER)


@pytest.mark.anyio
async def test_nothing_is_answered_that_waits_no_more_or_may_not_be_answered_here(
    world: World,
) -> None:
    broker, person = await world.asks(), await world.person()
    gone = await person.inbox.answer("no-such-question", sent(colour="red"))
    assert (gone.kind, gone.sentence) == ("gone", "This question waits no more.")
    asked = asyncio.ensure_future(broker.resolve(form_request()))
    question = await person.sees()
    world.refusal = "Not from here."
    refused = await person.inbox.answer(question.id, sent(colour="red"))
    assert (refused.kind, refused.sentence) == ("refused", "Not from here.")
    assert not asked.done()
    world.refusal = None
    assert (await person.inbox.answer(question.id, sent(colour="red"))).kind == "sent"
    await bounded(asked)


@pytest.mark.anyio
async def test_what_is_allowed_for_sessions_is_listed_and_taken_back_by_name(world: World) -> None:
    await world.asks()
    person = await world.person()
    for server, tool in (("paint", "draw"), ("paint", "wipe"), ("deploy", "drop")):
        await world.asking_store.grant(Grant(ASKER.session, server, tool, "pid", "digest"))
    assert {one.tool for one in await person.inbox.grants()} == {"draw", "wipe", "drop"}
    assert await person.inbox.revoke("paint", "wipe") == 1
    assert await person.inbox.revoke("paint", session="another") == 0
    assert {one.tool for one in await person.inbox.grants()} == {"draw", "drop"}
    assert await person.inbox.revoke() == 2
