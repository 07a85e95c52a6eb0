"""One session beside others of its store, without servers: what they tell each other of calls."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation import accept
from elicit_tui.gateway import own_tools, telling
from elicit_tui.gateway.departures import LEFT_SECONDS
from elicit_tui.gateway.held_call import HeldCall
from elicit_tui.gateway.shared_calls import SharedCalls
from elicit_tui.store.sqlite import SqliteStore
from tests.gateway.session_world import HOLD, Pending, SessionWorld, says
from tests.gateway.test_session import asks_for
from tests.gateway.test_sharing import Shared
from tests.gateway.world import WAIT, settled

pytestmark = pytest.mark.anyio


async def test_the_others_learn_that_a_call_waits_has_ended_or_was_given_up() -> None:
    shared = Shared()
    here = SessionWorld(shared)
    identifier, question = await here.paused()
    held = here.calls.by_id(identifier)
    assert held is not None
    assert {told[0] for told in shared.told} == {"begin", "left", "paused"}
    shared.told.clear()
    here.person.answers(question, accept("user", "why", {}))
    await settled()
    assert shared.told == [("ended", identifier)]
    shared.told.clear()
    await here.calls_tool(own_tools.RESUME, id=identifier)
    assert ("delivered", identifier, True) in shared.told
    shared.told.clear()
    other = here.begins("other")
    await here.calls.attend(asks_for(other), here.asker(), 0.0)
    await here.calls_tool(own_tools.CANCEL, id=other.id)
    await settled()
    assert ("delivered", other.id, False) in shared.told


class Slow(Shared):
    """A store that is away while it is told what an agent was answered."""

    async def paused(self, held: HeldCall, answered: Any) -> bool:
        await asyncio.get_running_loop().create_future()
        return True


@pytest.mark.parametrize("knows_tasks", [True, False], ids=["a task", "a pause"])
async def test_who_hangs_up_before_it_is_told_to_come_back_has_left(knows_tasks: bool) -> None:
    here = SessionWorld(Slow(), tasks="auto")
    asker = here.asker(era="modern")
    asker.knows_tasks = knows_tasks
    asking = here.calls_tool(own_tools.ELICIT, None, asker, message="Which?")
    question = await here.person.question()
    (held,) = here.calls.under_way
    await here.clock.move(HOLD)
    assert not asking.done()
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    assert (held.agent_state, held.is_task) == ("left", False)
    here.broker.pending.append(Pending(question))
    await here.clock.move(LEFT_SECONDS)
    assert held.withdrawn
    assert [end.decided_by for end in here.broker.pending[0].ends] == ["withdrawn"]
    await here.calls.end()


async def done_by(store: SqliteStore) -> None:
    """Whatever a session asks of its store now is done: the store takes one after the other."""
    await settled()
    await store.calls.look("owner", "none")
    await settled()


async def test_while_an_agent_waits_again_for_its_call_an_equal_one_is_a_second_one(
    tmp_path: Path,
) -> None:
    store = await SqliteStore.open(tmp_path / "state" / "store.sqlite3", "listener")
    here = SessionWorld(SharedCalls(store.calls, "owner", private=False))
    identifier, _ = await here.paused()
    resumed = here.calls_tool(own_tools.RESUME, id=identifier)
    await settled()
    second = here.calls_tool(own_tools.ELICIT, message="Which?")
    await done_by(store)
    assert len(here.calls.under_way) == 2
    await here.clock.move(HOLD)
    # Nobody waits for either of them now, and an equal call picks the first one up.
    told = [says(await asyncio.wait_for(each, WAIT)) for each in (resumed, second)]
    assert told[0] != told[1]
    await done_by(store)
    third = here.calls_tool(own_tools.ELICIT, message="Which?")
    await done_by(store)
    await here.clock.move(HOLD)
    assert says(await asyncio.wait_for(third, WAIT)) == telling.paused_text(identifier)
    await here.calls.end()
    await store.close()


async def test_what_another_gateway_makes_is_waited_for_and_answered_there() -> None:
    shared = Shared(earlier="of another", seen_as=object())
    here = SessionWorld(shared, agent_answers="allow")
    told = await here.calls_tool(own_tools.ELICIT, message="Which?")
    assert told == {"of": "of another", "hold": HOLD, "still": telling.paused_text("of another")}
    assert here.calls.under_way == ()
    resumed = await here.calls_tool(own_tools.RESUME, id="of another")
    assert resumed["still"] == telling.STILL_WAITING
    answered = {"id": "of another", "question": "it", "action": "decline"}
    await here.calls_tool(own_tools.ANSWER, **answered)
    taken_back = await here.calls_tool(own_tools.CANCEL, id="of another")
    assert says(taken_back) == telling.TOLD_THE_OTHER
    assert [told[2] for told in shared.told if told[0] == "note"] == [
        {"answer": answered},
        {"cancel": True},
    ]
    round_of_it = {"requestState": "of another-1", "inputResponses": {"key": {}}}
    modern = here.asker(era="modern")
    gone_on = await here.calls_tool("web__deploy", round_of_it, modern)
    assert gone_on["of"] == "of another"
    assert shared.told[-1] == (
        "note",
        "of another",
        {"state": "of another-1", "responses": {"key": {}}},
    )


async def test_too_many_calls_of_one_session_are_refused_and_forgotten_by_the_store(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("elicit_tui.gateway.held_calls.MOST_OPEN", 0)
    shared = Shared()
    here = SessionWorld(shared)
    result = await here.calls_tool("web__deploy")
    assert result["isError"]
    begun, forgotten = shared.told
    assert forgotten == ("delivered", begun[1], False)
