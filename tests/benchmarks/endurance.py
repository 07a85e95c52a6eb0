"""What a gateway keeps that it should not: memory and handles over many calls and a long time.

`python -m tests.benchmarks.endurance [SECONDS [CALLS]]`: six agents with six tokens on one gateway
for SECONDS (600), then CALLS calls (10000) of an empty tool through one gateway, then the memory of
a gateway with five servers beside one with none. Ends with exit code 1 when something was left.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import psutil
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.benchmarks.gateway import EMPTY, ROOT, Agent

AGENTS = 6
CALLS_OF_A_SESSION = 40
"""Then the agent hangs up and comes again."""
THINKING = 0.5
"""Seconds of an agent between two calls."""
EACH = 10.0
"""Seconds between two looks."""
PATIENCE = 120.0
MOST_GROWTH = 1.03
"""The last memory against the first after the start; what varies by itself stays below."""
COMMAND = (sys.executable, "-m", "elicit_tui")
CONFIG = """
[store]
answer_without_terminal = true
[elicitation.limits]
per_minute = 10000
pending = 100
[gateway]
ask_via = "console"
hold_sec = 60
"""


@dataclass(frozen=True)
class Look:
    """What a process holds at one moment."""

    memory: float
    """Megabytes of its own."""
    handles: int
    threads: int
    children: int

    @classmethod
    def at(cls, process: psutil.Process) -> Look:
        memory = process.memory_full_info().uss / 1e6
        children = len(process.children(recursive=True))
        return cls(memory, process.num_fds(), process.num_threads(), children)

    def __str__(self) -> str:
        return (
            f"{self.memory:8.1f} MB {self.handles:5} handles {self.threads:4} threads"
            f" {self.children:4} server processes"
        )


@contextmanager
def home() -> Iterator[dict[str, str]]:
    """An environment of its own, with our configuration in it."""
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder, ".config", "elicit-tui")
        config.mkdir(parents=True)
        (config / "config.toml").write_text(CONFIG)
        environment = {key: value for key, value in os.environ.items() if key[:4] != "XDG_"}
        yield {**environment, "HOME": folder}


@contextmanager
def running(
    command: Sequence[str], environment: dict[str, str], ready: str
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A process that has said that it is ready, and the line in which it did."""
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=ROOT,
        env=environment,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        line = next(line for line in process.stdout if re.search(ready, line))
        yield process, line.strip()
    finally:
        process.terminate()
        process.wait()


class Crowd:
    """The agents, and what became of their calls."""

    def __init__(self, url: str, end: float) -> None:
        self._url = url
        self._end = end
        self.calls = 0
        self.wrong: list[str] = []

    async def agent(self, number: int, token: str, sessions: float = math.inf) -> None:
        """One of them: asks its own questions until the time is over."""
        while time.monotonic() < self._end and sessions > 0:
            sessions -= 1
            async with AsyncExitStack() as stack:
                headers = {"Authorization": f"Bearer {token}"}
                http = httpx2.AsyncClient(headers=headers, timeout=PATIENCE)
                await stack.enter_async_context(http)
                streams = streamable_http_client(self._url, http_client=http)
                mode = "legacy" if number % 2 else "2026-07-28"
                client = await stack.enter_async_context(Client(streams, mode=mode, cache=None))
                await client.list_tools()
                for _ in range(CALLS_OF_A_SESSION):
                    if time.monotonic() >= self._end:
                        return
                    await self._call(client, f"agent {number} call {self.calls}")
                    await asyncio.sleep(THINKING)

    async def _call(self, client: Client, tag: str) -> None:
        called = client.call_tool("asking__one", {"tag": tag})
        result = await asyncio.wait_for(called, PATIENCE)
        text = "".join(getattr(block, "text", "") for block in result.content)
        self.calls += 1
        if json.dumps(tag) not in text:
            self.wrong.append(f"{tag}: {text[:200]}")


def agents(seconds: float) -> bool:
    """Six agents with six tokens on one gateway; whether it stayed as it was."""
    asking = f"asking={sys.executable} {ROOT / 'tests' / 'servers' / 'asking.py'}"
    with home() as environment:
        names = [f"agent-{number}" for number in range(AGENTS)]
        tokens = [_token(environment, "add", name) for name in names]
        gateway = [*COMMAND, "--with", asking, "gateway", "asking", "--listen", "127.0.0.1:0"]
        person = [sys.executable, "-m", "tests.gateway.answerer", "all"]
        with (
            running(gateway, environment, "listening on") as (process, line),
            running(person, environment, "ready") as (answering, _),
        ):
            # What they say goes on; somebody has to read it.
            for each in (process, answering):
                subprocess.Popen(["cat"], stdin=each.stdout, stdout=subprocess.DEVNULL)
            watched = psutil.Process(process.pid)
            url = line.split()[-1]
            # What is opened once for all: the store, a thread that waits.
            first = Crowd(url, math.inf)
            asyncio.run(first.agent(0, _token(environment, "add", "first"), sessions=1))
            _token(environment, "revoke", "first")
            _until(lambda: not watched.children())
            before = Look.at(watched)
            crowd = Crowd(url, time.monotonic() + seconds)
            looks = asyncio.run(_crowded(crowd, tokens, watched, seconds))
            # A session of 2026-07-28 lives as long as its token: these end here.
            for name in names:
                _token(environment, "revoke", name)
            after = _quiet(watched, before)
    print(f"{'before':>10}  {before}")
    print(f"{'after':>10}  {after}")
    print(f"{crowd.calls} questions answered, {len(crowd.wrong)} of them with another's answer")
    for wrong in crowd.wrong[:5]:
        print(f"    {wrong}")
    steady = _steady([look.memory for look in looks], "six agents")
    left = after.handles - before.handles
    print(f"{_sign(left <= 0)} handles left: {left}; server processes left: {after.children}")
    print(f"{_sign(not crowd.wrong)} each question with its asker")
    return steady and left <= 0 and not after.children and not crowd.wrong


