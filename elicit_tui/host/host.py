"""Connections to all servers of a run; knows nothing of policy."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from elicit_tui.broker import Broker
from elicit_tui.broker.contracts import Listeners
from elicit_tui.elicitation.settings import ServerSettings, Settings
from elicit_tui.errors import ServerError
from elicit_tui.host.connection import Connection
from elicit_tui.host.events import HostEvent, Listener, ServerStateChanged
from elicit_tui.host.launch import Launched, ServerProcess, launch_servers
from elicit_tui.host.lifecycle import Lifecycle
from elicit_tui.host.server_log import LogFile

END_SECONDS: Final = 10.0


class Host:
    """Starts servers, connects to them, and ends them; each connection in a task of its own.

    `launch` may be called before the event loop runs: a stdio server then gets ready while the
    SDK is still being imported. Everything else needs `async with`.
    """

    def __init__(
        self,
        settings: Settings,
        broker: Broker,
        log_file: Path | None = None,
        launched: Launched | None = None,
    ) -> None:
        self._settings = settings
        self._broker = broker
        self._log_file = LogFile(log_file, partial(broker.notice, "elicit-tui"))
        self._launched: Launched = dict(launched or {})
        self._in_process: dict[str, Any] = {}
        self._connections: dict[str, Connection] = {}
        self._lifecycles: dict[Connection, tuple[Lifecycle, asyncio.Task[None]]] = {}
        self._listeners = Listeners[HostEvent](partial(broker.notice, "elicit-tui"))
        self._emit = self._listeners.tell

    def subscribe(self, listener: Listener) -> None:
        """Tell this listener of every event, on the event loop, in order."""
        self._listeners.add(listener)

    @property
    def connections(self) -> Mapping[str, Connection]:
        """The latest connection of each server that was started, by configured name."""
        return dict(self._connections)

    def put_between(self, between: Callable[[Broker], Broker]) -> None:
        """Have connections that begin from now on ask what `between` makes of the broker."""
        self._broker = between(self._broker)

    def launch(self, names: Iterable[str]) -> None:
        """Start the processes of these stdio servers at once; a failure is told by `connect`."""
        wanted = [name for name in names if name not in self._launched]
        self._launched.update(launch_servers(self._settings, wanted))

    def serve_in_process(self, name: str, server: Any) -> None:
        """Serve this configured name by an object of the Python SDK or FastMCP, in this process."""
        self._in_process[name] = server

    def start(self, name: str) -> Connection:
        """Begin to connect, without waiting; a connection that failed or ended begins anew."""
        present = self._connections.get(name)
        if present is not None and present.state in ("starting", "ready"):
            return present
        connection = Connection(self._server(name), self._settings, self._broker, self._emit)
        self._connections[name] = connection
        self._emit(ServerStateChanged(name, "starting"))
        launched = self._launched.pop(name, None)
        if isinstance(launched, ServerError):
            connection.ended(str(launched))
            return connection
        connection.process = launched
        connection.in_process = self._in_process.get(name)
        lifecycle = Lifecycle(connection, self._broker, self._log_file)
        running = asyncio.ensure_future(lifecycle.run())
        self._lifecycles[connection] = (lifecycle, running)
        running.add_done_callback(lambda _: self._lifecycles.pop(connection))
        return connection

    async def connect(self, name: str) -> Connection:
        """A connection that is ready. Raises ServerError with the reason when it cannot be."""
        connection = self.start(name)
        await connection.settled()
        return connection

    async def disconnect(self, name: str) -> None:
        """End one server in order; its open questions end with it."""
        connection = self._connections.get(name)
        if connection is not None:
            await self._end((connection,))

    def _server(self, name: str) -> ServerSettings:
        settings = self._settings.servers.get(name)
        if settings is None:
            raise ServerError(f"No server is configured under the name {name}.", code="unknown")
        return settings

    async def __aenter__(self) -> Host:
        return self

    async def __aexit__(self, *raised: object) -> None:
        try:
            await self._end(tuple(self._lifecycles))
        finally:
            await self._end_launched()
            self._log_file.close()

    async def _end_launched(self) -> None:
        """End the processes that were started and never connected to."""
        launched = [
            connection
            for connection in self._launched.values()
            if isinstance(connection, ServerProcess)
        ]
        self._launched.clear()
        if launched:
            from elicit_tui.host.ending import close_pipes, end_process

            await asyncio.gather(*map(end_process, launched))
            for process in launched:
                close_pipes(process)

    async def _end(self, connections: Iterable[Connection]) -> None:
        """End these connections side by side, to their end even when we are cancelled."""
        connections = tuple(connections)
        cancelled = False
        try:
            await asyncio.gather(*(ending.end_all_questions() for ending in connections))
        except asyncio.CancelledError:
            cancelled = True
        tasks = []
        for connection in connections:
            lifecycle, task = self._lifecycles.get(connection, (None, None))
            if lifecycle is not None and task is not None:
                lifecycle.end()
                if connection.state == "starting":
                    # It waits for a handshake that may never come.
                    task.cancel()
                tasks.append(task)
        while tasks and not all(task.done() for task in tasks):
            try:
                _, hanging = await asyncio.wait(tasks, timeout=END_SECONDS)
            except asyncio.CancelledError:
                cancelled = True
                continue
            # Whatever the others did: each of them has had its time.
            for task in hanging:
                task.cancel()
        if cancelled:
            raise asyncio.CancelledError
