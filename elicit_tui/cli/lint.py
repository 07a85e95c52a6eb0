"""`elicit-tui lint`: what a server's author should mend in its tools and questions."""

from __future__ import annotations

import argparse
import asyncio
import os.path
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from elicit_tui.cli import exit_codes, github
from elicit_tui.cli.check import finding_lines
from elicit_tui.cli.interrupts import Interrupts
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.output import Output
from elicit_tui.cli.own_terminal import VERDICTS
from elicit_tui.cli.run_settings import load_settings, named_server, servers_to_start
from elicit_tui.cli.sarif import sarif_log
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import Severity
from elicit_tui.errors import (
    LimitReached,
    ProtocolCallError,
    ServerError,
    UsageError,
)
from elicit_tui.responders import NobodyResponder
from elicit_tui.runtime import RunOptions, open_runtime
from elicit_tui.scenarios import lint_questions, lint_server, read_scenarios
from elicit_tui.scenarios.linting import RULES
from elicit_tui.text import neutral_line

if TYPE_CHECKING:
    from elicit_tui.elicitation.settings import ServerSettings, Settings
    from elicit_tui.runtime import Runtime
    from elicit_tui.scenarios import Linted, Scenario

_SCENARIOS: Final = ".toml"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    add = parser.add_argument
    add(
        "subjects",
        metavar="SERVER | FILE",
        nargs="*",
        help="servers whose tools are looked at, and scenario files (*.toml) for the questions of "
        "their snapshots; without any all enabled servers, with files alone no server",
    )
    add("--output", choices=tuple(_WRITERS), default="text", help="default: text")
    add("--strict", action="store_true", help="exit code 1 for warnings too")
    add("--github", action="store_true", help="annotate lines, and add to the job's summary")


def run(namespace: argparse.Namespace) -> int:
    """Lint: 1 where something is to be mended, 4 where a server could not be asked."""
    narration, output = Narration(), Output()
    output.claim()
    try:
        linted, unasked = _looked_at(namespace, narration)
        code = _code(linted, unasked, strict=namespace.strict)
        _WRITERS[namespace.output](linted, unasked, output, code)
    finally:
        output.release()
    if namespace.github and (failure := _tell_github(linted, unasked, narration)) is not None:
        narration.error(failure)
        return exit_codes.code_of(failure)
    return code


def write_end(namespace: argparse.Namespace, error: BaseException) -> None:
    """Write a document that says why nothing could be looked at."""
    if namespace.output != "text":
        code = exit_codes.code_of(error)
        _WRITERS[namespace.output]([], [Unasked(None, error)], Output(), code)


@dataclass(frozen=True)
class Unasked:
    """A server whose tools could not be looked at, and why; without a name: nothing could be."""

    server: str | None
    error: BaseException

    def __str__(self) -> str:
        """Both, as one line."""
        why = neutral_line(str(self.error), 1000)
        return why if self.server is None else f"{neutral_line(self.server, 80)}: {why}"

    def as_json(self) -> dict[str, Any]:
        """As the JSON document holds it."""
        code, message = exit_codes.name_of(self.error), str(self.error)
        return {"server": self.server, "code": code, "message": message}


def _looked_at(
    namespace: argparse.Namespace, narration: Narration
) -> tuple[list[Linted], list[Unasked]]:
    """Everything that was looked at, and the servers that could not be asked."""
    # What ends with .toml is a scenario; anything else is the name of a server.
    files = [Path(subject) for subject in namespace.subjects if subject.endswith(_SCENARIOS)]
    named = [subject for subject in namespace.subjects if not subject.endswith(_SCENARIOS)]
    settings = load_settings(namespace, narration, named)
    names = [named_server(settings, name).name for name in named]
    if not namespace.subjects:
        names = servers_to_start(settings, narration)
    scenarios = read_scenarios(files) if files else ()
    # The questions first, as they start nothing.
    questions = _of_questions(settings, scenarios, narration)
    if not names:
        if not questions:
            raise UsageError("There is no question to look at: no snapshot holds one.")
        return questions, []
    with Interrupts() as interrupts:
        work = _of_servers(settings, names, namespace.log_file, narration)
        tools, unasked = asyncio.run(interrupts.run(work))
    return [*tools, *questions], unasked


def _of_questions(
    settings: Settings, scenarios: Sequence[Scenario], narration: Narration
) -> list[Linted]:
    found: list[Linted] = []
    for scenario in scenarios:
        questions = list(lint_questions([scenario], settings.guardian))
        # A scenario that asks, and of which no question is kept.
        if scenario.answers and not questions:
            name = neutral_line(scenario.name, 80)
            narration.tell(f"{name}: no snapshot holds its questions; test --update writes it.")
        found += questions
    return found


