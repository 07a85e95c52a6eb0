"""Two gateways behind a round robin, three people, and a node that is killed at each state.

Whatever dies: each call comes to one end, no tool runs twice, also where the agent repeats its call
on the other node, and no question is answered twice.

    NODES_QUESTIONS=200 python -m pytest tests/gateway/test_nodes_die.py      asks two hundred
"""

from __future__ import annotations

import asyncio
import base64
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, closing
from itertools import cycle
from pathlib import Path
from typing import Any

import httpx2
import pytest

from elicit_tui.gateway import telling
from elicit_tui.ledger import Ledger
from elicit_tui.store.redis_store import RedisStore
from elicit_tui.store.store import Store
from tests.gateway.http_world import ACCEPT, answer_in, modern_request
from tests.gateway.processes import person
from tests.host.world import SERVERS
from tests.store.redis import SECRET, RedisProcess, free_ports, needs_redis

pytestmark = [
    pytest.mark.anyio,
    needs_redis,
    pytest.mark.skipif(
        "NODES_QUESTIONS" not in os.environ, reason="takes minutes: NODES_QUESTIONS=24"
    ),
    pytest.mark.timeout(900),
    pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX"),
]

QUESTIONS = int(os.environ.get("NODES_QUESTIONS", "24"))
PATIENCE = 60.0 + QUESTIONS
AGENTS = 3
AT_ONCE = 6
"""Calls under way while one node is killed."""
STATES = ("approval waits", "question waits", "answered", "ended")
ENDS = {
    telling.RUN_NOT_KNOWN: "not known",
    telling.NOT_RUN: "not run",
    telling.NOT_KNOWN: "lost",
}
CONFIG = """
[elicitation.limits]
per_minute = 5000
pending = 500
[store]
url = "{url}"
secret_env = "STORE_SECRET"
answer_without_terminal = true
[gateway]
ask_via = "console"
hold_sec = 1
"""


class Node:
    """One gateway with a home, a ledger and a server of its own."""

    def __init__(self, home: Path, port: int, runs: Path) -> None:
        self.home = home
        self.port = port
        self.runs = runs
        self.process: asyncio.subprocess.Process
        self.up = asyncio.Event()

    async def start(self) -> None:
        server = f"counting={sys.executable} {SERVERS / 'counting.py'} {self.runs}"
        self.process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "elicit_tui", "--with", server, "gateway", "counting"),
            *("--listen", f"127.0.0.1:{self.port}"),
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, "HOME": str(self.home)},
        )
        assert self.process.stderr is not None
        told = b""
        while b"listening on" not in told:
            line = await asyncio.wait_for(self.process.stderr.readline(), PATIENCE)
            assert line, told
            told += line
        self.up.set()

    async def kill(self) -> None:
        self.up.clear()
        self.process.send_signal(signal.SIGKILL)
        await self.process.wait()


