"""What a gateway test needs: the SDK's client as an agent, a person elsewhere, a clock to move."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import mcp_types as types
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.memory import create_client_server_memory_streams

from elicit_tui.broker import BrokerEvent
from elicit_tui.broker.contracts import Allowances
from elicit_tui.broker.store_responder import TellWaiting
from elicit_tui.elicitation import Deadline, Outcome, Question, accept
from elicit_tui.elicitation.settings import GatewaySettings, ServerSettings, Settings
from elicit_tui.gateway.agent_session import AgentSession
from elicit_tui.gateway.catalogue import CatalogueFiles
from elicit_tui.gateway.clock import Clock
from elicit_tui.gateway.held_call import HeldCall
from elicit_tui.gateway.http import HttpOptions, serve_http
from elicit_tui.gateway.mcp_server import build_server
from elicit_tui.gateway.opening import SessionOptions, open_session
from elicit_tui.gateway.requester import AgentInfo
from elicit_tui.gateway.sessions import OpenSession
from elicit_tui.gateway.tokens import Tokens
from elicit_tui.store.store import Token
from elicit_tui.store.transitions import AgentState
from tests.host.world import HANDSHAKE, MODERN, python_server

WAIT = 20
NOBODYS = Token("", "", "")
"""As an agent has it that started the gateway by itself."""
ERAS = (HANDSHAKE, MODERN)
WAYS = (*ERAS, *(f"{era}+http" for era in ERAS))
"""How an agent comes: era, and transport where it is not its own pipe."""

Answer = Callable[[Question], Outcome]


class MovedClock(Clock):
    """A clock that stands still until a test moves it."""

    def __init__(self) -> None:
        self._now = 1000.0
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []

    def time(self) -> float:
        return self._now

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sleepers.append((self._now + seconds, woken))
        await woken

    def alarm(self, moment: float, ring: Callable[[], object]) -> asyncio.Future[None]:
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        woken.add_done_callback(lambda woken: None if woken.cancelled() else ring())
        self._sleepers.append((moment, woken))
        return woken

    @property
    def waking(self) -> int:
        """How many wait for this clock."""
        return sum(not woken.done() for _, woken in self._sleepers)

    def skip(self, seconds: float) -> None:
        """Let time pass in which nobody wakes."""
        self._now += seconds

    async def move(self, seconds: float) -> None:
        """Let time pass; whoever was to wake meanwhile wakes in its turn."""
        end = self._now + seconds
        while due := sorted(
            (at, index)
            for index, (at, woken) in enumerate(self._sleepers)
            if at <= end and not woken.done()
        ):
            at, index = due[0]
            self._now = max(self._now, at)
            self._sleepers[index][1].set_result(None)
            await settled()
        self._now = end
        self._sleepers = [each for each in self._sleepers if not each[1].done()]
        await settled()


async def settled() -> None:
    """Let everything that can run now run."""
    for _ in range(20):
        await asyncio.sleep(0)


async def until(true: Callable[[], bool]) -> None:
    """Look again and again, for as long as a test is patient."""
    end = asyncio.get_running_loop().time() + WAIT
    while not true():
        assert asyncio.get_running_loop().time() < end
        await asyncio.sleep(0.002)


def under(session: AgentSession) -> tuple[HeldCall, ...]:
    return session.held_calls.under_way


class PersonAtOtherTerminal:
    """Answers what waits in another terminal: by a script, or when a test says so."""

    def __init__(self, answer: Answer | None = None) -> None:
        self.answer = answer
        self.session = "a session"
        self.there = False
        self.agents: list[AgentInfo] = []
        self.agent_states: list[tuple[str, AgentState]] = []
        self.revoked: list[tuple[str, str]] = []
        self.asked: list[Question] = []
        self.withdrawn: list[Question] = []
        self.open: dict[str, asyncio.Future[Outcome]] = {}
        self._news = asyncio.Event()

    def tell_waiting_to(self, told: TellWaiting) -> None:
        """Nobody is told here: the store does that."""

    async def respond(
        self, question: Question, deadline: Deadline, agent_state: Callable[[], AgentState]
    ) -> Outcome:
        deadline.start()
        self.asked.append(question)
        if (state := agent_state()) != "waiting":
            self.agent_states.append((question.id, state))
        answered: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self.open[question.id] = answered
        self._news.set()
        if self.answer is not None:
            answered.set_result(self.answer(question))
        try:
            return await answered
        except asyncio.CancelledError:
            self.withdrawn.append(question)
            raise
        finally:
            del self.open[question.id]

    async def somebody_is_there(self) -> bool:
        return self.there

    def known_as(self, agent: AgentInfo) -> None:
        self.agents.append(agent)

    def page_finished(self, server: str, elicitation_id: str) -> None:
        """No page is open here."""

    async def mark_agent(self, question_id: str, state: AgentState) -> None:
        self.agent_states.append((question_id, state))

    async def drop_revoked(self, allowances: Allowances) -> None:
        for server, tool in self.revoked:
            allowances.drop(server, tool)
        self.revoked.clear()

    def on_broker_event(self, event: BrokerEvent) -> None:
        """Nothing is kept that could be told."""

    async def close(self) -> None:
        """Nothing is open."""

    async def question(self, number: int = 1) -> Question:
        """The question with this number, once it is asked."""
        while len(self.asked) < number:
            self._news.clear()
            await asyncio.wait_for(self._news.wait(), WAIT)
        return self.asked[number - 1]

    def answers(self, question: Question, outcome: Outcome) -> None:
        self.open[question.id].set_result(outcome)

    def sends(self, question: Question, content: dict[str, Any] | None) -> None:
        self.answers(question, accept("user", "You sent the form.", content, via="inbox"))


@dataclass
class World:
    agent: Client
    person: PersonAtOtherTerminal
    clock: MovedClock
    told: list[str]
    heard: list[Any]
    """Whatever the agent's client was told outside of its requests."""
    sessions: list[AgentSession]
    tasks: list[asyncio.Task[Any]]

    def keep(self, task: asyncio.Task[Any]) -> None:
        """End this with the world."""
        self.tasks.append(task)

    @property
    def session(self) -> AgentSession:
        """The one session of this gateway."""
        (session,) = self.sessions
        return session

    async def calls(self, tool: str, **arguments: Any) -> types.CallToolResult:
        """One call of the agent, which ends within the test's patience."""
        return await asyncio.wait_for(self.agent.call_tool(tool, arguments), WAIT)

    async def held(self) -> None:
        """Return once a request of the agent waits for a call, with its clock running."""
        await until(lambda: any(each.requesters for one in self.sessions for each in under(one)))
        await settled()

    async def leaves(self, call: asyncio.Task[types.CallToolResult]) -> None:
        """The agent gives up a call; return once nobody waits for any."""
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        await self.left()

    async def left(self) -> None:
        """Return once no request of the agent waits for a call any more."""
        await until(
            lambda: not any(each.requesters for one in self.sessions for each in under(one))
        )
        await settled()

    def begins(self, tool: str, **arguments: Any) -> asyncio.Task[types.CallToolResult]:
        """One call of the agent, left open."""
        return asyncio.ensure_future(self.calls(tool, **arguments))


