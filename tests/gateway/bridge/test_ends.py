"""However a bridge ends, the agent is as without it: nothing on standard output, exit code 0."""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.broker.inbox_events import HANDED, SESSION_ENDED, UNKNOWN
from elicit_tui.elicitation import (
    Call,
    ElicitationRequest,
    Outcome,
    accept,
    cancel,
    decline,
    prompt_request,
)
from elicit_tui.elicitation.settings import Settings
from elicit_tui.gateway.bridge import bridging
from elicit_tui.gateway.bridge.agent_prompt import request_of
from elicit_tui.gateway.bridge.hook_entries import time_limit
from elicit_tui.gateway.bridge.hook_input import hook_input
from elicit_tui.gateway.bridge.silence import STORE_SECONDS
from elicit_tui.ledger import Ledger
from elicit_tui.paths import ledger_file, store_file
from elicit_tui.runtime import open_store
from tests.gateway.bridge.hooked import COMMAND, Person, asked, configure, hook, person, rows

pytestmark = pytest.mark.anyio

HANDED_BACK = "It was handed back to the agent unanswered, which asks by itself."


async def test_without_an_answer_in_time_it_is_handed_back() -> None:
    configure("[bridge]\nhold_sec = 1\n")
    async with person():
        ended = await asked(COMMAND)
    assert (ended.code, ended.stdout) == (0, b"")
    (row,) = rows()
    assert (row.action, row.decided_by, row.key) == (None, "nobody", "bridge.hold_sec")


async def test_no_key_moves_the_end_of_what_an_agent_waits_for() -> None:
    async with person() as somebody, hook() as started:
        await started.asks(COMMAND)
        waiting = await somebody.sees()
        await somebody.inbox.claim(waiting.id)
        await somebody.until(lambda: somebody.inbox.waiting[0].last_key_at)
        waiting = somebody.inbox.waiting[0]
        assert waiting.ends_at == waiting.deadline


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_an_agent_that_ends_its_hook_takes_its_question_back(number: signal.Signals) -> None:
    async with person() as somebody, hook() as started:
        await started.asks(COMMAND)
        await somebody.sees()
        started.signal(number)
        ended = await started.ended()
        await somebody.until(lambda: somebody.left)
    assert (ended.code, ended.stdout) == (0, b"")
    assert somebody.left == [HANDED_BACK]
    (row,) = rows()
    assert row.decided_by == "nobody"
    assert row.reason is not None
    assert row.reason.startswith("The agent waits no longer")


async def test_an_agent_that_died_leaves_no_question_behind() -> None:
    async with person() as somebody, hook() as started:
        await started.asks(COMMAND)
        await somebody.sees()
        # Nobody holds the other end of its standard output any more.
        transport = started.process._transport  # type: ignore[attr-defined]
        transport.get_pipe_transport(1).close()
        await somebody.until(lambda: somebody.left)
        await asyncio.wait_for(started.process.wait(), 30)
    assert somebody.left == [HANDED_BACK]
    (row,) = rows()
    assert row.decided_by == "nobody"
    # Not only once its time is over.
    assert row.reason is not None
    assert row.reason.startswith("The agent waits no longer")


async def test_what_takes_longer_than_an_agent_waits_is_withdrawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bridging, "_nobody_reads", lambda descriptor: False)
    withdrawn: list[tuple[str, str]] = []

    class Broker:
        """One whose earlier steps take their time."""

        def __init__(self) -> None:
            self.decided: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()

        async def permit(self, request: ElicitationRequest) -> Outcome:
            return await self.decided

        def withdraw(self, request_id: str, reason: str, *more: str) -> None:
            withdrawn.append((request_id, reason))
            self.decided.set_result(cancel("withdrawn", reason))

    prompt = prompt_request("Claude Code", Call("tools/call", "Bash", {}), "Let it?")
    broker: Any = Broker()
    outcome = await asyncio.wait_for(bridging._decided(broker, prompt, 0.0), 30)
    assert outcome.decided_by == "withdrawn"
    assert withdrawn == [(prompt.id, "It took longer than the agent waits.")]


@pytest.mark.parametrize("state", ["open", "claimed"])
async def test_a_bridge_that_is_killed_while_it_waits_leaves_nothing_to_answer(state: str) -> None:
    async with person() as somebody, hook() as started:
        await started.asks(COMMAND)
        waiting = await somebody.sees()
        if state == "claimed":
            await somebody.inbox.claim(waiting.id)
        started.signal(signal.SIGKILL)
        ended = await started.ended()
        await somebody.until(lambda: somebody.left)
        said = await somebody.inbox.answer(waiting.id, accept("user", "Allowed.", None))
    assert ended.stdout == b""
    assert somebody.left == [SESSION_ENDED]
    assert said.kind != "sent"


