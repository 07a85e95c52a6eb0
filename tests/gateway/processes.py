"""Real processes around a store: agents on gateways of their own, and people who answer."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from mcp import Client, StdioServerParameters
from mcp.client.session import ElicitationFnT

from elicit_tui.elicitation.settings import Settings
from elicit_tui.runtime import open_store
from tests.forks import ready_modules
from tests.host.world import HANDSHAKE, MODERN, server_line

PATIENCE = 120
BY_ANOTHER = (
    sys.executable,
    "-c",
    "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]))",
)
"""Begins a command that another process is to start; no shell, which stands for nobody."""
CONFIG = """
[elicitation.limits]
per_minute = 2000
pending = 200
[store]
answer_without_terminal = true
[gateway]
ask_via = "console"
hold_sec = 100
"""


def started_by_another(home: Path, *arguments: str) -> StdioServerParameters:
    """A command of elicit-tui whose agent is a process of its own.

    A child of this process may be its person.
    """
    program, *starts = BY_ANOTHER
    return StdioServerParameters(
        command=program,
        args=[*starts, sys.executable, "-m", "elicit_tui", *arguments],
        env={**os.environ, "HOME": str(home)},
    )


@asynccontextmanager
async def agent(
    home: Path,
    upwards: str = HANDSHAKE,
    downwards: str = MODERN,
    server: str | None = None,
    by_another: bool = True,
    forms: ElicitationFnT | None = None,
) -> AsyncIterator[Client]:
    """The SDK's client on a gateway of its own with one server (`asking.py`), over stdio.

    `by_another`: as in `started_by_another`; else this process is the agent. `forms`: how its own
    client answers, where it has forms.
    """
    server = server or f"asking={server_line('asking.py')}"
    name, _, command = server.partition("=")
    given = ["--with", server, "--protocol", downwards] if command else []
    started = started_by_another(home, *given, "gateway", name)
    if not by_another:
        started.command, *started.args = started.args[2:]
    mode = "legacy" if upwards == HANDSHAKE else upwards
    async with Client(started, mode=mode, cache=None, elicitation_callback=forms) as client:
        yield client


@asynccontextmanager
async def person(home: Path, what: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """A process in which somebody answers."""
    process = await asyncio.create_subprocess_exec(
        *ready_modules(),
        "tests.gateway.answerer",
        what,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "HOME": str(home)},
        cwd=Path(__file__).parents[2],
        start_new_session=True,
    )
    try:
        assert await said(process) == "ready"
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def said(process: asyncio.subprocess.Process) -> str:
    assert process.stdout is not None
    line = await asyncio.wait_for(process.stdout.readline(), PATIENCE)
    return line.decode().split(" ")[0].strip()


async def identifier() -> str:
    """The id of the one question that waits."""
    end = asyncio.get_running_loop().time() + PATIENCE
    while True:
        async with open_store(Settings(), "answerer") as store:
            waiting = await store.waiting()
        if waiting:
            return waiting[0].id
        assert asyncio.get_running_loop().time() < end
        await asyncio.sleep(0.1)
