"""Rows of the ledger as text: a table for a terminal, plain columns for a pipe, one in full."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from io import StringIO
from typing import TYPE_CHECKING, Any, Final

from elicit_tui.cli.signs import OUTCOMES
from elicit_tui.text import neutral, neutral_line, readable_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from elicit_tui.ledger.rows import Row

HEADINGS: Final = ("asked", "id", "server", "tool", "found", "outcome", "message")
_ID_CHARACTERS: Final = 8
_TABLE_WIDTH: Final = 120
_WIDEST: Final = {"server": 16, "tool": 20}


def cells(row: Row) -> tuple[str, ...]:
    """One row as short neutral words, in the order of `HEADINGS`."""
    message = row.message or ""
    if row.count > 1 or (row.mode is None and row.decided_by == "flood"):
        over = " over the limit" if row.decided_by == "flood" else ""
        message = f"{row.count} requests{over}"
    values = (
        local_time(row.asked_at),
        row.id[:_ID_CHARACTERS],
        row.server,
        row.tool or "-",
        row.verdict or "-",
        outcome(row),
        message,
    )
    return tuple(neutral_line(str(value)) for value in values)


def _signed(row: Row) -> tuple[str, ...]:
    """The same for a terminal: a sign before the outcome."""
    place = HEADINGS.index("outcome")
    words = cells(row)
    sign = OUTCOMES[row.action]
    return (*words[:place], f"{sign} {words[place]}", *words[place + 1 :])


def outcome(row: Row) -> str:
    """What was done and by whom, in three words at most."""
    if row.decided_by is None:
        return "no outcome recorded"
    return f"{row.action or 'nothing sent'} by {row.decided_by}"


def local_time(text: str | None) -> str:
    """A recorded time on the clock of whoever reads it."""
    if not text:
        return "-"
    try:
        moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
        return moment.astimezone().strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError, OSError):
        return text


def plain_table(rows: Iterable[Row]) -> str:
    """Columns padded with blanks, one line a row, nothing shortened to a terminal's width."""
    lines = [HEADINGS, *map(cells, rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def terminal_table(rows: Iterable[Row], width: int | None = None) -> str:
    """The same for a terminal: a table where it is wide enough, else two lines a row."""
    from rich.console import Console

    width = width or Console().width
    if width < _TABLE_WIDTH:
        return _stacked(rows, width)
    return _rich_table(rows, width)


def _rich_table(rows: Iterable[Row], width: int) -> str:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0), pad_edge=False)
    for heading in HEADINGS:
        if heading == "message":
            table.add_column(heading, no_wrap=True, overflow="ellipsis", ratio=1)
        else:
            longest = _WIDEST.get(heading)
            table.add_column(heading, no_wrap=True, overflow="ellipsis", max_width=longest)
    for row in rows:
        table.add_row(*map(Text, _signed(row)))
    written = StringIO()
    console = Console(file=written, force_terminal=True, width=width, highlight=False)
    console.print(table)
    return written.getvalue().rstrip("\n")


def _stacked(rows: Iterable[Row], width: int) -> str:
    from rich.text import Text

    lines = []
    for row in rows:
        asked, identifier, server, tool, found, decided, message = _signed(row)
        # What is cut where there is little room is a name or a message, never what became of it.
        for text in (
            f"{asked}  {identifier}  {decided}  {found}",
            f"    {server}  {tool}  {message}",
        ):
            line = Text(text)
            line.truncate(width, overflow="ellipsis")
            lines.append(line.plain)
    return "\n".join(lines)


def details(row: Row) -> str:
    """Everything that was recorded about one question."""
    told = row.as_json()
    lines = [f"{'id':<16}{neutral_line(row.id)}", f"{'outcome':<16}{outcome(row)}"]
    shown = {"id", "action", "decidedBy", "message", "findings", "content", "request", "hashes"}
    for name, value in told.items():
        if name not in shown and value is not None:
            lines.append(f"{name:<16}{neutral_line(str(value), 1000)}")
    for name in ("message", "content", "request"):
        if told[name] is not None:
            lines += _block(name, told[name])
    for finding in row.findings:
        lines += _finding(finding)
    lines += [f"{'hash ' + event:<16}{neutral_line(value)}" for event, value in row.hashes.items()]
    return "\n".join(lines)


def _block(name: str, value: Any) -> Sequence[str]:
    text = value if isinstance(value, str) else readable_json(value)
    return [name, *(f"    {line}" for line in neutral(text).split("\n"))]


def _finding(finding: Any) -> Sequence[str]:
    words = {name: neutral_line(str(value), 1000) for name, value in dict(finding).items()}
    return [
        f"{'finding':<16}{words.get('severity')}  {words.get('rule')}  {words.get('where')}",
        f"    {words.get('evidence')}",
        f"    {words.get('advice')}",
    ]
