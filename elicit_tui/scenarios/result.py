"""What came of the runs of scenarios."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Literal

from elicit_tui.broker import Requested, Resolved
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import ElicitationRequest, ServerIdentity
from elicit_tui.elicitation.eras import Revision
from elicit_tui.scenarios.scenario import RunKind, Scenario
from elicit_tui.scenarios.watching import NOTHING_WATCHED, Watched


@dataclass
class Run:
    """One call of one scenario, one way through it."""

    scenario: Scenario
    era: Revision
    """The revision that was asked for."""
    branch: str
    """Which way: `accept`, `decline 2`, `the answer twice` …"""
    kind: RunKind = "as written"
    failures: list[str] = dataclasses.field(default_factory=list)
    """Each thing that is not as it must be, as a sentence of neutral text."""
    notes: list[str] = dataclasses.field(default_factory=list)
    resolved: list[Resolved] = dataclasses.field(default_factory=list)
    result: Mapping[str, Any] | None = None
    error: Exception | None = None
    asked: list[ElicitationRequest] = dataclasses.field(default_factory=list)
    """The questions, in the order in which they came."""
    said_no: bool = False
    """Whether an answer was a refusal: declined, cancelled, left, or the no of a form."""
    overheard: list[tuple[str, str]] = dataclasses.field(default_factory=list)
    """What the server said beside its result: where (`its standard error` …), and the text."""
    watched: Watched = NOTHING_WATCHED
    """What the scenario watches, before the call and after it."""
    field: str | None = None
    """The title of the field that was answered wrongly, where it was one."""
    protocol_version: str | None = None
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        """Whether everything was as it must be."""
        return not self.failures


@dataclass(frozen=True)
class RunEvent:
    """Something that happened in a run, for whoever shows it while it goes on."""

    event: Literal["started", "connected", "requested", "resolved", "ended"]
    run: Run
    detail: ServerIdentity | Requested | Resolved | None = None


@dataclass
class Suite:
    """All runs, in order."""

    runs: list[Run] = dataclasses.field(default_factory=list)
    snapshot_files: list[str] = dataclasses.field(default_factory=list)
    """Those that were written."""

    @property
    def passed(self) -> bool:
        """Whether every run passed."""
        return all(run.passed for run in self.runs)

    @property
    def failed(self) -> list[Run]:
        """The runs that failed."""
        return [run for run in self.runs if not run.passed]
