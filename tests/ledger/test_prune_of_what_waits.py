"""`history prune` beside real gateways whose questions wait, or whose process was killed."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from elicit_tui.elicitation.settings import Settings
from elicit_tui.runtime import open_store
from tests.cli.running import environment
from tests.forks import ready_elicit_tui
from tests.gateway.processes import CONFIG, PATIENCE, agent, identifier, person

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.timeout(200),
    pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL"),
]
LATER = "2100-01-01"


@pytest.fixture
def home(sealed_machine: Path) -> Path:
    folder = sealed_machine / ".config" / "elicit-tui"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(CONFIG)
    return sealed_machine


async def history(*arguments: str) -> Any:
    """What `elicit-tui history ARGUMENTS` says as JSON."""
    process = await asyncio.create_subprocess_exec(
        *(*ready_elicit_tui(), "history", *arguments, "--output", "json"),
        stdout=asyncio.subprocess.PIPE,
        env=environment(),
    )
    said, _ = await asyncio.wait_for(process.communicate(), PATIENCE)
    assert process.returncode == 0
    return json.loads(said)


def asking(client: Client) -> asyncio.Task[Any]:
    return asyncio.ensure_future(client.call_tool("asking__one", {"tag": "from afar"}))


async def test_what_waits_is_kept_and_whole_when_it_is_answered(home: Path) -> None:
    async with agent(home) as client:
        call = asking(client)
        question = await identifier()
        asked = (await history("show", question))["message"]
        pruned = await history("prune", "--before", LATER)
        assert (pruned["records"], pruned["keptBy"]) == (0, [question])
        assert asked
        async with person(home, "all"):
            await asyncio.wait_for(call, PATIENCE)
        row = await history("show", question)
    assert (row["server"], row["message"], row["action"]) == ("asking", asked, "accept")


async def test_what_waits_is_whole_when_it_is_answered_also_after_a_prune_of_what_is_open(
    home: Path,
) -> None:
    async with agent(home) as client:
        call = asking(client)
        question = await identifier()
        before = await history("show", question)
        pruned = await history("prune", "--before", LATER, "--also-open")
        assert (pruned["records"] > 0, pruned["keptBy"]) == (True, [])
        async with person(home, "all"):
            await asyncio.wait_for(call, PATIENCE)
        row = await history("show", question)
    for name in ("server", "message", "requestDigest", "askedAt"):
        assert row[name] == before[name]
    assert (await history("verify"))["ok"]


async def test_a_question_whose_gateway_was_killed_gets_its_outcome_and_keeps_nothing(
    home: Path,
) -> None:
    async with agent(home) as client:
        call = asking(client)
        question = await identifier()
        async with open_store(Settings(), "answerer") as store:
            (gateway,) = await store.asking_processes()
        os.kill(gateway.number, signal.SIGKILL)
        await asyncio.wait([call], timeout=PATIENCE)
        assert (await history("prune", "--before", "2020-01-01"))["keptBy"] == []
        row = await history("show", question)
        assert (row["action"], row["decidedBy"]) == ("cancel", "store")
        pruned = await history("prune", "--before", LATER)
        assert (pruned["records"] > 0, pruned["keptBy"]) == (True, [])
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
    assert (await history("verify"))["ok"]
