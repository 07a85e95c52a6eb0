"""The one answer to one elicitation: what was done, who decided, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any, Final, Literal

from elicit_tui.dataclass import dataclass
from elicit_tui.text import quoted

Action = Literal["accept", "decline", "cancel"]
DecidedBy = Literal[
    "user",
    "policy",
    "guardian",
    "rule",
    "answers",
    "nobody",
    "deadline",
    "flood",
    "shutdown",
    "ledger",
    "server",
    "hook",
    "client",
    "agent",
    "withdrawn",
    "store",
]
Scope = Literal["once", "session"]
"""How long an approval holds: for this call, or until its server or its tool changes."""
Via = Literal["console", "inline", "plain", "inbox", "web", "client", "agent", "hook"]
"""Through what an answer came."""

ServerEnd = Literal["withdrew", "went away", "call ended", "not needed"]
"""What ended a question that its server, or what it asked for, left behind."""

SERVER_ENDS: Final[Mapping[ServerEnd | None, str]] = {
    "withdrew": "the server withdrew it",
    "went away": "the server went away",
    "call ended": "its call ended",
    "not needed": "it was not needed any more",
    None: "the server ended it",
}
"""The same for a person; None where an older elicit-tui recorded it."""

SIGNS: Final[Mapping[str | None, str]] = {"accept": "✓", "decline": "✗", "cancel": "○", None: "–"}
"""What stands before an outcome's action wherever a person reads it."""

OUTCOME_META_KEY: Final = "dev.elicit-tui/outcome"

MUTED: Final = "You muted "
"""How the reason begins of what a muted server asks."""

INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603

PUBLIC_REASONS: Final[Mapping[DecidedBy, str]] = {
    "user": "The user decided.",
    "policy": "The client's policy decided; no person was asked.",
    "guardian": "The client's safety check declined the request; no person was asked.",
    "rule": "A rule of the user answered; no person was asked.",
    "answers": "Prepared answers were used; no person was asked.",
    "nobody": "No person was there to ask.",
    "deadline": "No answer was given in time.",
    "flood": "Too many requests came from this server; no person was asked.",
    "shutdown": "The client ended before an answer was given.",
    "ledger": "The client could not record the answer, so it was withheld.",
    "server": "The request was withdrawn.",
    "hook": "A program of the user decided; no person was asked.",
    "client": "The user's client answered; whether a person saw the request is not known.",
    "agent": "The user's agent answered; no person was asked.",
    "withdrawn": "The call that the request belonged to was taken back.",
    "store": "The client could not keep the request until it was answered.",
}
"""The only sentences a server gets: it may be the attacker, so none names a rule, key or path."""


_GIVEN: Final = frozenset({"user", "policy", "guardian", "rule", "answers", "hook"})


@dataclass(frozen=True)
class Answerer:
    """Who answers in another process than the one that asks, or has its question before them."""

    user: str
    terminal: str | None
    """Such as `pts/3`; None without one."""
    machine: str
    """What the machine calls itself."""
    ancestry: tuple[str, ...] = ()
    """The processes from the answering one up to its first session leader, as `PID NAME`."""
    machine_id: str = ""
    """Tells machines with the same name apart; empty where an older elicit-tui answered."""


@dataclass(frozen=True)
class Outcome:
    """How one request ended. `reason` is for the person and the record, never for the server."""

    action: Action | None
    """None when no result could be sent: withdrawn, server gone, or refused with an error."""
    decided_by: DecidedBy
    reason: str
    content: Mapping[str, Any] | None = None
    """The accepted content of a form (`{}` if empty); None for url mode and refusals."""
    key: str | None = None
    """The configuration key that decided, where one did."""
    layer: str | None = None
    """The layer that key came from: managed, command line, user or default."""
    server_end: ServerEnd | None = None
    """Of one decided by `server`: what ended it."""
    error_code: int | None = None
    """A JSON-RPC error sent instead of a result (malformed requests, handshake era)."""
    in_group: bool = False
    """One of many alike, which are counted and recorded together: a server asks without end."""
    unasked: bool = False
    """The person wants to be told nothing of it but by the record: its server is muted."""
    seen: frozenset[str] | None = None
    """The parts of the question that were before the eyes of who accepts it (`Question.to_see`).

    None: its face has no screen beyond which anything could lie, such as lines at a prompt.
    """
    acknowledged: frozenset[str] = frozenset()
    """The ids of the findings that the giver of an accept saw and went ahead in spite of."""
    scope: Scope | None = None
    """How long an accepted approval holds; None for elicitations and refusals."""
    via: Via | None = None
    """Through what the answer came, where somebody answered."""
    note: str | None = None
    """What a person who refuses tells the agent; never sent to a server."""
    answered_by: Answerer | None = None
    """Who answered, where that was another process."""
    answered: Outcome | None = None
    """What was answered before a hook refused it or changed its content."""
    waited_ms: int | None = field(default=None, compare=False)
    """Milliseconds from its arrival to its end, by a clock that nobody sets; None: by the times of
    day."""

    @property
    def cost_a_person(self) -> bool:
        """Whether somebody looked at the question, or was waited for."""
        return self.decided_by in ("user", "deadline")

    @property
    def changed(self) -> tuple[str, ...]:
        """The names of the fields that a hook changed, put in or left out."""
        if self.answered is None or self.content is None:
            return ()
        old, new, missing = self.answered.content or {}, self.content, object()
        return tuple(
            name
            for name in dict.fromkeys([*old, *new])
            # By their spelling: 1, 1.0 and true are one to Python, and three to a server.
            if repr(old.get(name, missing)) != repr(new.get(name, missing))
        )

    @property
    def public_meta(self) -> dict[str, Any]:
        """The result's `_meta`: who decided and one fixed sentence (spec: basic, `_meta`)."""
        return {
            OUTCOME_META_KEY: {
                "decidedBy": self.decided_by,
                "reason": PUBLIC_REASONS[self.decided_by],
            }
        }

    @property
    def was_given(self) -> bool:
        """Whether somebody, or what the owner set up, decided it; else it ended by itself."""
        return self.decided_by in _GIVEN

    def handed_back(self) -> Outcome:
        """The end of an agent's own prompt that nothing here decided: the agent asks by itself."""
        return replace(self, action=None, decided_by="nobody", content=None)

    def withheld(self, reason: str) -> Outcome:
        """This accept turned into a cancel because it could not be recorded."""
        return replace(self, action="cancel", decided_by="ledger", reason=reason, content=None)


def muted(server: str) -> Outcome:
    """Of a server that the person muted for this run."""
    return cancel("policy", f"{MUTED}{quoted(server)} for this run.", unasked=True)


def accept(by: DecidedBy, reason: str, content: Mapping[str, Any] | None, **more: Any) -> Outcome:
    """An accept; pass `{}` for an empty form and None for url mode."""
    return Outcome("accept", by, reason, content, **more)


def decline(by: DecidedBy, reason: str, **more: Any) -> Outcome:
    """An explicit no."""
    return Outcome("decline", by, reason, **more)


def cancel(by: DecidedBy, reason: str, **more: Any) -> Outcome:
    """Neither yes nor no: dismissed, or nobody could decide."""
    return Outcome("cancel", by, reason, **more)


def unsent(by: DecidedBy, reason: str, **more: Any) -> Outcome:
    """An end without a result on the wire: withdrawn, gone, or refused with an error."""
    return Outcome(None, by, reason, **more)


def ended_unsent(end: ServerEnd, reason: str) -> Outcome:
    """An end that its server gave it, or what it was asked for; nothing can be sent."""
    return unsent("server", reason, server_end=end)
