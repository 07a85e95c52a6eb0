"""Held calls whose agent left or took them back, without a server and without a transport."""

from __future__ import annotations

import asyncio

import pytest

from elicit_tui.gateway import held_calls
from elicit_tui.gateway.departures import LAST_WORD_SECONDS, LEFT_SECONDS
from elicit_tui.gateway.held_call import (
    Ended,
    GivenUp,
    OutcomesUnread,
    Paused,
)
from tests.gateway.held import RESULT, HeldSession, Request, asked, ends, leaves
from tests.gateway.world import WAIT, settled

pytestmark = pytest.mark.anyio


# Leaving


async def test_a_call_that_asked_nobody_is_cancelled_when_its_agent_leaves(
    session: HeldSession,
) -> None:
    held = session.begins()
    await leaves(await session.attends(held))
    assert (held.done, session.watcher.told) == (True, ["given up"])
    assert session.calls.by_id(held.id) is None
    assert not session.calls.owed


async def test_a_call_goes_on_while_another_request_waits_for_it(session: HeldSession) -> None:
    held = session.begins()
    stays = await session.attends(held)
    await leaves(await session.attends(held))
    assert not held.done
    assert held.agent_state == "waiting"
    ends(held)
    assert await asyncio.wait_for(stays, WAIT) == Ended(RESULT)


async def test_an_outcome_that_came_as_its_agent_left_is_kept_for_it(session: HeldSession) -> None:
    held = session.begins()
    attending = await session.attends(held)
    ends(held)
    attending.cancel()
    await asyncio.gather(attending, return_exceptions=True)
    await settled()
    assert (held.left, held.delivered) == (True, False)
    assert session.calls.by_id(held.id) is held
    assert session.watcher.told == ["outcome kept"]
    assert session.calls.to_join("key") is held
    assert await asyncio.wait_for(await session.attends(held), WAIT) == Ended(RESULT)
    assert session.calls.to_join("key") is None


async def test_what_an_agent_asks_for_again_in_time_is_not_taken_back(session: HeldSession) -> None:
    held = session.begins()
    attending = await session.attends(held)
    asked(held)
    await leaves(attending)
    await session.clock.move(LEFT_SECONDS - 1)
    again = await session.attends(held)
    assert (held.agent_state, session.watcher.states) == ("waiting", ["left", "waiting"])
    await session.clock.move(LEFT_SECONDS * 2)
    assert (session.watcher.withdrawn, held.withdrawn) == ([], False)
    ends(held)
    assert await asyncio.wait_for(again, WAIT) == Ended(RESULT)


async def test_a_call_whose_question_was_answered_while_its_agent_was_away_is_given_up(
    session: HeldSession,
) -> None:
    held = session.begins()
    attending = await session.attends(held)
    question = asked(held)
    await leaves(attending)
    del held.waiting[question.id]
    await session.clock.move(LEFT_SECONDS)
    assert held.done
    assert session.watcher.withdrawn == []
    assert session.watcher.told == ["given up"]
    assert session.calls.by_id(held.id) is None


async def test_what_ended_while_its_agent_was_away_is_not_taken_back(session: HeldSession) -> None:
    held = session.begins()
    attending = await session.attends(held)
    asked(held)
    await leaves(attending)
    ends(held)
    await settled()
    assert held.departure is not None
    assert held.departure.done()
    await session.clock.move(LEFT_SECONDS * 2)
    assert session.watcher.withdrawn == []
    assert (held.withdrawn, session.calls.to_join("key")) == (False, held)


async def test_what_ends_after_it_was_taken_back_from_who_never_had_its_id_waits_for_nobody(
    session: HeldSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held_calls, "MOST_OUTCOMES", 2)
    for _ in range(3):
        held = session.begins()
        attending = await session.attends(held)
        asked(held)
        await leaves(attending)
        await session.clock.move(LEFT_SECONDS)
        ends(held)
        await settled()
        assert session.watcher.told.pop() == "given up"
        assert session.calls.by_id(held.id) is None
    assert (session.calls.unread, session.calls.owed) == ([], False)


async def test_outcomes_that_were_left_without_an_id_give_place_and_hold_up_no_call(
    session: HeldSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held_calls, "MOST_OUTCOMES", 2)
    left = []
    for number in range(4):
        left.append(session.begins(f"{number}"))
        attending = await session.attends(left[-1])
        asked(left[-1])
        await leaves(attending)
        ends(left[-1])
        await settled()
    assert [session.calls.to_join(f"{number}") for number in range(4)] == [None, None, *left[2:]]
    assert session.watcher.told.count("given up") == 2


async def test_no_call_begins_while_what_an_agent_did_not_read_is_too_large(
    session: HeldSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held_calls, "MOST_OUTCOME_BYTES", 1)
    held = session.begins()
    asked(held)
    await asyncio.wait_for(await session.attends(held, hold=0.0), WAIT)
    ends(held)
    await settled()
    with pytest.raises(OutcomesUnread):
        session.begins("next")
    assert await asyncio.wait_for(await session.attends(held), WAIT) == Ended(RESULT)
    assert session.calls.by_id(held.id) is None
    session.begins("next")


async def test_an_agent_that_was_told_to_come_back_may_stay_away(session: HeldSession) -> None:
    held = session.begins()
    asked(held)
    assert await asyncio.wait_for(await session.attends(held, hold=0.0), WAIT) == Paused()
    await leaves(await session.attends(held))
    assert held.agent_state == "paused"
    await session.clock.move(LEFT_SECONDS * 10)
    assert session.watcher.withdrawn == []
    assert not held.done


