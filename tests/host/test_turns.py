"""Several calls of one server at once: which of them runs, whose question it is, whose time passes.

Over stdio in the handshake era nothing on the stream tells which call a question belongs to.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from elicit_tui.elicitation import Call, Question, accept
from elicit_tui.elicitation.settings import Rule, ServerSettings
from elicit_tui.errors import Interrupted, LimitReached
from elicit_tui.host.events import CallSent, Progress
from elicit_tui.host.offers import CallResult
from tests.host.world import (
    HANDSHAKE,
    MODERN,
    World,
    http_server,
    python_server,
    text_of,
    world,
)

WAIT = 20

pytestmark = pytest.mark.anyio

ON_STDIO = python_server("asking", "asking.py", protocol=HANDSHAKE)
ONE_AT_A_TIME = python_server("asking", "raw.py", HANDSHAKE, protocol=HANDSHAKE)


@pytest.fixture(scope="module")
def asking_url() -> Iterator[str]:
    with http_server() as url:
        yield url


WAYS = [(way, era) for way in ("stdio", "http") for era in (HANDSHAKE, MODERN)]


@pytest.fixture(params=WAYS)
def server(request: pytest.FixtureRequest, asking_url: str) -> ServerSettings:
    way, protocol = request.param
    if way == "http":
        return ServerSettings("asking", url=asking_url, protocol=protocol)
    return replace(ON_STDIO, protocol=protocol)


Running = asyncio.Future[CallResult]


async def begin(here: World, tool: str) -> tuple[Call, Running]:
    connection = await here.host.connect("asking")
    call = Call("tools/call", tool)
    return call, asyncio.ensure_future(connection.call(call))


async def said(running: Running) -> str:
    return text_of((await asyncio.wait_for(running, WAIT)).result)


async def begin_to_ask(here: World, tool: str = "one") -> tuple[Call, Running]:
    """A call whose question is open, on a person who thinks until told to answer."""
    begun = await begin(here, tool)
    await asyncio.wait_for(here.person.someone_asked.wait(), WAIT)
    return begun


def tools_of(question: Question) -> list[str]:
    return [call.name for call in question.request.calls]


def yes(question: Question) -> Any:
    return accept("user", "You sent the form.", {"value": question.request.message})


def answer_all(here: World) -> None:
    for pending in here.broker.pending:
        pending.settle(yes(pending.question))


async def test_while_a_question_is_open_the_servers_other_tools_go_on_working(
    server: ServerSettings,
) -> None:
    async with world(server) as here:
        _, asking = await begin_to_ask(here)
        call, running = await begin(here, "steps")
        assert await said(running) == "all steps done"
        steps = [event for event in here.events if isinstance(event, Progress)]
        assert [(step.call_id, step.progress) for step in steps] == [(call.id, 1), (call.id, 2)]
        assert not asking.done()
        answer_all(here)
        assert await said(asking) == 'accept {"value": "A value"} by user'


async def test_a_question_names_every_call_that_it_may_belong_to() -> None:
    async with world(ON_STDIO) as here:
        _, first = await begin_to_ask(here, "one")
        _, second = await begin(here, "confirm")
        await asyncio.wait_for(here.person.asked_times(2), WAIT)
        assert [tools_of(question) for question in here.person.asked] == [
            ["one"],
            ["one", "confirm"],
        ]
        for pending in here.broker.pending:
            content = {"value": "x"} if pending.question.request.message == "A value" else {}
            pending.settle(accept("user", "", content))
        assert await said(first) == 'accept {"value": "x"} by user'
        assert await said(second) == "accept {} by user"


@pytest.mark.parametrize("server", WAYS[1:], indirect=True)
async def test_where_the_wire_tells_a_question_names_its_own_call_only(
    server: ServerSettings,
) -> None:
    async with world(server) as here:
        _, first = await begin_to_ask(here, "one")
        _, second = await begin(here, "confirm")
        await asyncio.wait_for(here.person.asked_times(2), WAIT)
        assert [tools_of(question) for question in here.person.asked] == [["one"], ["confirm"]]
        for running in (first, second):
            running.cancel()
        await asyncio.wait((first, second), timeout=WAIT)


async def test_a_rule_that_accepts_for_one_tool_answers_nothing_that_may_be_anothers() -> None:
    rule = Rule("accept", server="asking", tool="one", content={"value": "ok"})
    async with world(ON_STDIO, rules=(rule,)) as here:
        _, ruled = await begin(here, "one")
        assert "accept" in await said(ruled)
        assert here.person.asked == []
        await begin_to_ask(here, "confirm")
        await begin(here, "one")
        await asyncio.wait_for(here.person.asked_times(2), WAIT)
        assert tools_of(here.person.asked[1]) == ["confirm", "one"]


async def test_a_rule_that_refuses_for_one_tool_refuses_what_may_be_of_it() -> None:
    rule = Rule("decline", server="asking", tool="confirm")
    async with world(ON_STDIO, rules=(rule,)) as here:
        await begin_to_ask(here, "one")
        _, confirming = await begin(here, "confirm")
        assert await said(confirming) == "decline - by rule"
        assert len(here.person.asked) == 1


async def test_a_call_waits_while_another_one_works_and_its_time_does_not_pass() -> None:
    async with world(replace(ON_STDIO, tool_timeout_sec=0.6)) as here:
        _, slow = await begin(here, "slow")
        _, plain = await begin(here, "plain")
        done, _ = await asyncio.wait((plain,), timeout=0.3)
        assert not done
        with pytest.raises(LimitReached):
            await asyncio.wait_for(slow, WAIT)
        assert await said(plain) == "plain answer"


async def test_a_call_that_waits_for_its_turn_is_not_told_as_sent_and_can_be_cancelled() -> None:
    async with world(ON_STDIO) as here:
        before, slow = await begin(here, "slow")
        call, plain = await begin(here, "plain")
        done, _ = await asyncio.wait((plain,), timeout=0.3)
        assert not done
        await here.host.connections["asking"].cancel(call.id)
        with pytest.raises(Interrupted):
            await asyncio.wait_for(plain, WAIT)
        assert not slow.done()
        sent = [event.call_id for event in here.events if isinstance(event, CallSent)]
        assert sent == [before.id]
        slow.cancel()
        await asyncio.wait((slow,), timeout=WAIT)


async def test_behind_a_server_that_does_one_thing_at_a_time_no_call_runs_out_of_time() -> None:
    async with world(replace(ONE_AT_A_TIME, tool_timeout_sec=0.5)) as here:
        _, asking = await begin_to_ask(here, "good_question")
        _, plain = await begin(here, "plain")
        done, _ = await asyncio.wait((plain,), timeout=1.2)
        assert not done
        answer_all(here)
        assert '"action": "accept"' in await said(asking)
        assert await said(plain) == '"plain"'


async def test_a_question_of_two_calls_ends_only_when_both_are_given_up() -> None:
    async with world(ON_STDIO) as here:
        connection = await here.host.connect("asking")
        first_call, first = await begin_to_ask(here, "one")
        second_call, second = await begin(here, "confirm")
        await asyncio.wait_for(here.person.asked_times(2), WAIT)
        await connection.cancel(first_call.id)
        with pytest.raises(Interrupted):
            await asyncio.wait_for(first, WAIT)
        assert [pending.question.request.message for pending in here.broker.pending] == ["Go on?"]
        await connection.cancel(second_call.id)
        with pytest.raises(Interrupted):
            await asyncio.wait_for(second, WAIT)
        assert here.broker.pending == ()
        assert [(outcome.action, outcome.decided_by) for _, outcome in here.outcomes] == [
            ("cancel", "user"),
            ("cancel", "user"),
        ]
