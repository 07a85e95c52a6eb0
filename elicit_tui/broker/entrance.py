"""Steps 2 to 4: may a request come in? Well formed, surfacing, not muted, within its limits.

Cheap and synchronous: it is asked for each raw message, before the SDK sees it. Whether its mode
was advertised is policy's to say, which knows the key that left it out.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from elicit_tui.elicitation import ElicitationRequest, Outcome, cancel, decline, unsent
from elicit_tui.elicitation.outcome import INVALID_PARAMS, muted
from elicit_tui.elicitation.settings import ElicitationLimits

if TYPE_CHECKING:
    from elicit_tui.policy import Decision, Policy


def defect(request: ElicitationRequest) -> str | None:
    """What is malformed about a request, in a sentence; None when it is well formed.

    Spec: client/elicitation, "Protocol Messages" and "Error Handling".
    """
    if request.defect is not None:
        return request.defect
    if not isinstance(request.params, Mapping):
        return "The request has no parameters object."
    mode = request.mode
    if mode not in ("form", "url"):
        return "The request has a mode that the protocol does not know."
    if not isinstance(request.params.get("message"), str):
        return "The request has no message."
    return _form_defect(request) if mode == "form" else _url_defect(request)


def _form_defect(request: ElicitationRequest) -> str | None:
    schema = request.requested_schema
    if schema is None:
        return "requestedSchema is missing or not an object."
    properties: Any = schema.get("properties")
    if not isinstance(properties, Mapping):
        return "requestedSchema has no properties object."
    # Of each type once: there may be a million.
    if not all(issubclass(kind, Mapping) for kind in set(map(type, properties.values()))):
        return "A property of requestedSchema is not a schema."
    return None


def _url_defect(request: ElicitationRequest) -> str | None:
    if request.url is None:
        return "The request has no url."
    if request.protocol.page_ids and request.elicitation_id is None:
        return "The request has no elicitationId."
    return None


def malformed(request: ElicitationRequest, sentence: str) -> Outcome:
    """The outcome of a malformed request: an error in the handshake era, a decline in a round.

    A request that came as a notification has no id to answer.
    """
    if request.wire_id is None:
        return unsent("policy", sentence)
    # In a round there is no place for an error: inputResponses takes results only.
    if not request.protocol.rounds:
        return unsent("policy", sentence, error_code=INVALID_PARAMS)
    return decline("policy", sentence)


MINUTE: Final = 60.0


class FloodGate:
    """Counts, for each server, the questions of the last minute and those still open."""

    def __init__(
        self,
        limits: ElicitationLimits,
        *,
        count_rate: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limits = limits
        self._count_rate = count_rate
        self._clock = clock
        self._recent: dict[str, deque[float]] = {}
        self._open: dict[str, int] = {}

    def enter(self, server: str) -> str | None:
        """Let one question in, or say in a sentence which limit it is over."""
        # Both limits are of one server, and keep no other from asking.
        if self._open.get(server, 0) >= self._limits.pending:
            return f"{self._limits.pending} questions wait already (elicitation.limits.pending)."
        if self._count_rate:
            recent = self._recent.setdefault(server, deque())
            now = self._clock()
            while recent and now - recent[0] >= MINUTE:
                recent.popleft()
            if len(recent) >= self._limits.per_minute:
                return (
                    f"More than {self._limits.per_minute} questions came within a minute "
                    "(elicitation.limits.per_minute)."
                )
            # Only what came in counts: who is over the limit is not kept out longer by trying on.
            recent.append(now)
        self._open[server] = self._open.get(server, 0) + 1
        return None

    def leave(self, server: str) -> None:
        """Count a question of this server no more: it has its outcome."""
        self._open[server] = max(0, self._open.get(server, 0) - 1)


CALLER: Final = "The agent"
"""Whose approvals are counted: all calls of a gateway's session are one agent's."""
ENDED: Final = cancel("shutdown", "elicit-tui ended before an answer was given.")


class OverLimit(Enum):
    """What a limit was passed by, with what becomes of it from then on."""

    QUESTIONS = "What is over the limit is cancelled."
    REFUSED = "What is refused is counted from here on."
    APPROVALS = "Calls over the limit are not made."


class Entrance:
    """Decides for each raw message, without waiting for anything."""

    def __init__(
        self,
        policy: Policy,
        notice: Callable[[str, str], None],
        *,
        limit_approvals: bool,
    ) -> None:
        """`notice`: tells the person a sentence about a server.

        `limit_approvals`: whether approvals too are held to `elicitation.limits.pending`.
        """
        self._policy = policy
        limits = policy.settings.elicitation.limits
        # What an answers file answers costs nobody's attention.
        self._flood = FloodGate(limits, count_rate=not policy.has_answers)
        self._refused = FloodGate(limits)
        """What is refused here is answered as ever; over the limit its records are one."""
        self._approvals = FloodGate(limits, count_rate=False)
        self._limit_approvals = limit_approvals
        self._notice = notice
        self._muted: set[str] = set()
        self._over_limit: set[tuple[str, OverLimit]] = set()
        """Of whom the person was told which limit was passed: once for each."""
        self.closed = False
        """Nothing comes in any more."""

    def refusal(self, request: ElicitationRequest, trace: list[Decision]) -> Outcome | None:
        """The outcome of a request that may not come in; None lets it in, until `leave`."""
        outcome = self._refusal(request, trace)
        if outcome is None or outcome.in_group:
            return outcome
        name = request.server.name
        # A refusal costs a record, and a server can make refusals as fast as it can write. Within
        # the limit each has its own; above it they are counted, and written as one.
        over = self._refused.enter(name)
        if over is None:
            # It waits for nobody, so that it is counted as come and gone.
            self._refused.leave(name)
            return outcome
        self._tell_once(name, OverLimit.REFUSED, over)
        return replace(outcome, in_group=True)

    def _refusal(self, request: ElicitationRequest, trace: list[Decision]) -> Outcome | None:
        # What is wrong for certain comes before what is forbidden, and the limits come last: only
        # what is let in counts in them.
        name = request.server.name
        sentence = defect(request)
        if sentence is not None:
            return malformed(request, sentence)
        if self.closed:
            return cancel("shutdown", "elicit-tui is ending.")
        trace.append(self._policy.surfaces(request))
        if trace[-1].outcome is not None:
            return trace[-1].outcome
        if name in self._muted:
            return muted(name)
        over = self._flood.enter(name)
        # Taken in here: from now on somebody has to call `leave`.
        if over is None:
            trace.append(self._policy.within_limits)
            return None
        self._tell_once(name, OverLimit.QUESTIONS, over)
        return cancel("flood", over, key="elicitation.limits", in_group=True)

    def _tell_once(self, who: str, kind: OverLimit, limit: str) -> None:
        """Tell the person which limit somebody passed, unless that was told already."""
        if (who, kind) not in self._over_limit:
            self._over_limit.add((who, kind))
            self._notice(who, f"{limit} {kind.value}")

    @property
    def end(self) -> Outcome | None:
        """The outcome of whatever comes after the end; None before it."""
        return ENDED if self.closed else None

    def approval_refusal(self) -> Outcome | None:
        """The outcome of an approval that may not be asked; None lets it in, until `leave`."""
        if self.closed:
            return ENDED
        over = self._approvals.enter(CALLER) if self._limit_approvals else None
        if over is None:
            return None
        self._tell_once(CALLER, OverLimit.APPROVALS, over)
        return cancel("flood", over, key="elicitation.limits", in_group=True)

    def leave(self, request: ElicitationRequest) -> None:
        """Make room: a question that came in has its outcome."""
        # Asked by kind: an agent's own prompt counts nowhere.
        if request.traits.limit == "server":
            self._flood.leave(request.server.name)
        elif request.traits.limit == "caller":
            self._approvals.leave(CALLER)

    # Muting

    def mute(self, server: str) -> None:
        """Cancel what this server asks from now on."""
        self._muted.add(server)

    def unmute(self, server: str) -> None:
        """Let this server ask again."""
        self._muted.discard(server)
        # Told again if it passes a limit once more.
        self._over_limit = {(muted, why) for muted, why in self._over_limit if muted != server}

    @property
    def muted(self) -> frozenset[str]:
        """The servers that are muted."""
        return frozenset(self._muted)
