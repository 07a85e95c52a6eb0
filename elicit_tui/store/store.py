"""What a store keeps and does, whatever engine is under it.

A question goes the way that `transitions` has. The process that asks puts it,
takes the answer to its own broker, which judges it, and settles or reopens; any other process of
the same person lists, claims and answers. Every call is safe to repeat.
"""

from __future__ import annotations

from dataclasses import field
from datetime import datetime, timedelta
from typing import Literal, Protocol

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import Action, Answerer, DecidedBy, Outcome, Question, new_id
from elicit_tui.elicitation.kind import Kind
from elicit_tui.elicitation.question import KEY_GRACE_SECONDS, Draft
from elicit_tui.store.living import machine_id
from elicit_tui.store.sealed_calls import SealedCalls
from elicit_tui.store.transitions import AgentState, State

Role = Literal["asker", "listener", "answerer"]
"""What a process does here: it asks for the agent that started it, or for the agents that reach it
over HTTP; or it is where a person answers."""


@dataclass(frozen=True)
class Asker:
    """Who asks: an agent's session and the agent in it."""

    session: str
    """Ours, unguessable; the questions and grants of a session end with it."""
    agent: str | None = None
    """What the agent calls itself; hostile text."""
    agent_version: str | None = None
    directory: str | None = None
    """Where it works."""
    machine: str | None = None
    """What the machine calls itself on which it is asked for."""
    machine_id: str = ""
    """As `living.machine_id` has it there."""


@dataclass(frozen=True)
class Answer:
    """What somebody answered; the asker's broker makes the outcome of it."""

    outcome: Outcome
    """Action, scope, content, acknowledgements, `via` and note, as the answering form gave them."""
    by: Answerer
    attempt: int
    """Of the question that was answered; an answer to an earlier one comes too late."""
    digest: str
    """`Waiting.digest` of the request that was seen."""
    id: str = field(default_factory=new_id)
    """Tells this answer from another one, also when it is given once more."""


@dataclass(frozen=True)
class Waiting:
    """One question as the store has it."""

    id: str
    session: str
    state: State
    attempt: int
    digest: str
    """Names the request, and only where its session's key is known."""
    kind: Kind
    agent: str | None
    server: str
    tool: str | None
    put_at: datetime
    deadline: datetime | None
    """When the asker gives up, unless somebody types meanwhile; None: it waits with its session."""
    last_key_at: datetime | None
    """When somebody last pressed a key on it."""
    question: Question | None
    """What is asked, without its form; None once it is settled, and when its seal does not open."""
    asker: Asker | None
    agent_state: AgentState
    held_by: Answerer | None
    """Who has it in front of them, while it is claimed."""
    answer_id: str | None
    """Which answer won."""
    answered_by: Answerer | None
    action: Action | None
    """How it ended; None also for a question that was withdrawn."""
    decided_by: DecidedBy | None
    """Who decided its end; `store`: the process that asked is gone, and it is not known whether an
    answer went out."""
    unreadable: str | None
    """Why `question` cannot be read, in a sentence; it stays open for whoever has the secret."""

    @property
    def call_ids(self) -> tuple[str, ...]:
        """Its calls, empty where it cannot be read; by such an id a paused agent comes back."""
        return () if self.question is None else tuple(c.id for c in self.question.request.calls)

    @property
    def handed_to(self) -> str | None:
        """The agent whose own prompt it is; None too where it cannot be read any more."""
        return None if self.question is None else self.question.request.handed_to

    @property
    def ends_at(self) -> datetime | None:
        """Its deadline as typing has moved it; no key moves that of an agent's own prompt."""
        if self.deadline is None or self.last_key_at is None or self.handed_to is not None:
            return self.deadline
        return max(self.deadline, self.last_key_at + timedelta(seconds=KEY_GRACE_SECONDS))


@dataclass(frozen=True)
class Changes:
    """What became different, and the number to ask on from."""

    number: int
    waiting: tuple[Waiting, ...]
    """Each changed question as it is now, oldest change first; settled ones too."""


@dataclass(frozen=True)
class AskingProcess:
    """A living process that asks."""

    number: int
    role: Role = "asker"
    machine_id: str = field(default_factory=machine_id)
    """Where its number means it; elsewhere it may be anybody's."""


@dataclass(frozen=True)
class Grant:
    """An allowance of the broker, kept with the session that it is for."""

    session: str
    server: str
    tool: str
    process: str
    """The server's process that it is bound to."""
    definition: str
    """The digest of the tool's definition that it is bound to."""
    agent: str | None = None
    granted_at: datetime | None = None


# Who may use the gateways of all machines that share it


