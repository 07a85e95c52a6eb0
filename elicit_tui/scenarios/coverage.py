"""Which ways through each tool were tried, and which of them held."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from elicit_tui.scenarios.result import Run
from elicit_tui.scenarios.variants import branch_name

WAYS: Final = ("decline", "cancel", "deadline")

State = Literal["passed", "failed", "untried"]


@dataclass(frozen=True)
class ToolCoverage:
    """One tool's branches in order, and what came of each."""

    server: str
    tool: str
    branches: dict[str, State]


def coverage(runs: Iterable[Run]) -> tuple[ToolCoverage, ...]:
    """The branches of each tool: those of its longest scenario, and every other that was run."""
    by_tool: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        if run.kind != "gone wrong":
            by_tool.setdefault((run.scenario.server, run.scenario.call), []).append(run)
    return tuple(
        ToolCoverage(server, tool, _branches(of_tool))
        for (server, tool), of_tool in by_tool.items()
    )


def _branches(runs: list[Run]) -> dict[str, State]:
    count = max(len(run.scenario.answers) for run in runs)
    known = ["accept"]
    known += [branch_name(way, number, count) for number in range(count) for way in WAYS]
    states: dict[str, State] = dict.fromkeys(known, "untried")
    for run in runs:
        if states.get(run.branch) != "failed":
            states[run.branch] = "passed" if run.passed else "failed"
    return states
