"""Whose turn it is among the calls of one connection, and whether time passes; no server is there.

Also what a process writes to its standard error, line by line.
"""

from __future__ import annotations

import asyncio
import os
from types import SimpleNamespace
from typing import Any

import pytest

from elicit_tui.elicitation import Call, ElicitationRequest, ServerIdentity
from elicit_tui.elicitation.settings import ServerSettings
from elicit_tui.host.ending import close_pipes, end_process
from elicit_tui.host.launch import start_process
from elicit_tui.host.offers import Prompt, PromptArgument, Tool, objects
from elicit_tui.host.open_calls import OpenCalls, wait_within
from elicit_tui.host.server_log import LINE_CHARACTERS, ServerLogReader

pytestmark = pytest.mark.anyio

ONE, TWO, THREE = (Call("tools/call", name) for name in ("one", "two", "three"))


class Turns:
    """Calls under way, with those for which a person is being asked."""

    def __init__(self, *, take_turns: bool) -> None:
        self.asked: set[str] = set()
        self.open = OpenCalls(self.asked.__contains__)
        self.open.take_turns = take_turns
        self.running: dict[str, asyncio.Task[None]] = {}
        self.ends: dict[str, asyncio.Event] = {}

    async def begin(self, *calls: Call) -> None:
        for call in calls:
            self.ends[call.name] = asyncio.Event()
            self.running[call.name] = asyncio.ensure_future(self._run(call))
        await asyncio.wait(self.running.values(), timeout=0.02)

    async def _run(self, call: Call) -> None:
        async with self.open.turn(call):
            await self.ends[call.name].wait()

    @property
    def names(self) -> list[str]:
        return [call.name for call in self.open.calls]

    async def close(self) -> None:
        for task in self.running.values():
            task.cancel()
        await asyncio.wait(self.running.values())


async def test_calls_take_turns_in_their_order_and_pass_them_on_while_a_person_is_asked() -> None:
    turns = Turns(take_turns=True)
    await turns.begin(ONE, TWO, THREE)
    assert turns.names == ["one"]
    assert [turns.open.waits(call.id) for call in (ONE, TWO)] == [False, True]
    assert turns.open.time_stands_still(TWO)
    assert not turns.open.time_stands_still(ONE)
    assert not turns.open.may_be_held_up()
    turns.asked.add(ONE.id)
    await asyncio.wait(turns.running.values(), timeout=0.3)
    assert turns.names == ["one", "two"]
    # It may do one thing at a time, and answer nothing before the person did.
    assert turns.open.may_be_held_up()
    assert turns.open.time_stands_still(TWO)
    turns.ends["one"].set()
    turns.asked.clear()
    await asyncio.wait_for(turns.running["one"], 30)
    assert turns.names == ["two"]
    assert not turns.open.time_stands_still(TWO)
    turns.ends["two"].set()
    await asyncio.wait_for(turns.running["two"], 30)
    await asyncio.wait(turns.running.values(), timeout=0.02)
    assert turns.names == ["three"]
    await turns.close()
    assert turns.names == []


@pytest.mark.parametrize("method", ["resources/read", "prompts/get"])
async def test_what_is_only_read_waits_for_no_tool_and_no_tool_waits_for_it(method: Any) -> None:
    read = Call(method, "read")
    turns = Turns(take_turns=True)
    await turns.begin(ONE, read, TWO)
    assert turns.names == ["one", "read"]
    assert not turns.open.waits(read.id)
    turns.ends["one"].set()
    await asyncio.wait_for(turns.running["one"], 30)
    await asyncio.wait(turns.running.values(), timeout=0.3)
    assert turns.names == ["read", "two"], "a question may belong to each of them"
    await turns.close()


async def test_where_the_stream_tells_whose_question_it_is_all_calls_run_at_once() -> None:
    turns = Turns(take_turns=False)
    await turns.begin(ONE, TWO)
    assert turns.names == ["one", "two"]
    assert not turns.open.waits(THREE.id)
    turns.asked.add(ONE.id)
    assert turns.open.time_stands_still(ONE)
    assert not turns.open.time_stands_still(TWO)
    assert not turns.open.may_be_held_up()
    turns.open.logging_in = True
    assert turns.open.time_stands_still(TWO)
    shared, own = (
        ElicitationRequest(ServerIdentity("jobs", "stdio", "jobs"), {}, calls=calls)
        for calls in ((ONE, TWO), (ONE,))
    )
    assert [turns.open.only_for(each, ONE.id) for each in (shared, own)] == [False, True]
    assert not turns.open.only_for(own, TWO.id)
    turns.ends["two"].set()
    await asyncio.wait_for(turns.running["two"], 30)
    assert turns.open.only_for(shared, ONE.id)
    await turns.close()


