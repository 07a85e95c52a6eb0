"""What is passed on to the server that is meant, and without a person: no server is needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from elicit_tui.errors import ServerError
from elicit_tui.gateway.passing import Background, Passing, Unknown
from elicit_tui.host.events import ResourceUpdated, ServerStateChanged
from tests.gateway.world import settled

pytestmark = pytest.mark.anyio


class Server:
    """A connection that keeps what it is asked for."""

    def __init__(self, state: str = "ready", name: str = "web") -> None:
        self.state = state
        self.name = name
        self.refuses = ""
        self.asked: list[tuple[Any, ...]] = []
        self.trouble: Exception | None = None

    async def _keep(self, *asked: Any) -> None:
        self.asked.append(asked)
        if self.trouble is not None:
            raise self.trouble

    async def complete(self, *how: Any) -> dict[str, Any]:
        await self._keep("complete", *how)
        return {"completion": {"values": ["a"]}, "requestState": "theirs"}

    async def subscribe(self, uri: str) -> None:
        await self._keep("subscribe", uri)
        if uri == self.refuses:
            raise ServerError("It has that no more.")

    async def unsubscribe(self, uri: str) -> None:
        await self._keep("unsubscribe", uri)

    async def set_log_level(self, level: str) -> None:
        await self._keep("level", level)


class World:
    """A host with two servers; one has a prompt, a resource and a template."""

    def __init__(self) -> None:
        self.connections: dict[str, Any] = {"web": Server(), "shop": Server("starting", "shop")}
        self.listener: Callable[[Any], None] = print
        host: Any = self
        catalogues: Any = self
        self.passing = Passing(host, catalogues, Background())

    def subscribe(self, listener: Callable[[Any], None]) -> None:
        self.listener = listener

    async def connect(self, server: str) -> Any:
        return self.connections[server]

    async def prompt_origin(self, name: str) -> Any:
        return ("web", "greet") if name == "web__greet" else None

    async def server_of(self, uri: str) -> Any:
        return "web" if uri.startswith("a:") else None

    async def server_of_template(self, uri: str) -> Any:
        return "web" if uri == "a:{b}" else None

    @property
    def web(self) -> list[tuple[Any, ...]]:
        asked: list[tuple[Any, ...]] = self.connections["web"].asked
        return asked


ARGUMENT = {"name": "b", "value": "x"}


async def test_a_prompt_is_completed_by_its_server_under_the_name_it_has_there() -> None:
    here = World()
    ref = {"type": "ref/prompt", "name": "web__greet", "title": "Greet"}
    context = {"arguments": {"c": "1"}}
    result = await here.passing.complete({"ref": ref, "argument": ARGUMENT, "context": context})
    assert result == {"completion": {"values": ["a"]}}
    assert here.web == [("complete", {**ref, "name": "greet"}, ARGUMENT, context)]


async def test_a_template_is_completed_as_it_is_and_without_a_context_where_there_is_none() -> None:
    here = World()
    ref = {"type": "ref/resource", "uri": "a:{b}"}
    await here.passing.complete({"ref": ref, "argument": ARGUMENT, "context": "none"})
    assert here.web == [("complete", ref, ARGUMENT, None)]


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"ref": "web__greet", "argument": ARGUMENT},
        {"ref": {"type": "ref/prompt", "name": "none"}, "argument": ARGUMENT},
        {"ref": {"type": "ref/prompt", "uri": "a:{b}"}, "argument": ARGUMENT},
        {"ref": {"type": "ref/prompt", "name": 5}, "argument": ARGUMENT},
        {"ref": {"type": "ref/resource", "uri": "none"}, "argument": ARGUMENT},
        {"ref": {"type": "ref/resource", "name": "web__greet"}, "argument": ARGUMENT},
        {"ref": {"type": "other", "name": "web__greet", "uri": "a:{b}"}, "argument": ARGUMENT},
        {"ref": {"type": "ref/prompt", "name": "web__greet"}},
        {"ref": {"type": "ref/prompt", "name": "web__greet"}, "argument": "x"},
    ],
)
async def test_what_nobody_has_is_not_completed_and_no_server_is_asked(params: Any) -> None:
    here = World()
    with pytest.raises(Unknown):
        await here.passing.complete(params)
    assert here.web == []


async def test_a_resource_is_watched_until_the_last_who_watches_it_has_left() -> None:
    here = World()
    with pytest.raises(Unknown):
        await here.passing.subscribe("none:")
    for _ in "123":
        await here.passing.subscribe("a:1")
    await here.passing.subscribe("a:2")
    assert here.web == [*[("subscribe", "a:1")] * 3, ("subscribe", "a:2")]
    here.web.clear()
    await here.passing.unsubscribe("a:1")
    await here.passing.unsubscribe("a:1")
    assert here.web == []
    here.passing.unsubscribe_later("a:1")
    await settled()
    assert here.web == [("unsubscribe", "a:1")]
    # Who was never counted costs a request, and nobody anything else.
    await here.passing.unsubscribe("a:1")
    await here.passing.unsubscribe("none:")
    assert here.web == [("unsubscribe", "a:1")] * 2


async def test_a_server_that_comes_anew_is_asked_once_for_what_is_still_watched_of_it() -> None:
    here = World()
    for uri in ("a:1", "a:1", "a:2", "a:3"):
        await here.passing.subscribe(uri)
    await here.passing.unsubscribe("a:3")
    here.connections["web"] = again = Server()
    again.refuses = "a:1"
    here.listener(ServerStateChanged("shop", "ready"))
    here.listener(ServerStateChanged("web", "ready"))
    await settled()
    assert again.asked == [("subscribe", "a:1"), ("subscribe", "a:2")]
    assert here.connections["shop"].asked == []
    again.asked.clear()
    # Both who watched it have left.
    for _ in "12":
        await here.passing.unsubscribe("a:1")
    assert again.asked == [("unsubscribe", "a:1")]


async def test_what_could_not_be_subscribed_to_is_not_counted() -> None:
    here = World()
    here.connections["web"].trouble = ServerError("It went away.")
    with pytest.raises(ServerError):
        await here.passing.subscribe("a:1")
    here.connections["web"].trouble = None
    await here.passing.subscribe("a:1")
    here.web.clear()
    await here.passing.unsubscribe("a:1")
    assert here.web == [("unsubscribe", "a:1")]


async def test_a_server_that_fails_what_nobody_waits_for_costs_nobody_anything() -> None:
    here = World()
    here.connections["web"].trouble = ServerError("It went away.")
    here.passing.unsubscribe_later("a:1")
    await settled()
    assert here.web == [("unsubscribe", "a:1")]


async def test_a_log_level_reaches_each_server_that_is_ready_and_each_that_becomes_so() -> None:
    here = World()
    here.listener(ServerStateChanged("web", "ready"))
    await settled()
    assert here.web == []
    here.connections["web"].trouble = ServerError("It knows no levels.")
    await here.passing.set_log_level("error")
    assert (here.web, here.connections["shop"].asked) == ([("level", "error")], [])
    here.connections["shop"].state = "ready"
    here.listener(ServerStateChanged("shop", "failed", "no"))
    here.listener(ResourceUpdated("shop", "a:1"))
    await settled()
    assert here.connections["shop"].asked == []
    here.listener(ServerStateChanged("shop", "ready"))
    await settled()
    assert here.connections["shop"].asked == [("level", "error")]
