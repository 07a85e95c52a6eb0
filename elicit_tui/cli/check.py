"""`elicit-tui check`: the guardian's view of recorded requests; nothing is started or asked."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

from elicit_tui.cli.exit_codes import FAILED, OK, USAGE
from elicit_tui.cli.languages import lacking, language_of
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.output import Output
from elicit_tui.cli.own_terminal import VERDICTS, standard_input
from elicit_tui.cli.recorded_requests import Recorded, Unreadable, recorded_requests
from elicit_tui.cli.sarif import sarif_log
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import ElicitationRequest, Review
from elicit_tui.elicitation.settings import GuardianSettings
from elicit_tui.errors import UsageError
from elicit_tui.guardian import Guardian
from elicit_tui.text import neutral_line

_HEAVIEST: Final = 8
"""So many pieces of evidence are listed of a finding; JSON has all of them."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument(
        "file",
        nargs="?",
        default="-",
        metavar="FILE",
        help="requests, JSON-RPC messages, or lines of `history export` and `call --output jsonl`: "
        "one JSON object or JSON Lines; - reads stdin (the default)",
    )
    parser.add_argument("--output", choices=tuple(REPORTS), default="text", help="default: text")
    parser.add_argument(
        "--explain", action="store_true", help="list each piece of evidence with its weight"
    )


def run(namespace: argparse.Namespace, settings: GuardianSettings | None = None) -> int:
    """Run the command from its parsed arguments; returns the exit code."""
    return check(namespace.file, namespace.output, settings, explain=namespace.explain)


def check(
    file: str,
    output_format: str = "text",
    settings: GuardianSettings | None = None,
    stdout: IO[str] | None = None,
    *,
    explain: bool = False,
) -> int:
    """Judge recorded requests: 1 when there is one to block, else 0.

    What is no request gets an `error` in its place and does not stop the rest; then, and when
    there is no request at all, it is 2. Raises UsageError when the file cannot be read.
    """
    review, tally = Guardian(settings).review, Tally()
    write, output = REPORTS[output_format], Output(stdout)
    items = recorded_requests(_text_of(file))
    rows = (tally.counted(_row(item, review, explain=explain)) for item in items)
    nothing = f"there is no request in {_source(file)}"
    write(rows, _Input(file, lambda: nothing if tally.is_empty else None), output)
    if tally.is_empty:
        Narration().tell(nothing)
    return tally.exit_code


def write_end(namespace: argparse.Namespace, error: BaseException) -> None:
    """Write a document that says why it is empty; a line for each request has none here."""
    source = _Input(namespace.file, lambda: str(error))
    REPORTS[namespace.output](iter(()), source, Output())


class _Input(NamedTuple):
    """What is read."""

    file: str
    failure: Callable[[], str | None]
    """Why there is no request, to be asked once all rows were read; None where there are some."""


Row = dict[str, Any]
"""One item of the input: its `id` and `line`, and its `verdict` and `findings` or its `error`."""


@dataclass
class Tally:
    """What was found in the input, as far as it was read."""

    requests: int = 0
    blocked: int = 0
    unreadable: int = 0

    def counted(self, row: Row) -> Row:
        """The row, counted."""
        if "error" in row:
            self.unreadable += 1
        else:
            self.requests += 1
            self.blocked += row["verdict"] == "block"
        return row

    @property
    def is_empty(self) -> bool:
        """Whether nothing stood there that could be a request."""
        return not self.requests and not self.unreadable

    @property
    def exit_code(self) -> int:
        """The exit code of the command."""
        # What cannot be read is worse than what is to be blocked: nothing is known of it.
        if self.unreadable or not self.requests:
            return USAGE
        return FAILED if self.blocked else OK


def _row(
    item: Recorded | Unreadable, judge: Callable[[ElicitationRequest], Review], *, explain: bool
) -> Row:
    if isinstance(item, Unreadable):
        return {"id": item.id, "line": item.line, "error": item.error}
    review = item.review(judge)
    findings = [finding.as_json() for finding in review.findings]
    row = {"id": item.id, "line": item.line, "verdict": review.verdict, "findings": findings}
    if explain:
        for entry, finding in zip(findings, review.findings, strict=True):
            entry["because"] = [weight.as_json() for weight in finding.because]
        language = language_of(item.request)
        row["language"] = language
        row["no_words_for"] = list(lacking(language)) if language else []
    return row


# Formats


def _write_text(rows: Iterable[Row], source: _Input, output: Output) -> None:
    """A few lines for each request, as soon as it is judged."""
    signs = VERDICTS if output.on_terminal else {}
    for row in rows:
        for line in _lines(row, f"{_source(source.file)}:{row['line']}", signs):
            output.prose(line)


def _write_json_lines(rows: Iterable[Row], source: _Input, output: Output) -> None:
    """One JSON object for each request, as soon as it is judged."""
    for row in rows:
        output.json_line(_without_line(row))


def _write_json(rows: Iterable[Row], source: _Input, output: Output) -> None:
    document = [_without_line(row) for row in rows]
    if (why := source.failure()) is not None:
        document.append({"id": None, "error": why})
    output.json(document)


def _write_sarif(rows: Iterable[Row], source: _Input, output: Output) -> None:
    judged = list(rows)
    why = source.failure()
    output.json(sarif_log(source.file, judged, failures=() if why is None else (why,)))


REPORTS: Final = {
    "text": _write_text,
    "json": _write_json,
    "jsonl": _write_json_lines,
    "sarif": _write_sarif,
}


def _without_line(row: Row) -> Row:
    return {key: value for key, value in row.items() if key != "line"}


def _source(file: str) -> str:
    return "standard input" if file == "-" else file


def _text_of(file: str) -> str:
    try:
        raw = standard_input() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise UsageError(f"Cannot read {file}: {error.strerror}.") from error
    return raw.decode("utf-8-sig", errors="replace")


def _lines(row: dict[str, Any], place: str, signs: Mapping[str, str]) -> Iterator[str]:
    """What `signs` has for a verdict or severity stands before it; `place`: file and line."""
    name = neutral_line(place, 300)
    if row.get("id") is not None:
        name = f"{name}: {neutral_line(str(row['id']), 80)}"
    if "error" in row:
        yield f"{name}: error: {row['error']}"
        return
    yield f"{name}: {signs.get(row['verdict'], '')}{row['verdict']}"
    if lacking := row.get("no_words_for"):
        gap = f"its language ({row['language']}) has no words for {len(lacking)} of the signs"
        yield f"  {gap}, such as {', '.join(lacking[:3])}"
    yield from finding_lines(row["findings"], signs)


def finding_lines(findings: Sequence[dict[str, Any]], signs: Mapping[str, str]) -> Iterator[str]:
    """Findings as a person reads them, the worst one first."""
    for finding in findings:
        sign = signs.get(finding["severity"], "")
        yield f"  {sign}{finding['severity']}  {finding['rule']}  {finding['where']}"
        yield f"      {finding['evidence']}"
        yield from _weights(finding.get("because", ()))
        yield f"      {finding['advice']}"


def _weights(because: Sequence[dict[str, Any]]) -> Iterator[str]:
    """The heaviest pieces of evidence, and what the others amount to."""
    by_weight = sorted(because, key=lambda weight: -abs(weight["weight"]))
    for weight in by_weight[:_HEAVIEST]:
        seen = f"{weight['frame']}  {weight['text']}  ({weight['where']})"
        yield f"      {weight['weight']:+d} {seen}"
    if lighter := by_weight[_HEAVIEST:]:
        amount = sum(weight["weight"] for weight in lighter)
        yield f"      {amount:+d} by {len(lighter)} lighter ones"
