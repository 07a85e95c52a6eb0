"""A task whose client is asked what its server asks; the approval went to a person elsewhere."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from elicit_tui.elicitation.settings import GatewaySettings
from tests.gateway.task_world import FORMS, TaskWorld, allowed, refusal, task_world, text_of
from tests.gateway.world import MODERN, asking, until

pytestmark = pytest.mark.anyio


async def in_input(here: TaskWorld) -> tuple[str, dict[str, Any]]:
    """The id of a task that asks the client, and the task."""
    task = await here.agent.task("asking__two")
    here.person.answers(await here.asked(), allowed())
    await until(lambda: len(here.session.held_calls.by_id(task).rounds.outstanding()) == 2)
    return task, await here.agent.get(task)


def asks_client(way: str, hold_sec: float = 60) -> Any:
    settings = GatewaySettings(ask_via="auto", hold_sec=hold_sec)
    server = asking(protocol=MODERN, default_tools_approval_mode="prompt")
    return task_world(server, upwards=way, modes=FORMS, gateway=settings)


ANSWER = {"action": "accept", "content": {"value": "typed"}}


async def test_a_client_is_asked_by_its_task_and_may_answer_one_key_at_a_time(
    way: str,
) -> None:
    async with asks_client(way) as here:
        task, asks = await in_input(here)
        assert "result" not in asks
        first, second = asks["inputRequests"]
        for request in asks["inputRequests"].values():
            assert request["method"] == "elicitation/create"
            assert request["params"]["message"].startswith("asking asks: ")
        await here.clock.move(2)  # as long as a person needs
        assert await here.agent.update(task, **{first: ANSWER}) == {"resultType": "complete"}
        left = await here.agent.get(task)
        assert left["status"] == "input_required"
        assert list(left["inputRequests"]) == [second]
        # What was answered, and what was never asked, is ignored.
        declined = {"action": "decline"}
        await here.agent.update(task, **{first: declined, "nobody": declined})
        assert (await here.agent.get(task))["inputRequests"] == left["inputRequests"]
        await here.agent.update(task, **{second: ANSWER})
        ended = await here.agent.ended(task)
        assert text_of(ended).count("typed") == 2


async def test_answers_that_are_no_answers_are_refused(way: str) -> None:
    async with asks_client(way) as here:
        task, asks = await in_input(here)
        given: Any
        for given in (None, [], "x", {"key": 7}):
            params = {"taskId": task, "inputResponses": given}
            assert (await refusal(here.agent, "tasks/update", params))[0] == -32602
        assert (await refusal(here.agent, "tasks/update", {"taskId": task}))[0] == -32602
        assert (await here.agent.get(task))["inputRequests"] == asks["inputRequests"]


async def test_no_key_of_a_task_is_ever_used_twice(way: str) -> None:
    async with asks_client(way) as here:
        task, asks = await in_input(here)
        await here.clock.move(2)
        wrong = {"action": "accept", "content": {"value": 7}}
        seen = set(asks["inputRequests"])
        await here.agent.update(task, **dict.fromkeys(seen, wrong))
        # What does not fit is asked once more, under another key.
        for _ in range(400):
            now = set((await here.agent.get(task)).get("inputRequests", {}))
            if now:
                break
            await asyncio.sleep(0.005)
        assert now
        assert not now & seen


async def test_a_client_that_never_polls_is_taken_for_silent_and_a_person_is_asked(
    way: str,
) -> None:
    async with asks_client(way, hold_sec=30) as here:
        task, asks = await in_input(here)
        await here.clock.move(31)
        await here.waits(2)
        assert (await here.agent.get(task))["status"] == "working"
        await here.agent.update(task, **dict.fromkeys(asks["inputRequests"], ANSWER))
        for question in here.person.asked[1:]:
            here.person.sends(question, {"value": "by a person"})
        assert text_of(await here.agent.ended(task)).count("by a person") == 2


async def test_a_task_that_asks_its_client_is_cancelled(way: str) -> None:
    async with asks_client(way) as here:
        task, _ = await in_input(here)
        await here.agent.cancel(task)
        ended = await here.agent.ended(task)
        assert ended["status"] == "completed"
        assert text_of(ended).count("cancel - by withdrawn") == 2


async def test_what_the_client_is_asked_before_a_person_is_no_task(way: str) -> None:
    settings = GatewaySettings(ask_via="client", hold_sec=60)
    async with task_world(asking(), upwards=way, modes=FORMS, gateway=settings) as here:
        asked = await here.agent.call("asking__one")
        assert asked["resultType"] == "input_required"
        assert "taskId" not in asked
        # The client stays silent, and a person is asked; then it is a task.
        await here.clock.move(61)
        await here.waits()
        params = {"name": "asking__one", "arguments": {}, "requestState": asked["requestState"]}
        answers = dict.fromkeys(asked["inputRequests"], ANSWER)
        late = await here.agent.request("tools/call", {**params, "inputResponses": answers})
        assert late["resultType"] == "task"
        assert "requestState" not in late
        here.person.sends(await here.asked(), {"value": "by a person"})
        assert "by a person" in text_of(await here.agent.ended(late["taskId"]))
