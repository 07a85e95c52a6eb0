"""`elicit-tui test`: scenarios for a server's author."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from elicit_tui.broker import Requested, Resolved
from elicit_tui.ci import in_ci
from elicit_tui.cli import exit_codes, github
from elicit_tui.cli.arguments import read_given
from elicit_tui.cli.interrupts import Interrupts
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.output import Output
from elicit_tui.cli.own_terminal import is_terminal
from elicit_tui.cli.parser import positive_seconds
from elicit_tui.cli.report import connected_fields, elicitation_fields, event_line, question_fields
from elicit_tui.cli.run_settings import load_settings, named_server
from elicit_tui.config import load_answers
from elicit_tui.elicitation import ServerIdentity
from elicit_tui.elicitation.eras import HANDSHAKE, MODERN
from elicit_tui.errors import ElicitTuiError, UsageError
from elicit_tui.paths import rewrite_file
from elicit_tui.scenarios import (
    Options,
    Suite,
    coverage,
    junit_xml,
    processors,
    read_scenarios,
    run_scenarios,
    scenario_from_answers,
)
from elicit_tui.text import neutral_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from elicit_tui.elicitation.eras import Revision
    from elicit_tui.elicitation.settings import Settings
    from elicit_tui.scenarios import Run, RunEvent, Scenario, Suite
    from elicit_tui.scenarios.result import ToolCoverage

ERAS: Final = (HANDSHAKE, MODERN, "both")
MARKS: Final = {"passed": "✓", "failed": "✗", "untried": "-"}
_SCENARIO_SECONDS: Final = 30.0
MOST_JOBS: Final = 64


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `test`."""
    add = parser.add_argument
    add(
        "files",
        metavar="FILE",
        nargs="+",
        help="scenarios (code: their `watch` runs commands, where the server starts), or "
        "with --from SERVER TOOL KEY=VALUE…",
    )
    _add_ways(parser)
    _add_results(parser)
    add(
        "--timeout",
        type=positive_seconds,
        metavar="SECONDS",
        default=_SCENARIO_SECONDS,
        help=f"for each call; {_SCENARIO_SECONDS:g} unless told",
    )
    add(
        "--from",
        dest="answers",
        type=Path,
        metavar="ANSWERS",
        help="print a scenario for SERVER TOOL that answers as this answers file does",
    )


def _add_ways(parser: argparse.ArgumentParser) -> None:
    """Which ways through the scenarios are tried, and how."""
    add = parser.add_argument
    add("--branches", action="store_true", help="also decline, cancel and leave each question")
    add(
        "--answers-gone-wrong",
        action="store_true",
        help="also send answers that no client may send; the server must refuse them",
    )
    add("--eras", choices=ERAS, help="in this protocol revision, or in both (else as configured)")
    add(
        "-j",
        "--jobs",
        type=_jobs,
        metavar="N",
        default=0,
        help="try so many ways at once; auto, as without it: one for each processor",
    )
    add(
        "--fresh",
        action="store_true",
        help="a server process for each way, also where one could serve many",
    )


def _add_results(parser: argparse.ArgumentParser) -> None:
    """What is made of the results."""
    add = parser.add_argument
    add("--update", action="store_true", help="take over what is asked now as the snapshots")
    add("--junit", type=Path, metavar="FILE", help="also write the results as JUnit XML")
    add("--output", choices=("text", "json", "jsonl"), default="text", help="as shown on stdout")
    add("--github", action="store_true", help="annotate lines, and add to the job's summary")


def run(namespace: argparse.Namespace) -> int:
    """Run the scenarios: 1 when one fails; or print one that is made from an answers file."""
    if namespace.answers is not None:
        return _print_scenario(namespace)
    scenarios = read_scenarios([Path(file) for file in namespace.files])
    # The author owns the server: its tools are called as with --allow-tool.
    namespace.allowed_tools = tuple({(planned.server, planned.call): None for planned in scenarios})
    # Its limit is of each call, and not of the run.
    namespace.timeout, seconds = None, namespace.timeout
    narration = Narration()
    settings = load_settings(namespace, narration, [planned.server for planned in scenarios])
    for scenario in scenarios:
        named_server(settings, scenario.server)
    return _TestRun(namespace, settings, narration, seconds).run(scenarios)


def write_end(namespace: argparse.Namespace, error: BaseException) -> None:
    """Write the report and the data of a run that ended before it had any."""
    if namespace.answers is not None:
        return
    # A CI system that waits for the report would show the last one.
    if namespace.junit is not None:
        failed = write_junit(namespace.junit, Suite(), error)
        if failed is not None:
            Narration().error(failed)
    if namespace.output != "text":
        _write_document(namespace.output, Output(), [], _end(Suite(), error))


def _jobs(text: str) -> int:
    """How many ways at once; 0 where it is not said."""
    if text == "auto":
        return 0
    if text.isdecimal() and 0 < int(text) <= MOST_JOBS:
        return int(text)
    raise argparse.ArgumentTypeError(f"auto, or a number from 1 to {MOST_JOBS}")


