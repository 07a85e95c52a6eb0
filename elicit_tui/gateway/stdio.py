"""The gateway on stdio: the agent starts it, and its end is the session's end."""

from __future__ import annotations

import asyncio
import itertools
import os
import stat
import sys
import threading
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, Literal, TypeVar

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import (
    PROTOCOL_VERSION_META_KEY,
    JSONRPCError,
    JSONRPCRequest,
    JSONRPCResponse,
)

from elicit_tui.broker.store_responder import StoreWatch
from elicit_tui.elicitation.eras import Era
from elicit_tui.gateway.agent_session import AgentSession
from elicit_tui.gateway.front import Handover
from elicit_tui.gateway.mcp_server import build_server
from elicit_tui.gateway.opening import SessionOptions, open_session
from elicit_tui.gateway.other_terminal import OtherTerminal
from elicit_tui.host.number_text import json_line
from elicit_tui.host.stdio import FLUSH_SECONDS, Flow, StdioRead, StdioWrite
from elicit_tui.runtime import open_store

if TYPE_CHECKING:
    from elicit_tui.elicitation.settings import Settings

CHUNK_BYTES: Final = 256 * 1024
SETTLE_SECONDS: Final = 1.0
"""How long what an agent asked last is still answered when it begins anew."""
BEGINNINGS: Final = ("initialize", "server/discover")
NOTHING_READ: Final = Handover()

_Self = TypeVar("_Self", bound="_Beginning")


class AgentRead(StdioRead):
    """The agent's messages."""

    ended = False
    """Whether the agent has hung up."""
    _first: SessionMessage | None = None

    async def receive(self) -> SessionMessage:
        """The next message. Raises anyio.EndOfStream."""
        if self._first is not None:
            message, self._first = self._first, None
            return message
        try:
            return await super().receive()
        except anyio.EndOfStream:
            self.ended = True
            raise

    def put_back(self, message: SessionMessage) -> None:
        """Let this be the next message."""
        self._first = message


class AgentWrite(StdioWrite):
    """Our messages to the agent."""

    answered: frozenset[str] = frozenset()
    """As the front's `Handover` has it."""

    async def send(self, item: SessionMessage) -> None:
        """Write one message; a result goes out as it is, without the models' second look."""
        message = item.message
        if isinstance(message, (JSONRPCResponse, JSONRPCError)) and message.id in self.answered:
            if isinstance(message, JSONRPCError):
                # The agent was welcomed to what the SDK refuses; to begin again is its way out.
                await self.aclose()
            return
        if isinstance(message, JSONRPCResponse):
            body = {"jsonrpc": "2.0", "id": message.id, "result": message.result}
            await self._write(json_line(body))
            return
        await super().send(item)


class _Beginning:
    """A stream of one beginning: the agent's pipe stays open for what it begins next."""

    async def aclose(self) -> None:
        """The pipe stays open."""

    async def __aenter__(self: _Self) -> _Self:
        return self

    async def __aexit__(self, *details: object) -> None:
        """As `aclose`."""


class EraRead(_Beginning):
    """What the SDK's server reads of one beginning; ends where the agent begins anew.

    The SDK keeps a connection in the era of its first request. A client that tries both eras on
    one pipe, as some do, is served anew in the one that it began last.
    """

    def __init__(self, read: AgentRead, write: EraWrite) -> None:
        self._read = read
        self._write = write
        self._era: Era | None = None

    def __aiter__(self) -> EraRead:
        return self

    async def __anext__(self) -> SessionMessage:
        while True:
            try:
                item = await self._read.receive()
            except anyio.EndOfStream:
                raise StopAsyncIteration from None
            message = item.message
            if isinstance(message, JSONRPCRequest):
                if self._begins_anew(message):
                    self._read.put_back(item)
                    await self._write.settled()
                    raise StopAsyncIteration
                self._write.asked(message.id)
            # An answer to a question of an earlier beginning goes nowhere.
            is_answer = isinstance(message, (JSONRPCResponse, JSONRPCError))
            if not is_answer or self._write.takes_back(message):
                return item

    def _begins_anew(self, request: JSONRPCRequest) -> bool:
        era = _era(request)
        if self._era is None:
            self._era = era
        return era != self._era and request.method in BEGINNINGS


