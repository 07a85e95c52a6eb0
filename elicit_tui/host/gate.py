"""Has the broker asked before a tool of one connection is called, with its live definition."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Protocol

from elicit_tui.elicitation import Call, Outcome, ServerIdentity
from elicit_tui.errors import (
    INVALID_ANSWER,
    Interrupted,
    ProtocolCallError,
    ServerError,
    ToolRefused,
)
from elicit_tui.text import as_name, neutral_line

if TYPE_CHECKING:
    from elicit_tui.broker import Broker
    from elicit_tui.host.offers import Tool

LIVE_SECONDS: Final = 2.0
"""How long a list counts as live where a server does not tell of changes."""

MOST_DEFINITIONS: Final = 5
"""Of one tool, for one call: each is asked of the person anew."""


class GatedConnection(Protocol):
    """What the gate needs of the connection that it stands in front of."""

    id: str
    identity: ServerIdentity

    @property
    def name(self) -> str:
        """The configured name."""

    @property
    def process_id(self) -> int | None:
        """The process of a stdio server; None for a remote one."""

    @property
    def tells_of_changed_tools(self) -> bool:
        """Whether the server tells when its list of tools is another one."""

    async def settled(self) -> None:
        """Wait until it is ready. Raises ServerError when it failed."""

    async def tools(self) -> Sequence[Tool]:
        """Ask the server for its tools. Raises ServerError, ProtocolCallError."""


class ToolGate:
    """Knows the tools as this connection listed them last, and lets a call pass or not."""

    def __init__(self, connection: GatedConnection, broker: Broker) -> None:
        self._connection = connection
        self._broker = broker
        self._tools: dict[str, Tool] | None = None
        self._listed_at = 0.0
        # Calls whose approval is being asked, and those of them that were taken back meanwhile.
        self._waiting: set[str] = set()
        self._given_up: set[str] = set()
        self._list_reads: dict[str, asyncio.Task[Sequence[Tool]]] = {}

    def holds(self, call_id: str) -> bool:
        """Whether a call has not gone out yet, as it is judged here first."""
        return call_id in self._waiting

    def awaits_list(self, call_id: str) -> bool:
        """Whether a call waits for the server to say what its tools are."""
        return call_id in self._list_reads

    def listed(self, tools: Iterable[Tool]) -> None:
        """Remember what the server says of its tools."""
        self._tools = {tool.name: tool for tool in tools}
        self._listed_at = time.monotonic()

    def changed(self) -> None:
        """The server says that its tools are others now."""
        self._tools = None

    def give_up(self, call_id: str, outcome: Outcome) -> bool:
        """Take back a call that waits here: its approval ends so. Whether it does wait here."""
        if call_id not in self._waiting:
            return False
        self._given_up.add(call_id)
        if (list_read := self._list_reads.get(call_id)) is not None:
            list_read.cancel()  # A server that stands still would be waited for in vain.
        self._broker.end_where(lambda request: request.may_belong_to(call_id), outcome)
        return True

    async def passed(self, call: Call) -> Call:
        """The call, with what its tool says are secrets, once the tool may be called.

        Raises ToolRefused, Interrupted when it was given up, and ServerError when the server went
        away meanwhile, or says something else of the tool each time it is asked for it. A
        definition that changed while a person looked at it is asked anew.
        """
        self._waiting.add(call.id)
        try:
            earlier, definition = None, await self._definition(call)
            for _ in range(MOST_DEFINITIONS):
                asked = await self._approved(call, definition, earlier)
                current = await self._definition(call)
                if _raw(current) == _raw(definition):
                    return self._with_secrets(call)
                # Of what nobody was asked about, nobody was shown anything that could change.
                earlier, definition = (_raw(definition) or {}) if asked else None, current
            raise ServerError(
                f"The server {self._connection.name} keeps changing what it says of the tool "
                f"{as_name(call.name, 80)}; the tool was not called.",
                code=INVALID_ANSWER,
            )
        finally:
            self._waiting.discard(call.id)
            self._given_up.discard(call.id)

    def _with_secrets(self, call: Call) -> Call:
        """The call with what its tool's schema calls a secret, as far as the tool is known."""
        tool = (self._tools or {}).get(call.name)
        return replace(call, secrets=tool.secrets) if tool is not None and tool.secrets else call

    async def _approved(
        self, call: Call, definition: Tool | None, earlier: dict[str, object] | None
    ) -> bool:
        """Return once this definition may be called; whether anybody was asked about it."""
        outcome = None
        # Taken back while its definition was read: nobody is asked.
        if call.id not in self._given_up:
            outcome = await self._broker.approve(
                self._connection.identity, call, _raw(definition), self._process, earlier
            )
        if call.id in self._given_up:
            raise Interrupted("The call was cancelled.")
        if outcome is None or outcome.action == "accept":
            return outcome is not None
        if outcome.decided_by == "server":
            # Raises the reason for which the server went away.
            await self._connection.settled()
        raise ToolRefused(neutral_line(call.name, 80), outcome)

    async def _definition(self, call: Call) -> Tool | None:
        """The tool as its server lists it; None when it does not, or nobody needs to know."""
        name = call.name
        if not self._broker.needs_definition(self._connection.name, name):
            return None
        if self._tools is None or name not in self._tools or not self._is_live():
            try:
                await self._read_list(call)
            except ProtocolCallError:
                return None
            except ServerError as error:
                if error.code != INVALID_ANSWER:
                    raise
                return None  # What it sent is no list.
        return (self._tools or {}).get(name)

    async def _read_list(self, call: Call) -> None:
        """Ask the server for its tools. Raises Interrupted when the call was given up meanwhile."""
        list_read = asyncio.ensure_future(self._connection.tools())
        self._list_reads[call.id] = list_read
        try:
            await list_read
        except asyncio.CancelledError:
            if call.id in self._given_up:
                raise Interrupted("The call was cancelled.") from None
            raise
        finally:
            del self._list_reads[call.id]

    def _is_live(self) -> bool:
        """Whether the server would have told of a change, or has had no time for one."""
        is_told = self._connection.tells_of_changed_tools
        return is_told or time.monotonic() - self._listed_at < LIVE_SECONDS

    @property
    def _process(self) -> str:
        """What an allowance is bound to: this process, or this connection of a remote server."""
        process_id = self._connection.process_id
        return f"connection {self._connection.id}" if process_id is None else f"pid {process_id}"


def _raw(tool: Tool | None) -> dict[str, object] | None:
    return None if tool is None else dict(tool.raw)
