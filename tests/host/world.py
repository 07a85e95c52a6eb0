"""What a host test needs: a real broker, a scripted person, a ledger in memory."""

from __future__ import annotations

import asyncio
import json
import shlex
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from elicit_tui.broker import Broker, BrokerEvent, BrokerOptions, Resolved
from elicit_tui.elicitation import (
    Call,
    Deadline,
    ElicitationRequest,
    Finding,
    Outcome,
    Question,
    Review,
    accept,
)
from elicit_tui.elicitation.settings import ServerSettings, Settings
from elicit_tui.hooks import Hooks
from elicit_tui.host.events import HostEvent
from elicit_tui.host.host import Host
from elicit_tui.policy import Policy
from tests.forks import ready_python

SERVERS = Path(__file__).parent.parent / "servers"
WITH_THE_SDK = ("asking.py", "tasking.py", "whole.py", "workshop.py")
"""They take a second to start, and are forked."""
HANDSHAKE = "2025-11-25"
MODERN = "2026-07-28"

Answer = Callable[[Question], Outcome]


class NoFindings:
    """A guardian that finds nothing."""

    def review(self, request: ElicitationRequest) -> Review:
        return Review()

    def outgoing(
        self, content: Mapping[str, Any], schema: Mapping[str, Any] | None = None
    ) -> tuple[Finding, ...]:
        return ()


@dataclass
class Remembered:
    """A ledger that keeps what it is told, in order."""

    steps: list[tuple[str, str]] = field(default_factory=list)

    def asked(self, request: ElicitationRequest, review: Review) -> None:
        self.steps.append(("asked", request.id))

    def decided(self, request: ElicitationRequest, outcome: Outcome, review: Review) -> None:
        self.steps.append(("decided", request.id))

    def sent(self, request_id: str) -> None:
        self.steps.append(("sent", request_id))

    def withdrawn(self, request_id: str, sentence: str) -> None:
        self.steps.append(("withdrawn", request_id))

    def flood(self, server: str, count: int, outcome: Outcome) -> None:
        self.steps.append(("flood", f"{server} {count}"))

    def sent_ids(self) -> list[str]:
        return [identifier for step, identifier in self.steps if step == "sent"]


class Person:
    """Answers by a script; without one it thinks for ever."""

    def __init__(self, answer: Answer | None = None) -> None:
        self.answer = answer
        self.asked: list[Question] = []
        self.withdrawn: list[Question] = []
        self.someone_asked = asyncio.Event()
        self.delay = 0.0

    async def asked_times(self, count: int) -> None:
        """Wait until so many questions were asked."""
        while len(self.asked) < count:
            self.someone_asked.clear()
            await self.someone_asked.wait()

    async def respond(self, question: Question, deadline: Deadline) -> Outcome:
        deadline.start()
        self.asked.append(question)
        self.someone_asked.set()
        try:
            if self.answer is None:
                await asyncio.Event().wait()
            await asyncio.sleep(self.delay)
        except asyncio.CancelledError:
            self.withdrawn.append(question)
            raise
        assert self.answer is not None
        return self.answer(question)


def says(content: Mapping[str, Any] | None) -> Answer:
    return lambda question: accept("user", "You sent the form.", content)


def allows(scope: Literal["once", "session"]) -> Answer:
    return lambda question: accept("user", "You allowed it.", None, scope=scope)


@dataclass
class World:
    settings: Settings
    host: Host
    broker: Broker
    person: Person
    ledger: Remembered
    outcomes: list[tuple[ElicitationRequest, Outcome]]
    events: list[HostEvent]

    def only_outcome(self) -> Outcome:
        assert len(self.outcomes) == 1, self.outcomes
        return self.outcomes[0][1]


def python_server(name: str, script: str, *args: str, **more: Any) -> ServerSettings:
    command, *first = server_words(script, *args)
    return ServerSettings(name, command=command, args=tuple(first), **more)


def raw_server(protocol: Any, *args: str, **more: Any) -> ServerSettings:
    """A server of this revision that does what no SDK does."""
    return python_server("raw", "raw.py", protocol, *args, protocol=protocol, **more)


def server_words(script: str, *args: str) -> list[str]:
    """The words that start one of the servers of these tests."""
    python = ready_python() if script in WITH_THE_SDK else (sys.executable,)
    return [*python, str(SERVERS / script), *args]


def server_line(script: str, *args: str) -> str:
    """The same as one line, for `--with`."""
    return shlex.join(server_words(script, *args))


@contextmanager
def http_server(script: str = "asking.py", *args: str) -> Iterator[str]:
    """A real server process on streamable HTTP; its URL."""
    with subprocess.Popen(server_words(script, "http", *args), stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        try:
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.kill()


@asynccontextmanager
async def world(
    *servers: ServerSettings,
    answer: Answer | None = None,
    guardian: NoFindings | None = None,
    hooks: Hooks | None = None,
    **settings: Any,
) -> AsyncIterator[World]:
    owner = Settings(servers={server.name: server for server in servers}, **settings)
    person = Person(answer)
    ledger = Remembered()
    beside = BrokerOptions(hooks=hooks)
    broker = Broker(Policy(owner), guardian or NoFindings(), ledger, person, beside)  # type: ignore[arg-type]
    outcomes: list[tuple[ElicitationRequest, Outcome]] = []

    def note(event: BrokerEvent) -> None:
        if isinstance(event, Resolved):
            outcomes.append((event.request, event.outcome))

    broker.subscribe(note)
    host = Host(owner, broker)
    events: list[HostEvent] = []
    host.subscribe(events.append)
    async with host:
        try:
            yield World(owner, host, broker, person, ledger, outcomes, events)
        finally:
            await broker.close()


async def raw_answers(here: World, tool: str, **arguments: Any) -> Any:
    """What the server of `raw_server` had back for what this tool asked."""
    connection = await here.host.connect("raw")
    result = await asyncio.wait_for(connection.call(Call("tools/call", tool, arguments)), 20)
    return json.loads(text_of(result.result))


def text_of(result: Mapping[str, Any]) -> str:
    return " ".join(block.get("text", "") for block in result["content"])
