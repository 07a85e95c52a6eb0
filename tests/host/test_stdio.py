"""A server's two pipes: what of them is a message, what floods, and how both of them end."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import anyio
import pytest
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest

from elicit_tui.host import messages, stdio
from elicit_tui.host.breaches import Breaches
from elicit_tui.host.stdio import Flow, StdioRead, StdioWrite

pytestmark = pytest.mark.anyio

WAIT = 20


class Pipe:
    """What a server wrote, read as messages."""

    def __init__(self) -> None:
        self.reader = asyncio.StreamReader(limit=stdio.CHUNK_BYTES)
        self.stray: list[str] = []
        self.floods: list[str] = []
        self.twice: list[str] = []
        self.read = StdioRead(self.reader, self.stray.append, self.floods.append, self.twice.append)

    def writes(self, *pieces: bytes) -> None:
        for piece in pieces:
            self.reader.feed_data(piece)

    async def next(self) -> Any:
        return (await asyncio.wait_for(self.read.receive(), WAIT)).message

    async def ends(self) -> None:
        self.reader.feed_eof()
        with pytest.raises(anyio.EndOfStream):
            await self.next()


def note(method: str) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "method": method}).encode()


# Reading


async def test_a_message_may_come_in_pieces_and_many_may_come_at_once() -> None:
    here = Pipe()
    first, second, third = note("one"), note("two"), note("three")
    here.writes(first[:7])
    reading = asyncio.ensure_future(here.next())
    await asyncio.sleep(0)
    assert not reading.done()
    here.writes(first[7:] + b"\n" + second + b"\r\n" + third[:3])
    assert (await reading).method == "one"
    assert (await here.next()).method == "two"
    here.writes(third[3:] + b"\n")
    assert (await here.next()).method == "three"
    assert here.stray == []
    await here.ends()


async def test_what_is_no_message_costs_its_line_alone() -> None:
    here = Pipe()
    here.writes(b"Starting\n\n   \n", b'{"broken\n', b"\xff\xfe\n", note("after") + b"\n")
    assert (await here.next()).method == "after"
    assert here.stray == ["Starting", '{"broken', "\ufffd\ufffd"]


async def test_a_byte_that_is_no_text_is_replaced_within_a_message() -> None:
    here = Pipe()
    here.writes(b'{"jsonrpc": "2.0", "method": "log", "params": {"data": "\xff"}}\n')
    assert (await here.next()).params == {"data": "\ufffd"}


async def test_a_batch_is_told_and_fails_each_request_that_it_answers() -> None:
    here = Pipe()
    answers = [{"jsonrpc": "2.0", "id": each, "result": {}} for each in (1, 2)]
    here.writes(json.dumps(answers).encode() + b"\n" + note("after") + b"\n")
    failures = [await here.next(), await here.next()]
    assert all(isinstance(each, JSONRPCError) for each in failures)
    assert [each.id for each in failures] == [1, 2]
    assert (await here.next()).method == "after"
    assert len(here.stray) == 1


async def test_a_key_that_stands_twice_is_told() -> None:
    here = Pipe()
    here.writes(b'{"jsonrpc": "2.0", "method": "a", "method": "b"}\n')
    await here.next()
    assert here.twice


MANY = [{"k": number} for number in range(100_000)]
LONG = json.dumps({"jsonrpc": "2.0", "method": "long", "params": {"many": MANY}}).encode()
BATCH = json.dumps([{"jsonrpc": "2.0", "id": 7, "result": {"many": MANY}}]).encode()


async def turns_while(reading: asyncio.Future[Any]) -> int:
    """The turns that others have meanwhile: each piece of a line comes in one, of seven."""
    turns = 0
    while not reading.done():
        turns += 1
        await asyncio.sleep(0)
    return turns


async def test_while_a_long_message_is_read_others_have_their_turns() -> None:
    here = Pipe()
    here.writes(LONG + b"\n" + note("after") + b"\n")
    reading = asyncio.ensure_future(here.next())
    assert await turns_while(reading) > 100
    assert (await reading).method == "long"
    assert (await here.next()).method == "after"


async def test_while_a_long_batch_is_read_others_have_their_turns() -> None:
    here = Pipe()
    here.writes(BATCH + b"\n")
    reading = asyncio.ensure_future(here.next())
    assert await turns_while(reading) > 100
    assert (await reading).id == 7


async def test_a_batch_fails_no_more_requests_than_may_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(messages, "MOST_OF_A_BATCH", 1)
    here = Pipe()
    answers = [{"jsonrpc": "2.0", "id": each, "result": {}} for each in (1, 2)]
    here.writes(json.dumps(answers).encode() + b"\n" + note("after") + b"\n")
    assert [(await here.next()).id, (await here.next()).method] == [1, "after"]


async def test_a_question_that_is_being_read_when_its_connection_is_closed_is_told() -> None:
    here, notices = Pipe(), list[str]()
    breaches = Breaches(notices.append)
    here.writes(QUESTION + b"\n")
    reading = asyncio.ensure_future(here.read.receive())
    await asyncio.sleep(0)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    here.reader.feed_eof()
    await here.read.drain(breaches)
    assert len(breaches.found) == len(notices) == 1


@pytest.mark.parametrize("whole", [True, False])
async def test_what_a_server_wrote_last_needs_no_end_of_line(whole: bool) -> None:
    here = Pipe()
    last = note("last")
    here.writes(note("first") + b"\n" + (last if whole else last[:-1]))
    here.reader.feed_eof()
    assert (await here.next()).method == "first"
    if whole:
        assert (await here.next()).method == "last"
    await here.ends()
    assert here.stray == ([] if whole else [last[:-1].decode()])


async def test_a_pipe_that_breaks_is_one_that_ends() -> None:
    here = Pipe()
    here.reader.set_exception(OSError("broken"))
    with pytest.raises(anyio.EndOfStream):
        await here.next()


async def test_a_line_without_end_is_a_flood_and_many_long_ones_are_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stdio, "MAX_LINE_BYTES", 1024 * 1024)
    monkeypatch.setattr(stdio, "CHUNK_BYTES", 300 * 1024)
    here = Pipe()
    padding = b" " * (700 * 1024)
    for method in ("one", "two", "three"):
        here.writes(note(method) + padding + b"\n")
    for method in ("one", "two", "three"):
        assert (await here.next()).method == method
    assert here.floods == []
    here.writes(b"x" * (1024 * 1024))
    reading = asyncio.ensure_future(here.next())
    await asyncio.wait((reading,), timeout=0.05)
    assert not reading.done()
    here.writes(b"x")
    with pytest.raises(anyio.EndOfStream):
        await reading
    assert here.floods == ["wrote a message of more than 1 MiB, and was stopped"]


async def test_a_burst_leaves_the_loop_to_others_between_its_messages() -> None:
    here = Pipe()
    here.writes((note("one") + b"\n") * 3)
    await here.next()
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    others = asyncio.ensure_future(other())
    await here.read.receive()
    await here.read.receive()
    others.cancel()
    assert turns >= 1


# What comes when nobody acts on it any more


async def drained(*lines: bytes) -> tuple[Pipe, Breaches]:
    here, told = Pipe(), list[str]()
    breaches = Breaches(told.append)
    breaches.requested(1)
    breaches.answered(1)
    here.writes(*(line + b"\n" for line in lines))
    here.reader.feed_eof()
    await asyncio.wait_for(here.read.drain(breaches), WAIT)
    return here, breaches


QUESTION = json.dumps({"jsonrpc": "2.0", "id": 5, "method": "elicitation/create"}).encode()


async def test_a_question_at_the_end_is_told_also_one_that_cannot_be_read() -> None:
    for line in (QUESTION, QUESTION[:-1]):
        here, breaches = await drained(line)
        assert len(breaches.found) == 1
        assert here.stray == []
    _, nothing = await drained(note("elicited"), note("progress"))
    assert nothing.found == ()


async def test_a_second_answer_at_the_end_is_told_and_text_is_a_stray_line() -> None:
    second = b'{"jsonrpc": "2.0", "id": 1, "result": {}}'
    of_error = b'{"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "x"}}'
    for line in (second, of_error):
        _, breaches = await drained(line)
        assert breaches.found == ("answered a request twice; only the first answer counted",)
    here, breaches = await drained(b"Bye.", b"\t", b"")
    assert (here.stray, breaches.found) == (["Bye."], ())


async def test_while_a_long_line_at_the_end_is_read_others_have_their_turns() -> None:
    for line in (LONG, BATCH):
        assert await turns_while(asyncio.ensure_future(drained(line))) > 100


async def test_of_many_lines_at_the_end_each_question_is_told_and_of_the_rest_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stdio, "LAST_LINES", 2)
    here, breaches = await drained(b"1", b"2", b"3", QUESTION)
    assert here.stray == ["1", "2"]
    assert len(breaches.found) == 1


# Writing


class Transport:
    """A pipe to a server that takes everything at once."""

    def __init__(self, flow: Flow, *, flushes: bool = True) -> None:
        self.flow = flow
        self.flushes = flushes
        self.written: list[bytes] = []
        self.ends: list[str] = []

    def write(self, line: bytes) -> None:
        self.written.append(line)

    def is_closing(self) -> bool:
        return bool(self.ends)

    def close(self) -> None:
        self.ends.append("close")
        if self.flushes:
            self.flow.connection_lost(None)

    def abort(self) -> None:
        self.ends.append("abort")
        self.flow.connection_lost(None)


def writing(*, flushes: bool = True) -> tuple[StdioWrite, Flow, Transport]:
    flow = Flow()
    transport = Transport(flow, flushes=flushes)
    pipe: Any = transport
    return StdioWrite(pipe, flow), flow, transport


def message(**params: Any) -> SessionMessage:
    return SessionMessage(JSONRPCRequest(jsonrpc="2.0", id=1, method="ping", params=params))


async def test_a_message_is_one_line_of_ascii() -> None:
    write, _, transport = writing()
    await write.send(message(text="é\n\u2028"))
    (line,) = transport.written
    assert line.isascii()
    assert (line.count(b"\n"), line[-1:]) == (1, b"\n")
    assert json.loads(line)["params"] == {"text": "é\n\u2028"}


async def test_what_nobody_set_is_not_written() -> None:
    write, _, transport = writing()
    await write.send(SessionMessage(JSONRPCNotification(jsonrpc="2.0", method="x")))
    assert json.loads(transport.written[0]) == {"jsonrpc": "2.0", "method": "x"}


async def test_who_writes_waits_while_the_pipe_is_full() -> None:
    write, flow, _ = writing()
    flow.pause_writing()
    sending = asyncio.ensure_future(write.send(message()))
    await asyncio.sleep(0)
    assert not sending.done()
    flow.resume_writing()
    await asyncio.wait_for(sending, WAIT)


async def test_who_waits_for_a_full_pipe_learns_that_nobody_reads_any_more() -> None:
    write, flow, transport = writing()
    flow.pause_writing()
    sending = asyncio.ensure_future(write.send(message()))
    await asyncio.sleep(0)
    flow.connection_lost(None)
    with pytest.raises(anyio.ClosedResourceError):
        await asyncio.wait_for(sending, WAIT)
    with pytest.raises(anyio.ClosedResourceError):
        await write.send(message())
    assert len(transport.written) == 1


async def test_what_is_written_has_time_to_leave_and_not_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write, flow, transport = writing()
    await write.aclose()
    await write.aclose()
    assert (transport.ends, flow.closed) == (["close"], True)
    monkeypatch.setattr(stdio, "FLUSH_SECONDS", 0.01)
    write, flow, transport = writing(flushes=False)
    await asyncio.wait_for(write.aclose(), WAIT)
    assert (transport.ends, flow.closed) == (["close", "abort"], True)
    closing, _, other = writing(flushes=False)
    other.ends.append("close")
    with pytest.raises(anyio.ClosedResourceError):
        await closing.send(message())
