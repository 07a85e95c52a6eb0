"""A table narrows to what was found, its bar says how it is sorted, and a place outlasts a view."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from elicit_tui.tui.console.result_table import ResultTable
from tests.tui.console.reading import reading, search, text_result

pytestmark = pytest.mark.anyio

NOTES = [
    {"id": number, "title": f"Note {number}", "state": ("open", "done")[number % 2]}
    for number in range(60)
]


async def test_a_key_lists_the_rows_that_were_found_alone_and_leads_back_to_all(
    tmp_path: Path,
) -> None:
    result = text_result(json.dumps(NOTES))
    async with reading(tmp_path, result, size=(80, 24)) as (stand, screen):
        table = screen.view
        assert isinstance(table, ResultTable)
        await search(stand, "note 4")
        await stand.until(lambda: "1 of 11 rows" in stand.text())
        await stand.until(lambda: "f Only these" in stand.text())
        await stand.press("n", "n", "f")
        await stand.until(lambda: "f All rows" in stand.text())
        assert "Note 3 " not in stand.text()
        assert (table.count, table.row["id"]) == (11, 41)
        assert "3 of 11 rows" in stand.text()
        await stand.press("right", "S", "S")
        await stand.until(lambda: (table.count, table.row["id"]) == (11, 47))
        await stand.press("f")
        await stand.until(lambda: "f Only these" in stand.text())
        assert (table.count, table.row["id"]) == (60, 47)
        await stand.press("f", "escape")
        await stand.until(lambda: "60" in stand.text() and "End search" not in stand.text())
        assert (table.count, table.row["id"]) == (60, 47)
        await stand.press("f")
        await stand.until(lambda: "is listed alone: / searches" in stand.notices())


async def test_another_search_looks_in_all_rows(tmp_path: Path) -> None:
    result = text_result(json.dumps(NOTES))
    async with reading(tmp_path, result, size=(80, 24)) as (stand, screen):
        await search(stand, "note 4")
        await stand.press("f")
        await search(stand, "note 5")
        await stand.until(lambda: "1 of 11 rows for “note 5”" in stand.text())
        assert isinstance(screen.view, ResultTable)
        assert screen.view.count == 60


async def test_the_view_that_follows_begins_at_the_place_where_one_was(tmp_path: Path) -> None:
    result = text_result(json.dumps(NOTES))
    async with reading(tmp_path, result, size=(80, 24)) as (stand, _):
        await search(stand, "note 4")
        await stand.press("n", "n", "n")
        for view in ("JSON", "Text", "Table"):
            await stand.press("t")
            await stand.until(lambda view=view: f"“note 4” · {view}" in stand.text())
            await stand.until(lambda: "4 of 11" in stand.text())


async def test_the_key_that_sorts_names_the_column_and_which_way(tmp_path: Path) -> None:
    result = text_result(json.dumps(NOTES))
    async with reading(tmp_path, result, size=(80, 24)) as (stand, _):
        await stand.until(lambda: "S Sort id ▲" in stand.text())
        assert "←→ Column" in stand.text()
        await stand.press("right")
        await stand.until(lambda: "S Sort title ▲" in stand.text())
        await stand.press("S")
        await stand.until(lambda: "S Sort title ▼" in stand.text())
        await stand.press("S")
        await stand.until(lambda: "S As sent" in stand.text())
