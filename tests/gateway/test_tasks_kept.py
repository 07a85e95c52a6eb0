"""A task outlives the gateway that holds it: any other one with the same token tells of it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from elicit_tui.elicitation import accept
from elicit_tui.errors import StoreError
from elicit_tui.gateway import tasks, telling
from elicit_tui.gateway.telling import Result
from elicit_tui.store import calls
from tests.gateway.task_world import ENDS, HttpAgent, Refused
from tests.gateway.test_two_gateways import Two, two
from tests.gateway.world import WAIT, until

pytestmark = pytest.mark.anyio
__all__ = ["two"]


def agents(two: Two) -> tuple[HttpAgent, HttpAgent]:
    """One agent, as it comes to either gateway."""
    first, second = (HttpAgent(each.url, two.client, {}) for each in two.gateways)
    return first, second


async def allowed(two: Two) -> None:
    """The person at the first gateway allows what it asks."""
    person = two.gateways[0].people[-1]
    await until(lambda: bool(person.open))
    person.answers(person.asked[-1], accept("user", "Yes.", None, scope="once", via="inbox"))


async def ended(two: Two, agent: HttpAgent, task: str) -> dict[str, Any]:
    end = asyncio.get_running_loop().time() + WAIT
    while (now := await agent.get(task))["status"] not in ENDS:
        assert asyncio.get_running_loop().time() < end, now
        await two.clock.move(0.5)
        await asyncio.sleep(0.01)
    return now


async def test_a_task_is_told_of_and_read_on_the_other_gateway(two: Two) -> None:
    first, second = agents(two)
    task = await first.task("counting__run", tag="a")
    here, there = await first.get(task), await second.get(task)
    assert here["status"] == there["status"] == "working"
    assert here["createdAt"][:16] == there["createdAt"][:16]
    await two.answers(0, "red")
    told = await ended(two, second, task)
    assert told["status"] == "completed"
    assert "'value': 'red'" in told["result"]["content"][0]["text"]
    assert (await first.get(task))["result"] == told["result"]
    assert two.runs("a") == 1


async def test_a_task_is_cancelled_on_the_other_gateway(two: Two) -> None:
    first, second = agents(two)
    task = await first.task("counting__erase", tag="a")
    assert await second.cancel(task) == {"resultType": "complete"}
    assert (await ended(two, second, task))["status"] == "cancelled"
    assert (await first.get(task))["status"] == "cancelled"
    assert not two.file.exists() or two.runs("a") == 0


async def test_an_equal_call_on_the_other_gateway_is_the_same_task_until_it_is_allowed(
    two: Two,
) -> None:
    first, second = agents(two)
    task = await first.task("counting__erase", tag="a")
    assert await second.task("counting__erase", tag="a") == task
    await allowed(two)
    await ended(two, first, task)
    assert await second.task("counting__erase", tag="a") != task


async def test_after_a_death_what_was_not_called_did_not_run_and_what_was_is_not_known(
    two: Two,
) -> None:
    first, second = agents(two)
    waits = await first.task("counting__erase", tag="waits")
    asks = await first.task("counting__run", tag="asks")
    done = await first.task("counting__run", tag="done")
    await two.answers(0, "red")
    await until(lambda: two.gateways[0].sessions[0].held_calls.by_id(done).done)  # type: ignore[union-attr]
    await two.dies(0)
    told = await second.get(waits)
    assert (told["status"], told["result"]["isError"]) == ("completed", True)
    assert told["result"]["content"][0]["text"] == telling.NOT_RUN
    # The same call made again is told so once, instead of run.
    again = await second.call("counting__run", tag="asks")
    assert (again["resultType"], again["isError"]) == ("complete", True)
    told = await second.get(asks)
    assert (told["status"], told["error"]["message"]) == ("failed", telling.RUN_NOT_KNOWN)
    assert (await second.get(done))["status"] == "completed"
    assert two.runs("asks") == 1


async def refuses(*_: Any, **__: Any) -> None:
    raise StoreError("The store has no space left on its disk.")


@pytest.fixture
def unwritable(two: Two, monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """The store of the first gateway keeps no outcome, until this is undone."""
    with monkeypatch.context() as refusing:
        refusing.setattr(two.stores[0].calls, "ended", refuses)
        yield refusing


async def test_what_the_other_gateway_would_not_know_is_given_as_no_task(
    two: Two, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(two.stores[0].calls, "paused", refuses)
    first, _ = agents(two)
    calling = asyncio.ensure_future(first.call("counting__run", tag="a"))
    await until(lambda: bool(two.gateways[0].people and two.gateways[0].people[-1].open))
    await two.answers(0, "red")
    result = await two.answered(calling)
    assert (result["resultType"], two.runs("a")) == ("complete", 1)
    assert "'value': 'red'" in result["content"][0]["text"]


async def test_a_store_that_cannot_be_read_is_an_internal_error_and_ends_no_task(
    two: Two, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = agents(two)
    task = await first.task("counting__run", tag="a")
    with monkeypatch.context() as refusing:
        refusing.setattr(two.stores[1].calls, "look", refuses)
        with pytest.raises(Refused, match="no space left") as caught:
            await second.get(task)
        assert caught.value.code == -32603
    assert (await second.get(task))["status"] == "working"


async def _finished(two: Two, task: str) -> None:
    """Return once the first gateway knows how its task ended."""
    await two.answers(0, "red")
    await until(lambda: two.gateways[0].sessions[0].held_calls.by_id(task).done)  # type: ignore[union-attr]


async def test_an_end_is_told_once_it_is_kept_and_by_both_gateways(
    two: Two, unwritable: pytest.MonkeyPatch
) -> None:
    first, second = agents(two)
    task = await first.task("counting__run", tag="a")
    await _finished(two, task)
    told = await first.get(task)
    assert (told["status"], told["statusMessage"]) == ("working", telling.TASK_NOT_KEPT)
    assert "result" not in told
    assert (await second.get(task))["status"] == "working"
    unwritable.undo()
    told = await first.get(task)
    assert told["status"] == "completed"
    assert (await second.get(task))["result"] == told["result"]
    assert two.runs("a") == 1


async def test_an_end_that_a_death_took_along_was_never_told(
    two: Two, unwritable: pytest.MonkeyPatch
) -> None:
    first, second = agents(two)
    task = await first.task("counting__run", tag="a")
    await _finished(two, task)
    assert (await first.get(task))["status"] == "working"
    await two.dies(0)
    told = await second.get(task)
    assert (told["status"], told["error"]["message"]) == ("failed", telling.RUN_NOT_KNOWN)


async def test_who_listens_hears_of_an_end_once_it_is_kept(
    two: Two, unwritable: pytest.MonkeyPatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "POLL_MILLISECONDS", 10)
    heard: list[tuple[str, str]] = []

    async def hear(now: Result) -> None:
        heard.append((now["status"], now["statusMessage"]))

    task = await agents(two)[0].task("counting__run", tag="a")
    session = two.gateways[0].sessions[0]
    telling_of = asyncio.ensure_future(session.tasks.tell([task], hear))
    await _finished(two, task)
    await until(lambda: heard[-1:] == [("working", telling.TASK_NOT_KEPT)])
    unwritable.undo()
    await asyncio.wait_for(telling_of, WAIT)
    assert [status for status, _ in heard if status != "working"] == ["completed"]


async def test_a_task_whose_time_is_over_is_as_unknown_as_any(
    two: Two, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = agents(two)
    read = await first.task("counting__run", tag="read")
    await two.answers(0, "red")
    await ended(two, second, read)
    unread = await first.task("counting__run", tag="unread")
    await two.answers(0, "blue")
    await until(lambda: two.gateways[0].sessions[0].held_calls.by_id(unread).done)  # type: ignore[union-attr]
    assert (await second.get(read))["status"] == "completed"
    # The hour after it was read is over; what nobody has read is kept.
    monkeypatch.setattr(calls, "READ_SECONDS", 0.0)
    await second.task("counting__run", tag="another")
    with pytest.raises(Refused, match="Unknown task") as caught:
        await second.get(read)
    assert caught.value.code == -32602
    assert "'value': 'blue'" in (await second.get(unread))["result"]["content"][0]["text"]


async def test_another_tokens_agent_does_not_know_it_on_either_gateway(two: Two) -> None:
    first, _ = agents(two)
    task = await first.task("counting__run", tag="a")
    token = two.gateways[0].tokens.add("another")
    for gateway in two.gateways:
        async with gateway.raw(token) as client:
            stranger = HttpAgent(gateway.url, client, {})
            with pytest.raises(Refused, match="Unknown task") as caught:
                await stranger.get(task)
            assert caught.value.code == -32602
            # An equal call of that one joins nothing.
            assert await stranger.task("counting__run", tag="a") != task
