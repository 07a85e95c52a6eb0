"""What goes on to a server: calls; and without a person completion, subscriptions, log levels."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from elicit_tui.elicitation import Call
from elicit_tui.elicitation.request import URL_ELICITATION_REQUIRED
from elicit_tui.errors import (
    INVALID_ANSWER,
    ElicitTuiError,
    ProtocolCallError,
    ServerError,
    StoreError,
    ToolRefused,
)
from elicit_tui.gateway import telling
from elicit_tui.gateway.fit_to_pass import without_our_words
from elicit_tui.gateway.held_calls import HeldCalls
from elicit_tui.gateway.session_catalogues import SessionCatalogues
from elicit_tui.gateway.telling import Result, text_result
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
        host.subscribe(self._on_host_event)

    def _on_host_event(self, event: HostEvent) -> None:
        # One that comes late, or anew, learns the level then, and what is watched.
        if isinstance(event, ServerStateChanged) and event.state == "ready":
            connection = self._host.connections[event.server]
            self._background.start(self._tell_log_level(connection))
            self._background.start(self._watch_again(connection))

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

    async def _watch_again(self, connection: Connection) -> None:
        """Subscribe where this server, which has just come, does not know that it is watched."""
        for uri in tuple(self._subscribed):
            if await self._catalogues.server_of(uri) == connection.name:
                with suppress(ElicitTuiError):  # One that it has no more costs no other.
                    await connection.subscribe(uri)

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


# Calls


class ServerCalls:
    """Makes the calls of one session."""

    def __init__(
        self, host: Host, held_calls: HeldCalls, about_to_call: Callable[[Call], Awaitable[None]]
    ) -> None:
        """`about_to_call`: awaited before a tool is called, which it can keep from it."""
        self._host = host
        self._held_calls = held_calls
        self._about_to_call = about_to_call

    async def made(self, call: Call, server: str) -> Result:
        """The result of a call; raises what is no result of a tool."""
        try:
            connection = await self._host.connect(server)
            called = partial(self._called, call)
            result = without_our_words((await connection.call(call, called)).result)
        except ToolRefused as refusal:
            return telling.refused_call(refusal.outcome)
        except StoreError as error:
            return text_result(f"{telling.failed(error)} {telling.NOT_CALLED}", is_error=True)
        except ProtocolCallError as error:
            if error.code == URL_ELICITATION_REQUIRED and call.method == "tools/call":
                # Its pages were put to a person, who did not finish them; the agent may not.
                not_visited = text_result(telling.NOT_VISITED, is_error=True)
                return self._with_elicitations(call, not_visited)
            raise
        except ElicitTuiError as error:
            if call.method != "tools/call":
                raise
            if self._may_have_run(call, error):
                raise telling.not_known_if_run(error) from error
            return self._with_elicitations(call, text_result(telling.failed(error), is_error=True))
        return self._with_elicitations(call, result)

    async def _called(self, call: Call) -> None:
        """From here on its server may have begun with it; raises StoreError: it does not."""
        await self._about_to_call(call)
        held = self._held_calls.of_call(call.id)
        if held is not None:
            held.called = True

    def _may_have_run(self, call: Call, error: ElicitTuiError) -> bool:
        """Whether a task fails since nobody knows whether its tool ran; a result tells no less."""
        held = self._held_calls.of_call(call.id)
        if held is None or not held.is_task or not held.called:
            return False
        return not (isinstance(error, ServerError) and error.code == INVALID_ANSWER)

    def _with_elicitations(self, call: Call, result: Result) -> Result:
        held = self._held_calls.of_call(call.id)
        return telling.with_elicitations(result, held.resolved) if held is not None else result