def text_of(result: types.CallToolResult) -> str:
    return "\n".join(getattr(block, "text", "") for block in result.content)


@asynccontextmanager
async def world(
    *servers: ServerSettings,
    upwards: str = HANDSHAKE,
    client: dict[str, Any] | None = None,
    answer: Answer | None = None,
    gateway: GatewaySettings | None = None,
    somebody_there: bool = False,
    files: CatalogueFiles | None = None,
    **settings: Any,
) -> AsyncIterator[World]:
    """A gateway in this process with one agent on it; its servers are real processes.

    `upwards` is the agent's era, with `+http` behind it where it comes over HTTP.
    """
    clock = MovedClock()
    person = PersonAtOtherTerminal(answer)
    person.there = somebody_there
    told: list[str] = []
    heard: list[Any] = []
    sessions: list[AgentSession] = []
    owner = Settings(
        servers={server.name: server for server in servers},
        gateway=gateway or GatewaySettings(ask_via="console"),
        **settings,
    )

    @asynccontextmanager
    async def open_one(token: Token, key: str) -> AsyncIterator[AgentSession]:
        opened = open_session(
            owner,
            [server.name for server in servers],
            person,
            SessionOptions(clock, files or CatalogueFiles(), notify=told.append),
        )
        async with opened as session:
            sessions.append(session)
            yield session

    async def note(message: Any) -> None:
        heard.append(message)

    era, _, transport = upwards.partition("+")
    options = {
        "mode": "legacy" if era == HANDSHAKE else era,
        "cache": None,
        "message_handler": note,
        # By the SDK's own name nobody sits at it.
        "client_info": types.Implementation(name="a test", version="1"),
        **(client or {}),
    }
    carried = over_http(open_one, clock) if transport else in_memory(open_one)
    tasks: list[asyncio.Task[Any]] = []
    async with carried as streams, Client(streams, **options) as agent:
        try:
            yield World(agent, person, clock, told, heard, sessions, tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def in_memory(open_one: OpenSession) -> AsyncIterator[Any]:
    """The two streams of an agent that started the gateway by itself."""
    async with (
        open_one(NOBODYS, "") as here,
        create_client_server_memory_streams() as (outer, inner),
    ):

        async def session_of(context: object) -> AgentSession:
            return here

        server = build_server(session_of, here.catalogues.instructions(), tasks=here.offers_tasks)
        serving = asyncio.ensure_future(server.run(*inner, server.create_initialization_options()))
        try:
            yield _streams(outer)
        finally:
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)


