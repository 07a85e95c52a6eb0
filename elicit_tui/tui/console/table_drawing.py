"""The lines of a table: its rows are drawn at once, and what its window cuts is marked."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import ClassVar, TypeVar

from rich.cells import set_cell_size
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.coordinate import Coordinate
from textual.geometry import Region
from textual.strip import Strip
from textual.widgets import DataTable

_Table = TypeVar("_Table", bound="DrawnTable")


class DrawnTable(DataTable[Text]):
    """Draws each row from its texts, one line high.

    The library has Rich lay out every cell, which takes longer for a page than a key may. The
    names, and the row in which the mouse is, look otherwise: those it draws.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"table--cursor-row"}

    _widths: list[int]
    """The cells of each column, with its gaps; all of this is told anew for each picture."""
    _ends: list[int]
    """Where each of them ends."""
    _plain: Style
    _fixed: Style
    _cursor_row: Style
    _cursor: Style

    def render_lines(self, crop: Region) -> list[Strip]:
        """So many lines, of columns that are as wide as they are now."""
        self._widths = [column.get_render_width(self) for column in self.ordered_columns]
        self._ends = list(accumulate(self._widths))
        self._plain = self.rich_style
        self._fixed, self._cursor_row, self._cursor = (
            self.get_component_styles(name).rich_style
            for name in ("datatable--fixed", "table--cursor-row", "datatable--cursor")
        )
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """A line, with a mark where the window cuts it: a cut number is another one."""
        if y + self.scroll_y >= self.virtual_size.height:
            return super().render_line(y)  # Below the last row.
        row = y - self.header_height + self.scroll_offset.y
        drawn = self.is_valid_row_index(row) and (row == self.cursor_row or row != self.hover_row)
        if y < self.header_height or not drawn:
            return self._cut(super().render_line(y), heading=y == 0)
        return self._cut(self.line_of(row))

    def refresh_coordinate(self: _Table, coordinate: Coordinate) -> _Table:
        """Draw the row of a cell again, all of which looks otherwise with the cursor in it."""
        y = coordinate.row + self.header_height - self.scroll_offset.y
        return self.refresh(Region(0, y, self.size.width, 1))

    def line_of(self, row: int) -> Strip:
        """What of a row, in which the mouse is not, can be seen."""
        width, left, cells = self.size.width, self.scroll_offset.x, self.get_row_at(row)
        stay = self.fixed_columns
        first = next((n for n, end in enumerate(self._ends) if end > left + self._stays), stay)
        first = max(first, stay)
        last = next((n for n, end in enumerate(self._ends) if end >= left + width), len(cells) - 1)
        fixed = Strip(self._segments(row, cells, range(stay)))
        begin = self._ends[first - 1] if first else 0
        moving = Strip(self._segments(row, cells, range(first, last + 1)))
        moving = moving.crop(left + self._stays - begin, left + width - begin)
        plain = self._cursor_row if row == self.cursor_row else self._plain
        beyond = plain + Style.from_meta({"row": row, "column": 0, "out_of_bounds": True})
        return Strip.join([fixed, moving]).adjust_cell_length(width, beyond)

    def _segments(self, row: int, cells: list[Text], columns: range) -> Iterator[Segment]:
        for column in columns:
            cell, fixed = cells[column], column < self.fixed_columns
            style = self._style_of(Coordinate(row, column))
            at = {"row": row, "column": column}
            style += Style.from_meta({"fixed": True, **at} if fixed else at)
            gap, room = " " * self.cell_padding, self._widths[column] - 2 * self.cell_padding
            before = max(0, room - cell.cell_len) if cell.justify == "right" else 0
            if not cell.spans:
                words = set_cell_size(" " * before + cell.plain, room)
                yield Segment(f"{gap}{words}{gap}", style)
                continue
            yield Segment(gap + " " * before, style)
            over = style if Coordinate(row, column) == self.cursor_coordinate else None
            marked = Segment.apply_style(cell.render(self.app.console), style, over)
            yield from Segment.adjust_line_length(list(marked), room - before, style)
            yield Segment(gap, style)

    def _style_of(self, cell: Coordinate) -> Style:
        if cell == self.cursor_coordinate:
            return self._cursor
        if cell.row == self.cursor_row:
            return self._cursor_row
        return self._fixed if cell.column < self.fixed_columns else self._plain

    @property
    def _stays(self) -> int:
        """The cells of the columns that stay in sight."""
        return self._ends[self.fixed_columns - 1] if self.fixed_columns else 0

    def _cut(self, line: Strip, *, heading: bool = False) -> Strip:
        """Columns that end beyond the window are left out whole; the line of names counts them."""
        width, stays = self.scrollable_content_region.width, self._stays
        hides = self.scroll_x < self.max_scroll_x
        if not hides and not self.scroll_x:
            return line
        fit = [end - self.scroll_x for end in self._ends if stays < end - self.scroll_x <= width]
        moves = line.crop(stays, width)
        if hides and fit:
            rest = width - int(fit[-1])
            hidden = sum(end - self.scroll_x > width for end in self._ends)
            told = f"+{hidden} →".rjust(rest) if heading else " " * rest
            style = next((segment.style for segment in line.crop(width - 1, width)), None)
            if len(told) == rest:
                blank = Strip([Segment(told, style)])
                moves, hides = Strip.join([line.crop(stays, int(fit[-1])), blank]), False
        marked = cut_at_edges(moves, width - stays, left=self.scroll_x > 0, right=hides)
        return Strip.join([line.crop(0, stays), marked])


def cut_at_edges(line: Strip, width: int, *, left: bool, right: bool) -> Strip:
    """A line of a wider picture, with a mark in its first or last cell where it goes on there."""
    if right:
        line = Strip.join([line.crop(0, width - 1), _mark_on(line.crop(width - 1, width))])
    if left:
        line = Strip.join([_mark_on(line.crop(0, 1)), line.crop(1, width)])
    return line


def _mark_on(cell: Strip) -> Strip:
    return Strip([Segment("…", next((segment.style for segment in cell), None))])
