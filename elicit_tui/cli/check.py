"""`elicit-tui check`: the guardian's view of recorded requests; nothing is started or asked."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Final

from elicit_tui.cli.output import Output
from elicit_tui.elicitation import ElicitationRequest, Review, ServerIdentity
from elicit_tui.elicitation.settings import GuardianSettings
from elicit_tui.errors import UsageError
from elicit_tui.text import ci_safe, neutral_line

FORMATS: Final = ("text", "json", "jsonl", "sarif")
_PARAMETERS: Final = ("mode", "message", "requestedSchema", "url", "elicitationId")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument(
        "file",
        nargs="?",
        default="-",
        metavar="FILE",
        help="one JSON object or JSON Lines; - reads stdin (the default)",
    )
    parser.add_argument("--output", choices=FORMATS, default="text", help="default: text")


def run(namespace: argparse.Namespace, settings: GuardianSettings | None = None) -> int:
    """Run the command from its parsed arguments; returns the exit code."""
    return check(namespace.file, namespace.output, settings)


def check(
    file: str,
    output: str = "text",
    settings: GuardianSettings | None = None,
    stdout: IO[str] | None = None,
) -> int:
    """Judge recorded requests: 1 when there is one to block, else 0.

    A line that is no JSON object gets an `error` in its place. Raises UsageError when the file
    cannot be read.
    """
    from elicit_tui.guardian import Guardian

    out = Output(stdout)
    guardian = Guardian(settings)
    judged: list[dict[str, Any]] = []
    blocked = False
    for number, item in _requests(_text_of(file)):
        if isinstance(item, dict):
            review = guardian.review(_request_of(item))
            blocked = blocked or review.verdict == "block"
            row = _row(item.get("id"), review)
        else:
            row = {"id": None, "error": "not a JSON object"}
        if output == "jsonl":
            out.json_line(row)
        elif output == "text":
            for line in _lines(row, number):
                out.text(ci_safe(line))
        else:
            judged.append({**row, "line": number} if output == "sarif" else row)
    if output == "json":
        out.json(judged)
    elif output == "sarif":
        from elicit_tui.cli.sarif import sarif_log

        out.json(sarif_log(file, judged))
    if out.lost:
        raise UsageError(f"Cannot write the findings: {out.failure}.")
    return 1 if blocked else 0


def _text_of(file: str) -> str:
    try:
        raw = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise UsageError(f"Cannot read {file}: {error.strerror}.") from error
    return raw.decode("utf-8-sig", errors="replace")


def _requests(text: str) -> Iterator[tuple[int, Any]]:
    """Each request with its line, from 1; what is no JSON comes as None."""
    if not text.strip():
        return
    lines = text.split("\n")
    if sum(bool(line.strip()) for line in lines) > 1 and not _is_json(lines[0]):
        whole = _parsed(text)
        if whole is not None:
            yield 1, whole
            return
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield number, _parsed(line)


def _is_json(text: str) -> bool:
    return _parsed(text) is not None


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _request_of(item: dict[str, Any]) -> ElicitationRequest:
    name = item.get("server")
    server = ServerIdentity(name if isinstance(name, str) and name else "server", "stdio", "")
    return ElicitationRequest(server, {key: item[key] for key in _PARAMETERS if key in item})


def _row(identity: Any, review: Review) -> dict[str, Any]:
    return {
        "id": identity,
        "verdict": review.verdict,
        "findings": [finding.as_json() for finding in review.findings],
    }


def _lines(row: dict[str, Any], number: int) -> Iterator[str]:
    name = neutral_line(str(row["id"]), 80) if row.get("id") is not None else f"line {number}"
    if "error" in row:
        yield f"{name}: error: {row['error']}"
        return
    yield f"{name}: {row['verdict']}"
    for finding in row["findings"]:
        yield f"  {finding['severity']}  {finding['rule']}  {finding['where']}"
        yield f"      {finding['evidence']}"
        yield f"      {finding['advice']}"
