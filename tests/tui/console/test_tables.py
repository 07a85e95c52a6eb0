"""A table is walked by its cells, sorted by its columns and read row by row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rich.style import Style
from textual.color import Color
from textual.strip import Strip
from textual.widgets import DataTable

from elicit_tui.tui.console import result_table
from elicit_tui.tui.console.result_table import ResultTable, sorted_by
from elicit_tui.tui.console.screens import result_reader
from elicit_tui.tui.theme import ColouredBar
from tests.tui.console.reading import ROWS, reading, search, text_result
from tests.tui.console.stand import Stand

pytestmark = pytest.mark.anyio

WIDE = [
    {"id": f"row-{row}", **{f"column_{c}": f"value {row} {c}" for c in range(12)}}
    for row in range(30)
]


def rows(result: list[Any]) -> dict[str, Any]:
    return text_result(json.dumps(result))


async def test_the_arrows_go_column_by_column_and_the_first_one_stays(tmp_path: Path) -> None:
    async with reading(tmp_path, rows(WIDE), size=(80, 24)) as (stand, _):
        await stand.until(lambda: "value 3 0" in stand.text())
        assert "value 3 8" not in stand.text()
        await stand.press(*["right"] * 9)
        await stand.until(lambda: "value 3 8" in stand.text())
        assert "row-3" in stand.text()
        assert "column_8" in stand.text()
        assert "value 3 0" not in stand.text()
        await stand.press(*["left"] * 8)
        await stand.until(lambda: "value 3 0" in stand.text())


async def test_in_a_small_window_columns_are_whole_or_left_out_and_counted(tmp_path: Path) -> None:
    hosts = [
        {"name": f"host-{n}.eu-central.example.org", "load": n / 10, "up": n > 3, "zone": f"z{n}"}
        for n in range(9)
    ]
    async with reading(tmp_path, rows(hosts), size=(40, 15)) as (stand, _):
        await stand.until(lambda: "load  up     +1 →" in stand.text())
        assert all(f" 0.{n}  {str(n > 3).lower()}" in stand.text() for n in range(9))
        assert "zone" not in stand.text()
        await stand.press("right", "right", "right")
        await stand.until(lambda: "zone" in stand.text() and "z8" in stand.text())
        assert "→" not in stand.text()
        assert "host-8" in stand.text()
        await stand.pilot.resize_terminal(80, 24)
        await stand.until(lambda: "host-8.eu-central.example.org" in stand.text())


def background(stand: Stand, word: str) -> set[Any]:
    """On which colours the line stands that holds this word, from the word to the frame."""
    strips = stand.app.screen._compositor.render_strips()
    line = next(strip for strip in strips if word in strip.text)
    found = line.crop(line.text.index(word), line.cell_length - 4)
    return {segment.style.bgcolor for segment in found if segment.style and segment.text.strip("│")}


async def test_all_of_the_row_under_the_cursor_is_marked_and_all_of_the_names_stand_alike(
    tmp_path: Path,
) -> None:
    async with reading(tmp_path, rows(ROWS), size=(100, 30)) as (stand, _):
        await stand.until(lambda: "host-3" in stand.text())
        colours = {
            name: Color.parse(stand.app.theme_variables[name]).rich_color
            for name in ("accent", "well-focus", "surface")
        }
        assert background(stand, "name") == {colours["surface"]}
        assert background(stand, "host-0") == {colours["accent"], colours["well-focus"]}
        assert background(stand, "host-1") == {colours["surface"]}
        await stand.press("down")
        await stand.until(lambda: colours["accent"] in background(stand, "host-1"))
        assert background(stand, "host-1") == {colours["accent"], colours["well-focus"]}
        assert background(stand, "host-0") == {colours["surface"]}


async def test_the_cursor_of_a_tree_has_the_colour_that_it_has_in_every_list(
    tmp_path: Path,
) -> None:
    result = text_result("x", structuredContent={"city": "Berlin"})
    async with reading(tmp_path, result) as (stand, screen):
        await screen._show("json")
        await stand.until(lambda: '"Berlin"' in stand.text())
        accent = Color.parse(stand.app.theme_variables["accent"]).rich_color
        assert background(stand, "city") >= {accent}


@pytest.mark.parametrize(("hidden", "rows"), [(1, 20), (1, 3), (5, 20), (400, 20)])
async def test_a_scrollbar_is_shorter_than_its_view_while_rows_are_hidden_and_reaches_both_ends(
    hidden: int, rows: int
) -> None:
    def thumb(position: float) -> list[int]:
        drawn = ColouredBar.render_bar(rows, rows + hidden, rows, position)
        return [
            number
            for number, part in enumerate(drawn.segments)
            if part.style and part.style.reverse
        ]

    first, last = thumb(0), thumb(hidden)
    assert first[0] == 0
    assert last[-1] == rows - 1
    assert abs(len(first) - len(last)) <= 1
    assert max(len(first), len(last)) < rows


async def test_the_keys_below_a_table_are_whole_and_stand_apart(tmp_path: Path) -> None:
    async with reading(tmp_path, rows(ROWS), size=(80, 24)) as (stand, _):
        await stand.until(lambda: "Enter Row  Esc Back  / Search  t JSON" in stand.text())
        frame = next(line for line in stand.text().split("\n") if "1 of 30" in line)
        assert "  e Copy command ─╯" in frame


async def test_the_rows_behind_those_that_are_listed_are_read_one_after_the_other(
    tmp_path: Path,
) -> None:
    many = [{"number": number} for number in range(1, 2_502)]
    async with reading(tmp_path, rows(many), size=(80, 24)) as (stand, screen):
        table = screen.view
        assert isinstance(table, ResultTable)
        table.go_to(999)
        await stand.press("down", "enter")
        await stand.until(lambda: "row 1,001 of 2,501" in stand.text())
        await stand.press("down")
        await stand.until(lambda: '"number": 1002' in stand.text())


async def test_keys_go_from_the_first_of_many_rows_to_the_last_and_page_by_page_beyond_those_listed(
    tmp_path: Path,
) -> None:
    many = [{"number": number, "name": f"user {number}"} for number in range(1, 2_502)]
    async with reading(tmp_path, rows(many), size=(80, 24)) as (stand, screen):
        table = screen.view
        assert isinstance(table, ResultTable)
        await stand.press("right", "G")
        await stand.until(lambda: "2,501 of 2,501 · Table" in stand.text())
        assert "user 2501" in stand.text()
        table.go_to(1_501)
        await stand.press("up")
        assert table.row["number"] == 1_501
        await stand.press("pageup")
        assert table.row["number"] < 1_501
        await stand.press("g")
        await stand.until(lambda: "1 of 2,501 · Table" in stand.text())
        table.go_to(999)
        await stand.press("pagedown")
        await stand.until(lambda: table.row["number"] > 1_000)
        assert table.cursor_column == 1


async def test_what_a_table_leaves_out_is_looked_for_once_and_not_at_each_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    walked: list[object] = []

    def table_of(data: object) -> object:
        walked.append(data)
        return result_table.table_of(data)

    def beside_the_table(*data: Any) -> object:
        walked.append(data)
        return result_table.beside_the_table(*data)

    monkeypatch.setattr(result_reader, "table_of", table_of)
    monkeypatch.setattr(result_reader, "beside_the_table", beside_the_table)
    result = text_result("x", structuredContent={"hosts": ROWS, "next": 1})
    async with reading(tmp_path, result, size=(80, 24)) as (stand, _):
        await stand.press(*["down"] * 5)
        await stand.until(lambda: "6 of 30 · Table without next" in stand.text())
    assert len(walked) == 2


async def test_a_first_column_that_would_hide_the_others_goes_with_them(tmp_path: Path) -> None:
    long = [{"id": "x" * 35, "other": "seen", "last": "z"} for _ in range(3)]
    async with reading(tmp_path, rows(long), size=(44, 20)) as (stand, _):
        await stand.press("right", "right")
        await stand.until(lambda: "seen" in stand.text())
        assert "x" * 35 not in stand.text()


async def test_enter_reads_a_row_and_the_arrows_its_neighbours(tmp_path: Path) -> None:
    async with reading(tmp_path, rows(ROWS), size=(80, 24)) as (stand, screen):
        await stand.press("down", "right", "enter")
        await stand.until(lambda: "row 2 of 30" in stand.text())
        assert '"name": "host-1"' in stand.text()
        await stand.press("down")
        await stand.until(lambda: "row 3 of 30" in stand.text())
        assert '"name": "host-2"' in stand.text()
        assert "↓ Next row" in stand.text()
        await stand.press("up", "up", "up")
        await stand.until(lambda: "row 1 of 30" in stand.text())
        await stand.press("down", "escape")
        await stand.until(lambda: "2 of 30 · Table" in stand.text())
        assert isinstance(screen.view, ResultTable)
        assert screen.view.cursor_column == 1


async def test_a_key_sorts_by_the_column_of_the_cursor_and_says_so_in_its_heading(
    tmp_path: Path,
) -> None:
    data = [{"name": name, "load": load} for name, load in (("b", 9), ("a", 10), ("c", 2))]
    async with reading(tmp_path, rows(data), size=(80, 24)) as (stand, screen):
        table = screen.view
        assert isinstance(table, ResultTable)

        def order() -> str:
            return "".join(row["name"] for row in table.rows_shown)

        assert "S Sort" in stand.text().splitlines()[-1]
        await stand.press("right", "S")
        await stand.until(lambda: "load ↑" in stand.text())
        assert order() == "cba"
        await stand.press("c")
        assert json.loads(stand.app.clipboard) == {"name": "c", "load": 2}
        await stand.press("S")
        await stand.until(lambda: "load ↓" in stand.text())
        assert order() == "abc"
        await stand.press("left", "S")
        await stand.until(lambda: "name ↑" in stand.text())
        assert order() == "abc"
        await stand.press("S", "S")
        await stand.until(lambda: "↓" not in stand.text())
        assert order() == "bac"


async def test_what_was_found_is_found_again_where_it_was_sorted_to(tmp_path: Path) -> None:
    async with reading(tmp_path, rows(ROWS), size=(80, 24)) as (stand, screen):
        await search(stand, "host-3")
        await stand.until(lambda: "1 of 1 rows" in stand.text() or "1 of 1 for" in stand.text())
        assert isinstance(screen.view, ResultTable)
        assert screen.view.cursor_row == 3
        await stand.press("S", "S")
        await stand.until(lambda: "name ↓" in stand.text())
        assert screen.view.row["name"] == "host-3"


def test_numbers_stand_before_texts_and_what_a_row_lacks_at_the_end() -> None:
    values = ["b", 10, None, 9, "A", True, [1]]
    data = [{"key": value} for value in values] + [{"other": 1}]

    def sorted_values(*, falling: bool) -> list[Any]:
        return [row.get("key") for row in sorted_by(data, "key", falling=falling)]

    assert sorted_values(falling=False) == [9, 10, "A", "b", [1], True, None, None]
    assert sorted_values(falling=True) == [True, [1], "b", "A", 10, 9, None, None]


async def test_too_many_rows_to_list_are_sorted_as_a_whole(tmp_path: Path) -> None:
    many = [{"number": number, "name": f"user {number}"} for number in range(1_200)]
    async with reading(tmp_path, rows(many), size=(80, 24)) as (stand, screen):
        await stand.press("S", "S")
        await stand.until(lambda: "user 1199" in stand.text())
        await stand.press("end", "G")
        await stand.until(lambda: "user 0 " in stand.text())
        assert isinstance(screen.view, ResultTable)
        assert screen.view.number == 1_199


ODD = [
    {"name": "名前" * (n % 30), "load": n * 1.5, "up": n > 3, "note": None if n % 2 else "ä👍🏽 up"}
    for n in range(60)
]


@pytest.mark.parametrize("size", [(140, 40), (80, 24), (40, 15)])
@pytest.mark.parametrize("listed", [WIDE, ODD], ids=["wide", "odd"])
async def test_a_row_is_drawn_as_the_library_would_for_eyes_and_for_the_mouse(
    tmp_path: Path, size: tuple[int, int], listed: list[Any]
) -> None:
    async with reading(tmp_path, rows(listed), size=size) as (stand, screen):
        table = screen.view
        assert isinstance(table, ResultTable)
        await search(stand, "up" if listed is ODD else "value 3")
        for keys in ("g", "pagedown", "right right", "pagedown right", "up left"):
            await stand.press(*keys.split())
            await stand.pilot.pause()
            top = table.scroll_offset.y
            drawn = set(range(top, min(top + table.size.height - 1, table.row_count)))
            for row in drawn - {table.cursor_row, table.hover_row}:
                library = DataTable.render_line(table, row + 1 - top)
                assert cells(table.line_of(row)) == cells(library)


def cells(strip: Strip) -> list[tuple[str, Style | None]]:
    """Each sign with its look, and with what the mouse is told there."""
    return [(sign, segment.style) for segment in strip for sign in segment.text]


def shown_row(stand: Stand, begins: str) -> str:
    (line,) = [line for line in stand.text().splitlines() if line.strip("│ ").startswith(begins)]
    return line.strip("│ ")


async def test_a_long_column_has_the_room_that_the_short_ones_leave(tmp_path: Path) -> None:
    path = "/srv/projects/elicit/results/of/the/year/measured-twice.json"
    files = [{"id": n, "path": path, "size": n * 10} for n in range(3)]
    async with reading(tmp_path, rows(files), size=(100, 24)) as (stand, _):
        await stand.until(lambda: "path" in stand.text())
        assert shown_row(stand, "1") == f"1  {path}    10"
        await stand.pilot.resize_terminal(70, 24)
        await stand.until(lambda: "…" in shown_row(stand, "1"))
        assert "twice.json" in shown_row(stand, "1"), "a path is cut within"
        assert shown_row(stand, "1").endswith("10"), "what is cut gives way, nothing else"
        await stand.pilot.resize_terminal(100, 24)
        await stand.until(lambda: path in shown_row(stand, "1"))
