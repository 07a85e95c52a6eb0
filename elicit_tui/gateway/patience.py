"""What a doctor makes of what gateways saw: how long an agent waits, and how long to hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from elicit_tui.gateway.agents import Agent
from elicit_tui.gateway.doctor_files import Sight

LEAST_HOLD_SECONDS: Final = 1.0


@dataclass(frozen=True)
class Patience:
    """How long the agent waited in one measured call."""

    progress: bool
    token: bool
    http: bool
    seconds: float
    at_least: bool
    """It would have waited longer."""
    silent: bool
    """It gave up without a word; the time is that of its next call, and may be too long."""
    client: str

    @property
    def hold(self) -> int:
        """Seconds that a call may be held so that its answer still arrives."""
        return int(max(LEAST_HOLD_SECONDS, self.seconds - max(min(10, self.seconds / 5), 1)))


def measured(sights: Sequence[Sight]) -> list[Patience]:
    """Every call that has ended, in order."""
    return [
        Patience(
            sight.progress,
            sight.token,
            sight.http,
            sight.seconds,
            sight.how == "longest",
            sight.how == "silent",
            sight.client,
        )
        for sight in sights
        if sight.event == "ended"
    ]


def counts(found: Sequence[Patience]) -> Patience | None:
    """The one that holds in a session: with progress, where the client asks for it."""
    ticked = [each for each in found if each.progress]
    return next(reversed(ticked or found), None)


def held(agent: Agent, chosen: float | Literal["auto"], patience: Patience) -> float:
    """How long such a call is held as things are; `chosen`: as `gateway.hold_sec`."""
    if chosen != "auto":
        return float(chosen)
    return agent.hold_seconds(http=patience.http, progress=patience.token)
