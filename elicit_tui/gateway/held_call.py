"""One call of the agent from its start to its outcome, and what a request for it is answered.

    the call      begins ─▶ runs ⇄ waits for a person ─▶ ended ─▶ told ─▶ forgotten
    a request     attends it until there is a `Reply`, and is over then; the call is not

What a request is answered with (`HeldCalls.attend` decides, in this order):

    Ended         the outcome is known
    AsksClient    a question, which the agent's own client answers with its next request
    BecameTask    the agent knows tasks, and polls or listens
    Paused        a person is still waited for when the hold is over: the agent comes back by id
    StillRuns     it came back, the person has answered, and the tool is at work

While no request attends it, its agent has either left (`left`), and what it asks is taken back
after a while, or owes a request (`paused`, a round or a task), and it waits.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from datetime import datetime
from functools import cached_property
from typing import Any, Protocol

from elicit_tui.broker import Resolved
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import Call, Question, now
from elicit_tui.errors import ElicitTuiError
from elicit_tui.gateway.requester import Requester
from elicit_tui.gateway.rounds import Rounds
from elicit_tui.gateway.telling import UNREAD, Result
from elicit_tui.store.transitions import AgentState


class TooManyCalls(ElicitTuiError):
    """The agent has more calls open than any work needs."""

    def __init__(self) -> None:
        super().__init__("Too many calls are open. Finish or cancel some of them first.")


class OutcomesUnread(ElicitTuiError):
    """So many outcomes wait for the agent to read them that nothing more is called."""

    def __init__(self) -> None:
        super().__init__(UNREAD)


class GivenUp(Exception):
    """The call was taken back for good while somebody waited for it; it has no outcome."""


@dataclass(frozen=True)
class Ended:
    """The server answered."""

    result: Result


@dataclass(frozen=True)
class Paused:
    """The hold is over and a person is waited for."""


@dataclass(frozen=True)
class StillRuns:
    """The hold is over and the tool itself is slow; only a resumed call is told so."""


@dataclass(frozen=True)
class AsksClient:
    """Modern era: the agent's client is to answer these, by key, and to call again."""

    requests: Mapping[str, Mapping[str, Any]]
    state: str
    """The `requestState` that comes back with the answers."""


@dataclass(frozen=True)
class BecameTask:
    """The agent is given a task in the place of the result, and comes back for its end."""


AgentSide = tuple[AgentState, bool]
"""What the agent of a call does, and whether an equal call is that one."""
Reply = Ended | Paused | StillRuns | AsksClient | BecameTask


