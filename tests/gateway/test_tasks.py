"""A call that waits for a person is a task, where its agent knows tasks (SEP-2663)."""

from __future__ import annotations

import asyncio
import re
from itertools import product
from pathlib import Path
from typing import Any

import httpx2
import pytest

from elicit_tui.elicitation import cancel, decline
from elicit_tui.elicitation.settings import GatewaySettings, ServerSettings
from elicit_tui.gateway import held_calls
from elicit_tui.gateway.rounds import Rounds
from tests.gateway.task_world import (
    TASKS,
    HttpAgent,
    Refused,
    allowed,
    refusal,
    task_world,
    text_of,
)
from tests.gateway.world import WAIT, asking, settled, until, workshop

pytestmark = pytest.mark.anyio

MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "calls"


@pytest.fixture
def gated(log: Path) -> ServerSettings:
    return workshop(stdio=True, env={"WORKSHOP_LOG": str(log)})


def made(log: Path) -> int:
    return len(log.read_text().splitlines()) if log.exists() else 0


# A task and its ends


async def test_a_call_that_waits_is_a_task_at_once_and_ends_with_the_answer(way: str) -> None:
    async with task_world(asking(), upwards=way) as here:
        created = await here.agent.call("asking__one")
        assert set(created) == {
            "resultType",
            "taskId",
            "status",
            "statusMessage",
            "createdAt",
            "lastUpdatedAt",
            "ttlMs",
            "pollIntervalMs",
        }
        assert (created["resultType"], created["status"]) == ("task", "working")
        assert MOMENT.fullmatch(created["createdAt"])
        assert MOMENT.fullmatch(created["lastUpdatedAt"])
        assert (created["ttlMs"], created["pollIntervalMs"]) == (None, 2000)
        assert re.fullmatch("[0-9a-f]{32}", created["taskId"])
        task = await here.agent.get(created["taskId"])
        assert task == {
            **created,
            "resultType": "complete",
            "lastUpdatedAt": task["lastUpdatedAt"],
        }
        here.person.sends(await here.asked(), {"value": "seven"})
        task = await here.agent.ended(created["taskId"])
        assert task["status"] == "completed"
        assert task["result"]["resultType"] == "complete"
        assert "seven" in text_of(task)
        # It can be read again.
        assert await here.agent.get(created["taskId"]) == task


async def test_a_call_that_asks_nobody_is_no_task(way: str) -> None:
    async with task_world(asking(), upwards=way) as here:
        result = await here.agent.call("asking__plain")
        assert result["resultType"] == "complete"
        assert "taskId" not in result


REFUSED = (
    (decline("user", "No.", note="use staging", via="inbox"), "use staging"),
    (cancel("user", "Dismissed.", via="inbox"), "dismissed"),
    (cancel("store", "It is gone."), "could not be kept"),
)


async def test_a_refused_approval_is_a_result_that_says_so(way: str) -> None:
    async with task_world(workshop(), upwards=way) as here:
        for number, (outcome, words) in enumerate(REFUSED, 1):
            task = await here.agent.task("workshop__delete", number=number)
            here.person.answers(await here.asked(number), outcome)
            ended = await here.agent.ended(task)
            assert (ended["status"], ended["result"]["isError"]) == ("completed", True)
            assert words in text_of(ended)
            assert "was not called" in text_of(ended)


async def test_its_deadline_ends_it_as_it_ends_any_call(way: str) -> None:
    settings = GatewaySettings(ask_via="console", wait_sec=0.2)
    async with task_world(workshop(), upwards=way, gateway=settings) as here:
        ended = await here.agent.ended(await here.agent.task("workshop__delete"))
        assert (ended["status"], ended["result"]["isError"]) == ("completed", True)
        assert "Nobody answered in time" in text_of(ended)


async def test_a_server_that_dies_in_a_task_leaves_it_unknown_whether_the_tool_ran(
    way: str,
) -> None:
    async with task_world(asking(stdio=True), upwards=way) as here:
        task = await here.agent.task("asking__die")
        ended = await here.agent.ended(task)
        assert ended["status"] == "failed"
        assert "result" not in ended
        assert ended["error"]["code"] == -32603
        assert ended["statusMessage"] == ended["error"]["message"]


# Cancelled


async def test_cancelled_before_the_tool_was_called_takes_the_question_back_at_once(
    way: str, gated: ServerSettings, log: Path
) -> None:
    async with task_world(gated, upwards=way) as here:
        task = await here.agent.task("workshop__delete")
        question = await here.asked()
        assert await here.agent.cancel(task) == {"resultType": "complete"}
        assert (await here.agent.ended(task))["status"] == "cancelled"
        await until(lambda: question in here.person.withdrawn)
        # Once more, it is the same.
        assert await here.agent.cancel(task) == {"resultType": "complete"}
        assert (await here.agent.get(task))["status"] == "cancelled"
        assert made(log) == 0


