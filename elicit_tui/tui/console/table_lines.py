"""Rows of like objects as lines of text: beside a list, where no cell of them has to be cut."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import NoneType
from typing import Any, Final

from rich.cells import cell_len

from elicit_tui.text import neutral_line
from elicit_tui.tui.console.result_data import only_text
from elicit_tui.tui.console.result_table import (
    Row,
    beside_the_table,
    is_best_as_table,
    keys_of,
    table_of,
    written,
)
from elicit_tui.tui.console.result_tree import json_in
from elicit_tui.tui.console.spans import Line, padded

MOST_ROWS: Final = 200
"""The whole screen has all of them."""
GAP: Final = 2
LONGEST_TEXT: Final = 1_000_000
"""Characters of a result that is read as a table beside a list; longer ones would be waited for."""


def table_lines(result: Mapping[str, Any], width: int, whole: str) -> list[Line]:
    """The only text of a result as a table, where it is one that has room; else none.

    `whole`: the key that shows more rows than stand here.
    """
    text = only_text(result) or ""
    data = json_in(text) if len(text) <= LONGEST_TEXT else None
    rows = table_of(data)
    if not is_best_as_table(rows) or beside_the_table(data, rows):
        return []
    shown, keys = rows[:MOST_ROWS], keys_of(rows[:MOST_ROWS])
    if len(keys) * (GAP + 1) > width or any(_has_lines(row) for row in shown):
        return []
    columns = [_column(key, shown, width) for key in keys]
    if sum(cell_len(column[0]) + GAP for column in columns) - GAP > width:
        return []
    heading, *lines = ((" " * GAP).join(cells).rstrip() for cells in zip(*columns, strict=True))
    more = len(rows) - len(shown)
    rest: Line = ((f"… {more:,} more rows: {whole} shows them", "dim"),)
    return [((heading, "accent"),), *(((line, "plain"),) for line in lines), *[rest] * bool(more)]


def _has_lines(row: Row) -> bool:
    return any(isinstance(value, str) and "\n" in value for value in row.values())


def _column(key: str, rows: Sequence[Row], width: int) -> list[str]:
    """Its name and its cells, each as wide as the widest; numbers stand at the right."""
    values = [row.get(key) for row in rows]
    numbers = all(type(value) in (int, float, NoneType) for value in values)
    texts = [neutral_line(text, width + 1) for text in _texts(key, values)]
    widest = max(map(cell_len, texts))
    if widest > width:
        return [" " * (width + 1)] * len(texts)
    return [" " * (widest - cell_len(t)) + t if numbers else padded(t, widest) for t in texts]


def _texts(key: str, values: Sequence[Any]) -> Iterator[str]:
    yield key
    yield from ("" if value is None else written(value) for value in values)
