"""What a face in front of an agent needs of a server, over both transports and both eras."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from elicit_tui.elicitation import Call, cancel
from elicit_tui.elicitation.settings import ServerSettings
from elicit_tui.errors import Interrupted, ProtocolCallError
from elicit_tui.host.connection import Connection
from elicit_tui.host.events import HostEvent, ListChanged, LogMessage, Progress, ResourceUpdated
from tests.host.world import HANDSHAKE, MODERN, http_server, python_server, text_of, world

WAIT = 20
NOTE = "memory://note"

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def whole_url() -> Iterator[str]:
    with http_server("whole.py") as url:
        yield url


@pytest.fixture(params=[(way, era) for way in ("stdio", "http") for era in (HANDSHAKE, MODERN)])
def server(request: pytest.FixtureRequest, whole_url: str) -> ServerSettings:
    way, protocol = request.param
    if way == "http":
        return ServerSettings("whole", url=whole_url, protocol=protocol)
    return python_server("whole", "whole.py", protocol=protocol)


class Heard:
    """The events of the host, each of which can be waited for."""

    def __init__(self) -> None:
        self._events: asyncio.Queue[HostEvent] = asyncio.Queue()

    def hear(self, event: HostEvent) -> None:
        self._events.put_nowait(event)

    async def next(self, kind: Any) -> Any:
        async def find() -> HostEvent:
            while not isinstance(event := await self._events.get(), kind):
                pass
            return event

        return await asyncio.wait_for(find(), WAIT)


@asynccontextmanager
async def connected(server: ServerSettings) -> AsyncIterator[tuple[Connection, Heard]]:
    async with world(server) as here:
        heard = Heard()
        here.host.subscribe(heard.hear)
        yield await here.host.connect("whole"), heard


async def call(connection: Connection, tool: str, **arguments: Any) -> dict[str, Any]:
    made = connection.call(Call("tools/call", tool, arguments))
    return (await asyncio.wait_for(made, WAIT)).result


ODD: dict[str, Any] = {
    "nothing": None,
    "in": {"it": [None, 1.0, 10**30, "", {}]},
    "lone": "\u2028 😀",
}


async def test_arguments_and_results_pass_exactly_as_they_are(server: ServerSettings) -> None:
    async with connected(server) as (connection, _):
        result = await call(connection, "echo", **ODD)
        assert result["structuredContent"] == {"got": ODD}
        assert repr(result["structuredContent"]["got"]["in"]["it"][1]) == "1.0"


async def test_a_prompts_arguments_pass_exactly_as_they_are(server: ServerSettings) -> None:
    async with connected(server) as (connection, _):
        arguments = {"one": "  two\n", "empty": ""}
        got = await connection.call(Call("prompts/get", "echo", arguments))
        assert json.loads(got.result["messages"][0]["content"]["text"]) == arguments
        with pytest.raises(ProtocolCallError):
            await connection.call(Call("prompts/get", "echo", {"number": 1}))


async def test_what_a_server_says_of_itself_is_known(server: ServerSettings) -> None:
    async with connected(server) as (connection, _):
        assert connection.instructions == "Use me well."
        assert set(connection.capabilities) >= {"tools", "prompts", "resources", "completions"}


async def test_templates_are_listed(server: ServerSettings) -> None:
    async with connected(server) as (connection, _):
        (template,) = await connection.templates()
        assert (template.uri_template, template.name) == ("memory://{name}", "by name")
        assert template.raw["uriTemplate"] == "memory://{name}"


async def test_values_are_completed(server: ServerSettings) -> None:
    async with connected(server) as (connection, _):
        ref = {"type": "ref/prompt", "name": "echo"}
        argument = {"name": "one", "value": "tw"}
        completed = await connection.complete(ref, argument, {"arguments": {"before": "x"}})
        assert completed["completion"] == {
            "values": ["tw!", "before"],
            "total": 2,
            "hasMore": False,
        }
        with pytest.raises(ProtocolCallError):
            await connection.complete({"type": "ref/nothing"}, argument)


async def test_changes_are_told_once_they_were_asked_for(server: ServerSettings) -> None:
    async with connected(server) as (connection, heard):
        await connection.watch_lists()
        await connection.subscribe(NOTE)
        await call(connection, "touch")
        assert await heard.next(ListChanged) == ListChanged("whole", "tools")
        assert await heard.next(ResourceUpdated) == ResourceUpdated("whole", NOTE)
        await connection.unsubscribe(NOTE)
        await call(connection, "touch")
        told = await heard.next((ListChanged, ResourceUpdated))
        assert told == ListChanged("whole", "tools")


async def test_what_a_server_logs_during_a_call_is_the_calls(server: ServerSettings) -> None:
    async with connected(server) as (connection, heard):
        await connection.set_log_level("info")
        said = Call("tools/call", "say")
        await asyncio.wait_for(connection.call(said), WAIT)
        told = await heard.next(LogMessage)
        assert (told.level, told.data, told.call_id) == ("warning", "here it is", said.id)


async def test_a_call_that_is_taken_back_is_cancelled_at_the_server(
    server: ServerSettings,
) -> None:
    async with connected(server) as (connection, heard):
        hanging = Call("tools/call", "hang")
        running = asyncio.ensure_future(connection.call(hanging))
        progress = await heard.next(Progress)
        assert (progress.call_id, progress.progress, progress.total) == (hanging.id, 1, 2)
        await connection.cancel(hanging.id, cancel("withdrawn", "The agent took its call back."))
        with pytest.raises(Interrupted):
            await asyncio.wait_for(running, WAIT)
        assert "hang" in text_of(await call(connection, "cancelled"))
