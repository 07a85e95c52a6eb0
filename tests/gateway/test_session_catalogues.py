"""What a session knows of its servers' lists while they come, change and go; no server is there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation.settings import ServerSettings
from elicit_tui.errors import ServerError
from elicit_tui.gateway.catalogue import Catalogue, CatalogueFiles
from elicit_tui.gateway.offers import SessionOffers
from elicit_tui.gateway.session_catalogues import LIST_SECONDS, SessionCatalogues
from elicit_tui.host.events import ListChanged, LoginAwaited, ServerStateChanged
from tests.gateway.world import WAIT, MovedClock, settled

pytestmark = pytest.mark.anyio

FIND = {"name": "find", "inputSchema": {"type": "object"}}
WIPE = {"name": "wipe", "inputSchema": {"type": "object"}}
GREET = {"name": "greet"}
PAGE = {"uri": "a:1", "name": "one"}
PAGES = {"uriTemplate": "a:{b}", "name": "each"}


@dataclass
class Listed:
    raw: dict[str, Any]


class Server:
    """A connection whose lists a test chooses, and holds back."""

    def __init__(self, name: str, number: int = 1) -> None:
        self.name = name
        self.id = f"{name} {number}"
        self.state = "ready"
        self.instructions: str | None = None
        self.lists: dict[str, list[dict[str, Any]]] = {}
        self.fails: dict[str, ServerError] = {}
        self.goes_on = asyncio.Event()
        self.goes_on.set()
        self.read = 0
        self.watched = 0

    async def watch_lists(self) -> None:
        self.watched += 1
        if (error := self.fails.get("watch")) is not None:
            raise error

    async def _listed(self, kind: str) -> list[Listed]:
        found = [Listed(entry) for entry in self.lists.get(kind, ())]
        await self.goes_on.wait()
        if (error := self.fails.get(kind)) is not None:
            raise error
        return found

    async def tools(self) -> list[Listed]:
        self.read += 1
        return await self._listed("tools")

    async def prompts(self) -> list[Listed]:
        return await self._listed("prompts")

    async def resources(self) -> list[Listed]:
        return await self._listed("resources")

    async def templates(self) -> list[Listed]:
        return await self._listed("templates")


class World:
    """The catalogues of two servers, `web` and `shop`."""

    def __init__(self, folder: Path, **known: Catalogue) -> None:
        self.clock = MovedClock()
        self.files = CatalogueFiles(folder)
        self.servers = {
            "web": ServerSettings("web", command="x", startup_timeout_sec=10),
            "shop": ServerSettings("shop", command="x", startup_timeout_sec=30),
        }
        self.offered = SessionOffers(self.servers, prefix=True)
        for name, catalogue in known.items():
            self.offered.put(name, catalogue)
        self.connections: dict[str, Server] = {}
        self.changed: list[str] = []
        self.told: list[str] = []
        self.tell: Callable[[Any], None] = print
        host: Any = self
        self.catalogues = SessionCatalogues(
            self.offered,
            host,
            self.files,
            self.clock,
            changed=self.changed.append,
            notify=self.told.append,
        )

    def subscribe(self, listener: Callable[[Any], None]) -> None:
        self.tell = listener

    async def comes(self, name: str = "web", number: int = 1, **lists: Any) -> Server:
        """A server is ready, with these lists."""
        server = self.connections[name] = Server(name, number)
        server.lists = lists
        self.tell(ServerStateChanged(name, "ready"))
        await settled()
        return server

    def asks(self, tool: str) -> asyncio.Task[Any]:
        """Whose a tool is."""
        return asyncio.ensure_future(self.catalogues.tool_origin(tool, ()))


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[World]:
    world = World(tmp_path)
    yield world
    await world.catalogues.close()


async def test_only_the_lists_that_are_others_now_are_told_and_kept(here: World) -> None:
    whole: dict[str, Any] = {"tools": [FIND], "prompts": [GREET], "resources": [PAGE]}
    web = await here.comes(**whole)
    assert here.changed == ["tools", "prompts", "resources"]
    here.changed.clear()
    for changes, kinds in (
        ({}, []),
        ({"tools": [FIND, WIPE]}, ["tools"]),
        ({"prompts": []}, ["prompts"]),
        ({"resources": []}, ["resources"]),
        ({"templates": [PAGES]}, ["resources"]),
    ):
        web.lists = {**web.lists, **changes}
        here.tell(ListChanged("web", "tools"))
        await settled()
        assert here.changed == kinds, changes
        here.changed.clear()
    assert here.files.read(here.servers["web"]) == Catalogue([FIND, WIPE], [], [], [PAGES])


async def test_a_list_that_changes_while_it_is_read_is_read_again(here: World) -> None:
    web = await here.comes(tools=[FIND])
    web.goes_on.clear()
    for _ in "12":
        here.tell(ListChanged("web", "tools"))
        await settled()
    web.lists = {"tools": [WIPE]}
    web.goes_on.set()
    await settled()
    assert here.offered.catalogues["web"].tools == [WIPE]
    # Once for both changes, and no more than that.
    assert web.read == 3


async def test_what_a_server_that_ended_meanwhile_lists_is_not_taken_for_its_lists(
    here: World,
) -> None:
    web = await here.comes(tools=[FIND])
    web.goes_on.clear()
    here.tell(ListChanged("web", "tools"))
    await settled()
    web.lists, web.state = {}, "closed"
    here.tell(ListChanged("web", "tools"))
    web.goes_on.set()
    await settled()
    assert here.offered.catalogues["web"].tools == [FIND]
    known = here.files.read(here.servers["web"])
    assert known is not None
    assert known.tools == [FIND]


async def test_each_connection_is_asked_once_to_tell_of_changes_also_after_a_restart(
    here: World,
) -> None:
    first = await here.comes(tools=[FIND])
    here.tell(ListChanged("web", "tools"))
    await settled()
    assert first.watched == 1
    second = await here.comes(number=2, tools=[WIPE])
    assert (first.watched, second.watched) == (1, 1)
    assert here.offered.catalogues["web"].tools == [WIPE]


async def test_what_a_server_does_not_tell_or_list_is_told_and_costs_nothing_else(
    here: World,
) -> None:
    web = here.connections["web"] = Server("web")
    web.lists = {"tools": [FIND], "resources": [PAGE]}
    web.fails = {kind: ServerError("It does not.") for kind in ("watch", "prompts", "templates")}
    here.tell(ServerStateChanged("web", "ready"))
    await settled()
    assert here.told == [
        "web does not tell when its lists change: It does not.",
        "The prompts of web could not be listed: It does not.",
        "The resource templates of web could not be listed: It does not.",
    ]
    assert here.offered.catalogues["web"] == Catalogue([FIND], [], [PAGE])


async def test_why_a_server_failed_is_told_and_its_calls_wait_no_longer(here: World) -> None:
    asking = here.asks("web__find")
    await settled()
    assert not asking.done()
    here.tell(ServerStateChanged("web", "failed", "It has no key."))
    here.tell(ServerStateChanged("shop", "failed"))
    assert await asyncio.wait_for(asking, WAIT) is None
    assert here.told == ["It has no key."]
    assert here.clock.waking == 0


async def test_a_call_waits_for_the_server_that_has_its_tool_and_for_no_other(
    tmp_path: Path,
) -> None:
    here = World(tmp_path, web=Catalogue([FIND]), shop=Catalogue([WIPE]))
    await here.catalogues.offers((), output_schemas=True)
    asking, other = here.asks("web__find"), here.asks("shop__wipe")
    await here.comes(tools=[FIND])
    assert await asyncio.wait_for(asking, WAIT) == ("web", "find")
    assert not other.done()
    # As long as that server may take to start, and to list what it has; it says itself why not.
    await here.clock.move(30 + LIST_SECONDS - 1)
    assert not other.done()
    await here.clock.move(1)
    assert await asyncio.wait_for(other, WAIT) == ("shop", "wipe")
    await here.catalogues.close()


async def test_a_server_that_waits_for_a_login_may_be_called_and_is_not_listed_yet(
    here: World,
) -> None:
    asking = here.asks("web__find")
    listing = asyncio.ensure_future(here.catalogues.offers((), output_schemas=True))
    here.tell(ServerStateChanged("shop", "failed"))
    here.tell(LoginAwaited("web"))
    assert await asyncio.wait_for(asking, WAIT) is None
    assert not listing.done()
    await here.clock.move(LIST_SECONDS)
    assert (await asyncio.wait_for(listing, WAIT)).tools == []


async def test_after_its_end_nothing_is_read_any_more(here: World) -> None:
    web = await here.comes(tools=[FIND])
    web.goes_on.clear()
    here.tell(ListChanged("web", "tools"))
    await settled()
    await here.catalogues.close()
    web.goes_on.set()
    web.lists = {"tools": [WIPE]}
    here.tell(ListChanged("web", "tools"))
    here.tell(ServerStateChanged("stranger", "ready"))
    await settled()
    assert (web.read, here.offered.catalogues["web"].tools) == (2, [FIND])