async def test_a_wait_ends_with_the_work_or_when_its_own_time_has_passed() -> None:
    async def never() -> None:
        await asyncio.Event().wait()

    done = asyncio.ensure_future(asyncio.sleep(0))
    assert await asyncio.wait_for(wait_within(done, 0.0, lambda: False), 30)
    endless = asyncio.ensure_future(never())
    assert not await asyncio.wait_for(wait_within(endless, 0.02, lambda: False), 30)
    unlimited = asyncio.ensure_future(wait_within(endless, 0.0, lambda: False))
    await asyncio.wait([unlimited], timeout=0.05)
    assert not unlimited.done()
    endless.cancel()
    assert await asyncio.wait_for(unlimited, 30)
    # A person who is asked between two looks stops the time of both.
    looks = iter([False, True] * 3 + [False] * 1000)
    other = asyncio.ensure_future(never())
    assert not await asyncio.wait_for(wait_within(other, 0.02, lambda: next(looks)), 30)
    other.cancel()


async def test_standard_error_is_told_line_by_line_as_safe_text_of_bounded_length() -> None:
    told: list[str] = []
    log = ServerLogReader(told.append)
    read, write = os.pipe()
    long = b"x" * (LINE_CHARACTERS * 40)
    os.set_blocking(write, False)

    async def written() -> None:
        for part in (b"one\x1b\n\n  \n", long[:60_000], b"tail\nnext\r\n", b"last"):
            rest = part
            while rest:
                try:
                    rest = rest[os.write(write, rest) :]
                except BlockingIOError:
                    await asyncio.sleep(0)
            await asyncio.wait([asyncio.ensure_future(asyncio.Event().wait())], timeout=0.02)
        os.close(write)

    process: Any = SimpleNamespace(stderr=os.fdopen(read, "rb"))
    await asyncio.wait_for(asyncio.gather(log.run(process), written()), 20)
    assert (told[0], told[2:]) == ("one␛", ["next", "last"])
    assert told[1].startswith("xxx")
    assert len(told[1]) <= LINE_CHARACTERS
    assert list(log.last) == told


LOUD = "yes | head -c 65536 >&2"


async def test_many_short_lines_of_standard_error_hold_up_nothing_else() -> None:
    turns: list[int] = [0]

    def told(line: str) -> None:
        turns[-1] += 1

    async def others() -> None:
        while True:
            await asyncio.sleep(0)
            turns.append(0)

    process = start_process(ServerSettings("loud", command="sh", args=("-c", LOUD)))
    going_on = asyncio.ensure_future(others())
    await asyncio.wait_for(ServerLogReader(told).run(process), 20)
    going_on.cancel()
    await end_process(process)
    close_pipes(process)
    assert sum(turns) == 65536 // 2
    assert max(turns) <= 2048


def test_what_a_server_offers_is_what_it_says_and_nothing_that_it_does_not() -> None:
    plain = Tool.read({"name": "t", "title": "T", "description": "d"})
    assert plain == Tool("t", "T", "d", None, {}, {"name": "t", "title": "T", "description": "d"})
    arguments = [
        {"name": "a", "title": "A", "description": "d", "required": True},
        {"name": "b", "required": 1},
    ]
    prompt = Prompt.read({"name": "p", "arguments": arguments})
    assert prompt is not None
    assert prompt.arguments == (PromptArgument("a", "d", True, "A"), PromptArgument("b"))
    assert prompt.input_schema == {
        "type": "object",
        "properties": {
            "a": {"type": "string", "title": "A", "description": "d"},
            "b": {"type": "string"},
        },
        "required": ["a"],
    }
    assert objects([{}, 5, {"a": 1}]) == [{}, {"a": 1}]
    assert objects("text") == []
    assert objects(None) == []
    tool = Tool("t", raw={"outputSchema": {"type": "object", "required": ["a"]}})
    for result, wrong in (
        ({"structuredContent": {"a": 1}}, False),
        ({"structuredContent": {}}, True),
        ({}, True),
        ({"isError": True}, False),
        ({"isError": 1}, True),
    ):
        assert (tool.result_problem(result) is not None) is wrong
    assert Tool("t").result_problem({}) is None