class World:
    def __init__(self, nodes: list[Node], tokens: list[str], store: Store, runs: Path) -> None:
        self.nodes = nodes
        self.tokens = tokens
        self.store = store
        self.runs = runs
        self.robin = cycle(nodes)
        self.repeated = 0

    def steps(self) -> Counter[str]:
        if not self.runs.exists():
            return Counter()
        words = (line.split(" ") for line in self.runs.read_text().splitlines())
        return Counter(" ".join(each[:2]) for each in words)

    async def called(self, token: str, tool: str, tag: str) -> str:
        """One call of an agent that comes back until it has an end, each time to the next node."""
        name, arguments = f"counting__{tool}", {"tag": tag}
        headers = {**ACCEPT, "Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as client:
            while True:
                node = next(node for node in self.robin if node.up.is_set())
                params = {"name": name, "arguments": arguments}
                request = modern_request("tools/call", params)
                try:
                    answer = await client.post(f"http://127.0.0.1:{node.port}/mcp", **request)
                except httpx2.HTTPError:  # It died: the agent makes its call again, elsewhere.
                    self.repeated += 1
                    continue
                assert answer.status_code == 200, answer.text
                result: dict[str, Any] = answer_in(answer)["result"]
                text = "\n".join(block.get("text", "") for block in result["content"])
                paused = (result.get("_meta") or {}).get(telling.PAUSED_META_KEY)
                if paused is None and text not in (telling.STILL_WAITING, telling.STILL_RUNS):
                    return ENDS.get(text, text)
                if paused is not None:
                    name, arguments = "elicit_resume", {"id": paused["id"]}

    async def reached(self, state: str) -> None:
        """Return as soon as something stands at this state."""
        steps, seen = self.steps(), {one.id for one in await self.store.waiting()}
        while True:
            waiting = await self.store.waiting()
            kinds = {one.kind for one in waiting if one.state in ("open", "claimed")}
            reached = {
                "approval waits": "approval" in kinds,
                "question waits": "elicitation" in kinds,
                "answered": any(one.state == "answered" for one in waiting)
                or not seen <= {one.id for one in waiting},
                "ended": self.steps() != steps,
            }
            if reached[state]:
                return
            seen |= {one.id for one in waiting}
            await asyncio.sleep(0.005)

    def outcomes(self) -> Counter[str]:
        """How many accepts of a person each question has, in the ledgers of both nodes."""
        found: Counter[str] = Counter()
        for node in self.nodes:
            path = node.home / ".local" / "state" / "elicit-tui" / "ledger.sqlite3"
            with closing(Ledger.open(path, create=False)) as ledger:
                assert ledger.verify().ok
                for row in ledger.rows():
                    found[row.id] += row.action == "accept" and row.decided_by == "user"
        return found


def new_token(home: Path, name: str) -> str:
    """A token that every machine knows."""
    return subprocess.run(
        [sys.executable, "-m", "elicit_tui", "gateway", "token", "add", name],
        env={**os.environ, "HOME": str(home)},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    ).stdout.strip()


@pytest.fixture
async def world(
    tmp_path: Path, redis_process: RedisProcess, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[World]:
    redis_process.command("FLUSHALL")
    monkeypatch.setenv("STORE_SECRET", base64.b64encode(SECRET).decode())
    homes = [tmp_path / name for name in ("one", "two", "desk")]
    for home in homes:
        folder = home / ".config" / "elicit-tui"
        folder.mkdir(parents=True)
        (folder / "config.toml").write_text(CONFIG.format(url=redis_process.url))
    tokens = [new_token(homes[2], f"agent-{number}") for number in range(AGENTS)]
    runs = tmp_path / "runs"
    nodes = [Node(home, port, runs) for home, port in zip(homes, free_ports(2), strict=False)]
    store = await RedisStore.open(redis_process.url, "answerer", secret=SECRET)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(store.close)
        await asyncio.gather(*(node.start() for node in nodes))
        for _ in range(3):
            await stack.enter_async_context(person(homes[2], "all"))
        try:
            yield World(nodes, tokens, store, runs)
        finally:
            for node in nodes:
                if node.process.returncode is None:
                    await node.kill()


async def death(world: World, number: int, died: list[str]) -> None:
    """Kill a node as soon as something stands at the next state, and start it anew."""
    state, node = STATES[number % len(STATES)], world.nodes[number % len(world.nodes)]
    await world.reached(state)
    died.append(state)
    await node.kill()
    await node.start()


async def test_a_node_that_dies_at_any_state_costs_no_second_run_and_no_second_answer(
    world: World,
) -> None:
    ends: dict[str, str] = {}
    died: list[str] = []

    async def one(number: int) -> None:
        tool, tag = ("run", "erase")[number % 2], f"tag-{number}"
        ends[tag] = await world.called(world.tokens[number % AGENTS], tool, tag)

    for number, first in enumerate(range(0, QUESTIONS, AT_ONCE)):
        before = len(died)
        dying = asyncio.ensure_future(death(world, number, died))
        await asyncio.gather(*map(one, range(first, min(first + AT_ONCE, QUESTIONS))))
        if len(died) == before:  # All was over before anything was seen at that state.
            dying.cancel()
        await asyncio.gather(dying, return_exceptions=True)
    steps = world.steps()
    for tag, end in ends.items():
        ran = steps[f"ran {tag}"]
        assert ran <= 1, (tag, end, ran)
        if end not in ENDS.values():
            assert tag in end, (tag, end)
            assert ran == 1, (tag, end)
        assert end != "not run" or ran == 0, tag
        assert end != "lost", tag
        assert steps[f"got {tag}"] <= 1
    assert all(accepts <= 1 for accepts in world.outcomes().values())
    assert len(set(died)) >= len(STATES) - 1
    told = Counter(end if end in ENDS.values() else "done" for end in ends.values())
    print(f"{dict(told)}; killed while: {dict(Counter(died))}; calls made again: {world.repeated}")