def _token(environment: dict[str, str], *words: str) -> str:
    """`gateway token …`: what it prints."""
    return subprocess.run(
        [*COMMAND, "gateway", "token", *words],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
        cwd=ROOT,
    ).stdout.strip()


async def _crowded(
    crowd: Crowd, tokens: Sequence[str], process: psutil.Process, seconds: float
) -> list[Look]:
    """Every look at the gateway while the agents work."""
    working = asyncio.ensure_future(
        asyncio.gather(*(crowd.agent(number, token) for number, token in enumerate(tokens)))
    )
    looks: list[Look] = []
    began = time.monotonic()
    while not working.done():
        await asyncio.wait((working,), timeout=min(EACH, seconds / 20))
        looks.append(Look.at(process))
        if len(looks) % 6 == 0:
            print(f"{time.monotonic() - began:8.0f} s  {looks[-1]}  {crowd.calls:7} questions")
    await working
    return looks


def _quiet(process: psutil.Process, before: Look) -> Look:
    """The gateway a while after its agents have hung up."""
    end = time.monotonic() + 30
    while (look := Look.at(process)).handles > before.handles and time.monotonic() < end:
        time.sleep(0.5)
    return look


def calls(number: int) -> bool:
    """Many calls of an empty tool through one gateway; whether it stayed as it was."""
    with home() as environment:
        agent = Agent(_literal(environment, 1), environment)
        try:
            agent.ask("tools/list", {})
            looks = []
            for done in range(1, number + 1):
                agent.call("lit0__nothing")
                if done % (number // 20) == 0:
                    looks.append(Look.at(psutil.Process(agent.process.pid)))
                    if len(looks) % 4 == 0:
                        print(f"{done:8} calls  {looks[-1]}")
        finally:
            agent.close()
    steady = _steady([look.memory for look in looks], f"{number} calls")
    left = looks[-1].handles - looks[0].handles
    print(f"{_sign(left <= 0)} handles left: {left}")
    return steady and left <= 0


def servers() -> None:
    """The memory of a gateway with five servers beside one with none, the servers not counted."""
    found = {}
    for count in (0, 1, 5):
        with home() as environment:
            agent = Agent(_literal(environment, count), environment)
            try:
                agent.ask("tools/list", {})
                process = psutil.Process(agent.process.pid)
                _until(lambda p=process, c=count: len(p.children()) >= c)
                found[count] = Look.at(process)
            finally:
                agent.close()
        print(f"{count:8} servers  {found[count]}")
    print(f"five against none: {found[5].memory / found[0].memory:.2f} times")


def _literal(environment: dict[str, str], count: int) -> list[str]:
    """The command of a gateway with so many servers of one empty tool."""
    results = Path(environment["HOME"], "results.json")
    results.write_text(json.dumps(EMPTY))
    literal = ROOT / "tests" / "servers" / "literal.py"
    command = f"{sys.executable} {literal} 2025-11-25 {results}"
    named = [f"--with=lit{number}={command}" for number in range(count)]
    return [*COMMAND, *(named or ["--with=none=false"]), "gateway"]


def _until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not true() and time.monotonic() < end:
        time.sleep(0.1)


def _steady(memory: Sequence[float], what: str) -> bool:
    """Whether the last quarter needs no more than the second one: the first is the start."""
    quarter = len(memory) // 4
    early = statistics.median(memory[quarter : 2 * quarter])
    late = statistics.median(memory[-quarter:])
    steady = late <= early * MOST_GROWTH
    growth = f"{early:.1f} MB early, {late:.1f} MB late, {late / early:.3f} times"
    print(f"{_sign(steady)} {what}: {growth}")
    return steady


def _sign(well: bool) -> str:
    return "✓" if well else "✗"


def main(seconds: float = 600, number: int = 10_000) -> None:
    """Print everything; exit code 1 when something was left."""
    well = [agents(seconds), calls(number)]
    servers()
    if not all(well):
        raise SystemExit(1)


if __name__ == "__main__":
    given = [float(word) for word in sys.argv[1:]]
    main(*given[:1], *(round(word) for word in given[1:2]))
