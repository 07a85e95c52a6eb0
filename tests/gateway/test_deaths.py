"""kill -9 of a real gateway, a real inbox and a real server, at each state of a question.

Whoever dies: nothing is left waiting, no tool runs twice, and what the person reads, what the
agent gets, what the server heard and what the ledger holds agree.

    DEATHS=60 python -m pytest tests/gateway/test_deaths.py      kills sixty
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from elicit_tui import paths
from elicit_tui.elicitation.settings import Settings
from elicit_tui.errors import StoreError
from elicit_tui.ledger import Ledger
from elicit_tui.ledger.rows import Row
from elicit_tui.runtime import open_store
from elicit_tui.store.sqlite import SqliteStore
from elicit_tui.store.store import Waiting
from tests.gateway.processes import started_by_another
from tests.gateway.world import text_of
from tests.host.world import SERVERS

if sys.platform == "win32":
    pytest.skip("pseudo-terminals", allow_module_level=True)

from tests.cli.terminal import ReadTerminal
from tests.keys import ENTER, ESCAPE, SEND

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(600)]

PATIENCE = 60.0
DEATHS = int(os.environ.get("DEATHS", "15"))
"""Twelve of forms, then of confirmations of a tool, then again."""
STATES = ("open", "claimed", "answered", "settled")
CONFIG = '[gateway]\nask_via = "console"\nhold_sec = 100\n'


async def until(true: Callable[[], Awaitable[Any] | Any], what: str = "") -> Any:
    """What it says, once that is true."""
    end = asyncio.get_running_loop().time() + PATIENCE
    while True:
        found = true()
        found = await found if isinstance(found, Awaitable) else found
        if found:
            return found
        assert asyncio.get_running_loop().time() < end, what
        await asyncio.sleep(0.02)


class World:
    """One agent, one gateway with one server, one inbox; each can be killed and started anew."""

    def __init__(self, home: Path, store: SqliteStore) -> None:
        self.home = home
        self.store = store
        self.file = home / "runs"
        self.held = home / "runs.held"
        self._agent = AsyncExitStack()
        self._person = AsyncExitStack()
        self.client: Client
        self.inbox: ReadTerminal

    async def start_gateway(self) -> None:
        server = f"counting={sys.executable} {SERVERS / 'counting.py'} {self.file}"
        started = started_by_another(self.home, "--with", server, "gateway", "counting")
        self.client = await self._agent.enter_async_context(
            Client(started, mode="legacy", cache=None)
        )

    def start_inbox(self) -> None:
        self.inbox = self._person.enter_context(ReadTerminal(["inbox"]))

    async def close(self) -> None:
        await self._person.aclose()
        await self._agent.aclose()

    # Who is killed

    async def kill(self, victim: str) -> None:
        if victim == "gateway":
            os.kill(await self.gateway(), signal.SIGKILL)
        elif victim == "inbox":
            self.inbox.process.kill()
            self.inbox.process.wait()
        else:
            servers = [words[1] for words in self.steps() if words[0] == "server"]
            os.kill(int(servers[-1]), signal.SIGKILL)

    async def starts_anew(self, victim: str) -> None:
        """Put another in the place of who was killed; a server is started by its gateway."""
        if victim == "gateway":
            await self._agent.aclose()
            self._agent = AsyncExitStack()
            await self.start_gateway()
        elif victim == "inbox":
            await self._person.aclose()
            self.start_inbox()

    async def gateway(self) -> int:
        (process,) = await self.store.asking_processes()
        return process.number

    async def stop_gateway(self) -> None:
        """It neither reads nor writes, and holds nobody up, until it goes on or is killed."""
        process = await self.gateway()
        while True:
            os.kill(process, signal.SIGSTOP)
            try:
                await self.store.heartbeat()
            except StoreError:  # It was stopped while it wrote.
                os.kill(process, signal.SIGCONT)
            else:
                return

    # What is seen

    def steps(self) -> list[list[str]]:
        """What the server wrote down."""
        return [line.split(" ") for line in self.file.read_text().splitlines()]

    def heard(self, tag: str) -> list[list[str]]:
        return [words[2:] for words in self.steps() if words[:2] == ["got", tag]]

    def runs(self, tag: str) -> int:
        return self.steps().count(["ran", tag])

    async def question(self) -> str:
        (waiting,) = await until(self.store.waiting, "no question")
        identifier: str = waiting.id
        return identifier

    async def stands(self, question: str, state: str) -> Waiting:
        async def stands() -> Waiting | None:
            waiting = await self.store.get(question)
            return waiting if waiting is not None and waiting.state == state else None

        found: Waiting = await until(stands, f"not {state}")
        return found

    async def has_text(self, question: str) -> bool:
        """Whether what was typed is there for others."""
        waiting = await self.store.get(question)
        return bool(waiting and waiting.question and waiting.question.draft.typed)

    async def opens(self, tag: str) -> None:
        """Choose the question in the list, as soon as it stands there."""

        def opened() -> bool:
            return tag in self.inbox.news and "Cancel" in self.inbox.news

        await self.pressed(ENTER, opened, "not opened")

    async def typed(self, question: str, keys: str, states: tuple[str, ...]) -> None:
        async def taken() -> bool:
            waiting = await self.store.get(question)
            return waiting is None or waiting.state in states

        await self.pressed(keys, taken, f"not {states}")

    async def pressed(
        self, keys: str, true: Callable[[], Awaitable[bool] | bool], what: str
    ) -> None:
        """Press these keys until they were taken: a question is deaf for a moment."""
        pressed = 0.0

        async def taken() -> bool:
            nonlocal pressed
            found = true()
            if await found if isinstance(found, Awaitable) else found:
                return True
            now = asyncio.get_running_loop().time()
            if now > pressed + 0.5:
                pressed = now
                self.inbox.type(keys)
            return False

        await until(taken, what)

    def row(self, question: str) -> Row:
        ledger = Ledger.open(paths.ledger_file())
        try:
            assert ledger.verify().ok
            return ledger.row(question)
        finally:
            ledger.close()


@pytest.fixture
async def world(sealed_machine: Path) -> AsyncIterator[World]:
    folder = sealed_machine / ".config" / "elicit-tui"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(CONFIG)
    async with open_store(Settings(), "answerer") as store:
        world = World(sealed_machine, store)
        world.start_inbox()
        await world.start_gateway()
        try:
            yield world
        finally:
            await world.close()


async def reached(world: World, question: str, tag: str, state: str) -> None:
    """Bring one question to one state, and keep it there."""
    await world.opens(tag)
    if state == "open":
        return
    await world.pressed("v", lambda: world.has_text(question), "what was typed is not kept")
    await world.stands(question, "claimed")
    if state == "claimed":
        return
    if state == "answered":
        await world.stop_gateway()
    await world.typed(question, SEND, ("answered", "settled"))
    await world.stands(question, state)
    if state == "settled":
        await until(lambda: world.heard(tag), "the answer did not arrive")


async def one_death(world: World, victim: str, state: str, tag: str) -> None:
    world.held.touch()
    world.inbox.look_from_here()
    call = asyncio.ensure_future(
        asyncio.wait_for(world.client.call_tool("counting__run", {"tag": tag}), PATIENCE)
    )
    question = await world.question()
    await reached(world, question, tag, state)
    stopped = await world.gateway() if state == "answered" else None
    await world.kill(victim)
    if stopped is not None and victim != "gateway":
        os.kill(stopped, signal.SIGCONT)
    world.held.unlink()
    await TOLD[victim](world, question, tag, state, call)
    await asyncio.gather(call, return_exceptions=True)
    await world.stands(question, "settled")
    assert await world.store.waiting() == ()
    assert world.runs(tag) == 1
    heard, row = world.heard(tag), world.row(question)
    assert len(heard) <= 1
    if heard:  # No answer reaches a server that was not decided and recorded before.
        assert (row.action, row.decided_by) == ("accept", "user")
        assert heard[0][0] == "accept"
    await world.starts_anew(victim)


async def gateway_died(world: World, question: str, tag: str, state: str, call: Any) -> None:
    """Its questions leave every screen, with what is known of an answer that was on its way."""
    if state != "settled":
        told = "is not known whether" if state == "answered" else "session that asked has ended"
        await until(lambda: told in world.inbox.news, f"the inbox does not say: {told}")
    if state in ("claimed", "answered"):
        await what_was_typed_stays(world)
    with pytest.raises(Exception, match=r".*"):
        await call
    decided = ("accept", "user") if state == "settled" else ("cancel", "store")
    row = await until(lambda: _decided(world.row(question)), "no end in the ledger")
    assert (row.action, row.decided_by) == decided


def _decided(row: Row) -> Row | None:
    return row if row.decided_by is not None else None


async def inbox_died(world: World, question: str, tag: str, state: str, call: Any) -> None:
    """Its lease ends and the question is open again, with what was typed; an answer stands."""
    if state in ("open", "claimed"):
        waiting = await world.stands(question, "open")
        assert waiting.question is not None
        assert waiting.question.draft.typed == (state == "claimed")
        await world.starts_anew("inbox")
        await world.opens(tag)
        await world.pressed("v", lambda: world.has_text(question), "what was typed is not kept")
        await world.typed(question, SEND, ("answered", "settled"))
    assert "'value': 'v" in text_of(await call)
    assert world.heard(tag)


async def server_died(world: World, question: str, tag: str, state: str, call: Any) -> None:
    """Its question leaves every screen and its call ends; the next call starts it anew."""
    result = await call
    assert result.is_error
    await world.stands(question, "settled")
    row = await until(lambda: _decided(world.row(question)), "no end in the ledger")
    if state == "settled":
        assert (row.action, row.decided_by) == ("accept", "user")
    elif state == "answered":  # The answer was taken, or the end of the server was seen first.
        assert (row.action, row.decided_by) in (("accept", "user"), (None, "server"))
    else:
        assert (row.action, row.decided_by) == (None, "server")
        gone = "The server took it back"
        await until(lambda: gone in world.inbox.news, "the inbox does not say so")
    if state == "claimed" or (row.decided_by == "server" and state == "answered"):
        await what_was_typed_stays(world)


async def what_was_typed_stays(world: World) -> None:
    await until(lambda: "Not sent" in world.inbox.news, "what was typed is gone")
    world.inbox.look_from_here()
    await world.pressed(ESCAPE, lambda: "Nothing waits" in world.inbox.news, "it stays")


TOLD = {"gateway": gateway_died, "inbox": inbox_died, "server": server_died}


async def one_death_at_a_confirmation(world: World, victim: str, state: str, tag: str) -> None:
    """A tool is called once where it was confirmed, and not at all where nobody knows that."""
    world.held.touch()
    world.inbox.look_from_here()
    call = asyncio.ensure_future(
        asyncio.wait_for(world.client.call_tool("counting__erase", {"tag": tag}), PATIENCE)
    )
    question = await world.question()
    await world.opens(tag)
    stopped = None
    if state == "answered":
        await world.stop_gateway()
        stopped = await world.gateway()
    if state != "open":
        await world.typed(question, "y", ("answered", "settled"))
        await world.stands(question, state)
    if state == "settled":
        await until(lambda: world.runs(tag), "the tool was not called")
    await world.kill(victim)
    if stopped is not None and victim != "gateway":
        os.kill(stopped, signal.SIGCONT)
    world.held.unlink()
    if victim == "inbox" and state == "open":
        await world.stands(question, "open")
        await world.starts_anew("inbox")
        await world.opens(tag)
        await world.typed(question, "y", ("answered", "settled"))
    (ended,) = await asyncio.gather(call, return_exceptions=True)
    called = victim == "inbox" or state == "settled"
    assert world.runs(tag) == called
    assert (victim == "inbox") == ("erased" in str(ended)), ended
    row = await until(lambda: _decided(world.row(question)), "no end in the ledger")
    assert row.action == "accept" or not called
    await world.stands(question, "settled")
    assert await world.store.waiting() == ()
    await world.starts_anew(victim)


async def test_whoever_dies_at_whatever_state_nothing_is_left_and_no_tool_runs_twice(
    world: World,
) -> None:
    forms = [(one_death, victim, state) for victim in TOLD for state in STATES]
    confirmations = [
        (one_death_at_a_confirmation, victim, state)
        for state in ("answered", "settled", "open")
        for victim in TOLD
    ]
    deaths = cycle([*forms, *confirmations])
    for number, (dies, victim, state) in zip(range(DEATHS), deaths, strict=False):
        await dies(world, victim, state, f"{victim}-{state}-{number}")
