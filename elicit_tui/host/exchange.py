"""One request of ours and what came back for it, exactly as it was on the wire."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from elicit_tui.elicitation import Call, ElicitationRequest, Outcome


@dataclass(frozen=True)
class Judged:
    """One elicitation of a round: let through when it has no outcome yet."""

    key: str
    request: ElicitationRequest
    outcome: Outcome | None


@dataclass(frozen=True)
class Round:
    """One InputRequiredResult, judged (spec: 2026-07-28, multi round-trip requests)."""

    elicitations: tuple[Judged, ...] = ()
    refused_methods: tuple[str, ...] = ()
    """What it asked for that was never advertised: sampling, roots, or unknown methods."""
    request_state: str | None = None
    defect: str | None = None
    """Why the round as a whole cannot be answered, in a sentence."""

    @property
    def let_through(self) -> tuple[Judged, ...]:
        """The questions that go on to the broker's later steps."""
        return tuple(judged for judged in self.elicitations if judged.outcome is None)


@dataclass
class Exchange:
    """Travels with our request in a context variable; the wire fills in what it sees."""

    call: Call | None = None
    round: int = 1
    """Which round of the call its questions will belong to."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Params that go out beside the SDK's own, untouched: inputResponses and requestState."""
    answering: tuple[ElicitationRequest, ...] = ()
    """The questions whose answers this request carries."""
    result: dict[str, Any] | None = None
    answered_by_error: bool = False
    asked: Round | None = None


CURRENT: ContextVar[Exchange | None] = ContextVar("elicit_tui_exchange", default=None)
