"""Real processes: many gateways and many people at once, and every one of them killed."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import mcp_types as types
import pytest
from mcp import Client

from elicit_tui.elicitation.settings import Settings
from elicit_tui.gateway.telling import NOT_KNOWN
from elicit_tui.runtime import open_store
from tests.cli.running import run
from tests.gateway.processes import CONFIG, PATIENCE, agent, identifier, person, said
from tests.gateway.world import text_of
from tests.host.world import HANDSHAKE, MODERN, SERVERS

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]

QUESTIONS = int(os.environ.get("GATEWAYS_QUESTIONS", "40"))
"""How many six gateways ask; `--long` takes two hundred."""


@pytest.fixture
def home(sealed_machine: Path) -> Path:
    folder = sealed_machine / ".config" / "elicit-tui"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(CONFIG)
    return sealed_machine


async def call(client: Client, tag: str) -> types.CallToolResult:
    return await asyncio.wait_for(client.call_tool("asking__one", {"tag": tag}), PATIENCE)


async def asked_from() -> str | None:
    """Where the agent works whose question waits."""
    async with open_store(Settings(), "answerer") as store:
        (waiting,) = await store.waiting()
    return waiting.asker.directory if waiting.asker is not None else None


async def waiting_in_the_store() -> int:
    async with open_store(Settings(), "answerer") as store:
        await store.heartbeat()
        return len(await store.waiting())


@pytest.mark.parametrize("agents_era", [HANDSHAKE, MODERN])
@pytest.mark.parametrize("servers_era", [HANDSHAKE, MODERN])
async def test_a_question_of_an_agents_tool_is_answered_by_another_process(
    home: Path, agents_era: str, servers_era: str
) -> None:
    async with agent(home, agents_era, servers_era) as client, person(home, "all"):
        assert "from afar" in text_of(await call(client, "from afar"))


async def test_the_server_that_was_started_ahead_is_the_one_that_is_called(home: Path) -> None:
    runs = home / "runs"
    counting = f"counting={sys.executable} {SERVERS / 'counting.py'} {runs}"
    async with agent(home, HANDSHAKE, HANDSHAKE, counting) as client, person(home, "all"):
        result = await asyncio.wait_for(client.call_tool("counting__run", {"tag": "a"}), PATIENCE)
        assert "'value': 'a'" in text_of(result)
    assert sum(line.startswith("server ") for line in runs.read_text().splitlines()) == 1


async def test_three_people_and_six_gateways_share_all_questions(home: Path) -> None:
    tags = [f"gateway {number % 6} question {number}" for number in range(QUESTIONS)]
    async with AsyncExitStack() as stack:
        agents = [await stack.enter_async_context(agent(home)) for _ in range(6)]
        for _ in range(3):
            await stack.enter_async_context(person(home, "all"))
        calls = {tag: call(agents[int(tag.split(" ")[1])], tag) for tag in tags}
        results = dict(zip(calls, await asyncio.gather(*calls.values()), strict=True))
    for tag, result in results.items():
        assert text_of(result) == f"accept {{'value': '{tag}'}}" or tag in text_of(result)
    assert await waiting_in_the_store() == 0
    with_outcome = [row for row in rows() if row["action"] == "accept"]
    assert len(with_outcome) == len(tags)
    assert {row["decidedBy"] for row in with_outcome} == {"user"}


def rows() -> list[dict[str, object]]:
    """What the ledger has, folded to one row a question, its chain unbroken."""
    assert run("history", "verify").code == 0
    return run("history", "export").events


async def test_a_server_that_is_killed_takes_its_question_from_everybody(home: Path) -> None:
    async with agent(home) as client:
        asked = asyncio.ensure_future(call(client, "never answered"))
        async with person(home, "claim") as reader:
            assert await said(reader) == "claimed"
            # Neither the gateway, nor the server that all tests of a run share.
            kill(lambda line: line.endswith("asking.py") and "elicit_tui" not in line)
            result = await asked
            assert result.is_error
            assert await waiting_in_the_store() == 0
        # The next call starts the server anew.
        async with person(home, "all"):
            assert "again" in text_of(await call(client, "again"))


async def tries_to_answer(
    question: str, *, new_session: bool, terminal: bool, detached: bool = False
) -> tuple[int, str]:
    """`inbox answer` as an agent's shell would run it; its exit code and what it says."""
    command = [sys.executable, "-m", "elicit_tui", "inbox", "answer", question, "value=mine"]
    if detached:
        detach = "import subprocess, sys; subprocess.Popen(sys.argv[1:], start_new_session=True)"
        command = [sys.executable, "-c", detach, *command]
    ours, theirs = os.openpty() if terminal else (None, asyncio.subprocess.DEVNULL)
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=theirs,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=new_session,
    )
    _, told = await asyncio.wait_for(process.communicate(), PATIENCE)
    for descriptor in (ours, theirs if terminal else None):
        if descriptor is not None:
            os.close(descriptor)
    assert process.returncode is not None
    return process.returncode, told.decode()


