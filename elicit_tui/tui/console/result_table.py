"""Rows of like objects, as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.strip import Strip
from textual.widgets import DataTable

from elicit_tui.text import neutral_line, readable_json
from elicit_tui.text.hostile_json import bounded_json
from elicit_tui.tui.console.views import cut_at_edges

TABLE_ROWS: Final = 1_000
TABLE_COLUMNS: Final = 40
CELL_CHARACTERS: Final = 200


def table_of(data: Any) -> Sequence[Mapping[str, Any]]:
    """The rows of data that is a list of like objects, alone or under one key; else none."""
    lists = [data] if isinstance(data, list) else []
    if isinstance(data, Mapping):
        lists = [value for value in data.values() if isinstance(value, list)]
    if len(lists) != 1 or len(lists[0]) < 2:
        return ()
    rows = lists[0]
    return rows if all(isinstance(row, Mapping) and row for row in rows) else ()


def is_best_as_table(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether these rows are alike, and objects in few of their columns: a table cuts those."""
    shown = rows[:TABLE_ROWS]
    columns = len(_keys_of(shown))
    nested = {key for row in shown for key, cell in row.items() if _nests(cell)}
    filled = sum(map(len, shown))
    return 2 * len(nested) < columns and 2 * filled >= columns * len(shown)


def _nests(cell: Any) -> bool:
    parts = cell if isinstance(cell, list) else [cell]
    return any(isinstance(part, (Mapping, list)) and bool(part) for part in parts)


def beside_the_table(data: Any) -> Sequence[str]:
    """What the table of data leaves out: rows and columns that are too many, keys; neutral."""
    rows = table_of(data)
    cut = [f"rows {TABLE_ROWS + 1:,} to {len(rows):,}"] if len(rows) > TABLE_ROWS else []
    columns = len(_keys_of(rows[:TABLE_ROWS]))
    cut += [f"{columns - TABLE_COLUMNS:,} columns"] if columns > TABLE_COLUMNS else []
    if not isinstance(data, Mapping):
        return cut
    return [*cut, *(neutral_line(str(key), 40) for key in data if not isinstance(data[key], list))]


def _keys_of(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(str(key) for row in rows for key in row))


class ResultTable(DataTable[Text]):
    """A row for each object, a column for each key."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "cursor_down", "Down", show=False),
        Binding("k", "cursor_up", "Up", show=False),
        Binding("g", "scroll_top", "Top", show=False),
        Binding("G", "scroll_bottom", "End", show=False),
        Binding("enter", "select_cursor", "Whole row"),
    ]

    DEFAULT_CSS = """
    ResultTable {
        background: transparent; scrollbar-size-vertical: 1; scrollbar-size-horizontal: 1;
        & > .datatable--header { background: $panel; color: $accent; text-style: bold; }
        & > .datatable--cursor { background: $well-focus; color: $foreground; }
        & > .datatable--hover { background: $well; }
    }
    """

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        super().__init__(cursor_type="row")
        self._rows_shown = rows[:TABLE_ROWS]
        self._marked: list[Text] = []

    def on_mount(self) -> None:
        """Lay the rows out."""
        keys = _keys_of(self._rows_shown)[:TABLE_COLUMNS]
        for key in keys:
            self.add_column(Text(neutral_line(key, 60)))
        self.add_rows([_cell(row.get(key)) for key in keys] for row in self._rows_shown)

    def render_line(self, y: int) -> Strip:
        """A line, with a mark where the window cuts it: a cut number is another one."""
        line, width = super().render_line(y), self.scrollable_content_region.width
        if y + self.scroll_y >= self.virtual_size.height:
            return line  # Below the last row.
        hides = self.scroll_x < self.max_scroll_x
        return cut_at_edges(line, width, left=self.scroll_x > 0, right=hides)

    def find(self, term: str) -> Sequence[int]:
        """The rows that hold the words; no words: nothing stands out any more."""
        self._mark(term)
        if not term:
            return []
        wanted = term.casefold()
        texts = (bounded_json(dict(row)).casefold() for row in self._rows_shown)
        return [number for number, text in enumerate(texts) if wanted in text]

    def _mark(self, term: str) -> None:
        """Set off what was looked for in the cells, and nothing else."""
        for cell in self._marked:
            cell.spans.clear()
        self._marked = []
        style = f"bold underline {self.app.theme_variables['warning']}"
        for row in map(self.get_row_at, range(self.row_count if term else 0)):
            self._marked += [
                cell for cell in row if cell.highlight_words([term], style, case_sensitive=False)
            ]
        self.notify_style_update()
        self.refresh()

    def go_to(self, place: int) -> None:
        """Put the cursor on a row."""
        self.move_cursor(row=place, animate=False)


def _cell(value: Any) -> Text:
    if value is None:
        return Text("")
    if isinstance(value, str):
        return Text(neutral_line(value, CELL_CHARACTERS))
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    written = neutral_line(readable_json(value, indent=None), CELL_CHARACTERS)
    return Text(written, justify="right" if number else "left")
