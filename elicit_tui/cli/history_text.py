"""Rows of the ledger as text: a table for a terminal, plain columns for a pipe."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from typing import TYPE_CHECKING, Final

from elicit_tui.cli.signs import VERDICTS
from elicit_tui.elicitation.outcome import SERVER_ENDS, SIGNS
from elicit_tui.text import local_time, neutral_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from elicit_tui.ledger.rows import Row

HEADINGS: Final = ("asked", "id", "server", "tool", "guardian", "outcome", "message")
_ID_CHARACTERS: Final = 8
_MINUTES: Final = len("2026-11-21 09:30")
_GAP: Final = 2
_TOOL_CELLS: Final = 24
"""What is shown of a tool's name, or of the names of several: it gives way, as a message does."""
_MESSAGE_CELLS: Final = 30
"""A table leaves a message this much; where it cannot, each question has lines of its own."""
_FOUND: Final = {"allow": "no warning", "warn": "warn", "block": "block", None: "-"}


def cells(row: Row) -> tuple[str, ...]:
    """One row as short neutral words, in the order of `HEADINGS`."""
    message = row.message or ""
    if row.count > 1 or (row.mode is None and row.decided_by == "flood"):
        over = " over the limit" if row.decided_by == "flood" else ""
        message = f"{row.count} requests{over}"
    values = (
        local_time(row.asked_at, seconds=True) or "-",
        row.id[:_ID_CHARACTERS],
        row.server,
        row.tool or "-",
        _FOUND.get(row.verdict, row.verdict),
        outcome(row),
        message,
    )
    return tuple(neutral_line(str(value)) for value in values)


def _signed(row: Row) -> tuple[str, ...]:
    """The same for a terminal: to the minute, with our signs, no word where nothing was found."""
    asked, identifier, server, tool, found, decided, message = cells(row)
    return (
        asked[:_MINUTES],
        identifier,
        server,
        tool,
        "" if row.verdict == "allow" else f"{VERDICTS.get(row.verdict or '', '')}{found}",
        f"{SIGNS[row.action]} {decided}",
        message,
    )


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
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def terminal_table(rows: Iterable[Row], width: int | None = None) -> str:
    """The same for a terminal: a table where all but tool and message is whole, else stacked."""
    from rich.cells import cell_len
    from rich.console import Console

    width = width or Console().width
    lines = [_signed(row) for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(HEADINGS, *lines, strict=True)]
    tool, message = HEADINGS.index("tool"), HEADINGS.index("message")
    widths[tool] = min(widths[tool], _TOOL_CELLS)
    left = width - sum(widths[:message]) - _GAP * message
    if left < min(widths[message], _MESSAGE_CELLS):
        return "\n".join(line for parts in lines for line in _stacked(parts, width))
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


def _stacked(parts: Sequence[str], width: int) -> Iterator[str]:
    """One question: when, its id, what became of it and what was found; then who asked what."""
    from rich.cells import cell_len
    from rich.text import Text

    asked, identifier, server, tool, found, decided, message = parts
    if found not in ("", "-"):
        sign, _, word = found.rpartition(" ")
        found = f"{sign} guardian: {word}".lstrip()
    lines = [asked]
    for word in filter(None, (identifier, decided, found)):
        longer = f"{lines[-1]}{' ' * _GAP}{word}"
        if cell_len(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(f"    {word}")
    named = Text(tool)
    named.truncate(_TOOL_CELLS, overflow="ellipsis")
    lines.append("  ".join((f"    {server}", named.plain, message)))
    for text in lines:
        # What is cut where there is little room is a name or a message, never what became of it.
        line = Text(text)
        line.truncate(width, overflow="ellipsis")
        yield line.plain