def _print_scenario(namespace: argparse.Namespace) -> int:
    if len(namespace.files) < 2:
        raise UsageError("--from ANSWERS needs SERVER and TOOL (see elicit-tui test --help).")
    server, tool, *pairs = namespace.files
    given = read_given(pairs, None)
    rules = load_answers(namespace.answers)
    Output().text(scenario_from_answers(rules, server, tool, given.for_schema({})))
    for key in given.maybe_no_strings():
        # No server is started that would say what it takes.
        Narration().tell(f"{key} is written as a string; {key}:=JSON writes another value.")
    return exit_codes.OK


def write_junit(path: Path, suite: Suite, ended: BaseException | None) -> UsageError | None:
    """Write the report, also of a run that could not begin; why it cannot be written."""
    try:
        rewrite_file(path, junit_xml(suite, None if ended is None else str(ended)))
    except OSError as error:
        return UsageError(f"--junit: {path} cannot be written: {error.strerror}.")
    return None


def _options(namespace: argparse.Namespace, seconds: float) -> Options:
    # `auto`: as the configuration has it.
    eras: tuple[Revision, ...] = (namespace.eras or "auto",)
    if namespace.eras == "both":
        eras = (HANDSHAKE, MODERN)
    return Options(
        branches=namespace.branches,
        answers_gone_wrong=namespace.answers_gone_wrong,
        eras=eras,
        update=namespace.update,
        # In CI a missing snapshot fails: nobody would read a note there.
        need_snapshots=in_ci(),
        timeout_sec=seconds,
        log_file=namespace.log_file,
        jobs=namespace.jobs or processors(),
        fresh=namespace.fresh,
    )


class _TestRun:
    """One `elicit-tui test`: runs the scenarios, and tells them as they end."""

    def __init__(
        self,
        namespace: argparse.Namespace,
        settings: Settings,
        narration: Narration,
        seconds: float,
    ) -> None:
        self._how = namespace.output
        self._junit = namespace.junit
        self._github = namespace.github
        self._settings = settings
        self._narration = narration
        self._output = Output()
        self._options = _options(namespace, seconds)
        self._suite: Suite = Suite()
        self._shown: Scenario | None = None
        self._open: dict[tuple[str, ...], Run] = {}
        # Of standard error: data on standard output may be redirected while a person still watches.
        self._progress = is_terminal(sys.stderr)

    def run(self, scenarios: Sequence[Scenario]) -> int:
        """Run them all; the exit code."""
        error: ElicitTuiError | None = None
        self._output.claim()
        try:
            with Interrupts() as interrupts:
                work = run_scenarios(
                    self._settings, scenarios, self._options, self._suite, self._on_run_event
                )
                try:
                    asyncio.run(interrupts.run(work))
                except ElicitTuiError as ended:
                    error = ended
            self._clear()
            if self._junit is not None:
                # Also where the run was broken off: what ended by then is in it.
                written = write_junit(self._junit, self._suite, error)
                error = error or written
            if self._github:
                sentence = self._tell_github()
                error = error or sentence
            code = _code(self._suite, error)
            self._write_end(error)
        finally:
            self._output.release()
        if error is not None:
            self._narration.error(error)
        return code

    def _tell_github(self) -> UsageError | None:
        """Annotate what failed, and add the coverage to the job's summary; why it cannot be."""
        for command in github.commands(github.of_suite(self._suite)):
            self._narration.write(f"{command}\n")
        try:
            github.add_to_summary(github.coverage_summary(self._suite, MARKS))
        except OSError as error:
            return UsageError(f"The job's summary cannot be written: {error.strerror}.")
        return None

    # While it goes on

    def _on_run_event(self, event: RunEvent) -> None:
        if self._how == "jsonl":
            self._output.json_line(self._event(event))
        elif self._how == "text" and event.event == "ended":
            self._clear()
            self._output.text("\n".join(self._lines(event.run)))
        run = event.run
        # A scenario runs once for each way and era, so its name alone would not tell them apart.
        way = (run.scenario.name, run.era, run.branch)
        if event.event == "started":
            self._open[way] = run
        elif event.event == "ended":
            self._open.pop(way, None)
        if self._progress and self._open and event.event in ("started", "ended"):
            # Of those that are open, the one that began last.
            now = next(reversed(self._open.values()))
            name = neutral_line(now.scenario.name, 40)
            self._clear()
            self._narration.write(f"{len(self._suite.runs)} done; {name}: {now.branch} …")

    def _clear(self) -> None:
        """Take the line of progress off the terminal."""
        if self._progress:
            # To the line's beginning, and what stands there is erased.
            self._narration.write("\r\x1b[K")

    def _lines(self, run: Run) -> list[str]:
        scenario, lines = run.scenario, []
        # The file and the scenario are told once, above the first of their ways.
        if self._shown is None or self._shown.file != scenario.file:
            lines.append(neutral_line(str(scenario.file)))
        if self._shown is not scenario:
            where = f"{neutral_line(scenario.call)} of {neutral_line(scenario.server)}"
            lines.append(f"  {neutral_line(scenario.name)} ({where})")
        self._shown = scenario
        era = f" in {run.era}" if run.era != "auto" else ""
        mark = MARKS["passed" if run.passed else "failed"]
        lines.append(f"    {mark} {neutral_line(run.branch)}{era}  {run.seconds:.1f} s")
        lines += [
            f"        {neutral_line(sentence, 2000)}" for sentence in (*run.failures, *run.notes)
        ]
        return lines

    def _event(self, event: RunEvent) -> dict[str, Any]:
        run = event.run
        where = {"scenario": run.scenario.name, "era": run.era, "branch": run.branch}
        detail = event.detail
        if isinstance(detail, ServerIdentity):
            return event_line("connected", {**where, **connected_fields(detail)})
        if isinstance(detail, Requested):
            question = detail.question
            fields = question_fields(
                question.request, question.review.findings, question.review.verdict
            )
            return event_line("elicitation.requested", {**where, **fields})
        if isinstance(detail, Resolved):
            fields = elicitation_fields(detail, self._settings.history.content)
            return event_line("elicitation.resolved", {**where, **fields})
        if event.event == "ended":
            return event_line("result", {**where, **self._row(run)})
        return event_line(event.event, where)

    # At the end

    def _row(self, run: Run) -> dict[str, Any]:
        return {
            "file": str(run.scenario.file),
            "scenario": run.scenario.name,
            "server": run.scenario.server,
            "tool": run.scenario.call,
            "era": run.era,
            "branch": run.branch,
            "passed": run.passed,
            "failures": run.failures,
            "notes": run.notes,
            "protocolVersion": run.protocol_version,
            "result": run.result,
            "error": _error_row(run.error),
            "durationMs": round(run.seconds * 1000),
        }

    def _write_end(self, error: ElicitTuiError | None) -> None:
        if self._how == "text":
            self._write_summary(coverage(self._suite.runs))
            return
        rows = [self._row_with_questions(run) for run in self._suite.runs]
        _write_document(self._how, self._output, rows, _end(self._suite, error))

    def _write_summary(self, covered: Sequence[ToolCoverage]) -> None:
        suite = self._suite
        for tool in covered:
            for line in _coverage_lines(tool):
                self._output.text(line)
        for file in suite.snapshot_files:
            self._output.text(f"written: {neutral_line(file)}")
        failed = f", {len(suite.failed)} failed" if suite.failed else ""
        self._output.text(f"{len(suite.runs) - len(suite.failed)} passed{failed}")

    def _row_with_questions(self, run: Run) -> dict[str, Any]:
        content = self._settings.history.content
        events = [elicitation_fields(event, content) for event in run.resolved]
        return {**self._row(run), "elicitations": events}


