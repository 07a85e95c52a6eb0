"""Real gateways that are killed with -9 while they have tasks: what their agents are told after it.

Over HTTP the next gateway with the token knows each task and how it ended, from the store. On stdio
a task is of its session, which is the process: the agent's new gateway knows none of them. Either
way no tool runs twice and nothing is left waiting for a person.
"""

from __future__ import annotations

import asyncio
import base64
import os
import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from mcp import StdioServerParameters, stdio_client

from elicit_tui.elicitation import accept
from elicit_tui.elicitation.settings import Settings, StoreSettings
from elicit_tui.gateway import telling
from elicit_tui.gateway.shared_calls import owner_of
from elicit_tui.gateway.tokens import Tokens
from tests.gateway.bridge.hooked import Person, configure, person
from tests.gateway.http_world import ACCEPT
from tests.gateway.task_world import ENDS, Agent, HttpAgent, PipeAgent, Refused
from tests.gateway.world import WAIT
from tests.host.world import SERVERS
from tests.store.redis import SECRET, RedisProcess, needs_redis

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX"),
]

CONFIG = '[gateway]\nask_via = "console"\n'
ON_REDIS = f'{CONFIG}[store]\nurl = "{{url}}"\nsecret_env = "STORE_SECRET"\n'


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """What the server behind each gateway writes down."""
    return tmp_path / "runs"


def ran(runs: Path) -> Counter[str]:
    """How often its tools ran, by tag."""
    words = [line.split(" ") for line in runs.read_text().splitlines()]
    return Counter(each[1] for each in words if each[0] == "ran")


def command(runs: Path) -> list[str]:
    server = f"counting={sys.executable} {SERVERS / 'counting.py'} {runs}"
    return [sys.executable, "-m", "elicit_tui", "--with", server, "gateway", "counting"]


async def answers(somebody: Person, task: str) -> None:
    """The person answers what one task asks."""
    await somebody.until(lambda: any(asks(waiting, task) for waiting in somebody.inbox.waiting))
    (waiting,) = (each for each in somebody.inbox.waiting if asks(each, task))
    outcome = accept("user", "Sent.", {"value": "red"})
    assert (await somebody.inbox.answer(waiting.id, outcome)).kind == "sent"


def asks(waiting: object, task: str) -> bool:
    question = getattr(waiting, "question", None)
    return question is not None and question.request.may_belong_to(task)


async def three_tasks(agent: Agent, somebody: Person) -> tuple[str, str, str]:
    """One that waits for its approval, one whose tool was called and asks, one that has ended."""
    done = await agent.task("counting__run", tag="done")
    await answers(somebody, done)
    await somebody.until(lambda: somebody.inbox.waiting == ())
    waits = await agent.task("counting__erase", tag="waits")
    asks = await agent.task("counting__run", tag="asks")
    await somebody.sees(2)
    return waits, asks, done


# Over HTTP


async def kept(somebody: Person, task: str) -> None:
    """Return once the store has what a task came to."""
    agent, _ = Tokens().listed()
    end = asyncio.get_running_loop().time() + WAIT
    while True:
        seen = await somebody.store.calls.look(owner_of(agent.sha256), task)
        if seen is not None and seen.outcome is not None:
            return
        assert asyncio.get_running_loop().time() < end


@asynccontextmanager
async def listening(runs: Path) -> AsyncIterator[tuple[asyncio.subprocess.Process, str]]:
    """A gateway of this home on a port of its own, and its address."""
    process = await asyncio.create_subprocess_exec(
        *(*command(runs), "--listen", "127.0.0.1:0"),
        stdin=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr is not None
    try:
        said = await asyncio.wait_for(process.stderr.readline(), WAIT)
        yield process, said.decode().split(" ")[-1].strip()
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


@pytest.fixture(params=["sqlite", pytest.param("redis", marks=needs_redis)])
def settings(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Of the person; the gateways have the same store."""
    if request.param == "sqlite":
        configure(CONFIG)
        return Settings()
    redis: RedisProcess = request.getfixturevalue("redis_process")
    redis.command("FLUSHALL")
    monkeypatch.setenv("STORE_SECRET", base64.b64encode(SECRET).decode())
    configure(ON_REDIS.format(url=redis.url))
    return Settings(store=StoreSettings(url=redis.url, secret_env="STORE_SECRET"))


async def test_over_http_the_next_gateway_of_the_token_tells_how_each_task_ended(
    settings: Settings, runs: Path
) -> None:
    shown, other = (
        {**ACCEPT, "Authorization": f"Bearer {Tokens().add(name)}"} for name in ("agent", "other")
    )
    async with (
        person(settings=settings) as somebody,
        httpx2.AsyncClient(headers=shown, timeout=WAIT) as client,
        httpx2.AsyncClient(headers=other, timeout=WAIT) as strange,
    ):
        async with listening(runs) as (process, url):
            waits, asks, done = await three_tasks(HttpAgent(url, client, {}), somebody)
            await kept(somebody, done)
            process.send_signal(signal.SIGKILL)
            await process.wait()
        async with listening(runs) as (_, url):
            agent, stranger = HttpAgent(url, client, {}), HttpAgent(url, strange, {})
            told = await agent.ended(waits)
            assert (told["status"], told["result"]["isError"]) == ("completed", True)
            assert told["result"]["content"][0]["text"] == telling.NOT_RUN
            told = await agent.ended(asks)
            assert (told["status"], told["error"]["message"]) == ("failed", telling.RUN_NOT_KNOWN)
            told = await agent.ended(done)
            assert "'value': 'red'" in told["result"]["content"][0]["text"]
            for task in (waits, asks, done):
                assert await agent.cancel(task) == {"resultType": "complete"}
                assert (await agent.get(task))["status"] in ENDS
                with pytest.raises(Refused, match="Unknown task"):
                    await stranger.get(task)
            await somebody.until(lambda: somebody.inbox.waiting == ())
            # What did not run may be called again, and is another task.
            assert await agent.task("counting__erase", tag="waits") != waits
    assert ran(runs) == {"done": 1, "asks": 1}


# On stdio


@asynccontextmanager
async def started(runs: Path) -> AsyncIterator[PipeAgent]:
    """An agent that has started a gateway of its own."""
    program, *arguments = command(runs)
    gateway = StdioServerParameters(command=program, args=arguments, env=dict(os.environ))
    async with stdio_client(gateway) as streams:
        agent = PipeAgent(streams, {})
        reading = asyncio.ensure_future(agent.read())
        try:
            yield agent
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)


async def test_on_stdio_the_agents_new_gateway_knows_no_task_of_the_one_that_died(
    runs: Path,
) -> None:
    configure(CONFIG)
    async with person() as somebody:
        async with started(runs) as agent:
            tasks = await three_tasks(agent, somebody)
            (gateway,) = await somebody.store.asking_processes()
            os.kill(gateway.number, signal.SIGKILL)
            await somebody.until(lambda: somebody.inbox.waiting == ())
        async with started(runs) as agent:
            for task in tasks:
                for method in ("tasks/get", "tasks/cancel", "tasks/update"):
                    with pytest.raises(Refused, match="Unknown task") as caught:
                        await agent.request(method, {"taskId": task, "inputResponses": {}})
                    assert caught.value.code == -32602
            assert await agent.task("counting__erase", tag="waits") not in tasks
    assert ran(runs) == {"done": 1, "asks": 1}
