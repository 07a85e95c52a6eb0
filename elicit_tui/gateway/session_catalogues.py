"""What the servers of a session offer: the last known lists at once, then the live ones."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final, Literal

from elicit_tui.errors import ElicitTuiError
from elicit_tui.gateway.catalogue import Catalogue, CatalogueFiles, Entry
from elicit_tui.gateway.clock import Clock
from elicit_tui.gateway.fit_to_pass import MOST_NESTED, readable
from elicit_tui.gateway.names import Origin
from elicit_tui.gateway.offers import Offers, SessionOffers
from elicit_tui.host.connection import Connection
from elicit_tui.host.events import (
    HostEvent,
    ListChanged,
    ListKind,
    LoginAwaited,
    ServerStateChanged,
)
from elicit_tui.host.host import Host
from elicit_tui.host.offers import Prompt, Resource, ResourceTemplate, Tool
from elicit_tui.text.hostile_json import too_deep

LIST_SECONDS: Final = 5.0
"""How long a list waits for servers that were never seen; agents give up after ten."""


class SessionCatalogues:
    """The catalogues of one session's servers, kept up to date while it lives."""

    def __init__(
        self,
        offered: SessionOffers,
        host: Host,
        files: CatalogueFiles,
        clock: Clock,
        *,
        changed: Callable[[ListKind], None],
        notify: Callable[[str], None],
    ) -> None:
        """Begin with what is `offered` already.

        `changed` hears which list is another than before; `notify` tells what is missing.
        """
        self._offered = offered
        self._servers = offered.servers
        self._host = host
        self._files = files
        self._clock = clock
        self._changed = changed
        self._notify = notify
        self._settled = {name: asyncio.Event() for name in self._servers}
        """Set once the live lists are here, or the server will not come."""
        self._callable = {name: asyncio.Event() for name in self._servers}
        """Set once a call may begin: as above, or when the server waits for a person's login."""
        self._live: set[str] = set()
        """The servers whose own lists are here."""
        self._list_reads: dict[str, asyncio.Task[None]] = {}
        # Servers whose lists changed while they were being read.
        self._outdated: set[str] = set()
        self._watched: set[str] = set()
        self._closed = False
        host.subscribe(self._on_host_event)

    def instructions(self) -> str | None:
        """The servers' words to a model, as they were last known."""
        return self._offered.instructions()

    async def offers(self, own: Sequence[Entry], *, output_schemas: bool) -> Offers:
        """Everything offered now; waits at most 5 s for servers that were never seen."""
        await self._wait(self._settled, self._offered.unseen, LIST_SECONDS)
        return self._offered.offers(own, output_schemas=output_schemas)

    async def _wait_callable(self, names: Sequence[str]) -> None:
        """Wait until calls of these may begin, for as long as they may take to start."""
        await self._wait(self._callable, names)

    async def _wait(
        self,
        events: Mapping[str, asyncio.Event],
        names: Sequence[str],
        seconds: float | None = None,
    ) -> None:
        """Wait for the events of these, by default for as long as they may take to start."""
        late = [name for name in names if not events[name].is_set()]
        if not late:
            return
        if seconds is None:
            starting = max(self._servers[name].startup_timeout_sec for name in late)
            seconds = starting + LIST_SECONDS
        everyone = asyncio.gather(*(events[name].wait() for name in late))
        alarm = self._clock.alarm(self._clock.time() + seconds, everyone.cancel)
        try:
            await asyncio.wait((everyone,))
        finally:
            alarm.cancel()
            everyone.cancel()

    # Whose is it?

    async def tool_origin(self, name: str, own: Sequence[Entry]) -> Origin | None:
        """The server and its own name of a tool, by the server's live list; waits for that.

        None where nobody has it, or its server has it no more. A server that does not come says so
        when it is called.
        """
        return await self._origin(name, own, self._offered.tool, "tool_origins")

    async def prompt_origin(self, name: str) -> Origin | None:
        """The server and its own name of a prompt, in the same way."""
        return await self._origin(name, (), self._offered.prompt, "prompt_origins")

    async def _origin(
        self,
        name: str,
        own: Sequence[Entry],
        known: Callable[[str], Origin | None],
        origins: Literal["tool_origins", "prompt_origins"],
    ) -> Origin | None:
        origin = known(name)
        # Listed by nobody that is known: any server that still starts may have it.
        await self._wait_callable(list(self._servers) if origin is None else [origin[0]])
        offers = self._offered.offers(own, output_schemas=False)
        current: Origin | None = getattr(offers, origins).get(name)
        # Its own list is not here: it may have the tool, and says itself where it has not.
        if current is None and origin is not None and origin[0] not in self._live:
            return origin
        return current

    async def server_of(self, uri: str) -> str | None:
        """The server that a resource belongs to."""
        found = self._now().server_of(uri)
        if found is None:
            await self._wait_callable(list(self._servers))
            found = self._now().server_of(uri)
        return found

    async def server_of_template(self, text: str) -> str | None:
        """The server that a resource template, or a URI, belongs to."""
        return dict(self._now().template_servers).get(text) or await self.server_of(text)

    def _now(self) -> Offers:
        return self._offered.offers((), output_schemas=False)

    # Keeping up

    def _on_host_event(self, event: HostEvent) -> None:
        if self._closed or event.server not in self._servers:
            return
        if isinstance(event, ServerStateChanged):
            if event.state == "ready":
                self._read(event.server)
            elif event.state == "failed":
                if event.failure:
                    self._notify(event.failure)
                self._settle(event.server)
        elif isinstance(event, LoginAwaited):
            # Its calls are held for that person, like any other; they need no list for it.
            self._callable[event.server].set()
        elif isinstance(event, ListChanged):
            self._read(event.server)

    def _settle(self, name: str) -> None:
        self._settled[name].set()
        self._callable[name].set()

    def _read(self, name: str) -> None:
        """Read a server's lists again; once more when they change meanwhile."""
        if name in self._list_reads:
            self._outdated.add(name)
            return
        task = asyncio.ensure_future(self._reread(name))
        self._list_reads[name] = task

    async def _reread(self, name: str) -> None:
        try:
            while True:
                self._outdated.discard(name)
                connection = self._host.connections[name]
                await self._watch(connection)
                catalogue = await read_catalogue(connection, self._notify)
                # Of one that ended meanwhile the lists are empty, and say nothing.
                if connection.state == "ready":
                    self._put(name, catalogue)
                self._settle(name)
                if name not in self._outdated:
                    return
        finally:
            self._list_reads.pop(name, None)

    async def _watch(self, connection: Connection) -> None:
        """A server of the modern era tells of changes only where it was asked to."""
        if connection.id in self._watched:
            return
        self._watched.add(connection.id)
        try:
            await connection.watch_lists()
        except ElicitTuiError as error:
            self._notify(f"{connection.name} does not tell when its lists change: {error}")

    def _put(self, name: str, catalogue: Catalogue) -> None:
        before = self._offered.catalogues.get(name)
        self._live.add(name)
        if before == catalogue:
            return
        self._offered.put(name, catalogue)
        self._files.write(self._servers[name], catalogue)
        nothing = before or Catalogue()
        if catalogue.tools != nothing.tools:
            self._changed("tools")
        if catalogue.prompts != nothing.prompts:
            self._changed("prompts")
        if (catalogue.resources, catalogue.templates) != (nothing.resources, nothing.templates):
            self._changed("resources")

    async def close(self) -> None:
        """Stop reading; a server that is ready only now is not asked any more."""
        self._closed = True
        tasks = tuple(self._list_reads.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def read_catalogue(connection: Connection, notify: Callable[[str], None]) -> Catalogue:
    """Everything that a connected server offers; a list that cannot be read is told, and empty."""

    async def entries(
        kind: str,
        read: Callable[[], Awaitable[Sequence[Tool | Prompt | Resource | ResourceTemplate]]],
    ) -> list[Entry]:
        try:
            listed = [dict(entry.raw) for entry in await read()]
        except ElicitTuiError as error:
            notify(f"The {kind} of {connection.name} could not be listed: {error}")
            return []
        fit = [readable(entry) for entry in listed if not too_deep(entry, MOST_NESTED)]
        if len(fit) < len(listed):
            left_out = len(listed) - len(fit)
            notify(f"{left_out} of the {kind} of {connection.name} are nested too deep: left out.")
        return fit

    return Catalogue(
        tools=await entries("tools", connection.tools),
        prompts=await entries("prompts", connection.prompts),
        resources=await entries("resources", connection.resources),
        templates=await entries("resource templates", connection.templates),
        instructions=connection.instructions,
    )