@pytest.mark.parametrize("state", ["before it is asked", "while it starts"])
async def test_a_bridge_that_is_killed_early_has_asked_nobody(state: str) -> None:
    async with person() as somebody, hook() as started:
        if state == "while it starts":
            await started.asks(COMMAND)
        started.signal(signal.SIGKILL)
        ended = await started.ended()
        assert ended.stdout == b""
        assert somebody.inbox.waiting == ()


async def test_a_bridge_that_is_killed_as_its_answer_comes_hands_nothing_and_says_so() -> None:
    async with person() as somebody, hook() as started:
        await started.asks(COMMAND)
        waiting = await somebody.sees()
        await somebody.stops(started)
        answering = asyncio.ensure_future(
            somebody.inbox.answer(waiting.id, accept("user", "Allowed.", None))
        )
        await asyncio.wait_for(_is_answered(somebody, waiting.id), 30)
        started.signal(signal.SIGKILL)
        ended = await started.ended()
        said = await asyncio.wait_for(answering, 30)
    assert ended.stdout == b""
    assert said.kind != "sent"
    assert "Handed" not in said.sentence
    assert all(row.state != "handed" for row in rows())


@pytest.mark.parametrize("is_recorded", [True, False])
async def test_killed_between_handing_its_answer_and_telling_the_store_it_is_not_known(
    is_recorded: bool,
) -> None:
    """`is_recorded`: it stands in the record that the answer had been handed."""
    last = "InStore.tell_end" if is_recorded else "Broker.sent"
    async with person() as somebody, hook(command=stopping_before(last)) as started:
        await started.asks(COMMAND)
        waiting = await somebody.sees()
        answering = asyncio.ensure_future(somebody.inbox.answer(waiting.id, decline("user", "No.")))
        assert started.process.stdout is not None
        line = await asyncio.wait_for(started.process.stdout.readline(), 30)
        if is_recorded:
            await asyncio.wait_for(_is_handed(), 30)
        started.signal(signal.SIGKILL)
        await started.ended()
        said = await asyncio.wait_for(answering, 30)
    assert json.loads(line)["hookSpecificOutput"]["decision"]["behavior"] == "deny"
    assert (said.kind, said.sentence) == ("unknown", UNKNOWN)
    assert not {"Sent.", HANDED} & set(somebody.left)
    (row,) = rows()
    assert (row.action, row.state) == ("decline", "handed" if is_recorded else "decided")
    assert row.sent_at is None


STOPPING = """
import signal, sys
from elicit_tui.__main__ import main
from elicit_tui.gateway.bridge import bridging

def stands_still(*values):
    while True:
        signal.pause()

bridging.{} = stands_still
sys.exit(main())
"""


def stopping_before(step: str) -> Sequence[str]:
    """The command line of a bridge that stands still where this would be done, until it is killed.

    Held up by a lock it would go on once its patience ends, which may be before it is killed.
    """
    return sys.executable, "-c", STOPPING.format(step)


@contextmanager
def held(path: Path, *, also_for_reading: bool = False) -> Iterator[None]:
    """Within this nobody else can write there, or not even open it."""
    with closing(sqlite3.connect(path, isolation_level=None, timeout=30)) as other:
        if also_for_reading:
            other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN IMMEDIATE")
        yield


async def _is_handed() -> None:
    """Return once the record says that the answer was handed to the agent."""
    while [row.state for row in await asyncio.to_thread(rows)] != ["handed"]:
        pass


async def _is_answered(somebody: Person, question_id: str) -> None:
    """Return once the answer stands in the store."""
    while True:
        waiting = await somebody.store.get(question_id)
        if waiting is not None and waiting.state == "answered":
            return


async def test_an_answer_that_nobody_took_is_not_shown_as_handed() -> None:
    async with person() as somebody, hook() as started:
        await started.asks(COMMAND)
        waiting = await somebody.sees()
        await somebody.stops(started)
        transport = started.process._transport  # type: ignore[attr-defined]
        transport.get_pipe_transport(1).close()
        answering = asyncio.ensure_future(
            somebody.inbox.answer(waiting.id, accept("user", "Allowed.", None))
        )
        await asyncio.sleep(0)
        started.signal(signal.SIGCONT)
        said = await asyncio.wait_for(answering, 30)
    assert said.kind != "sent"
    assert "Handed" not in said.sentence
    assert all(row.state == "decided" for row in rows())


# What is wrong around it


async def test_a_store_that_is_held_by_another_program_is_waited_for_a_second() -> None:
    async with open_store(Settings(), "answerer"):
        pass
    with closing(sqlite3.connect(store_file())) as held:
        held.execute("PRAGMA locking_mode = EXCLUSIVE")
        held.execute("BEGIN EXCLUSIVE")
        loop = asyncio.get_running_loop()
        before = loop.time()
        ended = await asked(COMMAND)
        took = loop.time() - before
    assert (ended.code, ended.stdout) == (0, b"")
    (row,) = rows()
    assert row.decided_by == "nobody"
    assert took < 30


