"""Agents that know tasks, which no client of the SDK does: raw messages on either transport."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2
import mcp_types as types
import pytest
from mcp.shared.memory import create_client_server_memory_streams
from mcp.shared.message import SessionMessage

from elicit_tui.elicitation import accept
from elicit_tui.elicitation.settings import GatewaySettings, ServerSettings, Settings
from elicit_tui.gateway.agent_session import AgentSession
from elicit_tui.gateway.mcp_server import build_server
from elicit_tui.gateway.opening import SessionOptions, open_session
from tests.gateway.http_world import ACCEPT
from tests.gateway.world import (
    MODERN,
    WAIT,
    MovedClock,
    PersonAtOtherTerminal,
    listening,
    until,
)

TASKS = "io.modelcontextprotocol/tasks"
FORMS = {"elicitation": {"form": {}}}
NAMED = {"tools/call": "name", "tasks/get": "taskId", "tasks/update": "taskId"}
NAMED["tasks/cancel"] = "taskId"
ENDS = ("completed", "cancelled", "failed")


class Refused(Exception):
    """The gateway answered with an error."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        self.code = error["code"]
        self.data = error.get("data")
        super().__init__(error["message"])


class Agent:
    """Speaks 2026-07-28 and declares tasks with each request, unless it is told not to."""

    def __init__(self, modes: Mapping[str, Any]) -> None:
        self.modes = modes
        self.notes: list[dict[str, Any]] = []
        """Whatever it was told that answers nothing."""
        self._numbers = itertools.count(1)

    def body(self, method: str, params: Mapping[str, Any], tasks: bool) -> dict[str, Any]:
        extensions = {"extensions": {TASKS: {}}} if tasks else {}
        meta = {
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientInfo": {"name": "a test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {**self.modes, **extensions},
        }
        number = next(self._numbers)
        params = {**params, "_meta": meta}
        return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}

    async def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        raise NotImplementedError

    async def request(
        self, method: str, params: Mapping[str, Any] | None = None, *, tasks: bool = True
    ) -> dict[str, Any]:
        body = self.body(method, params or {}, tasks)
        answer = await asyncio.wait_for(self.answer(body), WAIT)
        if "error" in answer:
            raise Refused(answer["error"])
        return answer["result"]

    async def call(self, tool: str, *, tasks: bool = True, **arguments: Any) -> dict[str, Any]:
        return await self.request("tools/call", {"name": tool, "arguments": arguments}, tasks=tasks)

    async def task(self, tool: str, **arguments: Any) -> str:
        """The id of the task that a call becomes."""
        created = await self.call(tool, **arguments)
        assert created["resultType"] == "task", created
        assert isinstance(created["taskId"], str)
        return created["taskId"]

    async def get(self, task: str) -> dict[str, Any]:
        return await self.request("tasks/get", {"taskId": task})

    async def ended(self, task: str) -> dict[str, Any]:
        return await self.reached(task, *ENDS)

    async def reached(self, task: str, *states: str) -> dict[str, Any]:
        """The task as soon as it is in one of these states."""
        end = asyncio.get_running_loop().time() + WAIT
        while (now := await self.get(task))["status"] not in states:
            assert asyncio.get_running_loop().time() < end, now
            await asyncio.sleep(0.005)
        return now

    async def update(self, task: str, **responses: Any) -> dict[str, Any]:
        return await self.request("tasks/update", {"taskId": task, "inputResponses": responses})

    async def cancel(self, task: str) -> dict[str, Any]:
        return await self.request("tasks/cancel", {"taskId": task})


class PipeAgent(Agent):
    """On the two streams of a process that it started."""

    def __init__(self, streams: Any, modes: Mapping[str, Any]) -> None:
        super().__init__(modes)
        self._read, self._write = streams
        self._open: dict[Any, asyncio.Future[dict[str, Any]]] = {}

    async def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        answered = self._open[body["id"]] = asyncio.get_running_loop().create_future()
        message = types.jsonrpc_message_adapter.validate_python(body)
        await self._write.send(SessionMessage(message))
        return await answered

    async def read(self) -> None:
        async for item in self._read:
            message = item.message.model_dump(by_alias=True, exclude_none=True, mode="json")
            waiting = self._open.pop(message.get("id"), None)
            if waiting is None:
                self.notes.append(message)
            elif not waiting.done():
                waiting.set_result(message)


