"""A resource that an agent watches: in either era and on either transport it hears of changes."""

from __future__ import annotations

import asyncio
from typing import Any

import mcp_types as types
import pytest

from elicit_tui.host.connection import Connection
from elicit_tui.host.events import ResourceUpdated
from tests.gateway.world import HANDSHAKE, WAIT, World, until, workshop, world

pytestmark = pytest.mark.anyio

URI = "memo://first"


class Watched:
    """What the server of a session is asked to watch."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: list[tuple[str, str]] = []
        asked = self.asked

        async def subscribe(self: Connection, uri: str) -> None:
            asked.append(("watch", uri))

        async def unsubscribe(self: Connection, uri: str) -> None:
            asked.append(("leave", uri))

        monkeypatch.setattr(Connection, "subscribe", subscribe)
        monkeypatch.setattr(Connection, "unsubscribe", unsubscribe)


async def changes(here: World, uri: str) -> None:
    connection = await here.session.runtime.host.connect("workshop")
    connection.emit(ResourceUpdated("workshop", uri))


@pytest.mark.filterwarnings("ignore:resources/")
async def test_an_agent_hears_that_a_resource_it_watches_changed_until_it_watches_no_more(
    upwards: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = Watched(monkeypatch)
    async with world(workshop(), upwards=upwards) as here:
        await here.agent.list_resources()
        if upwards.startswith(HANDSHAKE):
            await here.agent.subscribe_resource(URI)
            await changes(here, URI)
            await until(lambda: URI in updates(here))
            await here.agent.unsubscribe_resource(URI)
        else:
            async with here.agent.listen(resource_subscriptions=[URI]) as events:
                assert watched.asked == [("watch", URI)]
                await changes(here, "memo://other")
                await changes(here, URI)
                event: Any = await asyncio.wait_for(anext(aiter(events)), WAIT)
                assert str(event.uri) == URI
        await until(lambda: ("leave", URI) in watched.asked)
    assert watched.asked == [("watch", URI), ("leave", URI)]


@pytest.mark.filterwarnings("ignore:resources/")
async def test_a_server_that_was_started_anew_is_asked_to_tell_of_it_again(
    upwards: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = Watched(monkeypatch)

    async def goes_on(here: World) -> None:
        assert watched.asked == [("watch", URI)]
        await here.session.runtime.host.disconnect("workshop")
        await here.calls("workshop__plain")
        await until(lambda: watched.asked == [("watch", URI)] * 2)

    async with world(workshop(), upwards=upwards) as here:
        await here.agent.list_resources()
        if upwards.startswith(HANDSHAKE):
            await here.agent.subscribe_resource(URI)
            await goes_on(here)
        else:
            async with here.agent.listen(resource_subscriptions=[URI]):
                await goes_on(here)


def updates(here: World) -> list[str]:
    """The resources of which the agent has heard."""
    return [
        str(message.params.uri)
        for message in here.heard
        if isinstance(message, types.ResourceUpdatedNotification)
    ]
