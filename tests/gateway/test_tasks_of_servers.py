"""A server behind the gateway answers with a task of its own, for an agent that knows tasks or not.

What the specification of tasks (SEP-2663) says a server and a client MUST and SHOULD do, and where
that is tried. "conformance" is the official suite (`python -m tests.conformance`); G stands for
`tests/gateway/test_tasks.py`, S for this module, H for `tests/host/test_tasks.py`, K for
`test_tasks_kept.py`, D for `test_tasks_die.py` (real gateways, killed), C for
`tests/cli/test_tasks.py`. What an approval promises: `test_tasks_approved.py`.

| the gateway, as a server | tried in |
|---|---|
| MUST NOT give a task to who did not declare it here | G on_some_requests; conformance |
| MUST answer -32021 with requiredCapabilities where only a task does | does not apply: it waits |
| MUST set resultType "task" on a created task, and nowhere else | G at_once; conformance |
| MUST create it durably before it is returned | over HTTP D, K: any gateway of the token knows it |
| and give none that the others would not know | K given_as_no_task |
| the same on stdio | D: it is of its session, which is the process; the next one answers -32602 |
| SHOULD resolve rounds before a task is created | G before_a_person_is_no_task; conformance |
| tasks/get MUST tell each state, with what belongs to it | G; S; conformance |
| tasks/get, update, cancel MUST have resultType "complete" | G; conformance |
| an end stays one, whoever is asked, also after a death | K once_it_is_kept, never_told |
| -32603 where something of ours fails | K a_store_that_cannot_be_read |
| isError MUST be completed, failed MUST be a JSON-RPC error | G refused_approval; S its_end |
| failed SHOULD have a statusMessage | G a_server_that_dies |
| keys MUST be unique for the life of a task | G no_key_is_ever_used_twice |
| MUST acknowledge update and cancel with nothing | G one_key_at_a_time, back_at_once |
| SHOULD ignore keys that are unknown, or answered; MAY take a part | G one_key_at_a_time |
| notifications/cancelled MUST NOT be used for a task | S cancelled (tasks/cancel goes down) |
| MUST answer -32602 to an unknown id at tasks/get, SHOULD at the others | G unknown_id; D stdio |
| may delete it once its ttlMs is over (null here: an hour after it was read) | K time_is_over |
| MUST answer -32021 to who did not declare it | G what_is_missing, listens_to_tasks |
| notifications/tasks have the whole task | G who_listens |
| progress and log lines MUST NOT come on a task's stream | G who_listens (nothing else comes) |
| ids MUST be unguessable; MUST be checked against who asks | G at_once (128 bits), unknown_id |
| over HTTP Mcp-Name is the id; another one is refused | G a_header_that_names; conformance |

| our host, as a client | tried in |
|---|---|
| MUST be prepared for a result or a task | H what_its_task_came_to |
| MUST take a task for anything but a tool as invalid | `Session._judge_result`; H task_in_task |
| SHOULD respect pollIntervalMs | H within_our_bounds |
| SHOULD poll until the end, or until it cancels | H; S; C |
| a task whose ttlMs is over, or that its server lies about | H lies_or_vanishes; S lies; C |
| MUST treat inputRequests as any elicitation, SHOULD answer | H answered_by_its_key |
| SHOULD tell keys that it has seen from new ones | H asked_once_and_answered_by_its_key |
| MUST answer keys alone that are asked now | H takes_back_is_withdrawn |
| MUST set Mcp-Name over HTTP | H what_its_task_came_to |
| SHOULD persist ids, to poll on after a crash | not done: the call ends with its process |
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from elicit_tui.elicitation import accept
from elicit_tui.elicitation.settings import GatewaySettings, ServerSettings
from tests.gateway.task_world import FORMS, task_world, text_of
from tests.gateway.world import until
from tests.host.world import MODERN, http_server

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def tasking() -> Iterator[ServerSettings]:
    with http_server("tasking.py") as url:
        yield ServerSettings("tasking", url=url, protocol=MODERN)


async def test_it_is_a_task_of_ours_and_its_end_is_that_of_the_servers(
    tasking: ServerSettings,
) -> None:
    async with task_world(tasking) as here:
        created = await here.agent.call("tasking__simple")
        assert created["resultType"] == "task"
        assert not created["taskId"].startswith("task-")
        # No word of the server stands where a model reads it.
        assert created["statusMessage"] == "The tool runs."
        assert text_of(await here.agent.ended(created["taskId"])) == "done"
        ended = await here.agent.ended(await here.agent.task("tasking__is_error"))
        assert (ended["status"], ended["result"]["isError"]) == ("completed", True)
        ended = await here.agent.ended(await here.agent.task("tasking__fails"))
        assert (ended["status"], ended["error"]) == (
            "failed",
            {"code": -32050, "message": "broken"},
        )
        ended = await here.agent.ended(await here.agent.task("tasking__vanishes"))
        assert ended["status"] == "failed"
        assert "not known whether the tool ran" in ended["error"]["message"]
        # Two that are equal are two: nobody is asked whether they may be called.
        assert await here.agent.task("tasking__for_ever") != await here.agent.task(
            "tasking__for_ever"
        )


@pytest.mark.parametrize("tool", ["odd_state", "another", "no_result", "odd_requests"])
async def test_a_server_that_lies_about_its_task_leaves_it_unknown_whether_the_tool_ran(
    tasking: ServerSettings, tool: str
) -> None:
    async with task_world(tasking) as here:
        ended = await here.agent.ended(await here.agent.task(f"tasking__{tool}"))
        assert ended["status"] == "failed"
        assert "not known whether the tool ran" in ended["error"]["message"]


async def test_a_task_in_a_task_is_no_result(tasking: ServerSettings) -> None:
    async with task_world(tasking) as here:
        ended = await here.agent.ended(await here.agent.task("tasking__task_in_task"))
        assert (ended["status"], ended["result"]["isError"]) == ("completed", True)
        assert ended["result"]["resultType"] == "complete"
        assert "taskId" not in ended["result"]


async def test_an_agent_without_tasks_waits_and_has_the_result(tasking: ServerSettings) -> None:
    async with task_world(tasking) as here:
        result = await here.agent.call("tasking__simple", tasks=False)
        assert result["resultType"] == "complete"
        assert result["content"][0]["text"] == "done"


async def test_cancelled_it_is_cancelled_below_and_ends_as_the_server_says(
    tasking: ServerSettings,
) -> None:
    async with task_world(tasking) as here:
        task = await here.agent.task("tasking__for_ever")
        await here.agent.cancel(task)
        ended = await here.agent.ended(task)
        assert ended["status"] == "cancelled"
        assert "server says so" in ended["statusMessage"]
        task = await here.agent.task("tasking__stubborn")
        await here.agent.cancel(task)
        assert text_of(await here.agent.ended(task)) == "finished all the same"


async def test_what_it_asks_waits_for_a_person(tasking: ServerSettings) -> None:
    async with task_world(tasking) as here:
        task = await here.agent.task("tasking__asks")
        question = await here.asked()
        assert (await here.agent.get(task))["statusMessage"].startswith("Waiting for a person")
        here.person.sends(question, {"value": "typed"})
        assert "typed" in text_of(await here.agent.ended(task))


async def test_what_it_asks_is_asked_in_the_client_where_the_owner_says_so(
    tasking: ServerSettings,
) -> None:
    settings = GatewaySettings(ask_via="client", hold_sec=60)
    async with task_world(tasking, modes=FORMS, gateway=settings) as here:
        task = await here.agent.task("tasking__asks")
        asks = await here.agent.reached(task, "input_required")
        (key,) = asks["inputRequests"]
        await here.agent.update(task, **{key: {"action": "accept", "content": {"value": "typed"}}})
        assert "typed" in text_of(await here.agent.ended(task))
        assert here.person.asked == []


async def test_its_approval_comes_first_and_is_one_task_with_what_follows(
    tasking: ServerSettings,
) -> None:
    gated = ServerSettings(
        "tasking", url=tasking.url, protocol=MODERN, default_tools_approval_mode="prompt"
    )
    async with task_world(gated) as here:
        task = await here.agent.task("tasking__asks")
        here.person.answers(await here.asked(), accept("user", "Yes.", None, scope="once"))
        await until(lambda: len(here.person.asked) == 2)
        here.person.sends(here.person.asked[1], {"value": "typed"})
        assert "typed" in text_of(await here.agent.ended(task))
