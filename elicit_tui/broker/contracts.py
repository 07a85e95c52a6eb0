"""What stands around the broker: what it needs, what it allows, what it tells whom."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, Protocol, TypeVar

from elicit_tui.broker.drafts import Drafts
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import ElicitationRequest, Outcome, Question, Queue, Review
from elicit_tui.text import neutral_line

if TYPE_CHECKING:
    from elicit_tui.hooks import Hooks
    from elicit_tui.policy import Decision


Event = TypeVar("Event")


class LedgerWriter(Protocol):
    """Writes what happens to each question. Everything raises LedgerError."""

    def asked(self, request: ElicitationRequest, review: Review) -> None:
        """Write that a question came, and what the guardian found."""
        ...

    def decided(self, request: ElicitationRequest, outcome: Outcome, review: Review) -> None:
        """Write a question's outcome, and what was asked where that could not be written then.

        When this returns, an accept is there to stay; what is none may wait for its next writer.
        """
        ...

    def sent(self, request_id: str) -> None:
        """Write that the answer left."""
        ...

    def withdrawn(self, request_id: str, sentence: str) -> None:
        """Write that the server took the question back after its answer had left."""
        ...

    def flood(self, server: str, count: int, outcome: Outcome) -> None:
        """Write `count` outcomes alike of one server's questions, as one record."""
        ...


class Allowance(NamedTuple):
    """A tool that may be called without asking, of one process and one definition of it."""

    server: str
    tool: str
    process: str
    """Which process of the server, or which connection to a remote one."""
    definition_digest: str


class Allowances:
    """Kept in memory only, never written to the configuration; at most one for a tool."""

    def __init__(self) -> None:
        self._held: dict[Allowance, datetime] = {}

    def __iter__(self) -> Iterator[Allowance]:
        return iter(tuple(self._held))

    def add(self, allowance: Allowance) -> None:
        """Remember one, in place of an older one for the same tool."""
        self.drop(allowance.server, allowance.tool)
        self._held[allowance] = datetime.now()

    def since(self, server: str, tool: str) -> datetime | None:
        """When a tool was allowed, whatever its definition is by now; None: it is not."""
        for allowance, allowed_at in self._held.items():
            if (allowance.server, allowance.tool) == (server, tool):
                return allowed_at
        return None

    def holds(self, allowance: Allowance) -> bool:
        """Whether exactly this is allowed; one whose process or definition changed ends here."""
        if allowance in self._held:
            return True
        self.drop(allowance.server, allowance.tool)
        return False

    def drop(self, server: str, tool: str | None = None) -> None:
        """Take back what was allowed for a tool, or for all tools of a server."""
        self._held = {
            held: at
            for held, at in self._held.items()
            if held.server != server or (tool is not None and held.tool != tool)
        }


async def _nothing_revoked(allowances: Allowances) -> None:
    """Nobody else can revoke what is allowed here."""


@dataclass(frozen=True)
class CallingAgent:
    """The agent that makes the calls, as the broker has to know it."""

    has_left: Callable[[ElicitationRequest], bool]
    """Whether it has left all calls that a question belongs to, and may still come back."""
    drop_revoked: Callable[[Allowances], Awaitable[None]] = _nothing_revoked
    """Takes back what another process revoked, such as an inbox; awaited before one counts."""


@dataclass(frozen=True)
class BrokerOptions:
    """What a broker can do without."""

    queue: Queue | None = None
    """The one that the responder was given, where its screens show what waits."""
    hooks: Hooks | None = None
    drafts: Drafts | None = None
    """Where what was typed is kept; as shipped, in memory."""
    agent: CallingAgent | None = None
    """Given where an agent makes the calls. No tool is approved while it is away, and no more
    approvals wait at once than `elicitation.limits.pending` says."""


NO_OPTIONS: Final = BrokerOptions()


class Requested(NamedTuple):
    """A server asked; `question.review` is empty when the guardian was not reached."""

    question: Question

    @property
    def request(self) -> ElicitationRequest:
        """What was asked."""
        return self.question.request


class Resolved(NamedTuple):
    """A request has its one outcome; it is in the ledger, unless a notice said why not."""

    request: ElicitationRequest
    review: Review
    outcome: Outcome
    trace: tuple[Decision, ...] = ()
    """What each step decided that the request came to, in the order in which they were taken."""
    draft_kept: bool = False
    """Whether something that the person typed is there when the same is asked again."""

    @property
    def waited_ms(self) -> int:
        """Milliseconds from its arrival to its end; 0 where it ended at once."""
        return self.outcome.waited_ms or 0


class Notice(NamedTuple):
    """Something a person should know once, in a sentence."""

    server: str
    sentence: str


BrokerEvent = Requested | Resolved | Notice
Listener = Callable[[BrokerEvent], None]


def notice_listener(tell: Callable[[str], None]) -> Listener:
    """A listener that has every notice told, each in one line, and nothing else."""

    def listen(event: BrokerEvent) -> None:
        if isinstance(event, Notice):
            tell(f"{event.server}: {event.sentence}")

    return listen


class Listeners(Generic[Event]):
    """Tells each listener of every event, in the order in which they came to listen."""

    def __init__(self, failed: Callable[[str], None]) -> None:
        """`failed` is told, in a sentence, of each listener that raises; once of each."""
        self._failed = failed
        self._all: list[Callable[[Event], None]] = []
        self._failing: set[Callable[[Event], None]] = set()

    def add(self, listener: Callable[[Event], None]) -> None:
        """Tell this one too, from now on."""
        self._all.append(listener)

    def tell(self, event: Event) -> None:
        """Tell everyone, on the event loop; whoever raises is still told what comes next."""
        for listener in tuple(self._all):
            try:
                listener(event)
            except Exception as error:  # noqa: BLE001 - whatever a face does, the answer leaves
                if listener not in self._failing:
                    self._failing.add(listener)
                    reason = neutral_line(f"{type(error).__name__}: {error}")
                    self._failed(f"Something that is told what happens failed: {reason}")
