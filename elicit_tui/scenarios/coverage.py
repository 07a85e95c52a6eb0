"""Which ways through each tool were tried, and which of them held."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from typing import Final, Literal

from elicit_tui.dataclass import dataclass
from elicit_tui.form.schema_reading import read_form
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
    """`accept`, `decline 2` …; `accept in 2026-07-28` where it is not the same in each revision."""
    wrong_answers: tuple[int, int] = (0, 0)
    """How many answers gone wrong were refused as they must be, and how many were tried."""
    tells_acting: bool = True
    """Whether its scenarios say by what a refusal could be told from an act."""
    fields: dict[str, State] = field(default_factory=dict)
    """Each field of its questions, by title: whether every wrong answer to it was refused."""


def coverage(runs: Iterable[Run]) -> tuple[ToolCoverage, ...]:
    """The branches of each tool: those of its longest scenario, and every other that was run."""
    by_tool: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        by_tool.setdefault((run.scenario.server, run.scenario.call), []).append(run)
    return tuple(_of_tool(server, tool, of_tool) for (server, tool), of_tool in by_tool.items())


def _of_tool(server: str, tool: str, runs: list[Run]) -> ToolCoverage:
    wrong = [run for run in runs if run.kind == "gone wrong"]
    asked = [request for run in runs if run.kind == "as written" for request in run.asked]
    titles = (
        field.title
        for request in asked
        if request.mode == "form"
        for field in read_form(request.requested_schema).fields
    )
    fields: dict[str, State] = dict.fromkeys(titles, "untried")
    for run in wrong:
        if run.field is not None and fields.get(run.field) != "failed":
            fields[run.field] = "passed" if run.passed else "failed"
    return ToolCoverage(
        server,
        tool,
        _branches([run for run in runs if run.kind != "gone wrong"]),
        (sum(run.passed for run in wrong), len(wrong)),
        all(run.scenario.tells_acting for run in wrong),
        fields,
    )


def _branches(runs: list[Run]) -> dict[str, State]:
    # The longest scenario knows the most questions.
    count = max(len(run.scenario.answers) for run in runs)
    known = ["accept"]
    known += [branch_name(way, number, count) for number in range(count) for way in WAYS]
    by_branch: dict[str, dict[str, State]] = {branch: {} for branch in known}
    for run in runs:
        by_era = by_branch.setdefault(run.branch, {})
        # One run that failed is not mended by another that passed.
        if by_era.get(run.era) != "failed":
            by_era[run.era] = "passed" if run.passed else "failed"
    states: dict[str, State] = {}
    for branch, by_era in by_branch.items():
        if len(set(by_era.values())) > 1:
            states |= {f"{branch} in {era}": state for era, state in by_era.items()}
        else:
            states[branch] = next(iter(by_era.values()), "untried")
    return states