async def test_an_agent_does_not_answer_for_its_person_from_below_its_gateway(home: Path) -> None:
    async with agent(home, by_another=False) as client:
        asked = asyncio.ensure_future(call(client, "mine to answer"))
        question = await identifier()
        assert await asked_from() == str(Path.cwd())
        # Children, with a pseudo-terminal and as leaders of a session: all below who started it.
        for terminal in (False, True):
            for new in (False, True):
                code, told = await tries_to_answer(question, new_session=new, terminal=terminal)
                assert code != 0, told
        # A second gateway knows nothing of the first one's calls, and offers no way to answer.
        async with agent(home) as second:
            names = {tool.name for tool in (await second.list_tools()).tools}
            assert "elicit_answer" not in names
            for name in ("elicit_resume", "elicit_cancel"):
                assert text_of(await second.call_tool(name, {"id": question})) == NOT_KNOWN
        assert not asked.done()
        # The honest limit of the README: who detaches is another person, as far as can be seen.
        code, told = await tries_to_answer(
            question, new_session=True, terminal=False, detached=True
        )
        assert code == 0, told
        assert "Sent." in told
        assert "mine" in text_of(await asked)


async def test_what_the_agents_client_filled_in_is_sent_by_nobody_who_has_not_seen_it(
    home: Path,
) -> None:
    filled = {"name": "AKIAIOSFODNN7EXAMPLE", "count": 9, "sure": True, "color": "red"}

    async def fills_in(context: object, params: object) -> types.ElicitResult:
        return types.ElicitResult(action="accept", content={**filled, "tags": ["a"]})

    config = CONFIG.replace('"console"', '"auto"')
    (home / ".config" / "elicit-tui" / "config.toml").write_text(config)
    async with agent(home, forms=fills_in) as client:
        asked = asyncio.ensure_future(client.call_tool("asking__everything", {}))
        question = await identifier()
        command = (sys.executable, "-m", "elicit_tui", "inbox")
        code, told = await ended(*command, "answer", question, "name=ok")
        assert code == 2
        assert "count=9 (filled in by the agent)" in " ".join(told.split())
        assert not asked.done()
        code, told = await ended(*command, "show", question)
        assert "= 9 (filled in by the agent)" in told
        assert "AKIA" not in told
        given = ("name=ok", "count=1", "sure=false", "color=green", 'tags:=["b"]')
        code, told = await ended(*command, "answer", question, *given)
        assert code == 0, told
        answer = text_of(await asyncio.wait_for(asked, PATIENCE))
        assert '"count": 1' in answer
        assert "9" not in answer


async def ended(*command: str) -> tuple[int | None, str]:
    """The exit code of a command that leads a session of its own, and what it says."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    told, _ = await asyncio.wait_for(process.communicate(), PATIENCE)
    return process.returncode, told.decode()


async def test_an_agent_does_not_answer_without_a_terminal_by_default(home: Path) -> None:
    (home / ".config" / "elicit-tui" / "config.toml").write_text(
        '[gateway]\nask_via = "console"\nhold_sec = 100\n'
    )
    async with agent(home) as client:
        asked = asyncio.ensure_future(call(client, "mine to answer"))
        question = await identifier()
        code, told = await tries_to_answer(question, new_session=True, terminal=False)
        assert code != 0
        assert "terminal" in told
        asked.cancel()
        await asyncio.gather(asked, return_exceptions=True)


def kill(matches: Callable[[str], bool]) -> None:
    """Kill -9 the descendants of this test whose command line matches."""
    import psutil

    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):  # It ended while this went through them.
            if matches(" ".join(process.cmdline())):
                process.kill()