class HttpAgent(Agent):
    """With a token, over streamable HTTP."""

    def __init__(self, url: str, client: httpx2.AsyncClient, modes: Mapping[str, Any]) -> None:
        super().__init__(modes)
        self.url = url
        self.client = client
        self.headers: dict[str, str] = {}
        """Sent in the place of its own."""

    async def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        method, params = body["method"], body["params"]
        headers = {"MCP-Protocol-Version": MODERN, "Mcp-Method": method}
        if isinstance(name := params.get(NAMED.get(method, "")), str):
            headers["Mcp-Name"] = name
        headers = {key: value for key, value in {**headers, **self.headers}.items() if value}
        posted = self.client.stream("POST", self.url, json=body, headers=headers)
        async with posted as response:
            if "event-stream" not in response.headers.get("content-type", ""):
                return json.loads(await response.aread())
            async for line in response.aiter_lines():
                if line.startswith("data:"):
                    message = json.loads(line[5:])
                    if message.get("id") == body["id"]:
                        return message
                    self.notes.append(message)
        raise AssertionError("no answer")


@dataclass
class TaskWorld:
    agent: Agent
    person: PersonAtOtherTerminal
    """Of the session that began last."""
    clock: MovedClock
    sessions: list[AgentSession] = field(default_factory=list)
    others: list[Agent] = field(default_factory=list)

    @property
    def session(self) -> AgentSession:
        return self.sessions[-1]

    async def asked(self, number: int = 1) -> Any:
        return await self.person.question(number)

    async def waits(self, held: int = 1) -> None:
        """Return once so many calls wait for a person."""
        await until(lambda: len(self.person.open) >= held)


@asynccontextmanager
async def task_world(
    *servers: ServerSettings,
    upwards: str = "pipe",
    modes: Mapping[str, Any] | None = None,
    gateway: GatewaySettings | None = None,
    **settings: Any,
) -> AsyncIterator[TaskWorld]:
    """A gateway in this process with an agent that knows tasks; its servers are real processes.

    `upwards`: `pipe`, or `http`, where another token's agent is there as well.
    """
    clock, person = MovedClock(), PersonAtOtherTerminal()
    owner = Settings(
        servers={server.name: server for server in servers},
        gateway=gateway or GatewaySettings(ask_via="console"),
        **settings,
    )
    sessions: list[AgentSession] = []

    @asynccontextmanager
    async def open_one(*shown: object) -> AsyncIterator[AgentSession]:
        opened = open_session(
            owner, [one.name for one in servers], person, SessionOptions(clock=clock)
        )
        async with opened as session:
            sessions.append(session)
            yield session

    async with AsyncExitStack() as stack:
        if upwards == "http":
            url, tokens = await stack.enter_async_context(listening(open_one, clock))
            agents: list[Agent] = []
            for _ in range(2):
                shown = {"Authorization": f"Bearer {tokens.add(f'agent-{len(agents)}')}"}
                client = httpx2.AsyncClient(headers={**ACCEPT, **shown}, timeout=WAIT)
                await stack.enter_async_context(client)
                agents.append(HttpAgent(url, client, modes or {}))
            yield TaskWorld(agents[0], person, clock, sessions, agents[1:])
            return
        session = await stack.enter_async_context(open_one())
        outer, inner = await stack.enter_async_context(create_client_server_memory_streams())

        async def session_of(context: object) -> AgentSession:
            return session

        server = build_server(session_of, None, tasks=session.offers_tasks)
        agent = PipeAgent(outer, modes or {})
        running = [
            asyncio.ensure_future(server.run(*inner, server.create_initialization_options())),
            asyncio.ensure_future(agent.read()),
        ]
        try:
            yield TaskWorld(agent, person, clock, sessions)
        finally:
            for each in running:
                each.cancel()
            await asyncio.gather(*running, return_exceptions=True)


def allowed(**more: Any) -> Any:
    return accept("user", "You allowed it.", None, scope="once", via="inbox", **more)


def text_of(task: dict[str, Any]) -> str:
    return "\n".join(block["text"] for block in task["result"]["content"])


async def refusal(agent: Agent, method: str, params: Any) -> tuple[int, str]:
    with pytest.raises(Refused) as caught:
        await agent.request(method, params)
    return caught.value.code, str(caught.value)
