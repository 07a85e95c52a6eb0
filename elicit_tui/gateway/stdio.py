"""The gateway on stdio: the agent starts it, and its end is the session's end."""

from __future__ import annotations

import asyncio
import os
import stat
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCResponse

from elicit_tui.broker.store_responder import StoreWatch
from elicit_tui.gateway.mcp_server import build_server
from elicit_tui.gateway.opening import open_session
from elicit_tui.gateway.other_terminal import OtherTerminalByStore
from elicit_tui.gateway.session import Session
from elicit_tui.host.number_text import json_line
from elicit_tui.host.stdio import FLUSH_SECONDS, Flow, StdioRead, StdioWrite
from elicit_tui.runtime import open_store

if TYPE_CHECKING:
    from elicit_tui.elicitation.settings import Settings
    from elicit_tui.host import Launched

CHUNK_BYTES = 256 * 1024


class AgentRead(StdioRead):
    """The agent's messages, as the SDK iterates over them."""

    def __aiter__(self) -> AgentRead:
        return self

    async def __anext__(self) -> SessionMessage:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> AgentRead:
        return self

    async def __aexit__(self, *details: object) -> None:
        await self.aclose()


class AgentWrite(StdioWrite):
    """Our messages to the agent."""

    async def send(self, item: SessionMessage) -> None:
        """Write one message; a result goes out as it is, without the models' second look."""
        message = item.message
        if isinstance(message, JSONRPCResponse):
            body = {"jsonrpc": "2.0", "id": message.id, "result": message.result}
            await self._write(json_line(body))
            return
        await super().send(item)

    async def __aenter__(self) -> AgentWrite:
        return self

    async def __aexit__(self, *details: object) -> None:
        await self.aclose()


@asynccontextmanager
async def standard_streams() -> AsyncIterator[tuple[AgentRead, AgentWrite]]:
    """Descriptors 0 and 1 as the two streams of a transport.

    While they are in use, whatever else reads or prints gets the null device and stderr: a stray
    print would be no message.
    """
    wire_in, wire_out = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    with _as_pipe(wire_in, "rb") as source, _as_pipe(wire_out, "wb") as target:
        async with file_streams(source, target) as streams:
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
    source: IO[bytes], target: IO[bytes]
) -> AsyncIterator[tuple[AgentRead, AgentWrite]]:
    """Two pipes as the streams of a transport."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=CHUNK_BYTES)
    reading, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), source)
    writing, flow = await loop.connect_write_pipe(Flow, target)

    def said(text: str) -> None:
        print(f"elicit-tui: the agent {text}", file=sys.stderr)

    write = AgentWrite(writing, flow)
    try:
        yield AgentRead(reader, lambda text: None, said), write
    finally:
        await write.aclose()
        reading.close()


async def serve(session: Session, read: AgentRead, write: AgentWrite) -> None:
    """Serve one agent until it hangs up."""

    async def session_of(context: object) -> Session:
        return session

    server = build_server(session_of, session.catalogues.instructions())
    await server.run(read, write, server.create_initialization_options())


async def serve_standard_streams(
    settings: Settings,
    names: Sequence[str],
    *,
    launched: Launched,
    log_file: Path | None,
    notify: Callable[[str], None],
) -> None:
    """The whole of `elicit-tui gateway` on stdio: one session, until the agent hangs up."""
    async with (
        standard_streams() as (read, write),
        open_store(settings, "asker") as store,
        open_session(
            settings,
            names,
            OtherTerminalByStore(store, StoreWatch(store), Path.cwd()),
            notify=notify,
            launched=launched,
            log_file=log_file,
        ) as session,
    ):
        await serve(session, read, write)
