"""What a GitHub workflow shows of a run: annotations at lines, and the summary of a job.

An annotation is a line that the runner takes for a command. This is the one module that writes
such lines; whatever else goes out is kept from being one by `ci_safe`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from elicit_tui.scenarios import coverage
from elicit_tui.text import neutral_line

if TYPE_CHECKING:
    from elicit_tui.elicitation.finding import Severity
    from elicit_tui.scenarios import Linted, Suite

Level = Literal["error", "warning", "notice"]

MOST_ANNOTATIONS: Final = 50
"""Of one command; GitHub shows no more of a job."""
LARGEST_SUMMARY: Final = 900_000
"""Bytes; GitHub shows none that is larger than a mebibyte."""
# Every sign that can begin or end some markup, in a cell of a table too.
_MARKDOWN: Final = re.compile(r"[\\`*_{}\[\]()#+.!|~<>&@:-]")
_LEVELS: Final[tuple[Level, ...]] = ("notice", "warning", "error")


class Annotation(NamedTuple):
    """What stands beside a line of a file."""

    level: Level
    file: Path
    line: int
    title: str
    message: str


def of_suite(suite: Suite) -> Iterator[Annotation]:
    """Each way that failed, at its scenario."""
    for run in suite.failed:
        scenario = run.scenario
        era = f" in {run.era}" if run.era != "auto" else ""
        title = f"{scenario.name}: {run.branch}{era}"
        message = "; ".join((*run.failures, *run.notes))
        yield Annotation("error", scenario.file, scenario.line, title, message)


def of_linted(linted: Iterable[Linted], least: Severity) -> Iterator[Annotation]:
    """Each finding that weighs so much, at its question or its server's file."""
    for subject in linted:
        for finding in subject.review.at_least(least):
            message = f"{finding.advice} ({finding.where}: {finding.evidence})"
            title = f"{subject.subject}: {finding.rule}"
            file = subject.file or Path(subject.server)
            yield Annotation(_LEVELS[finding.severity], file, subject.line, title, message)


def commands(
    annotations: Iterable[Annotation], environment: Mapping[str, str] | None = None
) -> Iterator[str]:
    """The annotations as the runner reads them, the gravest first, each on a line."""
    environment = os.environ if environment is None else environment
    ordered = sorted(annotations, key=lambda annotation: -_LEVELS.index(annotation.level))
    # The gravest are first, so that the many light ones are what is cut off.
    for level, file, line, title, message in ordered[:MOST_ANNOTATIONS]:
        place = _property(_in_repository(file, environment.get("GITHUB_WORKSPACE")))
        shown = _property(neutral_line(title, 200))
        text = neutral_line(message, 2000).replace("%", "%25")
        yield f"::{level} file={place},line={line},title={shown}::{text}"


def _property(text: str) -> str:
    # The percent sign first, or it would be written anew in the codes of the others.
    for sign, code in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A"), (":", "%3A"), (",", "%2C")):
        text = text.replace(sign, code)
    return text


def _in_repository(file: Path, workspace: str | None) -> str:
    """The file as GitHub names it: from the top of the checkout, wherever the command ran."""
    if workspace:
        try:
            return file.resolve().relative_to(Path(workspace).resolve()).as_posix()
        except (OSError, ValueError):
            pass
    return file.as_posix()


def add_to_summary(lines: Iterable[str], environment: Mapping[str, str] | None = None) -> None:
    """Add Markdown to the job's summary, where there is one. Raises OSError."""
    environment = os.environ if environment is None else environment
    if not (path := environment.get("GITHUB_STEP_SUMMARY")):
        return
    text = "\n".join(lines).encode()
    # Cut at the end of a line, so that no row of a table and no character is left half.
    if len(text) > LARGEST_SUMMARY:
        text = text[:LARGEST_SUMMARY].rpartition(b"\n")[0]
    # Added behind: earlier steps of the job may have written there.
    with Path(path).open("ab") as summary:
        summary.write(text + b"\n\n")


def coverage_summary(suite: Suite, marks: Mapping[str, str]) -> Iterator[str]:
    """The coverage as a table, then what failed."""
    failed = suite.failed
    yield f"### Scenarios: {len(suite.runs) - len(failed)} passed, {len(failed)} failed"
    yield ""
    yield "| tool | ways | wrong answers refused | fields |"
    yield "|---|---|---|---|"
    for tool in coverage(suite.runs):
        name = f"{_plain(tool.tool)} of {_plain(tool.server)}"
        ways = " ".join(f"{_plain(way)}&nbsp;{marks[how]}" for way, how in tool.branches.items())
        right, tried = tool.wrong_answers
        refused = f"{right} of {tried}" if tried else ""
        if refused and not tool.tells_acting:
            refused += ", not known to be taken"
        fields = " ".join(
            f"{_plain(subject)}&nbsp;{marks[how]}" for subject, how in tool.fields.items()
        )
        yield f"| {name} | {ways} | {refused} | {fields} |"
    if failed:
        yield ""
    for run in failed:
        what = f"{_plain(run.scenario.name)}: {_plain(run.branch)}"
        yield f"- **{what}** {_plain(run.failures[0], 400)}"


def lint_summary(linted: Iterable[Linted], unasked: Sequence[str] = ()) -> Iterator[str]:
    """What is to be mended, as a table; a sentence where there is nothing.

    `unasked`: the servers that could not be asked, each with the reason.
    """
    rows = [(subject, finding) for subject in linted for finding in subject.review.findings]
    yield f"### Lint: {len(rows)} findings{', not all servers could be asked' if unasked else ''}"
    if unasked:
        yield from ("", *(f"- **not asked** {_plain(each, 400)}" for each in unasked))
    if rows:
        yield from ("", "| what | how grave | rule | where |", "|---|---|---|---|")
    for subject, finding in rows:
        cells = (subject.subject, finding.severity.word, finding.rule, finding.where)
        yield f"| {' | '.join(map(_plain, cells))} |"


def _plain(text: str, most: int = 120) -> str:
    """Text of a server in Markdown, in which nothing is markup, a link or a person's name."""
    return _MARKDOWN.sub(lambda sign: f"&#{ord(sign[0])};", neutral_line(text, most))
