"""The gateway on standard input and output, whatever an agent puts there."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from asyncio.subprocess import PIPE
from pathlib import Path
from typing import IO, Any

import pytest
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCResponse

from elicit_tui.gateway import stdio
from elicit_tui.gateway.stdio import EraWrite
from tests.gateway.front_messages import INITIALIZED, asks, line
from tests.gateway.world import WAIT, settled

pytestmark = pytest.mark.anyio

SECONDS = 60
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "script", "version": "1"},
    },
}


def gateway(source: IO[bytes] | int, target: IO[bytes] | int) -> subprocess.CompletedProcess[Any]:
    command = [sys.executable, "-m", "elicit_tui", "gateway", "demo"]
    return subprocess.run(
        command, stdin=source, stdout=target, stderr=subprocess.PIPE, check=False, timeout=SECONDS
    )


@pytest.mark.parametrize("agent", ["the null device", "a pipe that is closed at once"])
def test_an_agent_that_hangs_up_at_once_ends_the_gateway_without_a_word(agent: str) -> None:
    if agent == "the null device":
        ended = gateway(subprocess.DEVNULL, subprocess.PIPE)
    else:
        command = [sys.executable, "-c", ""]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as silent:
            assert silent.stdout is not None
            ended = gateway(silent.stdout, subprocess.PIPE)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")


def test_an_agent_that_reads_no_answer_and_hangs_up_ends_the_gateway_without_a_word(
    tmp_path: Path,
) -> None:
    asks = tmp_path / "asks.jsonl"
    asks.write_text(json.dumps(INITIALIZE) + "\n")
    reads, writes = os.pipe()
    os.close(reads)
    with asks.open("rb") as source:
        ended = gateway(source, writes)
    os.close(writes)
    assert (ended.returncode, ended.stderr) == (0, b"")


STRAY = """
import asyncio, os
from elicit_tui.gateway.front import Handover
from elicit_tui.gateway.stdio import standard_streams

async def main():
    async with standard_streams(Handover()):
        print("stray", flush=True)
        assert os.path.samestat(os.fstat(0), os.stat(os.devnull))

asyncio.run(main())
"""


def test_what_prints_or_reads_beside_it_neither_speaks_nor_listens_in_its_place() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", STRAY],
        input=b"a message\n",
        capture_output=True,
        check=True,
        timeout=SECONDS,
    )
    assert (ended.stdout, ended.stderr) == (b"", b"stray\n")


def test_an_agent_on_stdio_costs_no_web_framework() -> None:
    code = (
        "import sys; from elicit_tui.cli import run; "
        "assert run(['gateway', 'demo']) == 0; "
        "print(*sorted({name.partition('.')[0] for name in sys.modules}), file=sys.stderr)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
        timeout=SECONDS,
        text=True,
    )
    loaded = set(ended.stderr.split())
    assert {"mcp_types", "anyio"} <= loaded
    assert not loaded & {"starlette", "uvicorn", "sse_starlette", "textual"}


async def read(stream: asyncio.StreamReader) -> dict[str, Any]:
    message: dict[str, Any] = json.loads(await stream.readline())
    return message


async def test_a_call_that_nobody_is_asked_about_looks_at_no_process_of_this_machine() -> None:
    code = (
        "import sys; from elicit_tui.cli import run; "
        "run(['gateway', 'demo']); print(*sys.modules, file=sys.stderr)"
    )
    call = asks("tools/call", 2, name="demo__tell_time", arguments={})
    agent = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", code), stdin=PIPE, stdout=PIPE, stderr=PIPE
    )
    assert agent.stdin is not None
    assert agent.stdout is not None
    agent.stdin.writelines(map(line, (INITIALIZE, INITIALIZED, call)))
    while (await asyncio.wait_for(read(agent.stdout), SECONDS)).get("id") != 2:
        pass
    agent.stdin.close()
    _, told = await asyncio.wait_for(agent.communicate(), SECONDS)
    loaded = set(told.decode().split())
    assert "elicit_tui.gateway.agent_session" in loaded
    assert not loaded & {"psutil", "elicit_tui.broker.answerer"}


def test_a_file_of_messages_is_answered_into_a_file(tmp_path: Path) -> None:
    asks, told = tmp_path / "asks.jsonl", tmp_path / "told.jsonl"
    asks.write_text(json.dumps(INITIALIZE) + "\n")
    with asks.open("rb") as source, told.open("wb") as target:
        ended = gateway(source, target)
    assert (ended.returncode, ended.stderr) == (0, b"")
    answer = json.loads(told.read_text())
    assert answer["id"] == 1
    assert answer["result"]["serverInfo"]["name"] == "elicit-tui"


class Agent:
    """Whoever is written to; keeps nothing."""

    async def send(self, item: SessionMessage) -> None:
        """Take a message."""


def answer(identifier: Any) -> JSONRPCResponse:
    return JSONRPCResponse(jsonrpc="2.0", id=identifier, result={})


@pytest.mark.parametrize(
    ("identifier", "own"), [("1/7", 7), ("1/x", None), ("1/", None), ("2/7", None), (7, None)]
)
def test_only_an_answer_to_a_question_of_this_beginning_is_one(
    identifier: Any, own: int | None
) -> None:
    agent: Any = Agent()
    given = answer(identifier)
    assert EraWrite(agent, 1).takes_back(given) is (own is not None)
    assert given.id == (identifier if own is None else own)


async def test_a_beginning_is_over_as_soon_as_all_that_was_asked_in_it_is_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stdio, "SETTLE_SECONDS", WAIT)
    agent: Any = Agent()
    writes = EraWrite(agent, 0)
    writes.asked(1)
    writes.asked("two")
    over = asyncio.ensure_future(writes.settled())
    for identifier in (1, "two"):
        await settled()
        assert not over.done()
        await writes.send(SessionMessage(answer(identifier)))
    await settled()
    assert over.done()
    # Nothing is asked, and nothing is waited for.
    await asyncio.wait_for(writes.settled(), WAIT / 2)
