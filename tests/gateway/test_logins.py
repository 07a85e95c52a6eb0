"""An agent calls a tool of a server that wants a login: the call waits for a person, as for any."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from elicit_tui.elicitation import decline
from elicit_tui.elicitation.settings import GatewaySettings, LoginSettings, ServerSettings
from tests.gateway.task_world import task_world
from tests.gateway.world import text_of, world
from tests.logins.browser import LoginServer, agrees, ended_at, kept, login_server, run_async, shelf


@pytest.fixture(scope="module")
def process() -> Iterator[LoginServer]:
    with login_server() as server:
        yield server


@pytest.fixture
def server(process: LoginServer) -> LoginServer:
    process.reset()
    return process


def gateway(server: LoginServer, **more: Any) -> Any:
    remote = ServerSettings("remote", url=server.url)
    return world(remote, logins=LoginSettings(store="file"), **more)


async def known(server: LoginServer) -> None:
    """An earlier session knows the tools, and its login has ended since."""
    async with gateway(server) as there:
        question = await there.person.question()
        there.person.answers(question, agrees(question, await ended_at(question)))
        assert len((await there.agent.list_tools()).tools) > 4
    server.change(forget_access=True, forget_refresh=True)
    shelf().forget(kept().key)


def test_the_call_waits_for_the_login_and_is_made_then(server: LoginServer) -> None:
    async def called() -> str:
        await known(server)
        # The agent's form may never log in, whatever it may show else.
        asks = GatewaySettings(ask_via="client")
        client = {"elicitation_callback": accepts_all}
        async with gateway(server, gateway=asks, client=client) as there:
            question = await there.person.question()
            assert question.request.kind == "authorization"
            call = there.begins("remote__read_it")
            await there.held()
            assert question.id in there.session.held_calls.under_way[0].waiting
            address = await ended_at(question)
            there.person.answers(question, agrees(question, address))
            return text_of(await call)

    assert run_async(called()) == "read_it done"
    assert not any("agent" in bearer for bearer in server.told["bearers"])


async def accepts_all(context: Any, params: Any) -> Any:
    raise AssertionError("the agent's client was asked")


def test_a_call_whose_login_takes_long_is_paused_and_picked_up(server: LoginServer) -> None:
    async def called() -> tuple[str, str]:
        await known(server)
        asks = GatewaySettings(ask_via="console", hold_sec=5)
        async with gateway(server, gateway=asks) as there:
            question = await there.person.question()
            call = there.begins("remote__read_it")
            await there.held()
            await there.clock.move(6)
            paused = await call
            identifier = (paused.meta or {})["dev.elicit-tui/paused"]["id"]
            address = await ended_at(question)
            there.person.answers(question, agrees(question, address))
            resumed = await there.calls("elicit_resume", id=identifier)
            return text_of(paused), text_of(resumed)

    paused, resumed = run_async(called())
    assert "Waiting for a person" in paused
    assert resumed == "read_it done"


def test_a_call_whose_login_waits_is_a_task_where_its_agent_knows_them(server: LoginServer) -> None:
    async def called() -> tuple[str, dict[str, Any]]:
        await known(server)
        remote = ServerSettings("remote", url=server.url)
        async with task_world(remote, logins=LoginSettings(store="file")) as here:
            question = await here.asked()
            task = await here.agent.task("remote__read_it")
            before = (await here.agent.get(task))["status"]
            here.person.answers(question, agrees(question, await ended_at(question)))
            return before, await here.agent.ended(task)

    before, task = run_async(called())
    assert (before, task["status"]) == ("working", "completed")
    assert task["result"]["content"][0]["text"] == "read_it done"


def test_a_login_that_nobody_gives_ends_the_call_with_the_command(server: LoginServer) -> None:
    async def called() -> Any:
        await known(server)
        async with gateway(server) as there:
            question = await there.person.question()
            call = there.begins("remote__read_it")
            await there.held()
            there.person.answers(question, decline("user", "You declined."))
            return await call

    result = run_async(called())
    assert result.is_error
    assert "Log in with: elicit-tui login remote" in text_of(result)
    assert server.asked.count("code") == 1
