"""`elicit-tui check`: the guardian's view of recorded requests; nothing is started or asked."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Final

from elicit_tui.cli.exit_codes import FAILED, OK, USAGE
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.output import Output, no_branch
from elicit_tui.cli.recorded_requests import Recorded, Unreadable, recorded_requests
from elicit_tui.cli.signs import VERDICTS
from elicit_tui.elicitation import Review
from elicit_tui.elicitation.settings import GuardianSettings
from elicit_tui.errors import UsageError
from elicit_tui.text import ci_safe, neutral_line

FORMATS: Final = ("text", "json", "jsonl", "sarif")


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
    parser.add_argument("--output", choices=FORMATS, default="text", help="default: text")
    parser.add_argument(
        "--explain", action="store_true", help="list each piece of evidence with its weight"
    )


def run(namespace: argparse.Namespace, settings: GuardianSettings | None = None) -> int:
    """Run the command from its parsed arguments; returns the exit code."""
    return check(namespace.file, namespace.output, settings, explain=namespace.explain)


def check(
    file: str,
    output: str = "text",
    settings: GuardianSettings | None = None,
    stdout: IO[str] | None = None,
    *,
    explain: bool = False,
) -> int:
    """Judge recorded requests: 1 when there is one to block, else 0.

    What is no request gets an `error` in its place and does not stop the rest; then, and when
    there is no request at all, it is 2. Raises UsageError when the file cannot be read.
    """
    from elicit_tui.guardian import Guardian

    out = Output(stdout)
    guardian = Guardian(settings)
    judged: list[dict[str, Any]] = []
    blocked = unreadable = False
    requests = 0
    for item in recorded_requests(_text_of(file)):
        row: dict[str, Any]
        if isinstance(item, Unreadable):
            unreadable = True
            row = {"id": item.id, "error": item.error}
        else:
            requests += 1
            review = item.review(guardian.review)
            blocked = blocked or review.verdict == "block"
            row = _row(item, review, explain=explain)
        if output == "jsonl":
            out.json_line(row)
        elif output == "text":
            place = f"{_named(file)}:{item.line}"
            for line in _lines(row, place, VERDICTS if out.on_terminal else {}):
                out.prose(ci_safe(line))
        else:
            judged.append({**row, "line": item.line} if output == "sarif" else row)
    if output == "json":
        out.json(judged)
    elif output == "sarif":
        from elicit_tui.cli.sarif import sarif_log

        out.json(sarif_log(file, judged))
    elif output not in ("text", "jsonl"):  # Those are written as they come.
        no_branch(output)
    if not requests and not unreadable:
        Narration().tell(f"there is no request in {_named(file)}")
    if unreadable or not requests:
        return USAGE
    return FAILED if blocked else OK


def _named(file: str) -> str:
    return "standard input" if file == "-" else file


def _text_of(file: str) -> str:
    try:
        raw = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise UsageError(f"Cannot read {file}: {error.strerror}.") from error
    return raw.decode("utf-8-sig", errors="replace")


def _row(item: Recorded, review: Review, *, explain: bool) -> dict[str, Any]:
    findings = [finding.as_json() for finding in review.findings]
    row = {"id": item.id, "verdict": review.verdict, "findings": findings}
    if explain:
        from elicit_tui.guardian.frames import lacking, language_of

        for entry, finding in zip(findings, review.findings, strict=True):
            entry["because"] = [weight.as_json() for weight in finding.because]
        language = language_of(item.request)
        row["language"] = language
        row["no_words_for"] = list(lacking(language)) if language else []
    return row


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
        for weight in finding.get("because", ()):
            seen = f"{weight['frame']}  {weight['text']}  ({weight['where']})"
            yield f"      {weight['weight']:+d} {seen}"
        yield f"      {finding['advice']}"
