"""A session of an agent over a broker and a host that only keep what they are told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from elicit_tui.broker import BrokerEvent
from elicit_tui.elicitation import (
    Call,
    Deadline,
    ElicitationRequest,
    Outcome,
    Question,
)
from elicit_tui.elicitation.settings import GatewaySettings, Settings
from elicit_tui.errors import ServerError
from elicit_tui.gateway import own_tools, telling
from elicit_tui.gateway.agent_answers import AgentAnswers
from elicit_tui.gateway.agent_session import AgentSession, SessionParts
from elicit_tui.gateway.asking import Asking
from elicit_tui.gateway.held_call import HeldCall
from elicit_tui.gateway.held_calls import HeldCalls
from elicit_tui.gateway.requester import AgentInfo, round_answer
from tests.gateway.held import Request
from tests.gateway.world import WAIT, MovedClock, PersonAtOtherTerminal

HOLD = 10.0


class Person(PersonAtOtherTerminal):
    """Notes the pages that were finished."""

    def __init__(self) -> None:
        super().__init__()
        self.finished: list[tuple[str, str]] = []
        self.heard_of: list[BrokerEvent] = []

    def page_finished(self, server: str, elicitation_id: str) -> None:
        self.finished.append((server, elicitation_id))

    def on_broker_event(self, event: BrokerEvent) -> None:
        self.heard_of.append(event)


class Asker(Request):
    """A request of the agent that keeps what it is told."""

    def __init__(
        self, clock: MovedClock, name: str = "a test", era: str = "handshake", modes: str = ""
    ) -> None:
        super().__init__(clock.time())
        self.agent = AgentInfo(name, "1", frozenset(modes.split()))
        self.era = era
        self.told: list[tuple[Any, ...]] = []

    def progress(self, *told: Any) -> None:
        self.told.append(("progress", *told))

    def log(self, *told: Any) -> None:
        self.told.append(("log", *told))


@dataclass
class Pending:
    """A question that the broker has open."""

    question: Question
    ends: list[Outcome] = field(default_factory=list)

    def settle(self, outcome: Outcome) -> None:
        self.ends.append(outcome)

    @property
    def deadline(self) -> Any:
        return SimpleNamespace(remaining=None)


class Broker:
    """Asks whoever answers; nothing is judged here."""

    def __init__(self) -> None:
        self.pending: list[Pending] = []
        self.allowances: Any = {"allowed": 1}
        self.left: list[ElicitationRequest] = []
        self.asked: list[ElicitationRequest] = []
        self.asking: Any = None
        self.listener: Callable[[BrokerEvent], None] = print

    def subscribe(self, listener: Callable[[BrokerEvent], None]) -> None:
        self.listener = listener

    async def resolve(self, request: ElicitationRequest) -> Outcome:
        self.asked.append(request)
        outcome: Outcome = await self.asking.respond(Question(request), Deadline(0))
        return outcome

    def sent(self, request: ElicitationRequest) -> None:
        self.left.append(request)

    def end_where(self, matches: Callable[[ElicitationRequest], bool], outcome: Outcome) -> None:
        for pending in self.pending:
            if matches(pending.question.request):
                pending.settle(outcome)


class Host:
    """Has one server, whose calls never end."""

    def __init__(self) -> None:
        self.listener: Callable[[Any], None] = print
        self.connections: dict[str, Any] = {}
        self.cancelled: list[tuple[str, Outcome]] = []

    def subscribe(self, listener: Callable[[Any], None]) -> None:
        self.listener = listener

    async def connect(self, server: str) -> Any:
        if server not in self.connections:
            raise ServerError(f"{server} cannot be started.")
        return self.connections[server]

    async def cancel(self, call_id: str, outcome: Outcome) -> None:
        self.cancelled.append((call_id, outcome))


class Catalogues:
    """Knows a tool, a prompt and a resource of the server `web`."""

    async def tool_origin(self, name: str, own: Any) -> Any:
        return ("web", "deploy") if name == "web__deploy" else None

    async def prompt_origin(self, name: str) -> Any:
        return ("web", "greet") if name == "web__greet" else None

    async def server_of(self, uri: str) -> Any:
        return "web" if uri == "a:b" else None


class Audience:
    def __init__(self) -> None:
        self.told: list[Any] = []

    def resource_updated(self, uri: str) -> None:
        self.told.append(uri)

    def log(self, *told: Any) -> None:
        self.told.append(told)


class SessionWorld:
    """A session, its parts, and an agent on it."""

    def __init__(self, shared: Any = None, **gateway: Any) -> None:
        """`shared`: what other gateways of this agent are told."""
        settings = GatewaySettings(ask_via="console", hold_sec=HOLD, **gateway)
        self.clock, self.person = MovedClock(), Person()
        self.broker, self.host, self.audience = Broker(), Host(), Audience()
        self.calls = HeldCalls(self.clock)
        self.known: list[Any] = []
        self.asking = self.broker.asking = Asking(
            self.calls,
            self.person,
            self.clock,
            ask_via="console",
            hold_sec=HOLD,
            client_asked=lambda shown: None,
            agent_answers=AgentAnswers(allowed=settings.agent_answers == "allow"),
        )
        owner: Any = SimpleNamespace(
            settings=Settings(gateway=settings), broker=self.broker, host=self.host
        )
        parts: Any = {
            "asking": self.asking,
            "other_terminal": self.person,
            "held_calls": self.calls,
            "catalogues": Catalogues(),
            "audience": self.audience,
            "clock": self.clock,
            "measuring": SimpleNamespace(offered=lambda agent, look: False),
            "shared": shared,
            "note": SimpleNamespace(known_as=lambda agent, http: self.known.append(agent)),
        }
        self.session = AgentSession(owner, SessionParts(**parts))

    def begins(self, name: str = "deploy", server: str = "web") -> HeldCall:
        work: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        return self.calls.start(Call("tools/call", name), server, name, work)

    def asker(self, **how: Any) -> Any:
        return Asker(self.clock, **how)

    def calls_tool(
        self, name: str, more: Mapping[str, Any] | None = None, asker: Any = None, **arguments: Any
    ) -> asyncio.Task[Any]:
        asked = asker or self.asker()
        asked.round_answer = round_answer(asked.era, more or {})
        return asyncio.ensure_future(self.session.call_tool(name, arguments, asked))

    async def asks(self, **how: Any) -> tuple[asyncio.Task[Any], Question]:
        """The agent asks its user; what its person sees."""
        asking = self.calls_tool(own_tools.ELICIT, **{"message": "Which?", **how})
        return asking, await self.person.question()

    async def paused(self) -> tuple[str, Question]:
        """A question of the agent's that waits for a person; its id."""
        asking, question = await self.asks()
        await self.clock.move(HOLD)
        told = await asyncio.wait_for(asking, WAIT)
        (held,) = self.calls.under_way
        assert says(told) == telling.paused_text(held.id)
        return held.id, question


def says(result: Any) -> str:
    return "\n".join(block["text"] for block in result["content"])