class EraWrite(_Beginning):
    """What the SDK's server writes to of one beginning.

    Its requests to the client carry the beginning's number: a late answer to a question of an
    earlier one is no answer to a new one.
    """

    def __init__(self, write: AgentWrite, number: int) -> None:
        self._write = write
        # The ids of the first beginning stay as the SDK makes them.
        self._prefix = f"{number}/" if number else ""
        self._asked: set[Any] = set()
        self._unasked = asyncio.Event()

    async def send(self, item: SessionMessage) -> None:
        """Write one message."""
        message = item.message
        if isinstance(message, JSONRPCRequest) and self._prefix:
            renamed = message.model_copy(update={"id": f"{self._prefix}{message.id}"})
            item = SessionMessage(renamed)
        await self._write.send(item)
        if isinstance(message, (JSONRPCResponse, JSONRPCError)):
            self._asked.discard(message.id)
            if not self._asked:
                self._unasked.set()

    def asked(self, identifier: Any) -> None:
        """Note a request of the agent that is to be answered."""
        self._asked.add(identifier)
        self._unasked.clear()

    async def settled(self) -> None:
        """Return once all requests are answered; bounded, since one may wait for a person."""
        if self._asked:
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._unasked.wait(), SETTLE_SECONDS)

    def takes_back(self, message: Any) -> bool:
        """Whether this answers a request of this beginning; it gets the SDK's own id again."""
        if self._prefix:
            # The SDK's own ids are numbers; behind another prefix, or none, there is an id of an
            # earlier one.
            number = str(message.id).removeprefix(self._prefix)
            if number == str(message.id) or not number.isdecimal():
                return False
            message.id = int(number)
        return True


def _era(request: JSONRPCRequest) -> Era:
    """The era of a request, as the SDK tells it."""
    meta = (request.params or {}).get("_meta")
    modern = isinstance(meta, Mapping) and PROTOCOL_VERSION_META_KEY in meta
    return "modern" if modern and request.method != "initialize" else "handshake"


@asynccontextmanager
async def standard_streams(handover: Handover) -> AsyncIterator[tuple[AgentRead, AgentWrite]]:
    """Descriptors 0 and 1 as the two streams of a transport, after what the front did with them.

    While they are in use, whatever else reads or prints gets the null device and stderr: a stray
    print would be no message.
    """
    wire_in, wire_out = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    with _as_pipe(wire_in, "rb") as source, _as_pipe(wire_out, "wb") as target:
        async with file_streams(source, target, handover) as streams:
            yield streams


@contextmanager
def _as_pipe(descriptor: int, mode: Literal["rb", "wb"]) -> Iterator[IO[bytes]]:
    """A descriptor as a pipe: files and the null device cannot be waited for, a thread can."""
    kind = os.fstat(descriptor).st_mode
    if stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind) or os.isatty(descriptor):
        yield os.fdopen(descriptor, mode, 0)
        return
    read_end, write_end = os.pipe()
    ours, source, target = (
        (read_end, descriptor, write_end) if mode == "rb" else (write_end, read_end, descriptor)
    )
    copying = threading.Thread(target=_copy, args=(source, target), daemon=True)
    copying.start()
    try:
        yield os.fdopen(ours, mode, 0)
    finally:
        # By now the transport has closed its end, so that there is an end to copy to.
        copying.join(FLUSH_SECONDS)


def _copy(source: int, target: int) -> None:
    with (
        os.fdopen(source, "rb", 0) as read,
        os.fdopen(target, "wb", 0) as write,
        suppress(OSError),
    ):
        while chunk := read.read(CHUNK_BYTES):
            write.write(chunk)


@asynccontextmanager
async def file_streams(
    source: IO[bytes], target: IO[bytes], handover: Handover = NOTHING_READ
) -> AsyncIterator[tuple[AgentRead, AgentWrite]]:
    """Two pipes as the streams of a transport."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=CHUNK_BYTES)
    # What the front has read comes first, as if it were read now.
    reader.feed_data(handover.unread)
    reading, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), source)
    writing, flow = await loop.connect_write_pipe(Flow, target)

    def report(text: str) -> None:
        print(f"elicit-tui: the agent {text}", file=sys.stderr)

    writing.write(handover.unsent)
    write = AgentWrite(writing, flow)
    write.answered = handover.answered
    try:
        yield AgentRead(reader, lambda text: None, report), write
    finally:
        await write.aclose()
        reading.close()


async def serve(session: AgentSession, read: AgentRead, write: AgentWrite) -> None:
    """Serve one agent until it hangs up, in whichever era it begins, and begins anew."""

    async def session_of(context: object) -> AgentSession:
        return session

    server = build_server(session_of, session.catalogues.instructions(), tasks=session.offers_tasks)
    # Once for each time that the agent begins.
    for number in itertools.count():
        writes = EraWrite(write, number)
        reads: Any = EraRead(read, writes)
        await server.run(reads, writes, server.create_initialization_options())
        if read.ended:
            return


async def serve_standard_streams(
    settings: Settings,
    names: Sequence[str],
    handover: Handover,
    options: SessionOptions,
) -> None:
    """The whole of `elicit-tui gateway` on stdio: one session, until the agent hangs up.

    `handover`: what the front left to the session.
    """
    async with (
        standard_streams(handover) as (read, write),
        open_store(settings, "asker", notify=options.notify) as store,
        open_session(
            settings,
            names,
            OtherTerminal(store, StoreWatch(store), Path.cwd()),
            replace(options, listed=handover.listed),
        ) as session,
    ):
        await serve(session, read, write)
