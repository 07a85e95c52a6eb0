"""What came of the runs of scenarios: for a program, as JUnit XML, and as ways that were tried."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from itertools import groupby
from typing import Any, Final, Literal
from xml.etree import ElementTree

from elicit_tui.broker import Requested, Resolved
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import ElicitationRequest, ServerIdentity
from elicit_tui.elicitation.eras import Revision
from elicit_tui.form.schema_reading import read_form
from elicit_tui.scenarios.scenario import RunKind, Scenario
from elicit_tui.scenarios.watching import NOTHING_WATCHED, Watched
from elicit_tui.scenarios.ways import branch_name
from elicit_tui.text import neutral_line
from elicit_tui.text.neutral import escaped_commands_in_xml


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
    refused: bool = False
    """Whether an answer was a refusal: declined, cancelled, left, or the no of a form."""
    came_back: set[str] = dataclasses.field(default_factory=set)
    """Where what was typed came back beside the result (`its standard error` …)."""
    leaks: list[str] = dataclasses.field(default_factory=list)
    """Those of the failures that tell where what was typed came back."""
    acceptable: bool = False
    """Whether what was sent past the judge is an answer all the same, which a server must take."""
    shows_acting: bool = True
    """Whether the accepted run showed by what acting could be told."""
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

    @property
    def answered_rightly(self) -> bool:
        """Whether it refused what is wrong and took what is right, be it that it leaked it."""
        return all(failure in self.leaks for failure in self.failures)


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


# JUnit


def junit_xml(suite: Suite, ended: str | None = None) -> bytes:
    """One test suite a scenario file, one test case a run (the schema of Jenkins, junit-10).

    `ended`: why the whole could not begin, or ended before its time: a test case with an error.
    """
    root = ElementTree.Element("testsuites", _counts(suite.runs, ended))
    root.set("name", "elicit-tui test")
    if ended is not None:
        whole = ElementTree.SubElement(
            root, "testsuite", {"name": "elicit-tui test", **_counts((), ended)}
        )
        case = ElementTree.SubElement(
            whole,
            "testcase",
            {"name": "runs to its end", "classname": "elicit-tui", "time": "0.000"},
        )
        error = ElementTree.SubElement(case, "error", {"type": "ended", "message": _text(ended)})
        error.text = _text(ended)
    for file, runs in groupby(suite.runs, lambda run: str(run.scenario.file)):
        _suite(root, _text(file), list(runs))
    ElementTree.indent(root)
    written: bytes = ElementTree.tostring(root, "utf-8", xml_declaration=True)
    return escaped_commands_in_xml(written.decode()).encode()


def _suite(root: ElementTree.Element, file: str, runs: Sequence[Run]) -> None:
    suite = ElementTree.SubElement(root, "testsuite", {"name": file, **_counts(runs)})
    for run in runs:
        name = f"{run.scenario.name}: {run.branch}" + (f" ({run.era})" if run.era != "auto" else "")
        case = ElementTree.SubElement(
            suite,
            "testcase",
            {
                "name": _text(name),
                "classname": _text(f"{run.scenario.server}.{run.scenario.call}"),
                "time": f"{run.seconds:.3f}",
            },
        )
        if run.failures:
            failures = list(map(_text, run.failures))
            failure = ElementTree.SubElement(
                case, "failure", {"type": run.kind, "message": failures[0]}
            )
            failure.text = "\n".join(failures)


def _counts(runs: Iterable[Run], ended: str | None = None) -> dict[str, str]:
    runs = list(runs)
    errors = int(ended is not None)
    return {
        "tests": str(len(runs) + errors),
        "failures": str(sum(not run.passed for run in runs)),
        "errors": str(errors),
        "time": f"{sum(run.seconds for run in runs):.3f}",
    }


def _text(text: str) -> str:
    """Neutral text, which holds nothing that XML could not."""
    return neutral_line(text, 2000)


# Coverage

REFUSALS: Final = ("decline", "cancel", "deadline")

State = Literal["passed", "failed", "untried"]


@dataclass(frozen=True)
class ToolCoverage:
    """One tool's branches in order, and what came of each."""

    server: str
    tool: str
    branches: dict[str, State]
    """`accept`, `decline 2` …; `accept in 2026-07-28` where it is not the same in each revision."""
    wrong_answers: tuple[int, int] = (0, 0)
    """How many answers that are wrong were refused as they must be, and how many were tried."""
    right_answers: tuple[int, int] = (0, 0)
    """How many answers that are odd and right were taken as they must be, and how many tried."""
    leaks: tuple[str, ...] = ()
    """Where what was typed came back, though it may not."""
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
    past_the_judge = [run for run in runs if run.kind == "gone wrong"]
    wrong = [run for run in past_the_judge if not run.acceptable]
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
        _answered_rightly(wrong),
        _answered_rightly([run for run in past_the_judge if run.acceptable]),
        tuple(dict.fromkeys(leak for run in past_the_judge for leak in run.leaks)),
        all(run.scenario.tells_acting and run.shows_acting for run in wrong),
        fields,
    )


def _answered_rightly(runs: Sequence[Run]) -> tuple[int, int]:
    return sum(run.answered_rightly for run in runs), len(runs)


def _branches(runs: list[Run]) -> dict[str, State]:
    # The longest scenario knows the most questions.
    count = max(len(run.scenario.answers) for run in runs)
    known = ["accept"]
    known += [branch_name(no, number, count) for number in range(count) for no in REFUSALS]
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
