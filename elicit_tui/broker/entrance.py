"""Steps 2 to 4: may a request come in? Well formed, surfacing, not muted, within its limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from elicit_tui.broker.admission import defect, malformed
from elicit_tui.broker.flood import FloodGate
from elicit_tui.elicitation import ElicitationRequest, Outcome, cancel

if TYPE_CHECKING:
    from elicit_tui.elicitation.settings import ElicitationLimits
    from elicit_tui.policy import Decision, Policy


CALLER: Final = "The agent"
"""Whose approvals are counted: all calls of a gateway's session are one agent's."""
ENDED: Final = cancel("shutdown", "elicit-tui ended before an answer was given.")


class Entrance:
    """Decides for each raw message, without waiting for anything."""

    def __init__(
        self,
        policy: Policy,
        limits: ElicitationLimits,
        notice: Callable[[str, str], None],
        *,
        count_rate: bool,
        limit_approvals: bool,
    ) -> None:
        """`notice`: tells the person a sentence about a server.

        `count_rate`: whether what may come in is counted by the minute.
        `limit_approvals`: whether approvals too are held to `elicitation.limits.pending`.
        """
        self._policy = policy
        self._flood = FloodGate(limits, count_rate=count_rate)
        self._refused = FloodGate(limits)
        """What is refused here is answered as ever; over the limit its records are one."""
        self._approvals = FloodGate(limits, count_rate=False)
        self._limit_approvals = limit_approvals
        self._notice = notice
        self._muted: set[str] = set()
        self._told: set[tuple[str, str]] = set()
        self.closed = False
        """Nothing comes in any more."""

    def refusal(self, request: ElicitationRequest, trace: list[Decision]) -> Outcome | None:
        """The outcome of a request that may not come in; None lets it in, until `leave`."""
        outcome = self._refusal(request, trace)
        if outcome is None or outcome.in_group:
            return outcome
        name = request.server.name
        over = self._refused.enter(name)
        if over is None:
            self._refused.leave(name)
            return outcome
        self._tell_once(name, over, "What is refused is counted from here on.")
        return replace(outcome, in_group=True)

    def _refusal(self, request: ElicitationRequest, trace: list[Decision]) -> Outcome | None:
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
            return cancel("policy", f"You muted {name} for this run.", in_group=True)
        over = self._flood.enter(name)
        if over is None:
            trace.append(self._policy.within_limits)
            return None
        self._tell_once(name, over, "What is over the limit is cancelled.")
        return cancel("flood", over, key="elicitation.limits", in_group=True)

    def _tell_once(self, server: str, over: str, then: str) -> None:
        if (server, then) not in self._told:
            self._told.add((server, then))
            self._notice(server, f"{over} {then}")

    def approval_refusal(self) -> Outcome | None:
        """The outcome of an approval that may not be asked; None lets it in, until `leave`."""
        if self.closed:
            return ENDED
        over = self._approvals.enter(CALLER) if self._limit_approvals else None
        if over is None:
            return None
        self._tell_once(CALLER, over, "Calls over the limit are not made.")
        return cancel("flood", over, key="elicitation.limits", in_group=True)

    def leave(self, request: ElicitationRequest) -> None:
        """Make room: a question that came in has its outcome."""
        if request.kind == "elicitation":
            self._flood.leave(request.server.name)
        else:
            self._approvals.leave(CALLER)

    # Muting

    def mute(self, server: str) -> None:
        """Cancel what this server asks from now on."""
        self._muted.add(server)

    def unmute(self, server: str) -> None:
        """Let this server ask again."""
        self._muted.discard(server)
        self._told = {told for told in self._told if told[0] != server}

    @property
    def muted(self) -> frozenset[str]:
        """The servers that are muted."""
        return frozenset(self._muted)
