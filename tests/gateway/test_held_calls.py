"""What a session promises of its held calls, tried without a server and without a transport."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from elicit_tui.elicitation import (
    Call,
    ElicitationRequest,
    Question,
    approval_request,
)
from elicit_tui.gateway import held_calls
from elicit_tui.gateway.held_call import (
    AsksClient,
    BecameTask,
    Ended,
    NewCall,
    Paused,
    StillRuns,
    TooManyCalls,
    agent_state,
)
from elicit_tui.gateway.held_calls import TICK_SECONDS
from tests.broker.conftest import form_request
from tests.gateway.held import (
    RESULT,
    SERVER,
    Asks,
    HeldSession,
    Request,
    asked,
    ends,
    leaves,
)
from tests.gateway.world import WAIT, settled

pytestmark = pytest.mark.anyio


# Replies


async def test_a_slow_call_is_never_paused_and_only_who_resumed_it_hears_that_it_runs(
    session: HeldSession,
) -> None:
    held = session.begins()
    begun = await session.attends(held, hold=10.0)
    resumed = await session.attends(held, hold=10.0, resumed=True)
    await session.clock.move(10)
    assert await asyncio.wait_for(resumed, WAIT) == StillRuns()
    assert not begun.done()
    assert (held.paused, session.calls.by_id(held.id)) == (False, None)
    ends(held)
    assert await asyncio.wait_for(begun, WAIT) == Ended(RESULT)


async def test_a_task_is_given_only_to_who_takes_one_and_only_where_somebody_is_waited_for(
    session: HeldSession,
) -> None:
    held = session.begins()
    takes = await session.attends(held, takes_task=True)
    takes_none = await session.attends(held)
    assert not takes.done()
    asked(held)
    await settled()
    assert await asyncio.wait_for(takes, WAIT) == BecameTask()
    assert not takes_none.done()
    assert (held.is_task, held.agent_state) == (True, "waiting")
    again = await session.attends(held, takes_task=True)
    assert await asyncio.wait_for(again, WAIT) == BecameTask()


@pytest.mark.parametrize("way", ["waiting", "server_task", "is_task", "nothing"])
@pytest.mark.parametrize("method", ["tools/call", "prompts/get"])
async def test_a_tool_is_a_task_where_a_person_or_its_own_server_makes_it_wait(
    session: HeldSession, way: str, method: Any
) -> None:
    work: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
    held = session.calls.start(Call(method, "one", {}), "s", "key", work)
    if way == "waiting":
        asked(held)
    elif way != "nothing":
        setattr(held, way, True)
    assert held.may_be_task is (method == "tools/call" and way != "nothing")
    held.task_kept = False
    assert not held.may_be_task


@pytest.mark.parametrize("as_task", [True, False])
async def test_an_agent_whose_client_comes_back_by_itself_was_not_told_to(
    session: HeldSession, as_task: bool
) -> None:
    held = session.begins()
    with held.rounds.asking("key", {}):
        if as_task:
            asked(held)
            request = Request(session.clock.time())
        else:
            request = Asks(session.clock.time())
        await asyncio.wait_for(await session.attends(held, request, takes_task=as_task), WAIT)
        assert (held.attended, held.paused, held.agent_state) == (False, True, "waiting")
        asked(held)
        older = await session.attends(held, hold=0.0)
        assert await asyncio.wait_for(older, WAIT) == Paused()
        assert held.agent_state == "paused"


async def test_a_round_goes_out_once_and_only_in_the_era_that_has_them(
    session: HeldSession,
) -> None:
    held = session.begins()
    older = await session.attends(held)
    with held.rounds.asking("key", {"message": "?"}):
        held.changed()
        await settled()
        assert not older.done()
        modern = await session.attends(held, Asks(session.clock.time()))
        reply = await asyncio.wait_for(modern, WAIT)
        assert isinstance(reply, AsksClient)
        assert (dict(reply.requests), held.agent_state) == ({"key": {"message": "?"}}, "waiting")
        assert session.calls.of_state(reply.state) is held
        assert session.calls.of_state(f"{held.id}-2") is None
        assert session.calls.of_state(f"{held.id}-0") is None
        assert session.calls.of_state("unknown-1") is None
        assert not older.done()
        again = await session.attends(held, Asks(session.clock.time()), hold=0.0, resumed=True)
        assert not again.done()


async def test_an_agent_is_told_every_ten_seconds_that_a_person_is_waited_for(
    session: HeldSession,
) -> None:
    held = session.begins()
    held.last_progress = (1.0, 4.0)
    session.clock.skip(60)
    request = Asks(session.clock.time())
    attending = await session.attends(held, request)
    await session.clock.move(TICK_SECONDS)
    assert request.ticks == []
    question = asked(held)
    await session.clock.move(TICK_SECONDS * 2)
    # As long as its call has waited, whichever request is told so.
    assert request.ticks == [(4.0, "Waiting for a person (1 min).")] * 2
    del held.waiting[question.id]
    ends(held)
    await asyncio.wait_for(attending, WAIT)
    await session.clock.move(TICK_SECONDS * 3)
    assert len(request.ticks) == 2


async def test_whoever_was_told_to_come_back_is_told_of_no_progress_any_more(
    session: HeldSession,
) -> None:
    held = session.begins()
    request = Asks(session.clock.time())
    asked(held)
    attending = await session.attends(held, request, hold=TICK_SECONDS * 2)
    await session.clock.move(TICK_SECONDS * 2)
    assert isinstance(await asyncio.wait_for(attending, WAIT), Paused)
    told = len(request.ticks)
    await session.clock.move(TICK_SECONDS * 3)
    assert len(request.ticks) == told


async def test_who_asked_for_no_progress_is_told_of_none(session: HeldSession) -> None:
    held = session.begins()
    asked(held)
    request = Asks(session.clock.time())
    request.has_token = False
    await session.attends(held, request)
    await session.clock.move(TICK_SECONDS * 2)
    assert request.ticks == []


async def test_a_request_that_was_answered_leaves_no_clock_running(session: HeldSession) -> None:
    held = session.begins()
    for way in ("a pause", "an end"):
        request = Asks(session.clock.time())
        attending = await session.attends(held, request, hold=5.0 if way == "a pause" else 1000.0)
        assert session.clock.waking
        if way == "a pause":
            asked(held)
            await session.clock.move(5)
        else:
            ends(held)
        await asyncio.wait_for(attending, WAIT)
        await settled()
        assert session.clock.waking == 0
        assert held._listeners == set()


# Finding


async def test_of_equal_calls_that_wait_the_oldest_is_joined(session: HeldSession) -> None:
    calls = [session.begins(), session.begins()]
    for held in calls:
        asked(held)
        await asyncio.wait_for(await session.attends(held, hold=0.0), WAIT)
    assert session.calls.to_join("key") is calls[0]


def test_a_call_is_equal_only_with_the_same_method_server_name_and_arguments() -> None:
    def key(method: Any = "tools/call", name: str = "a", server: str = "s", **given: Any) -> str:
        made: Any = None
        return NewCall(Call(method, name, given), server, made).key

    assert key(one=1, two={"b": 1, "a": [2, 1]}) == key(two={"a": [2, 1], "b": 1}, one=1)
    others = [key(), key("prompts/get"), key(name="b"), key(server="t"), key(one=1), key(one="1")]
    assert len(set(others)) == len(others)


async def test_what_somebody_attends_or_read_or_took_back_is_joined_by_no_equal_call(
    session: HeldSession,
) -> None:
    held = session.begins()
    asked(held)
    assert session.calls.to_join("key") is None
    await asyncio.wait_for(await session.attends(held, hold=0.0), WAIT)
    assert session.calls.to_join("other") is None
    assert session.calls.to_join("key") is held
    attending = await session.attends(held)
    assert session.calls.to_join("key") is None
    await leaves(attending)
    held.withdrawn = True
    assert session.calls.to_join("key") is None
    held.withdrawn = False
    session.calls.outcome_told(held)
    assert session.calls.to_join("key") is None


async def test_a_question_of_a_whole_server_belongs_to_each_call_of_it_and_to_no_other(
    session: HeldSession,
) -> None:
    mine, other = session.begins(), session.begins(server="other")
    login = Question(ElicitationRequest(SERVER, {"message": "Log in"}, kind="authorization"))
    assert session.calls.of_request(login.request) == (mine,)
    with session.calls.waiting_for(login):
        assert list(mine.waiting) == [login.id]
        later, others = session.begins("later"), session.begins("others", "other")
        assert (list(later.waiting), later.has_asked) == ([login.id], True)
        assert (other.waiting, others.waiting, others.has_asked) == ({}, {}, False)
    assert (mine.waiting, later.waiting) == ({}, {})
    assert session.begins("after").waiting == {}
    # One that names its calls is of these alone, and an elicitation that names none of no call.
    named = ElicitationRequest(SERVER, {"message": "?"}, kind="authorization", calls=(mine.call,))
    assert session.calls.of_request(named) == (mine,)
    assert session.calls.of_request(form_request(server="s")) == ()


async def test_a_question_of_one_call_is_of_no_call_that_begins_later(session: HeldSession) -> None:
    held = session.begins()
    question = Question(form_request(calls=(held.call,)))
    with session.calls.waiting_for(question):
        assert list(held.waiting) == [question.id]
        assert session.begins("later").waiting == {}
    assert session.calls.of_request(form_request()) == ()
    ends(held)
    await settled()
    assert session.calls.of_request(question.request) == ()


async def test_a_call_whose_hold_is_over_pauses_as_soon_as_a_person_is_asked(
    session: HeldSession,
) -> None:
    held = session.begins()
    question = Question(form_request(calls=(held.call,)))
    attending = await session.attends(held, hold=10.0)
    await session.clock.move(11)
    assert not attending.done()
    with session.calls.waiting_for(question):
        assert await asyncio.wait_for(attending, WAIT) == Paused()
        with held.listening() as changed:
            assert not changed.is_set()
            other = Question(form_request(calls=(held.call,)))
            with session.calls.waiting_for(other):
                changed.clear()
            assert changed.is_set()


async def test_a_task_is_joined_only_while_it_waits_for_its_approval(session: HeldSession) -> None:
    held = session.begins()
    held.is_task = held.paused = True
    server, call = SERVER, held.call
    approval = Question(approval_request(server, call, None, "why"))
    with session.calls.waiting_for(Question(form_request(calls=(call,)))):
        assert not held.joinable
        with session.calls.waiting_for(approval):
            assert held.joinable
            held.withdrawn = True
            assert not held.joinable
    held.withdrawn = False
    assert not held.joinable


async def test_an_agent_has_left_a_question_only_if_it_left_each_of_its_calls(
    session: HeldSession,
) -> None:
    first, second = session.begins("1"), session.begins("2")
    request = form_request(calls=(first.call, second.call))
    assert not session.calls.left(request)
    first.left = True
    assert not session.calls.left(request)
    second.left = True
    assert session.calls.left(request)
    second.left, second.paused = False, True
    assert agent_state((first, second)) == "paused"
    assert agent_state(()) == "waiting"


# Other processes


# Bounds


async def test_no_more_calls_than_an_agent_can_work_with_are_open_at_once(
    session: HeldSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held_calls, "MOST_OPEN", 2)
    first = session.begins("1")
    session.begins("2")

    async def never_awaited() -> dict[str, Any]:
        raise AssertionError

    with pytest.raises(TooManyCalls):
        session.calls.start(Call("tools/call", "one", {}), "s", "3", never_awaited())
    ends(first)
    await settled()
    assert session.calls.of_call(first.call.id) is None
    session.begins("3")


async def test_an_agent_is_owed_what_goes_on_and_what_it_did_not_read(session: HeldSession) -> None:
    assert not session.calls.owed
    held = session.begins()
    assert session.calls.owed
    asked(held)
    await asyncio.wait_for(await session.attends(held, hold=0.0), WAIT)
    ends(held)
    await settled()
    assert session.calls.under_way == ()
    assert session.calls.owed
    await asyncio.wait_for(await session.attends(held), WAIT)
    assert not session.calls.owed
