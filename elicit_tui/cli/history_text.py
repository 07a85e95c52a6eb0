"""The ledger as text: its rows as a table or as plain columns, and one question in full."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import StringIO
from typing import TYPE_CHECKING, Any, Final

from elicit_tui.cli.own_terminal import VERDICTS
from elicit_tui.elicitation.finding import MASK
from elicit_tui.elicitation.outcome import SERVER_ENDS, SIGNS
from elicit_tui.elicitation.request import ID_CHARACTERS
from elicit_tui.text import local_time, neutral, neutral_line, readable_json

if TYPE_CHECKING:
    from elicit_tui.ledger.rows import Row

HEADINGS: Final = ("asked", "id", "server", "tool", "guardian", "outcome", "message")
_MINUTES: Final = len("2026-11-21 09:30")
_GAP: Final = 2
_TOOL_CELLS: Final = 24
"""What is shown of a tool's name, or of the names of several: it gives way, as a message does."""
_MESSAGE_CELLS: Final = 30
"""A table leaves a message this much; where it cannot, each question has lines of its own."""
_VERDICT_WORDS: Final = {"allow": "no warning", None: "-"}
"""What is said of a verdict whose own word would not do."""


def cells(row: Row) -> tuple[str, ...]:
    """One row as short neutral words, in the order of `HEADINGS`."""
    message = row.message or ""
    if row.count > 1 or (row.mode is None and row.decided_by == "flood"):
        over = " over the limit" if row.decided_by == "flood" else ""
        message = f"{row.count} requests{over}"
    values = (
        local_time(row.asked_at, seconds=True) or "-",
        row.id[:ID_CHARACTERS],
        row.server,
        row.tool or "-",
        _VERDICT_WORDS.get(row.verdict, row.verdict),
        outcome(row),
        message,
    )
    return tuple(neutral_line(str(value)) for value in values)


def _signed(row: Row) -> tuple[str, ...]:
    """The same for a terminal: to the minute, with our signs, no word where nothing was found."""
    asked, identifier, server, tool, verdict, decided, message = cells(row)
    return (
        asked[:_MINUTES],
        identifier,
        server,
        tool,
        "" if row.verdict == "allow" else f"{_sign_of(row)}{verdict}",
        f"{SIGNS[row.action]} {decided}",
        message,
    )


def _sign_of(row: Row) -> str:
    """What stands before its verdict on a terminal: nothing where nothing was found."""
    return "" if row.verdict == "allow" else VERDICTS.get(row.verdict or "", "")


def outcome(row: Row) -> str:
    """What was done and by whom, in few words."""
    if row.decided_by is None:
        return "no outcome recorded"
    if row.decided_by == "server":
        return f"{row.action or 'nothing sent'}: {SERVER_ENDS[row.server_end]}"
    return f"{row.action or 'nothing sent'} by {row.decided_by}"


def plain_table(rows: Iterable[Row]) -> str:
    """Columns padded with blanks, one line a row, nothing shortened to a terminal's width."""
    lines = [HEADINGS, *map(cells, rows)]
    return "\n".join(in_plain_columns(lines))


def in_plain_columns(lines: Sequence[Sequence[str]]) -> Iterator[str]:
    """These lines with each column as wide as the widest of its cells."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        yield "  ".join(map(str.ljust, line, widths)).rstrip()


def terminal_table(rows: Iterable[Row], width: int | None = None) -> str:
    """The same for a terminal: a table where all but tool and message is whole, else stacked."""
    from rich.cells import cell_len
    from rich.console import Console

    width, rows = width or Console().width, list(rows)
    lines = [_signed(row) for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(HEADINGS, *lines, strict=True)]
    tool, message = HEADINGS.index("tool"), HEADINGS.index("message")
    widths[tool] = min(widths[tool], _TOOL_CELLS)
    left = width - sum(widths[:message]) - _GAP * message
    if left < min(widths[message], _MESSAGE_CELLS):
        return "\n".join(line for row in rows for line in _stacked(row, width))
    widths[message] = min(widths[message], left)
    return _rich_table(lines, widths, width)


def _rich_table(lines: Iterable[Sequence[str]], widths: Sequence[int], width: int) -> str:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, header_style="bold", padding=(0, _GAP, 0, 0), pad_edge=False)
    for heading, cell_width in zip(HEADINGS, widths, strict=True):
        table.add_column(heading, no_wrap=True, overflow="ellipsis", width=cell_width)
    for parts in lines:
        table.add_row(*map(Text, parts))
    written = StringIO()
    console = Console(file=written, force_terminal=True, width=width, highlight=False)
    console.print(table)
    return "\n".join(line.rstrip() for line in written.getvalue().splitlines())


def _stacked(row: Row, width: int) -> Iterator[str]:
    """One question: when, its id, what became of it and what was found; then who asked what."""
    from rich.cells import cell_len
    from rich.text import Text

    asked, identifier, server, tool, verdict, decided, message = _signed(row)
    if verdict and row.verdict is not None:
        # Without a heading above it: whose verdict it is.
        sign = _sign_of(row)
        verdict = f"{sign}guardian: {verdict.removeprefix(sign)}"
    lines = [asked]
    for words in filter(None, (identifier, decided, verdict)):
        longer = f"{lines[-1]}{' ' * _GAP}{words}"
        if cell_len(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(f"    {words}")
    named = Text(tool)
    named.truncate(_TOOL_CELLS, overflow="ellipsis")
    lines.append("  ".join((f"    {server}", named.plain, message)))
    for text in lines:
        # What is cut where there is little room is a name or a message, never what became of it.
        line = Text(text)
        line.truncate(width, overflow="ellipsis")
        yield line.plain


LABEL: Final = 16
"""The column of what stands behind a label."""
_LONGEST: Final = 1000
_TOLD_BEFORE: Final = frozenset(
    "action decidedBy message reason findings outgoing content"
    " arguments contentPolicy request hashes note".split()
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
        ("note", details.get("note")),
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


def finding_lines(row: Row) -> Iterator[str]:
    """What the guardian found in the question, then in the answer: lines to be broken at words."""
    if row.verdict is not None:
        verdict = _VERDICT_WORDS.get(row.verdict, row.verdict)
        yield _labelled("guardian", f"{_sign_of(row)}{neutral_line(verdict)}")
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