@pytest.mark.parametrize("hangs", [True, False])
async def test_only_a_process_in_which_something_waits_for_the_store_is_to_end_at_once(
    hangs: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_store(Settings(), "answerer"):
        pass

    async def stays(seconds: float) -> str:
        return await asyncio.get_running_loop().create_future()

    begun: list[bridging.InStore] = []

    class InStore(bridging.InStore):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            begun.append(self)

    monkeypatch.setattr(bridging, "_agent_has_gone", stays)
    monkeypatch.setattr(bridging, "InStore", InStore)
    monkeypatch.setattr(bridging, "STORE_SECONDS", 0.2 if hangs else 30.0)
    prompt = hook_input(json.dumps(COMMAND).encode())
    assert prompt is not None
    request = request_of("Claude Code", prompt)
    handed: list[Any] = []
    with held(store_file(), also_for_reading=True) if hangs else nullcontext():
        work = bridging.bridge("claude-code", prompt, request, Settings(), handed.append, print)
        assert await asyncio.wait_for(work, 30) is not hangs
    (row,) = rows()
    assert (row.action, row.decided_by, handed) == (None, "nobody", [])
    # What still waited goes on here, where the process does not end.
    await asyncio.wait_for(gone(begun[0]), 30)


async def gone(waiting: bridging.InStore) -> None:
    """Return once nothing of it waits for the store."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    await asyncio.gather(*(task for task in others if "_begin" in repr(task)))
    waiting.is_stuck = False
    await waiting.close()


@pytest.mark.parametrize("broken", ["configuration", "ledger", "store", "arguments", "home"])
async def test_what_is_broken_here_changes_nothing_for_the_agent(
    broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words: tuple[str, ...] = ()
    if broken == "configuration":
        configure("this is not TOML")
    elif broken == "ledger":
        _write(ledger_file(), b"not a database")
    elif broken == "store":
        _write(store_file(), b"not a database")
    elif broken == "arguments":
        words = ("--nonsense",)
    else:
        monkeypatch.setenv("HOME", "/dev/null/nowhere")
    ended = await asked(COMMAND, *words)
    assert (ended.code, ended.stdout) == (0, b"")
    assert ended.stderr or broken == "store"
    assert "Traceback" not in ended.stderr


async def test_a_full_disk_allows_nothing() -> None:
    async with person() as somebody, hook() as started:
        await started.asks(COMMAND)
        waiting = await somebody.sees()
        with closing(sqlite3.connect(ledger_file())) as held:
            held.execute("BEGIN EXCLUSIVE")
            said = await somebody.inbox.answer(waiting.id, accept("user", "Allowed.", None))
            ended = await started.ended()
    assert (ended.code, ended.stdout) == (0, b"")
    assert "ledger" in ended.stderr
    assert said.kind != "sent"
    assert [row.decided_by for row in rows()] == ["nobody"]


@pytest.mark.parametrize("there", [True, False])
async def test_a_prompt_handed_back_while_others_hold_the_ledger_has_its_record(
    there: bool,
) -> None:
    configure("[bridge]\nhold_sec = 1\n")
    Ledger.open(ledger_file()).close()
    async with person(there=there):
        with held(ledger_file(), also_for_reading=True):
            ended = await asked(COMMAND)
    assert (ended.code, ended.stdout) == (0, b"")
    assert "ledger" in ended.stderr if there else ended.stderr == ""
    (row,) = rows()
    assert (row.action, row.decided_by) == (None, "nobody")
    assert row.message == "Let Claude Code run a command?"


@pytest.mark.parametrize("policy", ["none", "redacted"])
@pytest.mark.parametrize("is_held", [True, False])
async def test_of_a_prompt_that_is_handed_back_at_once_no_more_is_kept_than_the_owner_says(
    policy: str, is_held: bool
) -> None:
    configure(f'[history]\ncontent = "{policy}"\n')
    Ledger.open(ledger_file()).close()
    with held(ledger_file(), also_for_reading=True) if is_held else nullcontext():
        ended = await asked(COMMAND)
    assert (ended.code, ended.stdout) == (0, b"")
    (row,) = rows()
    assert ("make release" in json.dumps(row.as_json())) is (policy == "redacted")


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.write_bytes(content)
    path.chmod(0o600)


@pytest.mark.parametrize("hold_sec", [1.0, 60.5, 3_600.0])
def test_a_bridge_has_ended_before_its_agent_gives_the_hook_up(hold_sec: float) -> None:
    assert hold_sec + bridging.MORE_SECONDS + STORE_SECONDS < time_limit(hold_sec)
