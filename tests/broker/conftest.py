"""A real broker with a real policy, guardian and ledger; only the person is scripted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.broker import Broker, BrokerEvent, BrokerOptions, Notice, Resolved
from elicit_tui.broker.contracts import CallingAgent
from elicit_tui.elicitation import (
    Deadline,
    ElicitationRequest,
    Outcome,
    Question,
    Responder,
    ServerIdentity,
    accept,
)
from elicit_tui.elicitation.settings import (
    ElicitationLimits,
    ElicitationSettings,
    Rule,
    ServerSettings,
    Settings,
)
from elicit_tui.guardian import Guardian
from elicit_tui.hooks import Hooks
from elicit_tui.ledger import Ledger
from elicit_tui.policy import Policy
from tests.broker.elsewhere import World

COLOUR = {
    "type": "object",
    "properties": {"colour": {"type": "string", "title": "Colour"}},
    "required": ["colour"],
}


def form_request(
    message: str = "Which colour?", server: str = "paint", **more: Any
) -> ElicitationRequest:
    params = {"mode": "form", "message": message, "requestedSchema": COLOUR}
    params.update(more.pop("params", {}))
    identity = ServerIdentity(server, "stdio", "paint-server")
    return ElicitationRequest(identity, params, wire_id=more.pop("wire_id", 1), **more)


def limited(servers: Mapping[str, ServerSettings] | None = None, **limits: int) -> Settings:
    """Settings under which each server may ask so much."""
    most = ElicitationSettings(limits=ElicitationLimits(**limits))
    return Settings(elicitation=most, servers=servers or {})


class Person:
    """Answers when told to; knows which questions are on its screen."""

    def __init__(self) -> None:
        self.shown: list[Question] = []
        self.taken_off: list[str] = []
        self.answers: dict[str, asyncio.Future[Outcome]] = {}
        self.appeared = asyncio.Event()

    async def respond(self, question: Question, deadline: Deadline) -> Outcome:
        self.shown.append(question)
        answer = self.answers[question.id] = asyncio.get_running_loop().create_future()
        deadline.start()
        self.appeared.set()
        try:
            return await answer
        finally:
            self.taken_off.append(question.id)

    async def sees(self, count: int = 1) -> Question:
        while len(self.shown) < count:
            self.appeared.clear()
            await asyncio.wait_for(self.appeared.wait(), 30)
        return self.shown[-1]

    def sends(self, question: Question, **content: Any) -> None:
        self.answers[question.id].set_result(accept("user", "You sent the form.", content))


class Bench:
    """One broker on a table, with what it told and what it wrote."""

    def __init__(
        self,
        ledger: Ledger,
        settings: Settings,
        answers: tuple[Rule, ...] | None,
        responder: Responder | None,
        agent: CallingAgent | None,
        hooks: Hooks | None,
    ) -> None:
        self.person = Person()
        self.ledger = ledger
        self.events: list[BrokerEvent] = []
        self.broker = Broker(
            Policy(settings, answers=answers),
            Guardian(settings.guardian),
            ledger,
            responder or self.person,
            BrokerOptions(agent=agent, hooks=hooks),
        )
        self.broker.subscribe(self.events.append)

    def asks(self, request: ElicitationRequest | None = None) -> asyncio.Task[Outcome]:
        """A server asks; the broker's work on its question."""
        return asyncio.ensure_future(self.broker.resolve(request or form_request()))

    async def asked(
        self, request: ElicitationRequest | None = None
    ) -> tuple[ElicitationRequest, asyncio.Task[Outcome]]:
        """A question that is in front of the person, and the broker's work on it."""
        request = request or form_request()
        answering = self.asks(request)
        await self.person.sees()
        return request, answering

    @property
    def told(self) -> list[str]:
        """What the person was told beside questions."""
        return [event.sentence for event in self.events if isinstance(event, Notice)]

    @property
    def resolved(self) -> list[Resolved]:
        return [event for event in self.events if isinstance(event, Resolved)]


BenchFactory = Callable[..., Bench]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[BenchFactory]:
    ledgers: list[Ledger] = []

    def make(
        settings: Settings | None = None,
        answers: tuple[Rule, ...] | None = None,
        *,
        responder: Responder | None = None,
        agent: CallingAgent | None = None,
        hooks: Hooks | None = None,
    ) -> Bench:
        ledgers.append(Ledger.open(tmp_path / "state" / f"ledger-{len(ledgers)}.sqlite3"))
        owner = settings or Settings()
        return Bench(ledgers[-1], owner, answers, responder, agent, hooks)

    yield make
    for ledger in ledgers:
        ledger.close()


def run(body: Coroutine[Any, Any, Any]) -> Any:
    """Run a test's body on a loop, with a bound."""

    async def bounded() -> Any:
        return await asyncio.wait_for(body, 30)

    return asyncio.run(bounded())


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    world = World(tmp_path)
    yield world
    await world.close()
