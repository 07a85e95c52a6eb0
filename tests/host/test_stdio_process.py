"""A server process between its pipes: how it ends, and what it says on its way out."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import anyio
import pytest

from elicit_tui.elicitation.settings import ServerSettings
from elicit_tui.host import ending, stdio
from elicit_tui.host.breaches import Breaches
from elicit_tui.host.launch import ServerProcess, start_process
from elicit_tui.host.stdio import stdio_streams
from tests.host.test_stdio import MANY, WAIT, Pipe, message

pytestmark = pytest.mark.anyio


def shell(line: str) -> ServerProcess:
    return start_process(ServerSettings("s", command="sh", args=("-c", line)))


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who does not end by itself is soon made to."""
    monkeypatch.setattr(ending, "GRACE_SECONDS", 0.3)
    monkeypatch.setattr(stdio, "LAST_WORDS_SECONDS", 0.05)
    monkeypatch.setattr(stdio, "POLL_SECONDS", 0.02)


async def test_a_server_whose_child_holds_its_pipe_open_has_ended(quick: None) -> None:
    process = shell("sleep 60 & exit 3")
    async with stdio_streams(process, Breaches(str), str, str) as (read, _):
        with pytest.raises(anyio.EndOfStream):
            await asyncio.wait_for(read.receive(), WAIT)
    assert (process.exit_code(), process.group_alive()) == (3, False)
    ending.close_pipes(process)


async def test_a_server_that_reads_no_more_is_one_that_answers_no_more(quick: None) -> None:
    process = shell("exec sleep 60 <&-")
    async with stdio_streams(process, Breaches(str), str, str) as (read, write):
        with pytest.raises(anyio.EndOfStream):
            await asyncio.wait_for(read.receive(), WAIT)
        with pytest.raises(anyio.ClosedResourceError):
            await write.send(message())
    assert not process.group_alive()
    ending.close_pipes(process)


async def test_what_a_server_says_on_its_way_out_is_read_and_its_end_is_awaited_when_cancelled(
    quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ending, "GRACE_SECONDS", 1.0)
    process = shell("echo Ready.; cat; echo Bye.; sleep 60")
    here = Pipe()
    ready = asyncio.Event()

    def stray(line: str) -> None:
        here.stray.append(line)
        ready.set()

    async def life() -> None:
        async with stdio_streams(process, Breaches(str), stray, str) as (read, _):
            await read.receive()

    living = asyncio.ensure_future(life())
    await asyncio.wait_for(ready.wait(), WAIT)
    living.cancel()
    await asyncio.wait((living,), timeout=0.05)
    living.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(living, WAIT)
    assert here.stray == ["Ready.", "Bye."]
    assert (process.exit_code(), process.was_told_to_end) == (-15, True)
    assert not process.group_alive()
    ending.close_pipes(process)


async def test_a_server_that_ends_when_its_input_does_was_not_told_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ending, "GRACE_SECONDS", WAIT)
    process = shell("cat; exit 7")
    async with stdio_streams(process, Breaches(str), str, str):
        pass
    assert (process.exit_code(), process.was_told_to_end) == (7, False)
    ending.close_pipes(process)
    assert all(pipe.closed for pipe in (process.stdin, process.stdout, process.stderr))


async def test_a_long_question_on_its_way_out_is_read_to_its_end(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(ending, "GRACE_SECONDS", WAIT)
    asked = {"jsonrpc": "2.0", "id": 5, "method": "elicitation/create", "params": {"many": MANY}}
    (tmp_path / "last").write_text(f"{json.dumps(asked)}\n")
    process, breaches = shell(f"cat; cat {tmp_path / 'last'}"), Breaches(str)
    async with stdio_streams(process, breaches, str, str):
        pass
    assert breaches.found == (
        "asked something that nobody met, when its connection was being closed",
    )
    ending.close_pipes(process)
