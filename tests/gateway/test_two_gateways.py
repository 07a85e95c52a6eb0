"""One agent on two gateways: what one began the other one tells, and nothing runs twice."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from elicit_tui.gateway import telling
from elicit_tui.gateway.held_call import TooManyCalls
from elicit_tui.gateway.telling import PAUSED_META_KEY
from elicit_tui.store import calls as rules
from elicit_tui.store.sqlite import SqliteStore
from tests.gateway.http_world import Gateway, many_agents
from tests.gateway.world import WAIT, MovedClock, until
from tests.host.world import python_server

pytestmark = pytest.mark.anyio


@dataclass
class Two:
    """Two gateways over one store, in one time, and one agent that comes to either."""

    gateways: list[Gateway]
    stores: list[SqliteStore]
    client: httpx2.AsyncClient
    clock: MovedClock
    file: Path

    def begins(self, number: int, tool: str, **arguments: Any) -> asyncio.Task[dict[str, Any]]:
        async def call() -> dict[str, Any]:
            params = {"name": tool, "arguments": arguments}
            answer = await self.gateways[number].modern(self.client, "tools/call", params)
            result: dict[str, Any] = answer.json()["result"]
            return result

        return asyncio.ensure_future(call())

    async def calls(self, number: int, tool: str, **arguments: Any) -> str:
        """What a call comes to in time: the clock goes on until it is answered."""
        return text(await self.answered(self.begins(number, tool, **arguments)))

    async def answered(self, call: asyncio.Task[dict[str, Any]]) -> dict[str, Any]:
        end = asyncio.get_running_loop().time() + WAIT
        while not call.done():
            assert asyncio.get_running_loop().time() < end
            await self.clock.move(0.5)
            await asyncio.sleep(0.01)
        return call.result()

    async def paused(self, number: int, tag: str) -> str:
        """A call of one gateway that waits for a person; its id."""
        asked = sum(len(person.asked) for person in self.gateways[number].people)
        call = self.begins(number, "counting__run", tag=tag)
        people = self.gateways[number].people
        await until(lambda: sum(len(person.asked) for person in people) > asked)
        await self.clock.move(11)
        result = await asyncio.wait_for(call, WAIT)
        return str(result["_meta"][PAUSED_META_KEY]["id"])

    async def answers(self, number: int, value: str) -> None:
        """The person at one gateway answers what was asked last."""
        person = self.gateways[number].people[-1]
        person.sends(person.asked[-1], {"value": value})

    def runs(self, tag: str) -> int:
        return self.file.read_text().splitlines().count(f"ran {tag}")

    async def dies(self, number: int) -> None:
        """As the others see it: the process is gone, and what it knew."""
        await self.stores[number].close()


def text(result: dict[str, Any]) -> str:
    return "\n".join(block.get("text", "") for block in result["content"])


@pytest.fixture
async def two(tmp_path: Path) -> AsyncIterator[Two]:
    clock, file = MovedClock(), tmp_path / "runs"
    server = python_server("counting", "counting.py", str(file))
    stores = [await SqliteStore.open(tmp_path / "s" / "store.sqlite3", "listener") for _ in "ab"]
    async with (
        many_agents(server, store=stores[0], clock=clock) as first,
        many_agents(server, store=stores[1], clock=clock) as second,
        first.raw(first.tokens.add("agent")) as client,
    ):
        yield Two([first, second], stores, client, clock, file)
    for store in stores:
        await store.close()


async def test_a_paused_call_is_resumed_on_the_other_gateway(two: Two) -> None:
    name = await two.paused(0, "a")
    assert await two.calls(1, "elicit_resume", id=name) == telling.STILL_WAITING
    resumed = two.begins(1, "elicit_resume", id=name)
    await two.answers(0, "red")
    assert "'value': 'red'" in text(await two.answered(resumed))
    # It can be read again, on either.
    assert "'value': 'red'" in await two.calls(1, "elicit_resume", id=name)
    assert "'value': 'red'" in await two.calls(0, "elicit_resume", id=name)
    assert two.runs("a") == 1


async def test_a_resumed_call_that_still_waits_says_what_for_as_the_first_gateway_did(
    two: Two,
) -> None:
    name = await two.paused(0, "a")
    result = await two.answered(two.begins(1, "elicit_resume", id=name))
    paused = result["_meta"][PAUSED_META_KEY]
    assert (paused["id"], paused["toolPath"], paused["message"], paused["args"]) == (
        name,
        "counting/run",
        "Value for a?",
        {"tag": "a"},
    )


async def test_an_equal_call_on_the_other_gateway_joins_one_that_waits(two: Two) -> None:
    name = await two.paused(0, "a")
    joined = two.begins(1, "counting__run", tag="a")
    await two.answers(0, "red")
    assert "'value': 'red'" in text(await two.answered(joined))
    assert two.runs("a") == 1
    assert "'value': 'red'" in await two.calls(0, "elicit_resume", id=name)
    # What was told is over: the same call is a new one.
    await two.paused(1, "a")
    assert two.runs("a") == 2


async def test_two_equal_calls_side_by_side_on_two_gateways_are_two(two: Two) -> None:
    calls = [two.begins(number, "counting__run", tag="a") for number in (0, 1)]
    await until(lambda: two.file.exists() and two.runs("a") == 2)
    for number in (0, 1):
        await until(lambda number=number: two.gateways[number].open_questions == 1)  # type: ignore[misc]
        await two.answers(number, f"by {number}")
    said = [text(await two.answered(call)) for call in calls]
    assert ["by 0" in said[0], "by 1" in said[1]] == [True, True]


async def test_after_a_death_what_had_ended_is_told_and_what_ran_is_not_known_once(
    two: Two,
) -> None:
    ended = await two.paused(0, "ended")
    await two.answers(0, "red")
    await until(lambda: not two.gateways[0].sessions[0].held_calls.under_way)
    ran = await two.paused(0, "ran")
    seen = await two.stores[1].calls.look(owner(two), ended)
    assert seen is not None
    assert seen.outcome is not None
    await two.dies(0)
    assert "'value': 'red'" in await two.calls(1, "counting__run", tag="ended")
    assert await two.calls(1, "elicit_resume", id=ran) == telling.RUN_NOT_KNOWN
    # By its id it was told; made again it is a new call.
    await two.paused(1, "ran")
    assert (two.runs("ended"), two.runs("ran")) == (1, 2)


async def test_the_call_of_a_dead_gateway_made_again_is_not_known_once_and_then_made(
    two: Two,
) -> None:
    call = two.begins(0, "counting__run", tag="a")
    await until(lambda: two.gateways[0].open_questions == 1)
    await two.dies(0)
    again = await two.answered(two.begins(1, "counting__run", tag="a"))
    assert (text(again), again["isError"]) == (telling.RUN_NOT_KNOWN, True)
    assert two.runs("a") == 1
    await two.paused(1, "a")
    assert two.runs("a") == 2
    call.cancel()


async def test_a_call_that_waited_for_its_approval_when_its_gateway_died_is_made_anew(
    two: Two,
) -> None:
    call = two.begins(0, "counting__erase", tag="a")
    await until(lambda: two.gateways[0].open_questions == 1)
    await two.dies(0)
    again = two.begins(1, "counting__erase", tag="a")
    await until(lambda: two.gateways[1].open_questions == 1)
    person = two.gateways[1].people[-1]
    person.sends(person.asked[-1], {})
    assert "erased" in text(await two.answered(again))
    assert two.runs("a") == 1
    call.cancel()


async def test_an_agent_that_left_one_gateway_and_came_to_the_other_loses_nothing(
    two: Two,
) -> None:
    call = two.begins(0, "counting__run", tag="a")
    await until(lambda: two.gateways[0].open_questions == 1)
    call.cancel()
    (held,) = two.gateways[0].sessions[0].held_calls.under_way
    await until(lambda: held.left)
    again = two.begins(1, "counting__run", tag="a")
    end = asyncio.get_running_loop().time() + WAIT
    while held.left:
        assert asyncio.get_running_loop().time() < end
        # Little at a time: on a slow machine what holds the second call must not pass meanwhile.
        await two.clock.move(0.1)
        await asyncio.sleep(0.02)
    await two.answers(0, "red")
    assert "'value': 'red'" in text(await two.answered(again))
    assert two.runs("a") == 1


async def test_a_call_is_taken_back_on_the_other_gateway(two: Two) -> None:
    name = await two.paused(0, "a")
    assert await two.calls(1, "elicit_cancel", id=name) == telling.TOLD_THE_OTHER
    await two.clock.move(1)
    await until(lambda: not two.gateways[0].open_questions)
    assert await two.calls(1, "elicit_resume", id=name) == telling.NOT_KNOWN


async def test_too_many_calls_of_one_agent_on_both_gateways_let_no_more_be_made(
    two: Two, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "MOST_WITHOUT_OUTCOME", 1)
    name = await two.paused(0, "a")
    assert await two.calls(1, "counting__run", tag="b") == str(TooManyCalls())
    assert two.runs("b") == 0
    await two.answers(0, "red")
    assert "'value': 'red'" in await two.calls(1, "elicit_resume", id=name)
    await two.paused(1, "b")


async def test_another_token_knows_nothing_of_it_on_either(two: Two) -> None:
    name = await two.paused(0, "a")
    other = two.gateways[0].tokens.add("other")
    async with two.gateways[1].raw(other) as client:
        params = {"name": "elicit_resume", "arguments": {"id": name}}
        answer = await two.gateways[1].modern(client, "tools/call", params)
    assert text(answer.json()["result"]) == telling.NOT_KNOWN


async def test_a_session_with_an_id_of_its_own_is_of_its_gateway_and_its_death_is_known(
    two: Two,
) -> None:
    headers = await two.gateways[0].begin(two.client)
    body = {
        "jsonrpc": "2.0",
        "id": 5,
        "method": "tools/call",
        "params": {"name": "counting__run", "arguments": {"tag": "a"}},
    }
    call = asyncio.ensure_future(
        two.client.post(two.gateways[0].url, json=body, headers=headers, timeout=WAIT)
    )
    await until(lambda: two.gateways[0].open_questions == 1)
    gone = await two.client.post(two.gateways[1].url, json=body, headers=headers)
    assert gone.status_code == 404
    await two.dies(0)
    assert await two.calls(1, "counting__run", tag="a") == telling.RUN_NOT_KNOWN
    assert two.runs("a") == 1
    call.cancel()


async def test_a_store_that_is_gone_lets_no_tool_be_called(two: Two) -> None:
    await two.stores[1].close()
    result = await two.answered(two.begins(1, "counting__run", tag="a"))
    assert text(result) == f"The store is closed. {telling.NOT_CALLED}"
    assert not two.file.exists() or two.runs("a") == 0


def owner(two: Two) -> str:
    from elicit_tui.gateway.shared_calls import owner_of

    (token,) = two.gateways[0].tokens.listed()
    return owner_of(token.sha256)


async def test_what_a_session_made_when_it_ended_is_not_known_though_its_process_lives(
    two: Two,
) -> None:
    name = await two.paused(0, "a")
    await two.gateways[0].sessions[0].sharing.end()
    assert await two.calls(1, "elicit_resume", id=name) == telling.RUN_NOT_KNOWN
    assert two.runs("a") == 1