async def test_cancelled_while_its_server_asks_ends_as_the_server_ends_it(way: str) -> None:
    async with task_world(asking(), upwards=way) as here:
        task = await here.agent.task("asking__one")
        await here.asked()
        await here.agent.cancel(task)
        ended = await here.agent.ended(task)
        assert ended["status"] == "completed"
        assert "cancel" in text_of(ended)


async def test_cancelled_while_the_tool_works_is_passed_down_and_its_end_is_not_known(
    way: str,
) -> None:
    async with task_world(workshop(stdio=True), upwards=way) as here:
        task = await here.agent.task("workshop__then_slow")
        here.person.sends(await here.asked(), {"value": "yes"})
        await until(lambda: not here.person.open)
        await here.agent.cancel(task)
        ended = await here.agent.ended(task)
        assert ended["status"] == "failed"
        assert "not known whether the tool ran" in ended["error"]["message"]


async def test_a_task_that_has_ended_stays_as_it_is(way: str) -> None:
    async with task_world(asking(), upwards=way) as here:
        task = await here.agent.task("asking__one")
        here.person.sends(await here.asked(), {"value": "seven"})
        ended = await here.agent.ended(task)
        await here.agent.cancel(task)
        await here.agent.update(task, anything={"action": "accept"})
        assert await here.agent.get(task) == ended


# Who knows it


METHODS = ("tasks/get", "tasks/update", "tasks/cancel")


async def test_an_unknown_id_and_another_agents_are_told_the_same(way: str) -> None:
    async with task_world(asking(), upwards=way) as here:
        task = await here.agent.task("asking__one")
        asked: list[tuple[Any, Any]] = [(here.agent, "0" * 32), (here.agent, "task")]
        asked += [(other, task) for other in here.others]
        for method, (agent, identifier) in product(METHODS, asked):
            params = {"taskId": identifier, "inputResponses": {}}
            assert await refusal(agent, method, params) == (-32602, "Unknown task.")
        for method, wrong in product(METHODS, ({}, {"taskId": 7}, {"taskId": ["x"]})):
            code, _ = await refusal(here.agent, method, {**wrong, "inputResponses": {}})
            assert code == -32602


async def test_who_does_not_declare_tasks_in_the_request_is_told_what_is_missing(
    way: str,
) -> None:
    async with task_world(asking(), upwards=way) as here:
        params = {"taskId": await here.agent.task("asking__one"), "inputResponses": {}}
        for method in METHODS:
            with pytest.raises(Refused) as caught:
                await here.agent.request(method, params, tasks=False)
            assert caught.value.code == -32021
            assert caught.value.data == {"requiredCapabilities": {"extensions": {TASKS: {}}}}


async def test_the_methods_of_the_older_tasks_are_none(way: str) -> None:
    async with task_world(asking(), upwards=way) as here:
        for method in ("tasks/list", "tasks/result"):
            assert (await refusal(here.agent, method, {"taskId": "x"}))[0] == -32601


async def test_a_client_that_declares_tasks_on_some_requests_gets_them_there_alone(
    way: str,
) -> None:
    settings = GatewaySettings(ask_via="console", hold_sec=5)
    async with task_world(asking(), upwards=way, gateway=settings) as here:
        plain = asyncio.ensure_future(here.agent.call("asking__one", tasks=False, n=1))
        await here.waits(1)
        task = await here.agent.task("asking__one", n=2)
        await here.waits(2)
        await settled()
        await here.clock.move(6)
        paused = await plain
        assert "elicit_resume" in paused["content"][0]["text"]
        here.person.sends(await here.asked(2), {"value": "two"})
        assert "two" in text_of(await here.agent.ended(task))


async def test_the_owner_may_have_no_tasks_at_all(way: str) -> None:
    settings = GatewaySettings(ask_via="console", tasks="never", hold_sec=5)
    async with task_world(asking(), upwards=way, gateway=settings) as here:
        call = asyncio.ensure_future(here.agent.call("asking__one"))
        await here.waits()
        await settled()
        await here.clock.move(6)
        assert (await call)["resultType"] == "complete"


async def test_the_gateway_says_that_it_knows_tasks(way: str) -> None:
    async with task_world(asking(), upwards=way) as here:
        told = await here.agent.request("server/discover")
        assert told["capabilities"]["extensions"] == {TASKS: {}}
        assert "tasks" not in told["capabilities"]


async def test_a_tool_keeps_its_output_schema_for_a_client_that_knows_tasks(
    way: str,
) -> None:
    settings = GatewaySettings(ask_via="console", hold_sec=5)
    async with task_world(workshop(), upwards=way, gateway=settings) as here:

        async def with_schema(tasks: bool) -> int:
            listed = await here.agent.request("tools/list", tasks=tasks)
            return sum("outputSchema" in tool for tool in listed["tools"])

        assert await with_schema(True) > 0
        assert await with_schema(False) == 0


