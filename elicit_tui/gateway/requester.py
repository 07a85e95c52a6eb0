"""One request of the agent, as the rest of the gateway knows it: no SDK, no transport."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import cache, partial
from typing import Any, Final, Literal, NamedTuple, Protocol

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import Era
from elicit_tui.elicitation.eras import ERAS
from elicit_tui.elicitation.settings import GatewaySettings
from elicit_tui.gateway.agents import agent_called

LEVELS: Final = (
    "debug",
    "info",
    "notice",
    "warning",
    "error",
    "critical",
    "alert",
    "emergency",
)
"""Of log lines, from the least to the gravest (spec: server/utilities/logging)."""


class ClientSilent(Exception):
    """The agent's client cannot be asked now, or it broke off; the question goes elsewhere."""


@dataclass(frozen=True)
class AgentInfo:
    """Who the agent says it is, and what its client can do."""

    name: str | None = None
    version: str | None = None
    modes: frozenset[str] = frozenset()
    """The elicitation modes that its client advertises: form, url."""


class RoundAnswer(NamedTuple):
    """What the agent's client answers to a round of one of its calls (modern era)."""

    state: str
    """The `requestState` of that round."""
    responses: Any
    """Its `inputResponses`, as they came."""


def round_answer(era: Era, params: Mapping[str, Any]) -> RoundAnswer | None:
    """The answer to a round that a request carries; None for one that carries none."""
    state = params.get("requestState")
    if not ERAS[era].rounds or not isinstance(state, str):
        return None
    return RoundAnswer(state, params.get("inputResponses"))


class Requester(Protocol):
    """A request of the agent that waits for its answer."""

    era: Era
    agent: AgentInfo
    arrived: float
    """When it came, by the gateway's clock."""
    has_token: bool
    """Whether it asked for progress."""
    http: bool
    knows_tasks: bool
    """Whether its client takes a task in the place of a result (spec: SEP-2663)."""
    round_answer: RoundAnswer | None

    def progress(self, value: float, total: float | None, message: str | None) -> None:
        """Tell the agent how far its call is; without waiting, and in order."""
        ...

    def tick(self, total: float | None, message: str) -> None:
        """Say that we still wait: the last value plus a hair."""
        ...

    def log(self, level: str, logger: str | None, data: Any) -> None:
        """Pass a line of a server's log on, where the agent wants it."""
        ...

    def when_answered(self, work: Callable[[], Awaitable[None]]) -> bool:
        """Do this once the answer has left; False where nobody tells when it has."""
        ...

    async def elicit(self, params: Mapping[str, Any]) -> Mapping[str, Any]:
        """Ask the agent's own client (handshake era only). Raises ClientSilent."""
        ...


def runs_alone(requester: Requester) -> bool:
    """Whether nobody sits at this agent, by its name or by how it was started."""
    # Over HTTP nobody tells how the agent was started; only its name does.
    return agent_called(requester.agent.name).is_alone(() if requester.http else _arguments())


@cache
def _arguments() -> tuple[str, ...]:
    from elicit_tui.broker.answerer import agent_arguments  # the front does without

    return agent_arguments()


def elicitation_modes(elicitation: Any) -> frozenset[str]:
    """The modes of a client's capability `elicitation`, as an object or as the SDK read it."""
    if elicitation is None:
        return frozenset()
    look = elicitation.get if isinstance(elicitation, Mapping) else partial(getattr, elicitation)
    modes = {mode for mode in ("form", "url") if look(mode, None) is not None}
    # An empty capability means forms (spec: 2025-11-25, client/elicitation, "Capabilities").
    return frozenset(modes or {"form"})


def takes_task(gateway: GatewaySettings, requester: Requester) -> bool:
    """Whether this request may be answered with a task."""
    return gateway.tasks == "auto" and requester.knows_tasks


def may_pause(gateway: GatewaySettings, name: str | None, *, http: bool, progress: bool) -> bool:
    """Whether a call of this agent may answer "paused" before its question's time is over."""
    hold = agent_called(name).hold_seconds(gateway.hold_sec, http=http, progress=progress)
    return gateway.wait_sec <= 0 or hold < gateway.wait_sec


def hold_seconds(chosen: float | Literal["auto"], requester: Requester) -> float:
    """How long a request of this agent is held; `chosen`: as `gateway.hold_sec`."""
    agent = agent_called(requester.agent.name)
    return agent.hold_seconds(chosen, http=requester.http, progress=requester.has_token)