async def _of_servers(
    settings: Settings, names: Sequence[str], log_file: Path | None, narration: Narration
) -> tuple[list[Linted], list[Unasked]]:
    opened = open_runtime(
        settings,
        responder=lambda queue: NobodyResponder(),
        launch=names,
        options=RunOptions(person_present=False, log_file=log_file),
    )
    async with opened as runtime:
        found = await asyncio.gather(
            *(_of_server(runtime, settings.servers[name], narration) for name in names)
        )
    unasked = [each for each in found if isinstance(each, Unasked)]
    return [each for part in found if not isinstance(part, Unasked) for each in part], unasked


async def _of_server(
    runtime: Runtime, server: ServerSettings, narration: Narration
) -> list[Linted] | Unasked:
    """One server's tools; else why it cannot be asked, and a line on stderr."""
    try:
        connection = await runtime.host.connect(server.name)
        tools = await connection.tools()
    except (ServerError, LimitReached, ProtocolCallError) as error:
        narration.of_server(server.name, error)
        return Unasked(server.name, error)
    broken = map(str, connection.broken_rules())
    return list(lint_server(server.name, tools, broken, _own_file(server)))


def _own_file(server: ServerSettings) -> Path | None:
    """The file of the command line in which the server is written, where one is there."""
    # From the first argument on; the program itself comes last.
    words = (*server.args, server.command or "")
    there = (Path(word) for word in words if word and not word.startswith("-"))
    # The path's own method raises for a word longer than any name, as a program behind `-c` is.
    return next(filter(os.path.isfile, there), None)


def _code(linted: Sequence[Linted], unasked: Sequence[Unasked], *, strict: bool) -> int:
    # What could not be asked may be worse than what was found.
    if unasked:
        return exit_codes.SERVER
    least = Severity.WARN if strict else Severity.BLOCK
    found = any(subject.review.at_least(least) for subject in linted)
    return exit_codes.FAILED if found else exit_codes.OK


# What is written


def _write_text(
    linted: Sequence[Linted], unasked: Sequence[Unasked], output: Output, code: int
) -> None:
    # Signs are for eyes: a file or a program gets the words alone.
    signs = VERDICTS if output.on_terminal else {}
    for line in _lines(linted, unasked, signs):
        output.prose(line)


def _write_json(
    linted: Sequence[Linted], unasked: Sequence[Unasked], output: Output, code: int
) -> None:
    rows, errors = [_row(subject) for subject in linted], [each.as_json() for each in unasked]
    output.json({"linted": rows, "errors": errors, "exitCode": code})


def _write_sarif(
    linted: Sequence[Linted], unasked: Sequence[Unasked], output: Output, code: int
) -> None:
    described = {rule: (what, advice) for rule, (_, what, advice) in RULES.items()}
    rows = [_row(subject) for subject in linted]
    output.json(sarif_log("", rows, described, failures=[str(each) for each in unasked]))


_WRITERS: Final = {"text": _write_text, "json": _write_json, "sarif": _write_sarif}


def _row(linted: Linted) -> dict[str, Any]:
    return {
        "id": linted.subject,
        "server": linted.server,
        "file": str(linted.file or linted.server),
        "line": linted.line,
        "verdict": linted.review.verdict,
        "findings": [finding.as_json() for finding in linted.review.findings],
    }


def _lines(
    linted: Sequence[Linted], unasked: Sequence[Unasked], signs: Mapping[str, str]
) -> Iterator[str]:
    counts = dict.fromkeys(("block", "warn", "note"), 0)
    for subject in linted:
        if not subject.review.findings:
            continue
        place = f"{neutral_line(str(subject.file), 300)}:{subject.line}: " if subject.file else ""
        yield f"{place}{subject.subject} of {neutral_line(subject.server, 80)}"
        row = _row(subject)
        yield from finding_lines(row["findings"], signs)
        for finding in row["findings"]:
            counts[finding["severity"]] += 1
    found = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    missing = f"; not asked: {', '.join(str(each.server) for each in unasked)}" if unasked else ""
    yield f"{len(linted)} looked at: {found or 'nothing to mend'}{missing}"


def _tell_github(
    linted: Sequence[Linted], unasked: Sequence[Unasked], narration: Narration
) -> UsageError | None:
    """Annotate what was found, and add it to the job's summary; why it cannot be."""
    for command in github.commands(github.of_linted(linted, Severity.WARN)):
        narration.write(f"{command}\n")
    try:
        github.add_to_summary(github.lint_summary(linted, list(map(str, unasked))))
    except OSError as error:
        return UsageError(f"The job's summary cannot be written: {error.strerror}.")
    return None