@dataclass(frozen=True)
class Token:
    """A token as it is kept: enough to know it again, not to use it."""

    name: str
    sha256: str
    added: str
    """RFC 3339."""


class SharedTokenEntries(Protocol):
    """The tokens that every machine knows; everything raises StoreError."""

    async def add(self, token: Token) -> bool:
        """Let a token in; False: there is one with this name already."""
        ...

    async def revoke(self, sha256: str, name: str = "") -> None:
        """Take a token back, for ever; `name`: its entry goes."""
        ...

    async def read(self) -> tuple[tuple[Token, ...], frozenset[str]]:
        """The tokens that are let in, by name, and the digests of those that were revoked."""
        ...


# All of it


class Store(Protocol):
    """What waits, who is there to answer, and what was allowed for a session.

    Everything raises StoreError, of one plain sentence, when it cannot be done: then the asker
    ends its question by `store`, never with an accept.
    """

    patience_sec: float
    """How long it may be away before the questions in it end by `store`."""

    @property
    def tokens(self) -> SharedTokenEntries | None:
        """The tokens that all machines of this store know; None where it is of one machine."""
        ...

    @property
    def calls(self) -> SealedCalls:
        """What was called, for agents whose calls other processes may answer for."""
        ...

    # Who asks

    async def begin(self, asker: Asker) -> None:
        """Begin a session in this process; it ends with it, also by kill -9."""
        ...

    async def end(self, session: str) -> None:
        """End a session: what still waits of it is settled, its grants are erased."""
        ...

    async def put(
        self, question: Question, asker: Asker, deadline: datetime | None = None
    ) -> Waiting:
        """Let a question wait."""
        ...

    async def answer_of(self, question_id: str) -> Answer | None:
        """The answer that won, for the asker to judge; None while there is none.

        Raises SealError for one that was not given to this question, attempt and request.
        """
        ...

    async def settle(self, question_id: str, outcome: Outcome) -> None:
        """Settle a question, which has its outcome: its content is erased."""
        ...

    async def reopen(self, question: Question) -> None:
        """Open a question again: the answer to its last attempt was judged, and does not do."""
        ...

    async def withdraw(self, question_id: str) -> None:
        """Take a question back: its content is erased. `settle` may yet say how it ended."""
        ...

    async def mark_agent(self, question_id: str, state: AgentState) -> None:
        """Note that the agent that asked was told to come back, has left, or is back."""
        ...

    # Who answers

    async def waiting(self) -> tuple[Waiting, ...]:
        """All questions that are not settled, oldest first."""
        ...

    async def get(self, question_id: str) -> Waiting | None:
        """One question; settled ones for an hour yet."""
        ...

    async def claim(
        self, question_id: str, by: Answerer, draft: Draft | None = None
    ) -> Waiting | None:
        """Note that somebody pressed a key on a question just now, and keep what was typed so far.

        Somebody else's claim stays while its lease lasts: then `held_by` of the result is theirs.
        A claim is a courtesy: it keeps nobody from answering.
        """
        ...

    async def release(self, question_id: str, draft: Draft | None = None) -> None:
        """Give a claim of this process back; what was typed is kept."""
        ...

    async def answer(self, question_id: str, answer: Answer) -> Waiting | None:
        """Answer, if nobody was faster: the winner's id then stands in `answer_id`.

        None: there is no such question any more.
        """
        ...

    # Everybody

    async def heartbeat(self, last_key: datetime | None = None) -> None:
        """Say that this process lives; end what dead ones left, and leases that ran out.

        `last_key`: when a key was last pressed in this console or inbox.
        """
        ...

    async def changes(self, since: int = 0, wait_sec: float = 0) -> Changes:
        """What changed after the number `since`, waiting for it up to `wait_sec` seconds.

        A process that asks may be told of its own sessions alone.
        """
        ...

    async def somebody_is_there(self) -> bool:
        """Whether a key was pressed in a living console or inbox within ten minutes."""
        ...

    async def asking_processes(self) -> tuple[AskingProcess, ...]:
        """The living processes that ask, of both roles."""
        ...

    # Grants

    async def grant(self, grant: Grant) -> None:
        """Remember that a tool is allowed for a session that lives."""
        ...

    async def grants(self, session: str | None = None) -> tuple[Grant, ...]:
        """What is allowed, oldest first."""
        ...

    async def revoke(
        self, server: str | None = None, tool: str | None = None, session: str | None = None
    ) -> int:
        """Take back what matches each of these that is given; how many there were."""
        ...

    async def close(self) -> None:
        """Give everything back; the sessions of this process end."""
        ...
