"""Rows of like objects, as a table: its columns are walked and sorted by, its first one stays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, ClassVar, Final

from rich.cells import cell_len
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import DataTable

from elicit_tui.text import neutral_line
from elicit_tui.text.hostile_json import SHOWN_CHARACTERS, bounded_json
from elicit_tui.tui.console.bars import NARROW
from elicit_tui.tui.console.call_words import is_path
from elicit_tui.tui.console.half_pages import HalfPagesOfRows
from elicit_tui.tui.console.spans import shortened_within
from elicit_tui.tui.console.table_drawing import DrawnTable
from elicit_tui.tui.console.wanted_words import holding, wanted_words

Row = Mapping[str, Any]

TABLE_ROWS: Final = 1_000
"""Rows that are listed at a time: those around the one that one is in."""
TABLE_COLUMNS: Final = 40
KEYS_BESIDE: Final = 40
"""Keys beside the rows that are named; no frame has room for more."""
CELL_CHARACTERS: Final = 200
HEADING_IN_BAR: Final = 12
"""Letters of a column's name beside the key that sorts by it."""
COLUMN_CELLS: Final = 40
"""Cells that each column may take, where all of them have no room: Enter reads a row whole."""
AROUND: Final = 6
"""Cells beside the columns: the frame, and the scrollbar."""
BESIDE_FIRST: Final = 4
"""Cells of half a narrow screen that are not the first column's: frame and gaps."""
PLAIN: Final = 10**15
"""A number below it is written as it is; so are yes and no."""
SEARCHED_AS_TYPED: Final = 50_000
"""Rows; in more of them each letter would be waited for."""
CELLS_AT_ONCE: Final = 1_000
"""Cells of the table that are made at once: others follow once these are on the screen."""


def table_of(data: Any) -> Sequence[Row]:
    """The rows of data that is a list of like objects, alone or under one key; else none."""
    lists = [data] if isinstance(data, list) else []
    if isinstance(data, Mapping):
        lists = [value for value in data.values() if isinstance(value, list)]
    if len(lists) != 1 or len(lists[0]) < 2:
        return ()
    rows = lists[0]
    return rows if all(isinstance(row, Mapping) and row for row in rows) else ()


def is_best_as_table(rows: Sequence[Row]) -> bool:
    """Whether these rows are alike, and objects in few of their columns: a table cuts those."""
    shown = rows[:TABLE_ROWS]
    columns = len(keys_of(shown))
    nested = {key for row in shown for key, cell in row.items() if _nests(cell)}
    filled = sum(map(len, shown))
    return 2 * len(nested) < columns and 2 * filled >= columns * len(shown)


def _nests(cell: Any) -> bool:
    parts = cell if isinstance(cell, list) else [cell]
    return any(isinstance(part, (Mapping, list)) and bool(part) for part in parts)


def beside_the_table(data: Any, rows: Sequence[Row]) -> Sequence[str]:
    """What the table of these rows of the data leaves out: columns that are too many, keys."""
    columns = len(keys_of(rows[:TABLE_ROWS]))
    cut = [f"{columns - TABLE_COLUMNS:,} columns"] if columns > TABLE_COLUMNS else []
    if not isinstance(data, Mapping):
        return cut
    beside = islice((key for key in data if not isinstance(data[key], list)), KEYS_BESIDE)
    return [*cut, *(neutral_line(str(key), 40) for key in beside)]


def keys_of(rows: Sequence[Row]) -> list[str]:
    """The keys that any of the rows has, in the order in which they come."""
    return list(dict.fromkeys(str(key) for row in rows for key in row))


def sorted_by(rows: Iterable[Row], key: str, *, falling: bool = False) -> list[Row]:
    """The rows by what they have under a key: numbers, then texts, then others; at the end none."""
    have: list[Row] = []
    lack: list[Row] = []
    for row in rows:
        (lack if row.get(key) is None else have).append(row)
    return [*sorted(have, key=lambda row: _rank(row[key]), reverse=falling), *lack]


def _rank(value: Any) -> tuple[int, float, str]:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return (0, value, "")
    if isinstance(value, str):
        return (1, 0, value.casefold())
    return (2, 0, bounded_json(value))