@asynccontextmanager
async def over_http(open_one: OpenSession, clock: Clock) -> AsyncIterator[Any]:
    """The two streams of an agent with a token of its own."""
    async with listening(open_one, clock) as (url, tokens):
        yield http_agent(url, tokens.add(f"agent-{secrets.token_hex(4)}"))


@asynccontextmanager
async def listening(
    open_one: OpenSession,
    clock: Clock,
    idle_seconds: float = 0,
    public_hosts: Sequence[str] = (),
) -> AsyncIterator[tuple[str, Tokens]]:
    """A gateway that listens, and the tokens it knows."""
    port: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    tokens = Tokens()
    serving = asyncio.ensure_future(
        serve_http(
            open_one,
            ("127.0.0.1", 0),
            tokens,
            HttpOptions(
                idle_seconds=idle_seconds,
                instructions=None,
                public_hosts=public_hosts,
                clock=clock,
                bound=port.set_result,
            ),
        )
    )
    try:
        yield f"http://127.0.0.1:{await asyncio.wait_for(port, WAIT)}/mcp", tokens
    finally:
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)


@asynccontextmanager
async def http_agent(url: str, token: str) -> AsyncIterator[Any]:
    """The streams of the SDK's HTTP transport with a bearer token."""
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=WAIT) as client,
        streamable_http_client(url, http_client=client) as streams,
    ):
        yield streams


@asynccontextmanager
async def _streams(streams: Any) -> AsyncIterator[Any]:
    yield streams


SHARED: dict[str, str] = {}
"""Servers that all tests of a run share, by script: their URLs."""


def asking(name: str = "asking", *, stdio: bool = False, **more: Any) -> ServerSettings:
    """The server that asks in every way: one process for all tests, or one of its own on stdio."""
    if stdio:
        return python_server(name, "asking.py", **more)
    return ServerSettings(name, url=SHARED["asking.py"], **more)


def fragments(tmp_path: Path, answers: Mapping[str, str]) -> ServerSettings:
    """The server `bad`, which answers with these texts of JSON (`tests/servers/fragments.py`)."""
    file = tmp_path / "fragments.json"
    file.write_text(json.dumps(answers))
    return python_server("bad", "fragments.py", str(file))


def workshop(
    name: str = "workshop", *, stdio: bool = False, mark: str = "as ever", **more: Any
) -> ServerSettings:
    """The server with something of everything."""
    if stdio:
        return python_server(name, "workshop.py", "stdio", mark, **more)
    return ServerSettings(name, url=SHARED["workshop.py"], **more)
