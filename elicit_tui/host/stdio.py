"""The stdio transport over a process that already runs (spec: basic/transports, "stdio").

Messages are read with plain JSON rules and bounded lines; whatever else a server writes there
costs that line only. Bytes that are not UTF-8 are replaced, as one of them must not end a session.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCResponse

from elicit_tui.garbage import much_is_read
from elicit_tui.host.bounds import LONG
from elicit_tui.host.breaches import Breaches
from elicit_tui.host.ending import end_process
from elicit_tui.host.launch import ServerProcess
from elicit_tui.host.messages import ELICITATION, Message, MessageReader
from elicit_tui.host.number_text import json_line

MAX_LINE_BYTES: Final = 32 * 1024 * 1024
"""A longer message ends the connection: it could not be told from a server that floods us."""

CHUNK_BYTES: Final = 256 * 1024
QUESTION: Final = ELICITATION.encode()
FLUSH_SECONDS: Final = 0.5
POLL_SECONDS: Final = 0.2
LAST_LINES: Final = 1_000
"""Lines that come while the connection is closed, of which more is looked at than for questions."""
LAST_TURNS: Final = 8
"""Turns of the event loop in which what a process wrote at its very end is read.

One finds the pipe readable, one reads it, and each of the few stages behind it passes it on in the
next; this is twice that.
"""
LAST_WORDS_SECONDS: Final = 0.5
"""How long a pipe is still read after the process that should write to it has ended."""


class StdioRead:
    """The messages of one server, in order; ends with EndOfStream when the server goes."""

    last_context = None
    """Nothing tells which of our requests a message belongs to."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        stray_line: Callable[[str], None],
        flooded: Callable[[str], None],
        key_repeated: Callable[[str], None] | None = None,
    ) -> None:
        """`key_repeated`: told a key that stands twice in one object; the last one counts."""
        self._reader = reader
        self._stray_line = stray_line
        self._flooded = flooded
        self._key_repeated = key_repeated
        self._messages = MessageReader(finds_doubles=key_repeated is not None)
        self._failures: deque[Message] = deque()
        """Of a batch, for the requests that it answers."""
        self.long_line: Final = asyncio.Lock()
        """Held while a line is read beside the event loop."""
        # Whole lines that nobody has looked at yet, and below them the beginning of the next one.
        self._lines: deque[bytes] = deque()
        self._partial: list[bytes] = []
        self._partial_size = 0

    async def receive(self) -> SessionMessage:
        """The next message. Raises anyio.EndOfStream."""
        while True:
            if self._failures:
                return SessionMessage(self._failures.popleft())
            if self._lines:
                message = await self._next(self._lines[0])
                self._lines.popleft()
                if message is not None:
                    return SessionMessage(message)
            else:
                await self._fill()

    async def _next(self, line: bytes) -> Message | None:
        """What a line says; a burst of them does not keep the screen or other servers."""
        await asyncio.sleep(0)
        message = await self._read(line)
        key, self._messages.repeated_key = self._messages.repeated_key, None
        if key is not None and self._key_repeated is not None:
            self._key_repeated(key)
        if message is None:
            self._tell(line)
        return message

    def _tell(self, line: bytes) -> None:
        """Tell of a line that is no message."""
        if not (text := _text(line)).isspace():
            self._stray_line(text)

    async def _read(self, line: bytes) -> Message | None:
        if len(line) <= LONG:
            return self._message(line)
        async with self.long_line:
            with much_is_read():
                return await asyncio.to_thread(self._message, line)

    def _message(self, line: bytes) -> Message | None:
        # A message is one object; to try what is plainly none costs as much as a message.
        beginning = line.lstrip()[:1]
        if beginning == b"[":
            self._failures.extend(self._messages.failures_of_batch(_text(line)))
        return self._messages.read(_text(line)) if beginning == b"{" else None

    async def drain(self, breaches: Breaches) -> None:
        """Read to the end what nobody acts on any more: a server on a full pipe could not end.

        Every question among it is told, and of all else the first lines.
        """
        looked_at = 0
        with contextlib.suppress(anyio.EndOfStream):
            while True:
                for line in self._lines:
                    looked_at += 1
                    if looked_at <= LAST_LINES or QUESTION in line:
                        await self._judge_late(line, breaches)
                self._lines.clear()
                await self._fill()

    async def _judge_late(self, line: bytes, breaches: Breaches) -> None:
        """Tell of a question, or of an answer too many; what may be a question is one."""
        message = await self._read(line)
        unread_question = message is None and QUESTION in line
        if unread_question or getattr(message, "method", None) == ELICITATION:
            breaches.asked_at_the_end()
        elif isinstance(message, (JSONRPCResponse, JSONRPCError)) and message.id is not None:
            breaches.answered(message.id)
        elif message is None:
            self._tell(line)

    async def _fill(self) -> None:
        try:
            chunk = await self._reader.read(CHUNK_BYTES)
        except (OSError, ValueError):
            # A pipe that broke, or that we closed, has an end as any other.
            chunk = b""
        if not chunk:
            if not self._partial:
                raise anyio.EndOfStream
            # What a server wrote last and did not end: a message, or one that is told as lost.
            self._lines.append(b"".join(self._partial))
            self._partial = []
            return
        # What comes after the last line break is the beginning of a line, or nothing.
        *complete, rest = chunk.split(b"\n")
        if complete:
            complete[0] = b"".join((*self._partial, complete[0]))
            self._partial, self._partial_size = [], 0
            # Blank lines are nothing, and millions of them must cost nothing.
            self._lines.extend(line for line in complete if not line.isspace() and line)
        if rest:
            self._partial.append(rest)
            self._partial_size += len(rest)
            # Counted while it comes. A line is only whole at its end, and this one may have none.
            if self._partial_size > MAX_LINE_BYTES:
                limit = f"{MAX_LINE_BYTES // 1024 // 1024} MiB"
                self._flooded(f"wrote a message of more than {limit}, and was stopped")
                raise anyio.EndOfStream

    async def aclose(self) -> None:
        """Nothing to close here; the process's end closes its pipes."""


