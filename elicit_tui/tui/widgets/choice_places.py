"""Where the choices of a short list stand at a given width."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from elicit_tui.dataclass import dataclass

_GAP = 3


@dataclass(frozen=True)
class Placed:
    """One line of one choice."""

    index: int
    y: int
    x: int
    text: str
    width: int
    first: bool
    """Whether it is the choice's first line, which carries the mark."""


def lay_out(labels: Sequence[str], mark_width: int, width: int) -> tuple[Placed, ...]:
    """All choices on one line where they fit, else one below the other, wrapped, never cut."""
    cells = [Content(label).cell_length for label in labels]
    in_line = sum(mark_width + 1 + cell for cell in cells) + _GAP * (len(labels) - 1)
    placed: list[Placed] = []
    if in_line <= width:
        x = 0
        for index, (label, cell) in enumerate(zip(labels, cells, strict=True)):
            placed.append(Placed(index, 0, x, label, mark_width + 1 + cell, True))
            x += mark_width + 1 + cell + _GAP
        return tuple(placed)
    y = 0
    room = max(width - mark_width - 1, 4)
    for index, label in enumerate(labels):
        lines = Content(label).wrap(room) if cells[index] > room else [Content(label)]
        for number, line in enumerate(lines):
            text = line.plain.rstrip()
            span = mark_width + 1 + Content(text).cell_length
            placed.append(Placed(index, y, 0, text, span, number == 0))
            y += 1
    return tuple(placed)
