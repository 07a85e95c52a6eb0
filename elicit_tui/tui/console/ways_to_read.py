"""The ways in which a result can be read, the likeliest first.

The view of each finds words (`find`: their places, from the top) and goes to one (`go_to`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from elicit_tui.tui.console.markdown_page import is_markdown, markdown_of
from elicit_tui.tui.console.result_table import Row, is_best_as_table
from elicit_tui.tui.console.results import blocks

TITLES: Final = {
    "picture": "Picture",
    "text": "Text",
    "markdown": "Markdown",
    "table": "Table",
    "json": "JSON",
    "difference": "Difference",
}

COUNTED: Final = {"table": " rows", "json": " entries"}
"""What is counted where several places may be in one; else each place is."""


def ways_to_read(
    result: Mapping[str, Any], structured: bool, rows: Sequence[Row], has_pictures: bool
) -> list[str]:
    """The ways to read a result, the likeliest first.

    `structured`: whether it holds data; `rows`: those of the table that the data is.
    """
    ways: list[str] = []
    tabular = ["table"] if rows else []
    folds = ["json"] if structured else []
    ways += tabular + folds if is_best_as_table(rows) else folds + tabular
    drawn = ["markdown"] if markdown_of(result) else []
    ways += [*drawn, "text"] if is_markdown(result) else ["text", *drawn]
    ways = ways if structured else [*ways, "json"]
    return _with_pictures(ways, result) if has_pictures else ways


def _with_pictures(ways: list[str], result: Mapping[str, Any]) -> list[str]:
    """They come first, but where there are words and nothing to draw them with."""
    from elicit_tui.tui.console.pictures import can_draw

    said = any(block.get("type") == "text" for block in blocks(result))
    return [*ways, "picture"] if said and not can_draw() else ["picture", *ways]