def _text(line: bytes) -> str:
    return line.decode("utf-8", errors="replace")


class StdioWrite:
    """One JSON message a line to the server's stdin, in printable ASCII."""

    def __init__(self, transport: asyncio.WriteTransport, flow: Flow) -> None:
        self._transport = transport
        self._flow = flow

    async def send(self, item: SessionMessage) -> None:
        """Write one message, waiting while the pipe is full. Raises anyio.ClosedResourceError."""
        body: Any = item.message.model_dump(by_alias=True, mode="python", exclude_unset=True)
        # Values that the SDK keeps as objects of its own, such as URLs, are text on the wire.
        await self._write(json_line(body, default=str))

    async def _write(self, line: bytes) -> None:
        if self._flow.closed or self._transport.is_closing():
            raise anyio.ClosedResourceError
        self._transport.write(line)
        await self._flow.writable()
        # While it waited for room the reader may have gone.
        if self._flow.closed:
            raise anyio.ClosedResourceError

    async def aclose(self) -> None:
        """Close the server's stdin once everything is written; bounded."""
        if self._flow.closed:
            return
        # What is still buffered is written first. A server that does not read is not waited for.
        self._transport.close()
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._flow.gone.wait(), FLUSH_SECONDS)
        if not self._flow.closed:
            self._transport.abort()


class Flow(asyncio.BaseProtocol):
    """Back pressure and the end of the pipe to the server."""

    def __init__(self) -> None:
        self._free = asyncio.Event()
        self._free.set()
        self.gone = asyncio.Event()

    @property
    def closed(self) -> bool:
        """Whether nobody reads any more."""
        return self.gone.is_set()

    def pause_writing(self) -> None:
        """The pipe is full."""
        self._free.clear()

    def resume_writing(self) -> None:
        """There is room again."""
        self._free.set()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody reads any more."""
        self.gone.set()
        self._free.set()

    async def writable(self) -> None:
        """Return once there is room, or nobody reads."""
        await self._free.wait()


@asynccontextmanager
async def stdio_streams(
    process: ServerProcess,
    breaches: Breaches,
    stray_line: Callable[[str], None],
    flooded: Callable[[str], None],
) -> AsyncIterator[tuple[StdioRead, StdioWrite]]:
    """The two streams of a running process; ends the process, and its group, on the way out."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=CHUNK_BYTES)
    read = StdioRead(reader, stray_line, flooded, breaches.repeats_key)
    watch: asyncio.Task[None] | None = None
    read_transport: asyncio.BaseTransport | None = None
    write: StdioWrite | None = None
    try:
        read_transport, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), process.stdout
        )
        write_transport, flow = await loop.connect_write_pipe(Flow, process.stdin)
        write = StdioWrite(write_transport, flow)
        watch = asyncio.ensure_future(_watch(process, flow, read_transport))
        yield read, write
    finally:
        await _shielded(_close(process, read, breaches, read_transport, write, watch))


async def _close(
    process: ServerProcess,
    read: StdioRead,
    breaches: Breaches,
    read_transport: asyncio.BaseTransport | None,
    write: StdioWrite | None,
    watch: asyncio.Task[None] | None,
) -> None:
    if watch is not None:
        watch.cancel()
    # Read on while its end is waited for: a server that still writes into a full pipe would never
    # come to read that its input was closed.
    draining = asyncio.ensure_future(read.drain(breaches))
    try:
        if write is not None:
            await write.aclose()
        await end_process(process)
        # The process is gone, and what it wrote last is in the pipe. A few turns of the loop bring
        # that to the reader; there is nothing to wait for with a clock.
        for _ in range(LAST_TURNS):
            await asyncio.sleep(0)
            async with read.long_line:
                pass  # What takes longer has an end too.
    finally:
        draining.cancel()
        if read_transport is not None:
            read_transport.close()


async def _watch(process: ServerProcess, flow: Flow, read_transport: asyncio.BaseTransport) -> None:
    """Ends the reading when no answer can come any more.

    The process is gone but a child of it still holds the pipe open, or it closed its own input.
    """
    while process.exit_code() is None and not flow.closed:
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(flow.gone.wait(), POLL_SECONDS)
    await asyncio.sleep(LAST_WORDS_SECONDS)
    read_transport.close()


async def _shielded(work: Any) -> None:
    """Run the end of a process to its end, also when we are cancelled meanwhile."""
    task = asyncio.ensure_future(work)
    cancelled = False
    # Cancelled as often as anybody likes, the end of the process still runs to its end; the
    # cancellation is passed on afterwards.
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            # The work was cancelled, and not who waits for it.
            if task.cancelled():
                break
            cancelled = True
    if cancelled:
        raise asyncio.CancelledError
