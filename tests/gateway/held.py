"""Held calls without servers: what a session does for them, and the requests that attend them."""

from __future__ import annotations

import asyncio
from typing import Any

from elicit_tui.elicitation import Call, Question, ServerIdentity
from elicit_tui.gateway.held_call import HeldCall, Reply
from elicit_tui.gateway.held_calls import HeldCalls
from elicit_tui.gateway.requester import AgentInfo
from tests.broker.conftest import form_request
from tests.gateway.world import MovedClock, settled

SERVER = ServerIdentity("s", "stdio", "s")
RESULT: dict[str, Any] = {"content": []}


class Watcher:
    """A session that only keeps what its held calls tell it."""

    def __init__(self) -> None:
        self.withdrawn: list[HeldCall] = []
        self.states: list[str] = []

    def withdraw(self, held: HeldCall) -> None:
        self.withdrawn.append(held)
        held.waiting.clear()
        held.changed()

    def outcome_kept(self, held: HeldCall) -> None:
        """Kept nowhere else."""

    def given_up(self, held: HeldCall) -> None:
        """Kept nowhere else."""

    def agent_side_changed(self, held: HeldCall) -> None:
        """Kept nowhere else."""

    def agent_state_changed(self, held: HeldCall) -> None:
        self.states.append(held.agent_state)

    async def cancel_below(self, held: HeldCall) -> None:
        """There is no server."""


class Request:
    """A request of an agent in the handshake era."""

    era = "handshake"
    agent = AgentInfo()
    has_token = False
    http = False
    knows_tasks = False
    round_answer: Any = None

    def __init__(self, arrived: float) -> None:
        self.arrived = arrived


class Telling(Watcher):
    """A session that notes, in order, what it is told beside the withdrawals."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []

    async def cancel_below(self, held: HeldCall) -> None:
        self.told.append("cancel below")

    def outcome_kept(self, held: HeldCall) -> None:
        self.told.append("outcome kept")

    def given_up(self, held: HeldCall) -> None:
        self.told.append("given up")


class Asks(Request):
    """A request of the modern era, which asked for progress."""

    era = "modern"
    has_token = True

    def __init__(self, arrived: float) -> None:
        super().__init__(arrived)
        self.ticks: list[tuple[float | None, str]] = []

    def tick(self, total: float | None, message: str) -> None:
        self.ticks.append((total, message))


class HeldSession:
    """The held calls of one session, with a clock to move."""

    def __init__(self) -> None:
        self.clock = MovedClock()
        self.watcher = Telling()
        self.calls = HeldCalls(self.clock)
        self.calls.watched_by(self.watcher)
        self._attending: list[asyncio.Future[Reply]] = []

    def begins(self, key: str = "key", server: str = "s") -> HeldCall:
        work: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        return self.calls.start(Call("tools/call", "one", {}), server, key, work)

    async def attends(
        self, held: HeldCall, request: Request | None = None, hold: float = 1000.0, **how: bool
    ) -> asyncio.Future[Reply]:
        """One more request waits for a call."""
        asked: Any = request or Request(self.clock.time())
        self._attending.append(asyncio.ensure_future(self.calls.attend(held, asked, hold, **how)))
        await settled()
        return self._attending[-1]

    async def close(self) -> None:
        await self.calls.end()
        for attending in self._attending:
            attending.cancel()
        await asyncio.gather(*self._attending, return_exceptions=True)


def asked(held: HeldCall) -> Question:
    """A question of this call waits for a person from now on."""
    question = Question(form_request())
    held.waiting[question.id] = question
    held.has_asked = True
    held.changed()
    return question


def ends(held: HeldCall) -> None:
    work: Any = held.task
    work.set_result(RESULT)


async def leaves(attending: asyncio.Future[Reply]) -> None:
    attending.cancel()
    await asyncio.gather(attending, return_exceptions=True)
    await settled()
