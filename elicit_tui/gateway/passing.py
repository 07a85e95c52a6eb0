"""What is passed on without a person: completion, subscriptions, log levels."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from typing import Any

from elicit_tui.errors import ElicitTuiError
from elicit_tui.gateway.fit_to_pass import without_our_words
from elicit_tui.gateway.session_catalogues import SessionCatalogues
from elicit_tui.gateway.telling import Result
from elicit_tui.host.connection import Connection
from elicit_tui.host.events import HostEvent, ServerStateChanged
from elicit_tui.host.host import Host
from elicit_tui.text import neutral_line


class Unknown(ElicitTuiError):
    """The agent named a tool, prompt or resource that nobody offers."""


class Background:
    """Work of a session that nobody waits for."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Begin it; a server or a store that fails it is of no consequence."""
        task = asyncio.ensure_future(_unless_it_fails(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _unless_it_fails(work: Coroutine[Any, Any, None]) -> None:
    with suppress(ElicitTuiError):
        await work


class Passing:
    """Finds the server that is meant, under the name that the agent knows."""

    def __init__(self, host: Host, catalogues: SessionCatalogues, background: Background) -> None:
        self._host = host
        self._catalogues = catalogues
        self._background = background
        # How often each resource is subscribed to, by URI.
        self._subscribed: dict[str, int] = {}
        self._log_level: str | None = None
        host.subscribe(self._heard)

    def _heard(self, event: HostEvent) -> None:
        # One that comes late, or anew, learns the level then.
        if isinstance(event, ServerStateChanged) and event.state == "ready":
            connection = self._host.connections[event.server]
            self._background.start(self._tell_log_level(connection))

    async def complete(self, params: Mapping[str, Any]) -> Result:
        """completion/complete, by the server whose prompt or resource it is about.

        Raises Unknown, ProtocolCallError, ServerError.
        """
        found = await self._completed_by(params.get("ref"))
        argument, context = params.get("argument"), params.get("context")
        if found is None or not isinstance(argument, Mapping):
            raise Unknown("There is nothing to complete by this name.")
        server, reference = found
        connection = await self._host.connect(server)
        given = dict(context) if isinstance(context, Mapping) else None
        return without_our_words(await connection.complete(reference, dict(argument), given))

    async def _completed_by(self, reference: Any) -> tuple[str, dict[str, Any]] | None:
        if not isinstance(reference, Mapping):
            return None
        name, uri = reference.get("name"), reference.get("uri")
        if reference.get("type") == "ref/prompt" and isinstance(name, str):
            origin = await self._catalogues.prompt_origin(name)
            return None if origin is None else (origin[0], {**reference, "name": origin[1]})
        if reference.get("type") == "ref/resource" and isinstance(uri, str):
            server = await self._catalogues.server_of_template(uri)
            return None if server is None else (server, dict(reference))
        return None

    async def subscribe(self, uri: str) -> None:
        """Be told when a resource changes. Raises Unknown, ProtocolCallError, ServerError."""
        server = await self._catalogues.server_of(uri)
        if server is None:
            raise Unknown(f"Unknown resource: {neutral_line(uri, 500)}")
        await (await self._host.connect(server)).subscribe(uri)
        self._subscribed[uri] = self._subscribed.get(uri, 0) + 1

    async def unsubscribe(self, uri: str) -> None:
        """No longer be told; the last who unsubscribes ends it."""
        server = await self._catalogues.server_of(uri)
        # What was never counted is unsubscribed all the same.
        left = self._subscribed.pop(uri, 1) - 1
        if left > 0:
            self._subscribed[uri] = left
        elif server is not None:
            await (await self._host.connect(server)).unsubscribe(uri)

    def unsubscribe_later(self, uri: str) -> None:
        """Unsubscribe without waiting: whoever subscribed is gone."""
        self._background.start(self.unsubscribe(uri))

    async def set_log_level(self, level: str) -> None:
        """Ask every server for log lines of this level and above."""
        self._log_level = level
        for connection in self._host.connections.values():
            await self._tell_log_level(connection)

    async def _tell_log_level(self, connection: Connection) -> None:
        if self._log_level is not None and connection.state == "ready":
            # A server that knows no levels writes what it writes; the lines are filtered above.
            with suppress(ElicitTuiError):
                await connection.set_log_level(self._log_level)
