"""The rows of a form one below the other: where each stands, and the lines of its words."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import field

from textual.content import Content
from textual.strip import Strip
from textual.style import Style
from textual.visual import Visual
from textual.widget import Widget

from elicit_tui.dataclass import dataclass
from elicit_tui.tui.widgets.row import Columns, FieldRow


@dataclass
class RowStack:
    """Rows that a form draws by itself around their controls, which are its only widgets.

    A widget for each row would cost more than all the rest of a form. Lines count from the first
    row's first one.
    """

    _rows: list[FieldRow] = field(default_factory=list)
    _tops: list[int] = field(default_factory=list)
    _strips: dict[int, tuple[list[Content], list[Strip]]] = field(default_factory=dict)
    """The words of each row as they were drawn: they stay good wherever the row stands."""
    _style: tuple[int, Style] | None = None
    _painted: tuple[int, int] | None = None
    """The lines that were painted last, unless the rows stand elsewhere since."""
    height: int = 0

    def add(self, rows: Iterable[FieldRow]) -> None:
        """More rows below the ones there are; `place` says where."""
        self._rows += rows

    def place(self, columns: Columns) -> None:
        """Set every control on its line, by the margins between them."""
        self._tops.clear()
        self.height = below = 0
        for row in self._rows:
            self._tops.append(self.height)
            margin = (below + row.above, 0, 0, columns.control_x)
            if row.control.styles.margin != margin:
                row.control.styles.margin = margin
            self.height += row.height
            below = row.below
        self._painted = None

    @property
    def below(self) -> int:
        """How many lines stand below the last control."""
        return self._rows[-1].below if self._rows else 0

    def top(self, row: FieldRow) -> int:
        """The line on which a row begins."""
        return self._tops[self._rows.index(row)]

    def on_screen(self, first: int, end: int) -> bool:
        """These lines are painted: their rows can be seen; whether one was seen to its end now."""
        if (first, end) == self._painted:
            return False
        self._painted = first, end
        more = False
        place = max(bisect_right(self._tops, first) - 1, 0)
        while place < len(self._tops) and self._tops[place] < end:
            row, top = self._rows[place], self._tops[place]
            if not row.seen:
                row.on_screen(first - top, end - top)
                more |= row.seen
            place += 1
        return more

    def forget_seen(self, rows: Iterable[FieldRow]) -> None:
        """Nobody saw what was painted of these so far."""
        self._painted = None
        for row in rows:
            row.forget_seen()

    def fits(self, row: FieldRow) -> bool:
        """Whether a row still takes the room that it was given."""
        return self._room(self._rows.index(row)) == row.height

    def _room(self, place: int) -> int:
        """How many lines a row was given: until it is placed anew, no others."""
        following = self._tops[place + 1] if place + 1 < len(self._tops) else self.height
        return following - self._tops[place]

    def strip(self, line: int, widget: Widget, width: int) -> Strip | None:
        """The words on one line, as `widget` draws them; None where no row stands."""
        if not 0 <= line < self.height:
            return None
        style = widget.visual_style
        if self._style != (width, style):
            self._style = (width, style)
            self._strips.clear()
        place = bisect_right(self._tops, line) - 1
        words, room = self._rows[place].lines, self._room(place)
        drawn, strips = self._strips.get(place, ([], []))
        if drawn is not words or len(strips) != room:
            lines = words[:room] + [Content("")] * (room - len(words))
            strips = Visual.to_strips(
                widget,
                Content("\n").join(lines),
                width,
                room,
                style,
                apply_selection=False,
                pad=True,
            )
            self._strips[place] = words, strips
        return strips[line - self._tops[place]]
