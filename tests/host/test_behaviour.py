"""One set of behaviours over both transports and both eras, against real server processes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from elicit_tui.elicitation import Call, Question, accept, cancel, decline
from elicit_tui.elicitation.settings import ElicitationSettings, ServerSettings
from elicit_tui.errors import Interrupted, LimitReached, ServerError
from elicit_tui.host.events import RoundStarted, UrlCompleted
from tests.host.world import (
    HANDSHAKE,
    MODERN,
    World,
    http_server,
    python_server,
    says,
    text_of,
    world,
)

WAIT = 20

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def asking_url() -> Iterator[str]:
    with http_server() as url:
        yield url


@pytest.fixture(params=["stdio", "http"])
def transport(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=[HANDSHAKE, MODERN])
def protocol(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def server(transport: str, protocol: str, asking_url: str) -> ServerSettings:
    if transport == "http":
        return ServerSettings("asking", url=asking_url, protocol=protocol)  # type: ignore[arg-type]
    return python_server("asking", "asking.py", protocol=protocol)


async def call(here: World, tool: str, **arguments: Any) -> str:
    connection = await here.host.connect("asking")
    result = await asyncio.wait_for(connection.call(Call("tools/call", tool, arguments)), WAIT)
    return text_of(result.result)


async def test_a_call_without_questions_gives_the_servers_own_result(
    server: ServerSettings, protocol: str
) -> None:
    async with world(server) as here:
        assert await call(here, "plain") == "plain answer"
        identity = here.host.connections["asking"].identity
        assert identity.protocol_version == protocol
        assert (identity.calls_itself, identity.version) == ("asking-server", "1.2.3")
        assert here.outcomes == []


async def test_every_kind_of_field_reaches_the_server_as_it_was_answered(
    server: ServerSettings,
) -> None:
    content = {
        "name": "Žofie 😀",
        "mail": "zofie@example.com",
        "day": "2026-07-28",
        "count": 3,
        "ratio": 5.0,
        "sure": False,
        "color": "red",
        "size": "l",
        "tags": ["a", "c"],
    }
    async with world(server, answer=says(content)) as here:
        text = await call(here, "everything")
        assert text == (
            'accept {"color": "red", "count": 3, "day": "2026-07-28", '
            '"mail": "zofie@example.com", "name": "\\u017dofie \\ud83d\\ude00", "ratio": 5.0, '
            '"size": "l", "sure": false, "tags": ["a", "c"]} by user'
        )
        request = here.person.asked[0].request
        assert list(request.requested_schema["properties"])[:3] == ["name", "mail", "day"]  # type: ignore[index]


async def test_a_question_knows_its_server_call_and_round(server: ServerSettings) -> None:
    async with world(server, answer=says({"value": "x"})) as here:
        await call(here, "one", branch="fix/login")
        request = here.person.asked[0].request
        assert request.server.name == "asking"
        assert request.call is not None
        assert (request.call.name, dict(request.call.arguments)) == ("one", {"branch": "fix/login"})
        assert (request.round, request.group_size) == (1, 1)


async def test_declining_and_cancelling_are_told_apart(server: ServerSettings) -> None:
    async with world(server) as here:
        here.person.answer = lambda question: decline("user", "You pressed Decline.")
        assert await call(here, "one") == "decline - by user"
        here.person.answer = lambda question: cancel("user", "You dismissed the form.")
        assert await call(here, "one") == "cancel - by user"


async def test_an_empty_form_that_is_accepted_carries_empty_content(
    server: ServerSettings,
) -> None:
    async with world(server, answer=says({})) as here:
        assert await call(here, "confirm") == "accept {} by user"


async def test_consent_to_a_url_carries_no_content(server: ServerSettings, protocol: str) -> None:
    async with world(server, answer=says(None)) as here:
        assert await call(here, "page") == "accept - by user"
        assert here.person.asked[0].request.url == "https://example.com/authorize"
        if protocol == HANDSHAKE:
            assert UrlCompleted("asking", "page-1") in here.events


async def test_two_questions_at_once_are_both_open_and_both_answered(
    server: ServerSettings, protocol: str
) -> None:
    both = asyncio.Event()

    async with world(server) as here:

        def answer(question: Question) -> Any:
            return accept("user", "", {"value": question.request.message})

        here.person.answer = answer
        respond = here.person.respond

        async def together(question: Question, deadline: Any) -> Any:
            if len(here.broker.pending) == 2:
                both.set()
            await asyncio.wait_for(both.wait(), WAIT)
            return await respond(question, deadline)

        here.person.respond = together  # type: ignore[method-assign]
        text = await call(here, "two")
        assert text == (
            'accept {"value": "First of two"} by user | accept {"value": "Second of two"} by user'
        )
        if protocol == MODERN:
            assert {question.request.group_size for question in here.person.asked} == {2}


async def test_a_second_round_is_the_same_call(server: ServerSettings, protocol: str) -> None:
    async with world(server, answer=says({"value": "x"})) as here:
        assert (
            await call(here, "rounds")
            == 'accept {"value": "x"} by user | accept {"value": "x"} by user'
        )
        first, second = (question.request for question in here.person.asked)
        assert first.call == second.call
        assert [first.message, second.message] == ["First round", "Second round"]
        if protocol == MODERN:
            assert [first.round, second.round] == [1, 2]
            started = [event for event in here.events if isinstance(event, RoundStarted)]
            assert [event.round for event in started] == [1, 2]


async def test_every_answer_is_recorded_before_and_after_it_was_sent(
    server: ServerSettings,
) -> None:
    async with world(server, answer=says({"value": "x"})) as here:
        await call(here, "two")
        for question in here.person.asked:
            steps = [step for step, identifier in here.ledger.steps if identifier == question.id]
            assert steps == ["asked", "decided", "sent"]


async def test_never_declines_by_policy_without_asking(server: ServerSettings) -> None:
    async with world(server, approval_policy="never") as here:
        assert await call(here, "one") == "decline - by policy"
        assert here.person.asked == []
        assert here.only_outcome().decided_by == "policy"


async def test_thinking_does_not_count_against_the_tools_time_limit(
    server: ServerSettings,
) -> None:
    from dataclasses import replace

    async with world(replace(server, tool_timeout_sec=0.5), answer=says({"value": "late"})) as here:
        here.person.delay = 1.2
        assert await call(here, "one") == 'accept {"value": "late"} by user'


async def test_a_tool_that_takes_too_long_is_given_up(server: ServerSettings) -> None:
    from dataclasses import replace

    async with world(replace(server, tool_timeout_sec=0.4)) as here:
        with pytest.raises(LimitReached, match=r"tool_timeout_sec"):
            await call(here, "slow")
        assert await call(here, "plain") == "plain answer"


async def test_a_server_that_dies_takes_its_open_form_along(transport: str, protocol: str) -> None:
    def settings(url: str | None) -> ServerSettings:
        if url is not None:
            return ServerSettings("asking", url=url, protocol=protocol)  # type: ignore[arg-type]
        return python_server("asking", "asking.py", protocol=protocol)

    async def die(server: ServerSettings) -> None:
        async with world(server) as here:
            with pytest.raises(ServerError) as caught:
                await call(here, "die")
            assert [question.request.message for question in here.person.withdrawn] == [
                "You will never answer this"
            ]
            outcome = here.only_outcome()
            assert (outcome.action, outcome.decided_by) == (None, "server")
            assert here.ledger.sent_ids() == []
            assert here.host.connections["asking"].state == "failed"
            expected = "exit code 7" if transport == "stdio" else "went away"
            assert expected in str(caught.value)

    if transport == "stdio":
        await die(settings(None))
    else:
        with http_server() as url:
            await die(settings(url))


async def test_a_call_can_be_cancelled_while_its_form_is_open(server: ServerSettings) -> None:
    async with world(server) as here:
        connection = await here.host.connect("asking")
        asking = Call("tools/call", "one")
        running = asyncio.ensure_future(connection.call(asking))
        await asyncio.wait_for(here.person.someone_asked.wait(), WAIT)
        await connection.cancel(asking.id)
        with pytest.raises(Interrupted):
            await asyncio.wait_for(running, WAIT)
        outcome = here.only_outcome()
        assert (outcome.action, outcome.decided_by) == ("cancel", "user")
        assert await call(here, "plain") == "plain answer"


async def test_an_interrupted_run_cancels_the_open_question_by_shutdown(
    server: ServerSettings,
) -> None:
    async with world(server) as here:
        running = asyncio.ensure_future(call(here, "one"))
        await asyncio.wait_for(here.person.someone_asked.wait(), WAIT)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        outcome = here.only_outcome()
        assert (outcome.action, outcome.decided_by) == ("cancel", "shutdown")


async def test_prompts_and_resources_are_listed_and_read(
    server: ServerSettings, protocol: str
) -> None:
    async with world(server, answer=says({"value": "softly"})) as here:
        connection = await here.host.connect("asking")
        (prompt,) = await connection.prompts()
        assert [(argument.name, argument.required) for argument in prompt.arguments] == [
            ("who", True)
        ]
        (resource,) = await connection.resources()
        assert (resource.uri, resource.mime_type) == ("memory://note", "text/plain")
        read = await connection.call(Call("resources/read", resource.uri))
        assert read.result["contents"][0]["text"] == "a note"
        got = await connection.call(Call("prompts/get", "greet", {"who": "you"}))
        said = got.result["messages"][0]["content"]["text"]
        if protocol == MODERN:
            assert said == 'hello you accept {"value": "softly"} by user'
        else:
            assert said == "hello you"


async def test_state_only_rounds_wait_and_ask_again(asking_url: str, transport: str) -> None:
    server = (
        ServerSettings("asking", url=asking_url, protocol=MODERN)
        if transport == "http"
        else python_server("asking", "asking.py", protocol=MODERN)
    )
    async with world(server) as here:
        assert await call(here, "waiting") == "waited three times"


async def test_rounds_without_a_person_are_limited() -> None:
    server = python_server("asking", "asking.py", protocol=MODERN)
    async with world(server, elicitation=ElicitationSettings(rounds=3)) as here:
        with pytest.raises(LimitReached) as caught:
            await call(here, "endless")
        assert caught.value.code == "rounds"


async def test_rounds_with_a_person_in_them_do_not_count() -> None:
    server = python_server("asking", "asking.py", protocol=MODERN)
    async with world(
        server, answer=says({"value": "x"}), elicitation=ElicitationSettings(rounds=1)
    ) as here:
        assert (await call(here, "rounds")).count("by user") == 2


async def test_a_question_that_the_server_withdraws_leaves_the_screen(
    asking_url: str, transport: str
) -> None:
    server = (
        ServerSettings("asking", url=asking_url, protocol=HANDSHAKE)
        if transport == "http"
        else python_server("asking", "raw.py", HANDSHAKE, protocol=HANDSHAKE)
    )
    async with world(server) as here:
        tool = "withdraw" if transport == "http" else "withdrawn"
        assert "withdrawn" in await call(here, tool)
        assert len(here.person.withdrawn) == 1
        outcome = here.only_outcome()
        assert (outcome.action, outcome.decided_by) == (None, "server")
        assert here.ledger.sent_ids() == []


async def test_a_page_that_must_be_visited_first_is_shown_and_the_call_repeated(
    transport: str,
) -> None:
    async def visit(server: ServerSettings) -> None:
        async with world(server, answer=says(None)) as here:
            assert await call(here, "needs_page") == "the page was visited"
            request = here.person.asked[0].request
            assert (request.mode, request.url) == ("url", "https://example.com/go")
            assert here.ledger.sent_ids() == [request.id]

    if transport == "stdio":
        await visit(python_server("asking", "asking.py", protocol=HANDSHAKE))
    else:
        with http_server() as url:
            await visit(ServerSettings("asking", url=url, protocol=HANDSHAKE))


async def test_the_older_sse_transport_asks_too() -> None:
    with http_server("asking.py", "sse") as url:
        server = ServerSettings("asking", url=url, transport="sse")
        async with world(server, answer=says({"value": "x"})) as here:
            assert await call(here, "two") == (
                'accept {"value": "x"} by user | accept {"value": "x"} by user'
            )
            assert here.host.connections["asking"].identity.transport == "sse"


async def test_closing_one_connection_cancels_its_question_by_shutdown(
    server: ServerSettings,
) -> None:
    async with world(server) as here:
        running = asyncio.ensure_future(call(here, "one"))
        await asyncio.wait_for(here.person.someone_asked.wait(), WAIT)
        await asyncio.wait_for(here.host.disconnect("asking"), WAIT)
        await asyncio.wait((running,), timeout=WAIT)
        assert running.done()
        running.exception()
        outcome = here.only_outcome()
        assert (outcome.action, outcome.decided_by) == ("cancel", "shutdown")
        assert here.host.connections["asking"].state == "closed"