def _code(suite: Suite, error: BaseException | None) -> int:
    if error is not None:
        return exit_codes.code_of(error)
    return exit_codes.OK if suite.passed else exit_codes.FAILED


def _error_row(error: BaseException | None) -> dict[str, Any] | None:
    if error is None:
        return None
    return {"code": exit_codes.name_of(error), "message": str(error)}


def _end(suite: Suite, error: BaseException | None) -> dict[str, Any]:
    """What is said of all runs together; `error`: what ended them, or kept them from beginning."""
    return {
        "passed": len(suite.runs) - len(suite.failed),
        "failed": len(suite.failed),
        "coverage": [_coverage_row(tool) for tool in coverage(suite.runs)],
        "snapshotsWritten": suite.snapshot_files,
        "error": _error_row(error),
        "exitCode": _code(suite, error),
    }


def _write_document(
    how: str, output: Output, rows: list[dict[str, Any]], end: dict[str, Any]
) -> None:
    """The whole as one JSON document, or the last of its lines (`jsonl`)."""
    writers: dict[str, Callable[[], None]] = {
        "jsonl": lambda: output.json_line(event_line("summary", end)),
        "json": lambda: output.json({"runs": rows, **end}),
    }
    writers[how]()


def _coverage_row(tool: ToolCoverage) -> dict[str, Any]:
    return {
        "server": tool.server,
        "tool": tool.tool,
        "branches": tool.branches,
        "wrongAnswers": dict(zip(("passed", "tried"), tool.wrong_answers, strict=True)),
        "rightAnswers": dict(zip(("passed", "tried"), tool.right_answers, strict=True)),
        "leaks": list(tool.leaks),
        "tellsActing": tool.tells_acting,
        "fields": tool.fields,
    }


def _coverage_lines(tool: ToolCoverage) -> Iterator[str]:
    """What was tried of a tool, and which of the wrong answers its server refused."""
    ways = " ".join(f"{way} {MARKS[state]}" for way, state in tool.branches.items())
    yield f"{neutral_line(tool.tool)}: {ways}"
    right, tried = tool.wrong_answers
    if tried:
        fields = " ".join(f"{name} {MARKS[how]}" for name, how in tool.fields.items())
        how = "refused" if tool.tells_acting else "not known to be taken"
        yield f"  wrong answers: {right} of {tried} {how}{'; ' if fields else ''}{fields}"
    right, tried = tool.right_answers
    if tried:
        yield f"  right answers, oddly sent: {right} of {tried} taken"
    yield from (f"  leaked: {leak}" for leak in tool.leaks)
