"""What a doctor makes of what gateways saw: how long an agent waits, and how long to hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from elicit_tui.gateway.doctor_files import Observation

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


def measured(observations: Sequence[Observation]) -> list[Patience]:
    """Every call that has ended, in order."""
    return [
        Patience(
            observation.progress,
            observation.token,
            observation.http,
            observation.seconds,
            observation.how == "longest",
            observation.how == "silent",
            observation.client,
        )
        for observation in observations
        if observation.event == "ended"
    ]


def decisive(found: Sequence[Patience]) -> Patience | None:
    """The one that holds in a session: with progress, where the client asks for it."""
    ticked = [each for each in found if each.progress]
    return next(reversed(ticked or found), None)