class ResultTable(DrawnTable, HalfPagesOfRows):
    """A row for each object, a column for each key; the keys walk from cell to cell."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "cursor_down", "Down", show=False),
        Binding("k", "cursor_up", "Up", show=False),
        Binding("l", "cursor_right", "Column to the right", show=False),
        Binding("h", "cursor_left", "Column to the left", show=False),
        Binding("ctrl+f", "page_down", "Page down", show=False),
        Binding("ctrl+b", "page_up", "Page up", show=False),
        Binding("g", "scroll_top", "Top", show=False),
        Binding("G,ctrl+end", "scroll_bottom", "End", show=False),
        Binding("enter", "select_cursor", "Row"),
        Binding("S", "sort", "Sort", id="table.sort"),
    ]

    DEFAULT_CSS = """
    ResultTable {
        background: transparent; scrollbar-size-vertical: 1; scrollbar-size-horizontal: 0;
        & > .datatable--header { background: transparent; color: $accent; text-style: bold; }
        & > .datatable--fixed { background: transparent; color: $foreground; }
        & > .datatable--cursor { background: $well-focus; color: $foreground; }
        & > .datatable--hover { background: $well; }
        & > .table--cursor-row { background: $well-focus; color: $foreground; }
        &:focus > .datatable--cursor {
            background: $accent; color: $background; text-style: bold;
        }
    }
    """

    named_last = frozenset({"sort"})
    """The actions whose keys the bar names behind those of the result."""
    rarer_keys = (("←→", "Column"),)
    """Its own, named last."""

    class Sorted(Message):
        """Its rows stand in another order: what was found stands elsewhere."""

    def __init__(self, rows: Sequence[Row]) -> None:
        super().__init__(cursor_type="cell")
        self._as_sent = rows
        self._keys = keys_of(rows[:TABLE_ROWS])[:TABLE_COLUMNS]
        self._ordered = rows
        """All of them, in the order in which they are listed."""
        self._numbers: Sequence[int] = ()
        """Of those that are listed alone the numbers that they have among all."""
        self._first = 0
        """The number of the first one that is listed."""
        self._order: tuple[str, bool] | None = None
        """By which key they are sorted, and whether falling; None: as they were sent."""
        self._wanted: Sequence[str] = ()
        """What is looked for in each row, folded; empty: nothing."""
        self._words: dict[int, str] = {}
        """What is searched of each row, by its identity."""
        self.narrowed = False
        """Whether the rows that were found are listed alone."""
        self._marked: list[Text] = []
        self._first_takes = COLUMN_CELLS
        """Cells of its first column at the most, where the screen is narrow."""
        self._widest = COLUMN_CELLS
        """Cells of any column at the most."""
        self._laid_out_for = 0
        """How wide the screen was for which its columns were laid out."""

    def on_mount(self) -> None:
        """Lay the rows out."""
        self._lay_out()

    def on_resize(self) -> None:
        """The first column stays where it leaves the others the better half.

        It does on a narrow screen, where it takes half of it at the most.
        """
        if self.app.size.width != self._laid_out_for:
            number, column = self.number, self.cursor_column
            self._lay_out()
            self.go_to(number)
            self.move_cursor(column=column, animate=False)
        first = next(iter(self.columns.values()), None)
        takes = 0 if first is None else first.get_render_width(self)
        self.fixed_columns = int(0 < 2 * takes <= self.size.width)
        # What is told takes rows at the end: the cursor, and what was done there, stays in sight.
        self.move_cursor(row=self.cursor_row, animate=False)

    @property
    def _most_of_first(self) -> int:
        narrow = self.app.size.width < NARROW and len(self._keys) > 1
        return self.app.size.width // 2 - BESIDE_FIRST if narrow else COLUMN_CELLS

    def _lay_out(self) -> None:
        self._first_takes = self._most_of_first
        self._laid_out_for = self.app.size.width
        self.clear(columns=True)
        for key in self._keys:
            self.add_column(self._heading(key), key=key)
        count = max(CELLS_AT_ONCE // max(1, len(self._keys)), self.size.height)
        self._widest = self._fitting(self.rows_shown[:count])
        self._make_rows(count)

    def _fitting(self, rows: Sequence[Row]) -> int:
        """Cells of the widest column: the long ones share the room that the short ones leave."""
        wanted = [
            max(cell_len(neutral_line(text, CELL_CHARACTERS)) for text in (key, *texts))
            for key in self._keys
            for texts in [[_spelled(row.get(key)) for row in rows]]
        ]
        room = self.app.size.width - AROUND - 2 * self.cell_padding * len(wanted)
        for left, cells in zip(range(len(wanted), 0, -1), sorted(wanted), strict=True):
            if cells * left > room:
                return max(COLUMN_CELLS, room // left)
            room -= cells
        return CELL_CHARACTERS

    def _heading(self, key: str) -> Text:
        mark = ""
        if self._order is not None and self._order[0] == key:
            mark = " ↓" if self._order[1] else " ↑"
        return Text(neutral_line(key, COLUMN_CELLS) + mark)

    @property
    def rows_shown(self) -> Sequence[Row]:
        """Those that are listed."""
        return self._ordered[self._first : self._first + TABLE_ROWS]

    def _make_rows(self, count: int) -> None:
        """Make the cells of some more rows; those behind them follow."""
        begin = self._first + self.row_count
        rows = self._ordered[begin : min(begin + count, self._first + TABLE_ROWS)]
        first = self._first_takes if self.app.size.width < NARROW else self._widest
        most = [min(self._widest, first), *[self._widest] * len(self._keys)]
        made = [
            [_cell(row.get(key), cells) for key, cells in zip(self._keys, most, strict=False)]
            for row in rows
        ]
        self.add_rows(made)
        self._mark(made)
        if self.row_count < len(self.rows_shown):
            self.call_after_refresh(self._make_rows, count)

    @property
    def searched_as_typed(self) -> bool:
        """Whether it is quick enough to be searched with every letter."""
        return len(self._as_sent) <= SEARCHED_AS_TYPED

    @property
    def place(self) -> str:
        """Which row one is in, of all there are: one that is listed alone keeps its number."""
        return f"{self.number_in_all + 1:,} of {len(self._as_sent):,}"

    @property
    def number_in_all(self) -> int:
        """The number that the row has in the whole table as it is sorted, from 0."""
        return self._numbers[self.number] if self.narrowed else self.number

    @property
    def number(self) -> int:
        """The number of the row that one is in, from 0."""
        return self._first + self.cursor_row

    @property
    def count(self) -> int:
        """How many rows it has, listed or not."""
        return len(self._ordered)

    @property
    def listed(self) -> Sequence[Row]:
        """All of them, as they are sorted, or those that were found alone."""
        return self._ordered

    @property
    def row(self) -> Row:
        """The one that the cursor is in."""
        return self._ordered[self.number]

    def action_cursor_down(self) -> None:
        """Go to the next row, listed or not."""
        if not self._step_out(1):
            super().action_cursor_down()

    def action_cursor_up(self) -> None:
        """Go to the row before, listed or not."""
        if not self._step_out(-1):
            super().action_cursor_up()

    def action_page_down(self) -> None:
        """Go down a page; at the last row that is listed to those behind it."""
        if not self._step_out(1):
            super().action_page_down()

    def action_page_up(self) -> None:
        """Go up a page; at the first row that is listed to those before it."""
        if not self._step_out(-1):
            super().action_page_up()

    def _step_out(self, by: int) -> bool:
        """Whether the row at this side of the cursor was not listed, and one is in it now."""
        beside = self.number + by
        if 0 <= self.cursor_row + by < self.row_count or not 0 <= beside < self.count:
            return False
        self.go_to(beside)
        return True

    def action_scroll_top(self) -> None:
        """Go to the first row."""
        self.go_to(0)

    def action_scroll_bottom(self) -> None:
        """Go to the last row."""
        self.go_to(self.count - 1)

    def on_data_table_header_selected(self, event: DataTable.HeaderSelected) -> None:
        """A click on a heading sorts by its column."""
        self.move_cursor(column=event.column_index)
        self.action_sort()

    @property
    def _following(self) -> tuple[str, bool] | None:
        """In which order the key that sorts brings the rows; None: as they were sent."""
        key = self._keys[self.cursor_column]
        return {None: (key, False), (key, False): (key, True), (key, True): None}.get(
            self._order, (key, False)
        )

    def worded(self, action: str) -> str | None:
        """The key that sorts names the column that one is in, and which way."""
        if action != "sort" or not self._keys:
            return None
        following = self._following
        if following is None:
            return "As sent"
        return f"Sort {neutral_line(following[0], HEADING_IN_BAR)} {'↓' if following[1] else '↑'}"

    def action_sort(self) -> None:
        """Sort by the column that the cursor is in: rising, falling, then as it was sent."""
        column, self._order = self.cursor_column, self._following
        self._list()
        self.move_cursor(row=0, column=column)
        self.post_message(self.Sorted())

    def narrow(self, narrowed: bool) -> None:
        """List the rows that hold what was looked for alone, or all of them."""
        column, self.narrowed = self.cursor_column, narrowed
        self._list()
        self.move_cursor(row=0, column=column)

    def _list(self) -> None:
        rows = self._as_sent
        if self._order is not None:
            rows = sorted_by(rows, self._order[0], falling=self._order[1])
        if self.narrowed:
            self._numbers, _ = holding([*map(self._searched, rows)], self._wanted)
            rows = [rows[number] for number in self._numbers]
        self._ordered, self._first = rows, 0
        self._lay_out()
        self.on_resize()

    def number_of(self, row: Row) -> int:
        """Where this row stands among those that are listed; 0 where it does not."""
        return next((number for number, each in enumerate(self._ordered) if each is row), 0)

    def find(self, term: str) -> Sequence[int]:
        """The rows that hold the words, listed or not; no words: nothing stands out any more.

        That is as they are written, or each of them somewhere, where no row has them so; or those
        with any of them, where no row has all.
        """
        rows = [*map(self._searched, self._ordered)] if term else []
        self._wanted = [term.casefold()] if term else []
        found, self.finds_each = holding(rows, self._wanted)
        if not found and len(words := wanted_words(term)) > 1:
            self._wanted = words
            found, self.finds_each = holding(rows, words)
        for cell in self._marked:
            cell.spans.clear()
        self._marked = []
        self._mark(map(self.get_row_at, range(self.row_count)))
        self.notify_style_update()
        self.refresh()
        return found

    def _searched(self, row: Row) -> str:
        """What a row says, folded once."""
        if (words := self._words.get(id(row))) is None:
            words = self._words[id(row)] = "\n".join(map(written, row.values())).casefold()
        return words

    def names(self, term: str) -> bool:
        """Whether the words are in the name of a column, of which no row is found."""
        return any(term.casefold() in key.casefold() for key in self._keys)

    def _mark(self, rows: Iterable[Iterable[Text]]) -> None:
        """Set off what was looked for in the cells, and nothing else."""
        if not self._wanted:
            return
        style = f"bold underline {self.app.theme_variables['warning']}"
        self._marked += [
            cell
            for row in rows
            for cell in row
            if cell.highlight_words(self._wanted, style, case_sensitive=False)
        ]

    def go_to(self, number: int) -> None:
        """Put the cursor on a row; one that is not listed is, with those around it."""
        place = number - self._first
        if not 0 <= place < len(self.rows_shown):
            column = self.cursor_column
            self._first = max(0, min(number - TABLE_ROWS // 2, self.count - TABLE_ROWS))
            self._marked = []
            self.clear()
            place = number - self._first
            self.move_cursor(column=column, animate=False)
        if place >= self.row_count:
            self._make_rows(TABLE_ROWS)
        self.move_cursor(row=place, animate=False)


def _cell(value: Any, widest: int) -> Text:
    if value is None:
        return Text("")
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    text = Text(
        neutral_line(_spelled(value), CELL_CHARACTERS), justify="right" if number else "left"
    )
    if not number and cell_len(text.plain) > widest:
        if is_path(text.plain):
            return Text(shortened_within(text.plain, widest))
        text.truncate(widest, overflow="ellipsis")
    return text


def _spelled(value: Any) -> str:
    """What stands in a cell, as the server wrote it: not neutral yet."""
    return "" if value is None else written(value, CELL_CHARACTERS - 1)


def written(value: Any, characters: int = SHOWN_CHARACTERS) -> str:
    """A value as it stands in a cell: a text as it is, of all else the JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, int) and abs(value) < PLAIN:
        return str(value).lower()
    return bounded_json(value, characters=characters, indent=None)
