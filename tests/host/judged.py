"""A wire with its judge and no server: what comes, what leaves, and what a broker hears of it."""

from __future__ import annotations

import asyncio
from contextvars import Context, copy_context
from typing import Any

from mcp.shared.message import SessionMessage
from mcp_types import (
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)

from elicit_tui.elicitation import (
    Call,
    ElicitationRequest,
    Outcome,
    ServerIdentity,
    accept,
    unsent,
)
from elicit_tui.host.breaches import Breaches
from elicit_tui.host.exchange import CURRENT, Exchange
from elicit_tui.host.messages import Message
from elicit_tui.host.open_calls import OpenCalls
from elicit_tui.host.wire import Wire

FORM = {"message": "Go on?", "requestedSchema": {"type": "object", "properties": {}}}
YES = accept("user", "Sent.", {})
CALL = Call("tools/call", "build")


class Broker:
    """Admits what it is told to, and notes what it hears."""

    def __init__(self) -> None:
        self.at_once: Outcome | None = None
        self.outcome: Outcome = YES
        self.taken: Outcome = unsent("server", "Taken back.")
        self.asked: list[ElicitationRequest] = []
        self.heard: list[tuple[str, str]] = []

    def admit(self, request: ElicitationRequest) -> Outcome | None:
        self.asked.append(request)
        return self.at_once

    async def resolve(self, request: ElicitationRequest) -> Outcome:
        return self.outcome

    def sent(self, request: ElicitationRequest) -> None:
        self.heard.append(("sent", request.id))

    def withdraw(self, request_id: str, sentence: str, *more: str) -> None:
        self.heard.append(("withdraw", sentence))

    def withdrawn_late(self, request: ElicitationRequest, sentence: str) -> None:
        self.heard.append(("late", sentence))

    def taken_back(self, request: ElicitationRequest, sentence: str) -> Outcome:
        self.heard.append(("taken back", sentence))
        return self.taken

    def refused_on_the_wire(self, request: ElicitationRequest, sentence: str) -> None:
        self.heard.append(("refused", sentence))

    def call_ended(self, request_id: str) -> None:
        self.heard.append(("call ended", request_id))


class Judged:
    """A wire that was told that it may be asked, with all that leaves it."""

    def __init__(self, *, modern: bool = False, initialized: bool = True) -> None:
        self.broker = Broker()
        self.events: list[Any] = []
        self.told: list[str] = []
        self.open = OpenCalls(lambda call: False)
        self.wire = Wire(
            self.broker,  # type: ignore[arg-type]
            ("form", "url"),
            lambda: ServerIdentity("jobs", "stdio", "jobs"),
            self.open,
            self.events.append,
            Breaches(self.told.append),
        )
        self.wire.era = "modern" if modern else "handshake"
        if initialized:
            start = JSONRPCNotification(jsonrpc="2.0", method="notifications/initialized")
            self.wire.outbound(start)

    def comes(self, message: Any, context: Context | None = None) -> bool:
        """Whether a message of the server goes on to the library."""
        return self.wire.inbound(SessionMessage(message), context) is not None

    def asks(self, number: Any = 1, **more: Any) -> bool:
        return self.comes(request("elicitation/create", FORM, number, **more))

    def takes_back(self, number: Any, **more: Any) -> None:
        self.comes(note("notifications/cancelled", {"requestId": number, **more}))

    def left(self) -> list[Message]:
        """What the wire itself has to say, each of it written now."""
        found = []
        while self.wire.outbox._waiting:
            message, written = self.wire.outbox._waiting.popleft()
            found.append(message)
            if written is not None:
                written()
        return found

    async def answers(self, number: Any = 1) -> JSONRPCResponse | None:
        """The library's answer to a question, as it leaves; None when nothing may."""
        await self.wire.decide(number)
        return self.leaves(JSONRPCResponse(jsonrpc="2.0", id=number, result={"action": "cancel"}))

    def leaves(self, message: Any) -> Any:
        if not self.wire.outbound(message):
            return None
        self.wire.written(message)
        return message


def request(method: str, params: Any, number: Any = 1, jsonrpc: str = "2.0") -> JSONRPCRequest:
    return JSONRPCRequest.model_construct(jsonrpc=jsonrpc, id=number, method=method, params=params)


def note(method: str, params: Any = None) -> JSONRPCNotification:
    return JSONRPCNotification.model_construct(jsonrpc="2.0", method=method, params=params)


def answer(number: Any, **result: Any) -> JSONRPCResponse:
    return JSONRPCResponse(jsonrpc="2.0", id=number, result=result)


def within(exchange: Exchange) -> Context:
    context = copy_context()
    context.run(CURRENT.set, exchange)
    return context


def requests(here: Judged, exchange: Exchange, number: int = 7) -> JSONRPCRequest:
    """Our request, sent for this exchange."""
    message = request("tools/call", {"_meta": {}}, number)
    within(exchange).run(here.leaves, message)
    return message


def run(work: Any) -> None:
    asyncio.run(work)
