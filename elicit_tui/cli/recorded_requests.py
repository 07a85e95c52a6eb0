"""Finds the requests in recorded text: bare ones, JSON-RPC messages, exports of our own.

Nothing passes because it was not understood: whatever is neither a request nor known to carry
none is an `Unreadable`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from typing import Any, Final

from elicit_tui.broker.entrance import defect
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import (
    KINDS,
    ElicitationRequest,
    Finding,
    Review,
    ServerIdentity,
    Severity,
    page_of_error,
)
from elicit_tui.elicitation.request import URL_ELICITATION_REQUIRED
from elicit_tui.text import neutral_line

METHOD: Final = "elicitation/create"
BARE: Final = ("message", "requestedSchema", "url")
"""What a bare request has at least one of."""
_OURS: Final = tuple(kind for kind, traits in KINDS.items() if not traits.from_server)
"""The kinds of questions that no server asked."""

EVENTS: Final = (
    "connected",
    "elicitation.requested",
    "elicitation.resolved",
    "progress",
    "log",
    "result",
    "started",
    "summary",
)
"""The lines of `--output jsonl`, of `call` and of `test`; no set: any JSON is looked for."""

_DOUBLED: Final = object()
"""Stands where an object was that says a key twice."""
_SPEAKS: Final = re.compile(r'"jsonrpc"|"elicitation/create"|"inputRequests"')
_MOST_DEPTH: Final = 8
"""How deep in the records of a log a message is looked for."""
_MOST_PREFIXES: Final = 20
"""Braces of a line at which a message may begin."""
_PARAMETERS: Final = ("mode", "message", "requestedSchema", "url", "elicitationId")
_SEVERITIES: Final = {severity.word: severity for severity in Severity}
_VERDICTS: Final = {"allow": Severity.NOTE, "warn": Severity.WARN, "block": Severity.BLOCK}


@dataclass(frozen=True)
class Recorded:
    """One request as it was recorded."""

    line: int
    """Where it stands, from 1."""
    id: Any
    request: ElicitationRequest
    found: tuple[Finding, ...] = ()
    """What an export says was found when the question was asked."""

    def review(self, judge: Callable[[ElicitationRequest], Review]) -> Review:
        """The judge's review, with what was found then, and what a run refuses as malformed.

        So it is no milder than the record, nor than a run.
        """
        review = judge(self.request)
        # What the record tells is added where the judge of today does not find it.
        present = {(finding.rule, finding.where) for finding in review.findings}
        refused = defect(self.request)
        also = self.found if refused is None else (*self.found, _malformed(refused))
        more = tuple(added for added in also if (added.rule, added.where) not in present)
        findings = sorted((*review.findings, *more), key=lambda finding: -finding.severity)
        return Review(tuple(findings), review.sensitive)


@dataclass(frozen=True)
class Unreadable:
    """What is no request, nor known to carry none."""

    line: int
    error: str
    id: Any = None


@dataclass
class _RequestReader:
    """Reads the items of one text in order."""

    asked: set[str] = field(default_factory=set)
    """The ids of `elicitation.requested` that were met."""

    def read(self, line: int, item: Any) -> Iterator[Recorded | Unreadable]:
        """The requests of one JSON value; none for what is known to carry none."""
        # In this order: what speaks the protocol is read as such, whatever else stands beside it.
        if _holds_doubled(item):
            yield _doubled(line)
        elif not isinstance(item, dict):
            yield Unreadable(line, "not a JSON object")
        elif "jsonrpc" in item or item.get("method") == METHOD or "inputRequests" in item:
            yield from _of_wire(line, item)
        elif item.get("event") in EVENTS:
            yield from self._of_event(line, item)
        elif "requestDigest" in item and "hashes" in item:
            yield from _of_history(line, item)
        elif messages := list(_messages_inside(item)):
            for message in messages:
                if message is _DOUBLED:
                    yield _doubled(line)
                else:
                    yield from _of_wire(line, message)
            if "requestedSchema" in item or "url" in item:  # What looks like a log is a request.
                yield _bare(line, item)
        elif any(key in item for key in BARE):
            yield _bare(line, item)
        else:
            yield Unreadable(
                line, "not a request: it has no message, no requestedSchema and no url"
            )

    def _of_event(self, line: int, item: Mapping[str, Any]) -> Iterator[Recorded]:
        # The other events of a run carry no question.
        if not item["event"].startswith("elicitation."):
            if item.keys() & {"requestedSchema", "url"}:  # What looks like one is a request.
                yield _bare(line, item)
            return
        name = str(item.get("id"))
        if item["event"] == "elicitation.requested":
            self.asked.add(name)
        # Its end repeats the question, which was judged when it was asked.
        elif name in self.asked:
            return
        yield _exported(line, item, _present(_parameters(item)))


def _doubled(line: int) -> Unreadable:
    return Unreadable(line, "a key stands twice in one object")


def _bare(line: int, item: Mapping[str, Any]) -> Recorded:
    return Recorded(line, item.get("id"), _request(item.get("server"), _parameters(item)))


def recorded_requests(text: str) -> Iterator[Recorded | Unreadable]:
    """The requests in one JSON object or in JSON Lines, in order (docs/ci.md)."""
    reader = _RequestReader()
    for line, item in _items(text):
        yield from reader.read(line, item)


def _items(text: str) -> Iterator[tuple[int, Any]]:
    """Each JSON value with its line; None for what is no JSON.

    In a log, where a message stands behind a prefix, lines without any object are passed over.
    """
    lines = text.split("\n")
    # One document that is laid out over several lines: its first line is no JSON by itself.
    if sum(bool(line.strip()) for line in lines) > 1 and _parsed(lines[0]) is None:
        whole = _parsed(text)
        if whole is not None:
            yield 1, whole
            return
    found = [(number, line, _parsed(line)) for number, line in enumerate(lines, 1) if line.strip()]
    logged = {number: _behind_a_prefix(line) for number, line, item in found if item is None}
    is_log = any(item is not None for item in logged.values())
    for number, line, item in found:
        if item is None:
            item = logged[number]
        # A line of a log that holds no brace can hold no message; one with a brace that nobody
        # understands is told as unreadable.
        if item is not None or not is_log or "{" in line:
            yield number, item


def _behind_a_prefix(line: str) -> Any:
    """The JSON-RPC message that a line of a log ends with; None where there is none."""
    start = line.find("{")
    # The prefix may hold braces of its own, so the message may begin at a later one.
    for _ in range(_MOST_PREFIXES):
        if start < 0:
            return None
        item = _parsed(line[start:])
        if isinstance(item, dict) and (_is_message(item) or any(_messages_inside(item))):
            return item
        start = line.find("{", start + 1)
    return None


def _messages_inside(item: Any, depth: int = 0) -> Iterator[Any]:
    """The JSON-RPC messages that an object holds, also as text, as proxies log them.

    `_DOUBLED` for a text that says a key twice.
    """
    if depth > _MOST_DEPTH:
        return
    if isinstance(item, str) and item.lstrip().startswith("{") and _SPEAKS.search(item):
        item = _parsed(item)
        if _holds_doubled(item):
            yield _DOUBLED
            return
    # Not at the top: there the caller has looked already.
    if depth and isinstance(item, dict) and (_is_message(item) or "inputRequests" in item):
        yield item
    elif isinstance(item, dict):
        for value in item.values():
            yield from _messages_inside(value, depth + 1)
    elif isinstance(item, list):
        for value in item:
            yield from _messages_inside(value, depth + 1)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_once_each)
    except (ValueError, RecursionError):
        return None


def _once_each(pairs: list[tuple[str, Any]]) -> Any:
    """An object; one that says a key twice is none: who reads it first or last sees another one."""
    value = dict(pairs)
    return value if len(value) == len(pairs) else _DOUBLED


def _holds_doubled(value: Any) -> bool:
    # With a list of its own in place of recursion: the text decides how deep it is.
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if item is _DOUBLED:
            return True
        if isinstance(item, (dict, list)):
            waiting.extend(item.values() if isinstance(item, dict) else item)
    return False


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and ("jsonrpc" in value or value.get("method") == METHOD)


def _of_wire(line: int, item: Mapping[str, Any]) -> Iterator[Recorded | Unreadable]:
    """The requests of one JSON-RPC message of either era; none for any other well-formed one."""
    # Without a result the message itself is looked at: a result may have been recorded alone.
    result = item.get("result", item)
    error = item.get("error")
    if "method" in item:
        if not isinstance(item["method"], str):
            yield Unreadable(line, "not a JSON-RPC message: its method is no text", item.get("id"))
        elif item["method"] == METHOD:
            request = _request(item.get("server"), item.get("params"))
            if "jsonrpc" in item:  # Else it may be an input request of a round.
                no_id = None if "id" in item else "The request was sent without an id."
                request = replace(request, era="handshake", defect=no_id)
            yield Recorded(line, item.get("id"), request)
    elif isinstance(result, dict) and "inputRequests" in result:
        yield from _of_round(line, result["inputRequests"])
    elif isinstance(error, dict) and error.get("code") == URL_ELICITATION_REQUIRED:
        yield from _of_error(line, error.get("data"))
    # Any other result or error carries no question, and is passed over.
    elif "result" not in item and not isinstance(error, dict):
        what = "not a JSON-RPC message: it has no method, result or error"
        yield Unreadable(line, what, item.get("id"))


def _of_round(line: int, requests: Any) -> Iterator[Recorded | Unreadable]:
    """The input requests of one round (2026-07-28)."""
    if not isinstance(requests, dict):
        yield Unreadable(line, "inputRequests is not an object")
        return
    for key, entry in requests.items():
        method = entry.get("method") if isinstance(entry, dict) else None
        if not isinstance(method, str):
            yield Unreadable(line, "an input request without a method", key)
        elif method == METHOD:
            yield Recorded(line, key, _request(None, entry.get("params")))


def _malformed(refusal: str) -> Finding:
    """What a run refuses, whatever it says: a request that is not read is none that passed."""
    return Finding(
        "check.malformed",
        Severity.BLOCK,
        "params",
        refusal,
        "A run refuses it as malformed; its server has to be mended.",
    )


def _of_error(line: int, data: Any) -> Iterator[Recorded | Unreadable]:
    """The pages of error -32042 (2025-11-25)."""
    pages = data.get("elicitations") if isinstance(data, dict) else None
    if not isinstance(pages, list):
        yield Unreadable(line, "error -32042 without a list of elicitations")
        return
    for entry in pages:
        name = entry.get("elicitationId") if isinstance(entry, dict) else None
        page = page_of_error(entry)
        if page is None:
            yield Unreadable(line, "an entry of error -32042 that is no page", name)
        else:
            yield Recorded(line, name, _request(None, page))


def _of_history(line: int, row: Mapping[str, Any]) -> Iterator[Recorded]:
    """The request of one line of `history export`; none of our own or a counted flood."""
    request = row.get("request")
    if row.get("kind") in _OURS or (request is None and row.get("mode") is None):
        if row.get("requestedSchema") is not None:  # None of ours: they have no form.
            yield _bare(line, row)
        return
    row_text = _present(_parameters(row))
    yield _exported(line, row, request if isinstance(request, dict) else row_text)


def _exported(line: int, row: Mapping[str, Any], params: Any) -> Recorded:
    """A request of an export, with the findings that stand beside it."""
    findings = row.get("findings")
    found = [
        finding
        for entry in (findings if isinstance(findings, list) else ())
        if (finding := _finding(entry)) is not None
    ]
    # A verdict without findings that explain it still counts: it gets a finding of its own.
    verdict = _VERDICTS.get(str(row.get("verdict")), Severity.NOTE)
    if verdict > max((risk.severity for risk in found), default=Severity.NOTE):
        found.append(
            Finding(
                "check.recorded",
                verdict,
                "verdict",
                f"recorded as {verdict.word}",
                "The record gives a worse verdict than its findings; look at the question itself.",
            )
        )
    return Recorded(line, row.get("id"), _request(row.get("server"), params), tuple(found))


def _finding(entry: Any) -> Finding | None:
    """One recorded finding, neutral again: the file may have been written by anybody."""
    severity = _SEVERITIES.get(str(entry.get("severity"))) if isinstance(entry, dict) else None
    if severity is None:
        return None
    return Finding(
        neutral_line(str(entry.get("rule", "?")), 100),
        severity,
        neutral_line(str(entry.get("where", "?")), 200),
        # On one line each: a record may not write lines of the report.
        neutral_line(str(entry.get("evidence", "")), 1000),
        neutral_line(str(entry.get("advice", "")), 1000),
    )


def _parameters(item: Mapping[str, Any]) -> dict[str, Any]:
    return {key: item[key] for key in _PARAMETERS if key in item}


def _present(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """An export spells what a request does not have as null."""
    return {key: value for key, value in parameters.items() if value is not None}


def _request(server: Any, params: Any) -> ElicitationRequest:
    name = server if isinstance(server, str) and server else "server"
    # The era matters only for what a run would refuse; one of the handshake era is set by its
    # reader.
    return ElicitationRequest(ServerIdentity(name, "stdio", ""), params, era="modern")