async def test_a_call_is_held_from_when_its_request_arrived(session: HeldSession) -> None:
    held = session.begins()
    asked(held)
    arrived = Request(session.clock.time())
    await session.clock.move(10)
    answered = await session.attends(held, arrived, 10.0)
    assert answered.done()
    assert answered.result() == Paused()


async def test_what_has_left_does_not_leave_again_when_another_process_tells_it_late(
    session: HeldSession,
) -> None:
    held = session.begins()
    attending = await session.attends(held)
    asked(held)
    await leaves(attending)
    await session.clock.move(LEFT_SECONDS - 1)
    session.calls.left_elsewhere(held, "theirs")
    await session.clock.move(LEFT_SECONDS * 2)
    assert session.watcher.withdrawn == [held]
    assert not held.done


# Taking back


async def test_a_task_that_was_not_called_yet_is_given_up_at_once(session: HeldSession) -> None:
    held = session.begins()
    held.is_task = True
    asked(held)
    session.calls.cancel(held)
    await settled()
    assert session.watcher.withdrawn == [held]
    assert held.task is not None
    assert held.task.cancelled()


async def test_tasks_that_an_agent_took_back_keep_it_from_no_call_though_it_never_looks_again(
    session: HeldSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held_calls, "MOST_OUTCOMES", 2)
    tasks = []
    for number in range(4):
        tasks.append(session.begins(f"{number}"))
        asked(tasks[-1])
        await asyncio.wait_for(await session.attends(tasks[-1], takes_task=True), WAIT)
        session.calls.cancel(tasks[-1])
        await settled()
    assert not session.calls.owed
    # It can be seen of as many as are kept of what was read.
    assert [session.calls.by_id(task.id) for task in tasks] == [None, None, *tasks[2:]]


@pytest.mark.parametrize("asks", [True, False])
async def test_the_server_of_a_cancelled_task_is_told_once_and_has_the_last_word_where_it_asked(
    session: HeldSession, asks: bool
) -> None:
    held = session.begins()
    held.is_task = held.called = True
    if asks:
        asked(held)
    session.calls.cancel(held)
    session.calls.cancel(held)
    await settled()
    assert session.watcher.withdrawn == [held]
    assert session.watcher.told == ([] if asks else ["cancel below"])
    await session.clock.move(LAST_WORD_SECONDS)
    assert session.watcher.told == ["cancel below"]
    assert not held.done


async def test_the_server_of_a_cancelled_task_is_told_though_its_agent_comes_for_it(
    session: HeldSession,
) -> None:
    held = session.begins()
    asked(held)
    await session.attends(held, takes_task=True)
    held.called = True
    session.calls.cancel(held)
    await session.attends(held, resumed=True)
    await session.clock.move(LAST_WORD_SECONDS)
    assert session.watcher.told == ["cancel below"]
    assert held.withdrawn


async def test_a_server_whose_question_stands_in_the_client_has_the_last_word_too(
    session: HeldSession,
) -> None:
    held = session.begins()
    held.is_task = held.called = True
    with held.rounds.asking("key", {}):
        session.calls.cancel(held)
        await settled()
        assert session.watcher.told == []
        await session.clock.move(LAST_WORD_SECONDS)
        assert session.watcher.told == ["cancel below"]


async def test_a_server_that_ends_its_call_by_itself_is_told_nothing_more(
    session: HeldSession,
) -> None:
    held = session.begins()
    held.is_task = held.called = True
    asked(held)
    session.calls.cancel(held)
    ends(held)
    await session.clock.move(LAST_WORD_SECONDS * 2)
    assert session.watcher.told == []


async def test_a_task_that_has_ended_is_not_taken_back(session: HeldSession) -> None:
    held = session.begins()
    held.is_task = True
    ends(held)
    await settled()
    session.calls.cancel(held)
    assert (held.withdrawn, session.watcher.withdrawn) == (False, [])


@pytest.mark.parametrize("is_task", [True, False])
async def test_who_waits_for_a_call_that_is_taken_back_is_told_and_a_task_can_still_be_seen(
    session: HeldSession, is_task: bool
) -> None:
    held = session.begins()
    asked(held)
    await asyncio.wait_for(await session.attends(held, hold=0.0), WAIT)
    held.is_task = is_task
    waits = await session.attends(held)
    session.calls.give_up(held)
    assert held.withdrawn
    assert (session.calls.by_id(held.id) is held) is is_task
    with pytest.raises(GivenUp):
        await asyncio.wait_for(waits, WAIT)
    assert (session.calls.by_id(held.id) is held) is is_task


async def test_the_end_of_a_session_withdraws_all_and_gives_nothing_up_for_later(
    session: HeldSession,
) -> None:
    calls = [session.begins(f"{number}") for number in range(3)]
    for held in calls:
        asked(held)
    await leaves(await session.attends(calls[0]))
    await session.calls.end()
    assert session.watcher.withdrawn == calls
    assert all(held.withdrawn for held in calls)
    assert all(held.task is not None and held.task.cancelled() for held in calls)
    assert "given up" not in session.watcher.told
    assert calls[0].departure is not None
    assert calls[0].departure.done()
    assert (session.calls.under_way, session.calls.owed) == ((), False)
