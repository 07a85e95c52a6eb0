"""One question of the ledger as text: first what a person asks about it, then all of the record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from elicit_tui.cli.history_text import outcome
from elicit_tui.cli.signs import VERDICTS
from elicit_tui.elicitation.finding import MASK
from elicit_tui.elicitation.outcome import SIGNS
from elicit_tui.text import local_time, neutral, neutral_line, readable_json

if TYPE_CHECKING:
    from elicit_tui.ledger.rows import Row

LABEL: Final = 16
"""The column of what stands behind a label."""
_LONGEST: Final = 1000
_TOLD_BEFORE: Final = frozenset(
    {"action", "decidedBy", "message", "reason", "findings", "outgoing", "content"}
    | {"arguments", "contentPolicy", "request", "hashes"}
)
"""Parts of the record that have lines of their own."""


def record_lines(row: Row) -> Iterator[str]:
    """What was asked, by whom, how it ended and why: lines to be broken at words."""
    yield f"{SIGNS[row.action]} {outcome(row)}"
    details = row.details
    params = row.request if isinstance(row.request, Mapping) else {}
    lines = (
        ("asked", local_time(row.asked_at, seconds=True) or "-"),
        ("server", row.server),
        ("tool", row.tool),
        ("message", row.message),
        ("page", str(params.get("url") or "")),
        ("why", row.reason),
        ("from", _place(details.get("via"), details.get("answeredBy"))),
        ("handed to", _handed(details)),
        ("withdrawn", details.get("withdrawal")),
    )
    for label, text in lines:
        if text:
            first, *rest = neutral(text).split("\n")
            yield _labelled(label, first)
            yield from (f"{'':<{LABEL}}{line}" for line in rest)


def answer(row: Row) -> Iterator[str]:
    """With what was called, or what was answered, as it was kept, and what was masked for that."""
    policy = row.details.get("contentPolicy")
    arguments = row.details.get("arguments")
    if arguments is not None:
        yield from _kept("arguments", arguments, policy)
    if row.content is not None:
        yield from _kept("answer", row.content, policy)
    # Only an answer that was sent as a form holds something that could have been kept.
    elif policy == "none" and row.action == "accept" and row.mode == "form":
        yield _labelled("answer", 'not kept (history.content = "none")')


def _kept(label: str, value: Any, policy: Any) -> Iterator[str]:
    written = readable_json(value)
    masked = policy == "redacted" and MASK in written
    how = f"what looked like a secret is masked: {MASK}" if masked else "nothing was masked"
    yield _labelled(label, f"({how})")
    yield from _indented(written)


def found(row: Row) -> Iterator[str]:
    """What the guardian found in the question, then in the answer: lines to be broken at words."""
    if row.verdict is not None:
        judged = "no warning" if row.verdict == "allow" else row.verdict
        sign = "" if row.verdict == "allow" else VERDICTS.get(row.verdict, "")
        yield _labelled("guardian", f"{sign}{neutral_line(judged)}")
    for finding in row.findings:
        yield from _finding(finding)
    for finding in row.details.get("outgoing") or ():
        yield from _finding(finding, " of the answer")


def recorded(row: Row) -> Iterator[str]:
    """Every other field of the record by its name, and the hashes: lines to be broken at words."""
    yield "as it is recorded"
    for name, value in row.as_json().items():
        if name not in _TOLD_BEFORE and value is not None:
            text = value if isinstance(value, str) else readable_json(value, indent=None)
            yield _labelled(name, neutral_line(text, _LONGEST))
    for event, value in row.hashes.items():
        yield _labelled(f"hash {event}", neutral_line(value))


def request(row: Row, *, on_terminal: bool) -> Iterator[str]:
    """The request as it came; on a terminal its size, or it would push all the rest out of view."""
    if row.request is None:
        return
    if on_terminal:
        size = len(readable_json(row.request, indent=None))
        yield _labelled("request", f"{size:,} characters; --output json shows it")
    else:
        yield "request"
        yield from _indented(readable_json(row.request))


def _labelled(label: str, text: str) -> str:
    return f"{label:<{LABEL}}{text}"


def _indented(text: str) -> Iterator[str]:
    return (f"    {line}" for line in neutral(text).split("\n"))


def _place(via: Any, by: Any) -> str:
    """Through what an answer came; from another process also whose it was, and where."""
    if not isinstance(by, Mapping):
        return str(via or "")
    place = " of ".join(str(part) for part in (by.get("terminal"), by.get("machine")) if part)
    return f"{via or 'another process'}: {by.get('user')} at {place}"


def _handed(details: Mapping[str, Any]) -> str | None:
    """Whether the agent whose own prompt it is was given an answer; None for every other."""
    agent = details.get("handedTo")
    if agent is None:
        return None
    # Nothing: the agent went on before an answer could be handed to it.
    handed_at = local_time(details.get("handedAt"), seconds=True)
    return f"{agent}, {handed_at}" if handed_at else f"{agent}: nothing"


def _finding(finding: Any, of: str = "") -> Iterator[str]:
    words = {name: neutral_line(str(value), _LONGEST) for name, value in dict(finding).items()}
    severity = words.get("severity", "")
    sign = VERDICTS.get(severity, "")
    yield f"  {sign}{severity}  {words.get('rule')}  in {words.get('where')}{of}"
    yield f"      {words.get('evidence')}"
    yield f"      {words.get('advice')}"
