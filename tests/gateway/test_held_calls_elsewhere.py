"""What other gateway processes tell of a held call, and are told of it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from elicit_tui.errors import ProtocolCallError
from elicit_tui.gateway import held_calls
from elicit_tui.gateway.departures import LEFT_SECONDS
from elicit_tui.gateway.held_calls import ATTENDED_SECONDS
from tests.gateway.held import (
    HeldSession,
    asked,
    ends,
    leaves,
)
from tests.gateway.world import WAIT, settled

pytestmark = pytest.mark.anyio


async def test_a_request_that_waits_in_another_process_is_one_that_waits(
    session: HeldSession,
) -> None:
    held = session.begins()
    attending = await session.attends(held)
    asked(held)
    session.calls.attended_elsewhere(held, "theirs")
    await leaves(attending)
    assert held.agent_state == "waiting"
    session.calls.left_elsewhere(held, "theirs")
    assert (held.agent_state, session.watcher.states) == ("left", ["left"])
    await settled()
    await session.clock.move(LEFT_SECONDS - 1)
    # One that is told twice that nobody waits has no longer time for that.
    session.calls.left_elsewhere(held, "theirs")
    assert not held.elsewhere
    await session.clock.move(1)
    assert (session.watcher.withdrawn, held.withdrawn) == ([held], True)
    session.calls.attended_elsewhere(held, "another")
    assert session.watcher.states == ["left", "waiting"]


async def test_a_request_in_another_process_that_is_not_heard_of_for_long_waits_no_more(
    session: HeldSession,
) -> None:
    held = session.begins()
    attending = await session.attends(held)
    asked(held)
    session.calls.attended_elsewhere(held, "theirs")
    session.calls.attended_elsewhere(held, "of one that dies")
    await leaves(attending)
    await session.clock.move(ATTENDED_SECONDS - 1)
    session.calls.attended_elsewhere(held, "theirs")
    await session.clock.move(1)
    session.calls.let_go_elsewhere()
    assert (held.agent_state, list(held.elsewhere)) == ("waiting", ["theirs"])
    await session.clock.move(ATTENDED_SECONDS)
    session.calls.let_go_elsewhere()
    assert held.agent_state == "left"
    await settled()
    await session.clock.move(LEFT_SECONDS)
    assert session.watcher.withdrawn == [held]


async def test_who_was_given_the_outcome_in_another_process_has_not_left(
    session: HeldSession,
) -> None:
    held = session.begins()
    session.calls.attended_elsewhere(held, "theirs")
    ends(held)
    await settled()
    session.calls.outcome_told(held)
    session.calls.left_elsewhere(held, "theirs")
    assert (held.left, session.watcher.states) == (False, [])


async def test_other_processes_are_told_of_what_was_not_delivered(session: HeldSession) -> None:
    held, unnamed = session.begins(), session.begins("unnamed")
    asked(held)
    await asyncio.wait_for(await session.attends(held, hold=0.0), WAIT)
    assert session.watcher.states == ["paused"]
    assert session.calls.open_to_others == [held.id]
    assert session.calls.by_id(unnamed.id) is None
    session.calls.outcome_told(held)
    assert session.calls.open_to_others == []


async def test_an_error_is_an_outcome_that_is_told_once(session: HeldSession) -> None:
    held = session.begins()
    asked(held)
    await asyncio.wait_for(await session.attends(held, hold=0.0), WAIT)
    work: Any = held.task
    work.set_exception(ProtocolCallError(-32602, "no such thing"))
    await settled()
    assert session.calls.to_join("key") is held
    assert session.calls.unread == [held]
    for _ in "12":  # It can be read again by its id.
        with pytest.raises(ProtocolCallError):
            await asyncio.wait_for(await session.attends(held), WAIT)
        # An equal call is a new one, and the error takes the room of no other outcome.
        assert session.calls.to_join("key") is None
        assert (session.calls.unread, session.calls.owed) == ([], False)
        assert session.calls.by_id(held.id) is held


async def test_what_was_read_in_another_process_gives_place(
    session: HeldSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = [session.begins(f"{number}") for number in range(3)]
    for held in calls:
        asked(held)
        await asyncio.wait_for(await session.attends(held, hold=0.0), WAIT)
        ends(held)
        await settled()
    monkeypatch.setattr(held_calls, "MOST_OUTCOMES", 2)
    session.calls.outcome_told(calls[0])
    assert [session.calls.by_id(held.id) for held in calls] == [None, *calls[1:]]
    session.calls.outcome_told(calls[1])
    assert [session.calls.by_id(held.id) for held in calls] == [None, *calls[1:]]


@pytest.mark.parametrize("limit", ["MOST_OUTCOMES", "MOST_OUTCOME_BYTES"])
async def test_of_what_was_read_no_more_gives_place_than_has_to(
    session: HeldSession, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    calls = [session.begins(f"{number}") for number in range(4)]
    for held in calls:
        asked(held)
        await asyncio.wait_for(await session.attends(held, hold=0.0), WAIT)
        ends(held)
        await settled()
    size = calls[0].size
    monkeypatch.setattr(held_calls, limit, 3 if limit == "MOST_OUTCOMES" else 3 * size)
    calls[0].delivered = calls[1].delivered = True
    session.calls.outcome_told(calls[2])
    assert [session.calls.by_id(held.id) for held in calls] == [None, *calls[1:]]
    assert "given up" not in session.watcher.told