@dataclass(eq=False)
class HeldCall:
    """One call of a server, or one question of the agent's own, from its start to its outcome."""

    call: Call
    server: str
    key: str
    task: asyncio.Task[Result] | None = None
    requesters: list[Requester] = field(default_factory=list)
    elsewhere: dict[str, float] = field(default_factory=dict)
    """The requests that wait for it in other gateway processes, each with the time until which."""
    waiting: dict[str, Question] = field(default_factory=dict)
    """The questions for which a person is waited for, by id."""
    rounds: Rounds = field(default_factory=Rounds)
    with_client: Requester | None = None
    """Modern era: the request that ended in a round, while its client has not called again."""
    resolved: list[Resolved] = field(default_factory=list)
    started: float = 0.0
    has_asked: bool = False
    """Whether a question of this call was put to a person."""
    paused: bool = False
    left: bool = False
    """Its requester went away, and nobody joined yet."""
    withdrawn: bool = False
    """Nobody came back in time, or it was cancelled: what it asks is answered by `withdrawn`."""
    is_task: bool = False
    """Its agent was answered with a task."""
    task_kept: bool | None = None
    """Whether the store knows that it is a task; False: it is given as none. None: not tried."""
    called: bool = False
    """The server may have begun with it: policy and person let it pass."""
    server_task: bool = False
    """Its server answered with a task of its own."""
    begun_at: datetime = field(default_factory=now)
    changed_at: datetime = field(init=False)
    ended_at: datetime | None = None
    is_kept: bool = False
    """Whether its outcome stands in the store."""
    delivered: bool = False
    last_progress: tuple[float, float | None] = (0.0, None)
    _listeners: set[asyncio.Event] = field(default_factory=set)
    departure: asyncio.Task[None] | None = None
    """Runs while its agent is away, and ends with its return: each absence has its own time."""
    cancelling: asyncio.Task[None] | None = None
    """Runs until the server of a task that was cancelled is told."""

    def __post_init__(self) -> None:
        self.changed_at = self.begun_at

    @property
    def id(self) -> str:
        """128 random bits: whoever knows it may read the outcome. Inbox and ledger use it too."""
        return self.call.id

    @property
    def agent_state(self) -> AgentState:
        """What the agent does meanwhile; one whose client has a round calls again by itself."""
        if self.left:
            return "left"
        # It owes a call: it was told that we wait, and neither waits for it itself nor has its
        # client to do so.
        owes = self.paused and not self.attended and self.with_client is None
        return "paused" if owes else "waiting"

    @property
    def attended(self) -> bool:
        """Whether a request of the agent waits for it."""
        return bool(self.requesters or self.elsewhere)

    @property
    def has_id(self) -> bool:
        """Whether its agent was told how to come back for it."""
        return self.paused or self.is_task

    @property
    def tool_path(self) -> str:
        """SERVER/TOOL."""
        return f"{self.server}/{self.call.name}"

    @property
    def done(self) -> bool:
        """Whether the outcome is known."""
        return self.task is not None and self.task.done()

    @cached_property
    def size(self) -> int:
        """What its outcome takes of MOST_OUTCOME_BYTES, nothing without one; only once done."""
        # Written once more only for one that is kept unread: most are read as soon as they end.
        task = self.task
        assert task is not None
        if task.cancelled() or task.exception() is not None:
            return 0
        return len(json.dumps(task.result(), default=str))

    @property
    def joinable(self) -> bool:
        """Whether a call with the same tool and arguments picks this one up.

        A task only while it waits for its approval: from the answer on another call is a new one.
        """
        if self.is_task:
            asked = (question.request.traits.about_call for question in self.waiting.values())
            return any(asked) and not self.withdrawn
        # Only a call that nobody waits for is picked up. While a request is held for it, an equal
        # one is a second call that the agent means: it may well book two tables.
        if self.attended or self.delivered or self.withdrawn:
            return False
        return self.paused or self.left

    @property
    def agent_side(self) -> AgentSide:
        """What the others are told of its agent, whenever it is another than before."""
        return self.agent_state, self.joinable

    @property
    def may_be_task(self) -> bool:
        """Whether an agent that knows tasks need not wait for this one."""
        waits = bool(self.waiting) or self.server_task or self.is_task
        return waits and self.task_kept is not False and self.call.method == "tools/call"

    def changed(self) -> None:
        """Wake those who wait for it."""
        self.changed_at = now()
        for event in self._listeners:
            event.set()

    @contextmanager
    def listening(self) -> Iterator[asyncio.Event]:
        """An event that is set whenever something of this call changes."""
        event = asyncio.Event()
        self._listeners.add(event)
        try:
            yield event
        finally:
            self._listeners.discard(event)


class HeldCallsWatcher(Protocol):
    """What the held calls of a session need of that session."""

    def withdraw(self, held: HeldCall) -> None:
        """End what a call still asks: nobody waits for it any more."""
        ...

    def agent_state_changed(self, held: HeldCall) -> None:
        """Show that the `agent_state` of a call is another."""
        ...

    def agent_side_changed(self, held: HeldCall) -> None:
        """Tell the others that the `agent_side` of a call is another."""
        ...

    async def cancel_below(self, held: HeldCall) -> None:
        """Have the server of a call told that it is cancelled."""
        ...

    def outcome_kept(self, held: HeldCall) -> None:
        """Learn that the outcome of a call is there for an agent that comes back."""
        ...

    def given_up(self, held: HeldCall) -> None:
        """Learn that a call was cancelled, and has no outcome."""
        ...


def agent_state(held_calls: Sequence[HeldCall]) -> AgentState:
    """What the agent does that a question of these calls is asked for: one that waits counts."""
    # Without any call the question is not known to be left.
    states = {held.agent_state for held in held_calls}
    if not states or "waiting" in states:
        return "waiting"
    return "paused" if "paused" in states else "left"


@dataclass(frozen=True)
class NewCall:
    """A call that an agent asks for, before it is known whether one like it runs already."""

    call: Call
    server: str
    make: Callable[[], Awaitable[Result]]
    """Makes it, and waits for what comes of it."""

    @cached_property
    def key(self) -> str:
        """The same for a call that it may join: method, server, tool and canonical arguments."""
        call = self.call
        return json.dumps([call.method, self.server, call.name, call.arguments], sort_keys=True)
