"""What the servers of a session offer: the last known lists at once, then the live ones."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, Protocol

from elicit_tui.elicitation.settings import ServerSettings
from elicit_tui.errors import ElicitTuiError
from elicit_tui.gateway.catalogue import Catalogue, CatalogueFiles, Entry
from elicit_tui.gateway.clock import Clock
from elicit_tui.gateway.fit_to_pass import nested_too_deep, readable
from elicit_tui.gateway.names import Origin
from elicit_tui.gateway.offers import Offers, joined_instructions, joined_offers
from elicit_tui.host import Connection, Host, HostEvent, ListChanged, ServerStateChanged
from elicit_tui.host.events import ListKind
from elicit_tui.text import quoted

LIST_SECONDS: Final = 5.0
"""How long a list waits for servers that were never seen; agents give up after ten."""


class _Listed(Protocol):
    """One entry of a list, exactly as its server wrote it in `raw`."""

    @property
    def raw(self) -> Mapping[str, Any]: ...


class SessionCatalogues:
    """The catalogues of one session's servers, kept up to date while it lives."""

    def __init__(
        self,
        servers: Mapping[str, ServerSettings],
        host: Host,
        files: CatalogueFiles,
        clock: Clock,
        *,
        prefix: bool,
        changed: Callable[[ListKind], None],
        notify: Callable[[str], None],
    ) -> None:
        """`changed` hears which list is another than before; `notify` tells what is missing."""
        self._servers = servers
        self._host = host
        self._files = files
        self._clock = clock
        self._prefix = prefix
        self._changed = changed
        self._notify = notify
        known = ((name, files.read(server)) for name, server in servers.items())
        self._catalogues = {name: found for name, found in known if found is not None}
        self._settled = {name: asyncio.Event() for name in servers}
        """Set once the live lists are here, or the server will not come."""
        self._reading: dict[str, asyncio.Task[None]] = {}
        self._again: set[str] = set()
        self._watched: set[str] = set()
        self._renamed: set[str] = set()
        self._closed = False
        self._joined: dict[tuple[frozenset[str], bool], Offers] = {}
        host.subscribe(self._heard)

    def instructions(self) -> str | None:
        """The servers' words to a model, as they were last known."""
        return joined_instructions(self._in_order())

    def _in_order(self) -> dict[str, Catalogue]:
        return {name: self._catalogues[name] for name in self._servers if name in self._catalogues}

    async def offers(self, own: Sequence[Entry], *, output_schemas: bool) -> Offers:
        """Everything offered now; waits at most 5 s for servers that were never seen."""
        unseen = [name for name in self._servers if name not in self._catalogues]
        await self._wait(unseen, LIST_SECONDS)
        return self._offers(own, output_schemas)

    def _offers(self, own: Sequence[Entry], output_schemas: bool) -> Offers:
        key = (frozenset(tool["name"] for tool in own), output_schemas)
        if key not in self._joined:
            self._joined[key] = joined_offers(
                self._in_order(),
                self._servers,
                prefix=self._prefix,
                own_tools=own,
                output_schemas=output_schemas,
            )
            self._tell_renamed(self._joined[key])
        return self._joined[key]

    def _tell_renamed(self, offers: Offers) -> None:
        """Say once which names could not stay as they are, where the owner wants no prefix."""
        if self._prefix:
            return
        for public, (server, name) in {**offers.tool_origins, **offers.prompt_origins}.items():
            if public != name and public not in self._renamed:
                self._renamed.add(public)
                self._notify(f"{quoted(name)} of {server} is offered as {public}.")

    async def _wait(self, names: Sequence[str], seconds: float) -> None:
        waits = [asyncio.ensure_future(self._settled[name].wait()) for name in names]
        if not waits:
            return
        timer = asyncio.ensure_future(self._clock.sleep(seconds))
        everyone = asyncio.ensure_future(asyncio.wait(waits))
        try:
            await asyncio.wait((everyone, timer), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in (*waits, everyone, timer):
                each.cancel()

    # Whose is it?

    async def tool_origin(self, name: str, own: Sequence[Entry]) -> Origin | None:
        """The server and its own name of a tool; waits for servers whose lists are not here yet."""
        return await self._looked_up(name, own, lambda offers: offers.tool_origins.get(name))

    async def prompt_origin(self, name: str) -> Origin | None:
        """The server and its own name of a prompt."""
        return await self._looked_up(name, (), lambda offers: offers.prompt_origins.get(name))

    async def server_of(self, uri: str) -> str | None:
        """The server that a resource belongs to."""
        found = await self._looked_up(
            uri, (), lambda offers: (server, uri) if (server := offers.server_of(uri)) else None
        )
        return found[0] if found is not None else None

    async def server_of_template(self, text: str) -> str | None:
        """The server that a resource template, or a URI, belongs to."""
        return dict(self._offers((), False).template_servers).get(text) or await self.server_of(
            text
        )

    async def _looked_up(
        self, name: str, own: Sequence[Entry], look: Callable[[Offers], Origin | None]
    ) -> Origin | None:
        found = look(self._offers(own, output_schemas=False))
        if found is None:
            # Listed by nobody that is known: a server that still starts may have it.
            late = [name for name, settled in self._settled.items() if not settled.is_set()]
            longest = max((self._servers[one].startup_timeout_sec for one in late), default=0.0)
            await self._wait(late, longest + LIST_SECONDS)
            found = look(self._offers(own, output_schemas=False))
        return found

    # Keeping up

    def _heard(self, event: HostEvent) -> None:
        if self._closed or event.server not in self._servers:
            return
        if isinstance(event, ServerStateChanged):
            if event.state == "ready":
                self._read(event.server)
            elif event.state == "failed":
                if event.failure:
                    self._notify(event.failure)
                self._settled[event.server].set()
        elif isinstance(event, ListChanged):
            self._read(event.server)

    def _read(self, name: str) -> None:
        """Read a server's lists again; once more when they change meanwhile."""
        if name in self._reading:
            self._again.add(name)
            return
        task = asyncio.ensure_future(self._reread(name))
        self._reading[name] = task

    async def _reread(self, name: str) -> None:
        try:
            while True:
                self._again.discard(name)
                connection = self._host.connections[name]
                await self._watch(connection)
                catalogue = await read_catalogue(connection, self._notify)
                if connection.state == "ready":
                    self._put(name, catalogue)
                self._settled[name].set()
                if name not in self._again:
                    return
        finally:
            self._reading.pop(name, None)

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
        before = self._catalogues.get(name)
        if before == catalogue:
            return
        self._catalogues[name] = catalogue
        self._joined.clear()
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
        tasks = tuple(self._reading.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def read_catalogue(connection: Connection, notify: Callable[[str], None]) -> Catalogue:
    """Everything that a connected server offers; a list that cannot be read is told, and empty."""

    async def entries(kind: str, read: Callable[[], Awaitable[Sequence[_Listed]]]) -> list[Entry]:
        try:
            listed = [dict(entry.raw) for entry in await read()]
        except ElicitTuiError as error:
            notify(f"The {kind} of {connection.name} could not be listed: {error}")
            return []
        fit = [readable(entry) for entry in listed if not nested_too_deep(entry)]
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
