"""A table narrows to what was found, its bar says how it is sorted, and a place outlasts a view."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from elicit_tui.tui.console import result_table
from elicit_tui.tui.console.result_table import ResultTable
from elicit_tui.tui.console.result_tree import ResultTree
from elicit_tui.tui.console.screens import searched_result
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
        await stand.until(lambda: "the rows of a table that were found: / s" in stand.notices())


async def test_a_table_in_which_nothing_is_looked_for_is_not_read_through(tmp_path: Path) -> None:
    async with reading(tmp_path, text_result(json.dumps(NOTES)), size=(80, 24)) as (stand, screen):
        table = screen.view
        assert isinstance(table, ResultTable)
        await stand.until(lambda: "1 of 60" in stand.text())
        assert not table._words, "that would double what a long one takes"


async def test_words_that_stand_in_several_columns_find_their_row(tmp_path: Path) -> None:
    async with reading(tmp_path, text_result(json.dumps(NOTES)), size=(80, 24)) as (stand, screen):
        await search(stand, "done 47")
        await stand.until(lambda: "1 of 1 for “done 47”" in stand.text())
        table = screen.view
        assert isinstance(table, ResultTable)
        assert table.row["id"] == 47


async def test_another_search_looks_in_all_rows_and_lists_alone_what_it_finds(
    tmp_path: Path,
) -> None:
    result = text_result(json.dumps(NOTES))
    async with reading(tmp_path, result, size=(80, 24)) as (stand, screen):
        await search(stand, "note 4")
        await stand.press("f")
        await search(stand, "note 5")
        await stand.until(lambda: "1 of 11 rows for “note 5”" in stand.text())
        assert isinstance(screen.view, ResultTable)
        assert screen.view.count == 11


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
    async with reading(tmp_path, result, size=(110, 24)) as (stand, _):
        await stand.until(lambda: "S Sort id ↑" in stand.text())
        assert "←→ Column" in stand.text()
        await stand.press("right")
        await stand.until(lambda: "S Sort title ↑" in stand.text())
        await stand.press("S")
        await stand.until(lambda: "S Sort title ↓" in stand.text())
        await stand.press("S")
        await stand.until(lambda: "S As sent" in stand.text())


async def test_a_row_that_is_listed_alone_keeps_the_number_that_it_has_among_all(
    tmp_path: Path,
) -> None:
    result = text_result(json.dumps(NOTES))
    async with reading(tmp_path, result, size=(100, 24)) as (stand, screen):
        await search(stand, "note 4")
        await stand.until(lambda: "2 of 11" in stand.text() or "1 of 11" in stand.text())
        await stand.press("n", "f")
        await stand.until(lambda: "2 of 11 rows for “note 4” · Table, row 41 of 60" in stand.text())
        await stand.press("c")
        assert "Row 41, as JSON" in stand.notices()
        await stand.press("enter")
        await stand.until(lambda: "row 41 of 60" in stand.text() and "Next row" in stand.text())
        await stand.press("down")
        await stand.until(lambda: "row 42 of 60" in stand.text())
        await stand.press("escape")
        await stand.press("S", "S")
        assert isinstance(screen.view, ResultTable)
        await stand.until(lambda: "row 12 of 60" in stand.text())


async def test_a_table_is_searched_as_it_is_typed(tmp_path: Path) -> None:
    result = text_result(json.dumps(NOTES))
    async with reading(tmp_path, result, size=(80, 24)) as (stand, screen):
        table = screen.view
        assert isinstance(table, ResultTable)
        await stand.press("slash", *"note 4")
        await stand.until(lambda: "1 of 11 rows for “note 4”" in stand.text())
        assert table.row["id"] == 4
        assert not table.has_focus
        await stand.press("2")
        await stand.until(lambda: "1 of 1 for “note 42”" in stand.text())
        assert table.row["id"] == 42
        await stand.press("enter")
        await stand.until(lambda: table.has_focus and "row 43 of 60" in stand.text())
        await stand.press("slash", *"nowhere", "escape")
        await stand.until(lambda: "nowhere" not in stand.text())
        assert table.has_focus
        assert "nothing found" not in stand.text()


async def test_a_table_that_is_too_long_for_that_is_searched_by_enter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(result_table, "SEARCHED_AS_TYPED", 59)
    monkeypatch.setattr(searched_result, "TYPING_SECONDS", 0.0)
    async with reading(tmp_path, text_result(json.dumps(NOTES)), size=(80, 24)) as (stand, _):
        await stand.press("slash", *"note 4")
        await stand.pilot.pause(0.05)
        assert "of 11 rows" not in stand.text()
        await stand.press("enter")
        await stand.until(lambda: "1 of 11 rows for “note 4”" in stand.text())


async def test_of_a_table_that_was_narrowed_the_rows_that_it_lists_are_copied_and_counted(
    tmp_path: Path,
) -> None:
    result = text_result(json.dumps({"notes": NOTES, "total": 60}))
    async with reading(tmp_path, result, size=(120, 30)) as (stand, _):
        await search(stand, "note 4")
        await stand.until(lambda: "f Only these" in stand.text())
        await stand.press("f")
        await stand.until(lambda: "y Copy 11 rows" in stand.text())
        await stand.press("y")
        assert [row["id"] for row in json.loads(stand.app.clipboard)] == [4, *range(40, 50)]
        assert "11 rows of 60, as JSON" in stand.notices()
        await stand.press("f")
        await stand.until(lambda: "y Copy all rows" in stand.text())
        await stand.press("y")
        assert json.loads(stand.app.clipboard)["total"] == 60


async def test_the_keys_that_copy_are_called_by_what_they_copy_and_so_is_what_they_say(
    tmp_path: Path,
) -> None:
    async with reading(tmp_path, text_result(json.dumps(NOTES)), size=(120, 30)) as (stand, _):
        await stand.until(lambda: "c Copy row" in stand.text())
        assert "y Copy all rows" in stand.text()
        titles = {command.title for command in stand.app.get_system_commands(stand.app.screen)}
        assert {"Copy row", "Copy all rows"} <= titles
        await stand.press("c", "y")
        assert "Row 1, as JSON" in stand.notices()
        assert "All 60 rows, as JSON" in stand.notices()
        await stand.press("t")
        await stand.until(lambda: "c Copy value" in stand.text())
        await stand.press("t")
        await stand.until(lambda: "c Copy text" in stand.text())


async def test_a_search_that_is_refined_goes_on_listing_what_is_found_alone(
    tmp_path: Path,
) -> None:
    hosts = [{"name": f"{kind}-{n}"} for kind in ("web", "data") for n in range(12)]
    async with reading(tmp_path, text_result(json.dumps(hosts))) as (stand, _):
        await stand.until(lambda: "web-3" in stand.text())
        await search(stand, "web")
        await stand.press("f")
        await stand.until(lambda: "f All rows" in stand.text() and "data-3" not in stand.text())
        await stand.press("slash", *"web-1")
        await stand.until(lambda: "of 3" in stand.text() and "web-5" not in stand.text())
        await stand.press("x")
        await stand.until(lambda: "nothing found" in stand.text() and "data-3" in stand.text())
        await stand.press("backspace", "enter")
        await stand.until(lambda: "web-11" in stand.text() and "web-5" not in stand.text())
        await stand.press("f")
        await stand.until(lambda: "data-3" in stand.text())


async def test_words_in_any_order_that_found_a_row_find_it_as_json_and_as_text_too(
    tmp_path: Path,
) -> None:
    async with reading(tmp_path, text_result(json.dumps(NOTES, indent=1))) as (stand, screen):
        await search(stand, "done 5")
        await stand.until(lambda: "1 of 10 rows" in stand.text())
        await stand.press("n", "n", "n", "t")
        await stand.until(lambda: "4 of 10" in stand.text())
        tree = screen.view
        assert isinstance(tree, ResultTree)
        await stand.until(lambda: tree.place == "36 of 60")


async def test_words_in_any_order_find_a_line_that_has_them(tmp_path: Path) -> None:
    lines = "\n".join(f"{number} was sent to host-{number}" for number in range(80))
    async with reading(tmp_path, text_result(lines)) as (stand, _):
        await search(stand, "host-7 sent")
        await stand.until(lambda: "1 of 11 for" in stand.text())