# Clients that are not as one would like them


async def test_what_a_client_never_polls_for_is_done_once_kept_and_fills_its_room(
    way: str, gated: ServerSettings, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held_calls, "MOST_OUTCOMES", 2)
    async with task_world(gated, upwards=way) as here:
        tasks = []
        for number in (1, 2):
            tasks.append(await here.agent.task("workshop__delete", number=number))
            here.person.answers(await here.asked(number), allowed())
            await until(lambda: here.session.held_calls.by_id(tasks[-1]).done)
        # Nothing more is begun that nobody would read, and nothing of it is lost.
        refused = await here.agent.call("workshop__delete", number=3)
        assert (refused["resultType"], refused["isError"]) == ("complete", True)
        assert "was not called" in refused["content"][0]["text"]
        for task in tasks:
            assert text_of(await here.agent.ended(task)) == "deleted"
        assert made(log) == 2


async def test_a_client_that_polls_from_two_connections_reads_one_task() -> None:
    async with task_world(asking(), upwards="http") as here:
        assert isinstance(here.agent, HttpAgent)
        shown = here.agent.client.headers
        async with httpx2.AsyncClient(headers=shown, timeout=WAIT) as beside:
            second = HttpAgent(here.agent.url, beside, {})
            task = await here.agent.task("asking__one")
            assert await second.get(task) == await here.agent.get(task)
            polls = [asyncio.ensure_future(each.ended(task)) for each in (here.agent, second)]
            here.person.sends(await here.asked(), {"value": "seven"})
            one, other = await asyncio.gather(*polls)
            assert one == other
            assert "seven" in text_of(other)
            # Either may give it up, and what has ended stays.
            task = await second.task("asking__one")
            await here.agent.cancel(task)
            assert await second.ended(task) == await here.agent.ended(task)


async def test_a_hundred_looks_at_once_are_answered_and_cost_nobody_anything(
    way: str,
) -> None:
    async with task_world(asking(), upwards=way) as here:
        task = await here.agent.task("asking__one")
        looks = await asyncio.gather(*(here.agent.get(task) for _ in range(100)))
        assert {look["status"] for look in looks} == {"working"}


# Listened to


async def test_who_listens_is_told_of_each_change_with_the_whole_task(way: str) -> None:
    async with task_world(asking(), upwards=way) as here:
        task = await here.agent.task("asking__one")
        wanted = {"notifications": {"taskIds": [task, "0" * 32, *([task] * 5_000)]}}
        listening = asyncio.ensure_future(here.agent.request("subscriptions/listen", wanted))
        try:
            await until(lambda: len(here.agent.notes) >= 2)
            begun, first = here.agent.notes
            assert begun["method"] == "notifications/subscriptions/acknowledged"
            assert begun["params"]["notifications"] == {"taskIds": [task]}
            assert first["method"] == "notifications/tasks"
            assert first["params"]["status"] == "working"
            here.person.sends(await here.asked(), {"value": "seven"})
            await until(lambda: here.agent.notes[-1]["params"].get("status") == "completed")
            last = dict(here.agent.notes[-1]["params"])
            meta = last.pop("_meta")
            assert meta == begun["params"]["_meta"]
            assert {"resultType": "complete", **last} == await here.agent.get(task)
            told = {note["method"] for note in here.agent.notes[1:]}
            assert told == {"notifications/tasks"}
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)


async def test_who_listens_to_tasks_and_does_not_declare_them_is_refused(way: str) -> None:
    async with task_world(asking(), upwards=way) as here:
        wanted = {"notifications": {"taskIds": ["0" * 32]}}
        with pytest.raises(Refused) as caught:
            await here.agent.request("subscriptions/listen", wanted, tasks=False)
        assert caught.value.code == -32021


async def test_a_question_of_a_task_that_is_answered_twice_at_once_has_its_first_answer() -> None:
    rounds, first = Rounds(), {"action": "decline"}
    with rounds.asking("a", {}) as answer:
        rounds.take({"a": first})
        rounds.take({"a": {"action": "accept"}, "b": {"action": "accept"}})
        assert answer.result() == first


# Over HTTP the id stands in a header


async def test_a_header_that_names_no_or_another_task_is_refused() -> None:
    async with task_world(asking(), upwards="http") as here:
        task = await here.agent.task("asking__one")
        assert isinstance(here.agent, HttpAgent)
        for header in ("", "0" * 32):
            here.agent.headers = {"Mcp-Name": header}
            assert (await refusal(here.agent, "tasks/get", {"taskId": task}))[0] == -32020
