"""A server answers a call with a task (SEP-2663): it is followed to its end, and not believed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest

from elicit_tui.elicitation import Call, Question, accept, decline
from elicit_tui.elicitation.settings import ElicitationSettings, ServerSettings
from elicit_tui.errors import (
    Interrupted,
    LimitReached,
    ProtocolCallError,
    ServerError,
    TaskCancelled,
)
from elicit_tui.host import task_follower as followed
from elicit_tui.host.connection import Connection
from elicit_tui.host.events import Progress, RoundStarted, TaskStarted
from elicit_tui.host.offers import CallResult
from tests.host.world import MODERN, World, http_server, python_server, text_of, world

WAIT = 20

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with http_server("tasking.py") as url:
        yield url


@pytest.fixture(params=["stdio", "http"])
def server(request: pytest.FixtureRequest, url: str) -> ServerSettings:
    if request.param == "http":
        return over_http(url)
    return python_server("tasking", "tasking.py", protocol=MODERN)


def over_http(url: str, **more: Any) -> ServerSettings:
    return ServerSettings("tasking", url=url, protocol=MODERN, **more)


def types(question: Question) -> Any:
    return accept("user", "Sent.", {"value": f"for {question.request.message}"})


class Follows(World):
    """A host with one connection to that server."""

    connection: Connection

    async def calls(self, tool: str, **arguments: Any) -> CallResult:
        call = Call("tools/call", tool, arguments)
        return await asyncio.wait_for(self.connection.call(call), WAIT)

    def begins(self, tool: str) -> tuple[Call, asyncio.Future[CallResult]]:
        call = Call("tools/call", tool)
        return call, asyncio.ensure_future(self.connection.call(call))

    async def heard(self) -> list[tuple[str, str | None]]:
        return [tuple(each) for each in json.loads(text_of((await self.calls("heard")).result))]

    async def started(self) -> None:
        end = asyncio.get_running_loop().time() + WAIT
        while not any(isinstance(event, TaskStarted) for event in self.events):
            assert asyncio.get_running_loop().time() < end
            await asyncio.sleep(0.005)


@asynccontextmanager
async def following(server: ServerSettings, **more: Any) -> AsyncIterator[Follows]:
    async with world(server, **more) as here:
        here.__class__ = Follows
        assert isinstance(here, Follows)
        here.connection = await here.host.connect("tasking")
        yield here


async def test_a_call_ends_with_what_its_task_came_to(server: ServerSettings) -> None:
    async with following(server) as here:
        before = len(await here.heard())
        for tool in ("simple", "at_once"):
            result = await here.calls(tool)
            assert result.result == {"content": [{"type": "text", "text": "done"}]}
        failed = await here.calls("is_error")
        assert failed.result["isError"] is True
        with pytest.raises(ProtocolCallError, match="broken") as caught:
            await here.calls("fails")
        assert caught.value.code == -32050
        # Its status is shown as the call's progress.
        told = [event for event in here.events if isinstance(event, Progress)]
        assert told[0].message == "half\x1b[2J way"
        assert sum(isinstance(event, TaskStarted) for event in here.events) == 4
        # Over HTTP each request names its task in a header.
        heard = (await here.heard())[before:]
        named = {header is not None and header.startswith("task-") for _, header in heard}
        assert named == {server.url is not None}


async def test_what_a_task_asks_is_asked_once_and_answered_by_its_key(
    server: ServerSettings,
) -> None:
    async with following(server, answer=types) as here:
        result = await here.calls("asks_two")
        told = json.loads(text_of(result.result))
        assert {key: answer["content"]["value"] for key, answer in told.items()} == {
            "first": "for first?",
            "second": "for second?",
        }
        assert [question.request.wire_id for question in here.person.asked] == ["first", "second"]
        assert sorted(here.ledger.sent_ids()) == sorted(q.id for q in here.person.asked)
        rounds = [event for event in here.events if isinstance(event, RoundStarted)]
        assert [(event.round, event.group_size) for event in rounds] == [(1, 2)]
        assert result.rounds == 1
        # A key that is there again is no other question.
        assert "for value?" in text_of((await here.calls("asks_again")).result)
        assert len(here.person.asked) == 3


async def test_a_person_who_declines_is_heard_by_the_task(server: ServerSettings) -> None:
    async with following(server, answer=lambda question: decline("user", "No.")) as here:
        told = json.loads(text_of((await here.calls("asks")).result))
        assert told["value"]["action"] == "decline"


@pytest.mark.parametrize(("tool", "text"), [("takes_back", "done"), ("ends_while_asking", "never")])
async def test_a_question_that_a_task_takes_back_is_withdrawn(
    url: str, tool: str, text: str
) -> None:
    async with following(over_http(url)) as here:
        result = await here.calls(tool)
        assert text in text_of(result.result)
        assert here.only_outcome().decided_by == "server"
        assert here.only_outcome().reason == "The server withdrew the question."
        assert here.person.withdrawn == here.person.asked
        assert here.ledger.sent_ids() == []


@pytest.mark.parametrize(
    ("tool", "words"),
    [
        ("odd_state", "in a state"),
        ("no_state", "in a state"),
        ("no_result", "has no result"),
        ("odd_result", "has no result"),
        ("odd_error", "isError"),
        ("no_error", "does not say how"),
        ("task_in_task", "does not know"),
        ("odd_requests", "not an object"),
        ("another", "another task"),
        ("no_id", "without an id"),
        ("vanishes", "no longer tells of the task"),
        ("cancels_itself", "cancelled its task"),
    ],
)
async def test_a_task_that_lies_or_vanishes_is_an_error_of_the_server_in_one_sentence(
    url: str, tool: str, words: str
) -> None:
    async with following(over_http(url)) as here:
        with pytest.raises(ServerError, match=words) as caught:
            await here.calls(tool)
        assert "\n" not in str(caught.value)
        # What came to its end with a result that is none has run; of the others nobody knows.
        has_run = tool in ("odd_error", "task_in_task")
        assert ("whether the tool did its work is not known" in str(caught.value)) != has_run
        # The connection goes on.
        assert text_of((await here.calls("simple")).result) == "done"


async def test_a_task_that_asks_for_what_nobody_offers_ends(url: str) -> None:
    async with following(over_http(url)) as here:
        with pytest.raises(ProtocolCallError, match="not advertised"):
            await here.calls("samples")
        assert ("tasks/cancel") in [method for method, _ in await here.heard()]
        assert here.only_outcome().decided_by == "server"


async def test_however_often_a_server_wants_to_be_asked_it_is_asked_within_our_bounds(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(followed, "LONGEST_SECONDS", 0.3)
    async with following(over_http(url)) as here:
        loop = asyncio.get_running_loop()
        began = loop.time()
        assert text_of((await here.calls("at_once_again")).result) == "done"
        assert loop.time() - began >= 4 * followed.SHORTEST_SECONDS
        for tool in ("next_year", "odd_interval"):
            assert text_of((await here.calls(tool)).result) == "done"


async def test_a_call_that_is_interrupted_has_its_task_cancelled(server: ServerSettings) -> None:
    async with following(server) as here:
        before = len(await here.heard())
        _, running = here.begins("for_ever")
        await here.started()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        methods = [method for method, _ in (await here.heard())[before:]]
        assert methods[-1] == "tasks/cancel"
        assert methods.count("tasks/cancel") == 1


async def test_a_call_that_is_given_up_ends_as_its_server_says(server: ServerSettings) -> None:
    async with following(server) as here:
        call, running = here.begins("for_ever")
        await here.started()
        await here.connection.cancel(call.id)
        with pytest.raises(TaskCancelled):
            await asyncio.wait_for(running, WAIT)


async def test_a_call_that_is_given_up_while_it_asks_ends_with_nothing_accepted(
    server: ServerSettings,
) -> None:
    async with following(server) as here:
        call, running = here.begins("asks")
        await here.started()
        await asyncio.wait_for(here.person.someone_asked.wait(), WAIT)
        await here.connection.cancel(call.id)
        # Its question is cancelled too: whichever of the two the server hears first ends the task.
        with suppress(Interrupted):
            result = await asyncio.wait_for(running, WAIT)
            assert "accept" not in text_of(result.result)


async def test_a_cancellation_stays_ours_whose_request_is_answered_after_the_end(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = followed.TaskFollower._request_cancel
    requested = False

    async def answered_late(follower: followed.TaskFollower) -> None:
        nonlocal requested
        await request(follower)
        if not requested:
            requested = True
            await asyncio.wait({running}, timeout=WAIT)

    monkeypatch.setattr(followed.TaskFollower, "_request_cancel", answered_late)
    async with following(over_http(url)) as here:
        call, running = here.begins("for_ever")
        await here.started()
        await here.connection.cancel(call.id)
        with pytest.raises(TaskCancelled):
            await running


async def test_a_task_that_ends_although_it_was_given_up_has_its_end(url: str) -> None:
    async with following(over_http(url)) as here:
        call, running = here.begins("stubborn")
        await here.started()
        await here.connection.cancel(call.id)
        result = await asyncio.wait_for(running, WAIT)
        assert text_of(result.result) == "finished all the same"


async def test_a_server_that_does_not_hear_is_given_up_in_bounded_time(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(followed, "LAST_WORD_SECONDS", 0.2)
    async with following(over_http(url)) as here:
        call, running = here.begins("deaf")
        await here.started()
        await here.connection.cancel(call.id)
        with pytest.raises(Interrupted):
            await asyncio.wait_for(running, WAIT)


async def test_the_owners_limits_hold_for_a_task(url: str) -> None:
    async with following(over_http(url, tool_timeout_sec=0.4)) as here:
        with pytest.raises(LimitReached):
            await here.calls("deaf")
    settings = ElicitationSettings(rounds=3)
    async with following(over_http(url), elicitation=settings) as here:
        with pytest.raises(LimitReached) as caught:
            await here.calls("asks_for_ever")
        assert caught.value.code == "rounds"


async def test_a_server_that_dies_ends_the_call_and_what_its_task_asks() -> None:
    async with following(python_server("tasking", "tasking.py", protocol=MODERN)) as here:
        _, running = here.begins("asks")
        await asyncio.wait_for(here.person.someone_asked.wait(), WAIT)
        assert here.connection.process is not None
        here.connection.process.kill()
        with pytest.raises(ServerError):
            await asyncio.wait_for(running, WAIT)
        assert here.only_outcome().decided_by == "server"
