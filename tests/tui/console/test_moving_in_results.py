"""In each view of a result the same keys lead to its ends, and what the cursor is on is copied."""

from __future__ import annotations

import contextlib
import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.tui.console.found_lines import FoundLines
from elicit_tui.tui.console.palette import Palette
from elicit_tui.tui.console.result_table import ResultTable
from elicit_tui.tui.console.result_tree import ResultTree
from tests.tui.console.reading import ROWS, reading, search, text_result

pytestmark = pytest.mark.anyio

EDGES = [("g", "G"), ("ctrl+home", "ctrl+end")]


async def test_the_row_under_the_cursor_of_a_table_is_copied_and_no_other(tmp_path: Path) -> None:
    result = text_result("x", structuredContent={"hosts": ROWS})
    async with reading(tmp_path, result) as (stand, screen):
        assert isinstance(screen.view, ResultTable)
        await stand.press("down", "down", "c")
        assert json.loads(stand.app.clipboard) == ROWS[2]
        assert "Row 3, as JSON" in stand.notices()


@pytest.mark.parametrize("key", ["c", "y"])
async def test_a_row_that_is_read_whole_is_copied_from_there(tmp_path: Path, key: str) -> None:
    result = text_result("x", structuredContent={"hosts": ROWS})
    async with reading(tmp_path, result, size=(80, 24)) as (stand, _):
        await stand.press("down", "enter")
        await stand.until(lambda: "row 2 of 30" in stand.text())
        assert "c Copy" in stand.text().splitlines()[-1]
        await stand.press("down", key)
        assert json.loads(stand.app.clipboard) == ROWS[2]
        assert "Row 3, as JSON" in stand.notices()
        await stand.press("escape")


async def test_among_what_was_found_in_a_table_the_bar_says_how_the_row_is_copied(
    tmp_path: Path,
) -> None:
    result = text_result("x", structuredContent={"hosts": ROWS})
    async with reading(tmp_path, result, result, size=(100, 30)) as (stand, _):
        await search(stand, "host-1")
        await stand.until(lambda: "1 of 11" in stand.text())
        assert "c Copy" in stand.text().splitlines()[-1]
        await stand.press("escape")


async def test_a_table_says_in_which_of_its_rows_one_is(tmp_path: Path) -> None:
    result = text_result("x", structuredContent={"hosts": ROWS})
    async with reading(tmp_path, result, size=(80, 24)) as (stand, _):
        await stand.until(lambda: "1 of 30 · Table" in stand.text())
        assert "Enter Row" in stand.text().splitlines()[-1]
        await stand.press("down")
        await stand.until(lambda: "2 of 30 · Table" in stand.text())


async def test_a_tree_shows_from_the_start_what_its_keys_act_on(tmp_path: Path) -> None:
    async with reading(tmp_path, text_result("x", structuredContent={"a": [1]})) as (_, screen):
        await screen._show("json")
        assert isinstance(screen.view, ResultTree)
        line = screen.view.get_node_at_line(screen.view.cursor_line)
        assert line is not None
        assert line.data is not None
        assert line.data.key == "a"


@pytest.mark.parametrize(("top", "end"), EDGES)
async def test_the_keys_of_a_texts_ends_lead_to_those_of_a_table_and_of_a_tree(
    tmp_path: Path, top: str, end: str
) -> None:
    result = text_result("x", structuredContent={"hosts": ROWS})
    async with reading(tmp_path, result) as (stand, screen):
        table = screen.view
        assert isinstance(table, ResultTable)
        await stand.press(end)
        assert table.cursor_row == len(ROWS) - 1
        await stand.press(top)
        assert table.cursor_row == 0
        await stand.press("t")
        tree = screen.view
        assert isinstance(tree, ResultTree)
        await stand.press(end)
        assert tree.cursor_line == tree.last_line > len(ROWS)
        await stand.press(top)
        assert tree.cursor_line == 0


@pytest.mark.parametrize(("top", "end"), EDGES)
async def test_they_lead_to_the_ends_of_a_text(tmp_path: Path, top: str, end: str) -> None:
    async with reading(tmp_path, text_result("line\n" * 100)) as (stand, screen):
        assert isinstance(screen.view, FoundLines)
        await stand.press(end)
        await stand.until(lambda: screen.view.scroll_y > 60)
        await stand.press(top)
        await stand.until(lambda: screen.view.scroll_y == 0)


@pytest.mark.parametrize(("down", "up"), [("ctrl+d", "ctrl+u"), ("ctrl+f", "ctrl+b")])
@pytest.mark.parametrize("way", ["table", "text"])
async def test_the_keys_of_vi_page_in_each_view(
    tmp_path: Path, down: str, up: str, way: str
) -> None:
    rows = [{"name": f"host-{number}", "load": number} for number in range(90)]
    text = "\n".join(map(str, range(200)))
    result = text_result(text, structuredContent={"hosts": rows})
    async with reading(tmp_path, result, size=(80, 24)) as (stand, screen):
        await screen._show(way)
        view = screen.view
        await stand.until(lambda: view.has_focus and view.max_scroll_y > 20)
        await stand.press(down)
        await stand.until(lambda: view.scroll_offset.y > 5)
        await stand.press(up)
        await stand.until(lambda: view.scroll_offset.y == 0)


async def test_half_a_page_and_a_line_of_a_text_go_by_as_in_vim(tmp_path: Path) -> None:
    text = "\n".join(f"line {number}" for number in range(200))
    async with reading(tmp_path, text_result(text)) as (stand, screen):
        lines = screen.view
        assert isinstance(lines, FoundLines)
        half = lines.size.height // 2
        for keys, top in [(["ctrl+d"], half), (["ctrl+e", "ctrl+e"], half + 2)]:
            await stand.press(*keys)
            await stand.until(lambda top=top: lines.scroll_y == top)
        for key, top in [("ctrl+y", half + 1), ("ctrl+u", 1)]:
            await stand.press(key)
            await stand.until(lambda top=top: lines.scroll_y == top)
        await stand.press("colon")
        await stand.until(lambda: isinstance(stand.app.screen, Palette))
        await stand.press("escape")
        await stand.until(lambda: stand.app.screen is screen)


@pytest.mark.parametrize("way", ["table", "json"])
async def test_half_a_page_of_rows_leads_the_cursor(tmp_path: Path, way: str) -> None:
    result = text_result("x", structuredContent={"hosts": ROWS})
    async with reading(tmp_path, result) as (stand, screen):
        if way == "json":
            await stand.press("t")
        rows = screen.view
        assert isinstance(rows, (ResultTree, ResultTable))

        def at() -> int:
            return rows.cursor_line if isinstance(rows, ResultTree) else rows.cursor_row

        await stand.press("g", "home")
        begin, half = at(), rows.size.height // 2
        await stand.press("ctrl+d")
        await stand.until(lambda: at() == begin + half)
        await stand.press("ctrl+u")
        await stand.until(lambda: at() == begin)


@pytest.mark.parametrize(
    ("result", "read"), [({}, "a␛b"), ({"structuredContent": {"a": 1}}, '"a": 1')]
)
async def test_a_result_is_read_in_ones_own_editor_from_a_private_file_that_it_cannot_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, result: dict[str, Any], read: str
) -> None:
    seen, program = tmp_path / "seen", tmp_path / "editor.py"
    program.write_text(
        "import os, pathlib, sys\nfile = pathlib.Path(sys.argv[-1])\n"
        f"written = pathlib.Path({str(seen)!r} + '.part')\n"
        "written.write_text(f'{file.stat().st_mode & 0o777:o} ' + file.read_text())\n"
        f"os.replace(written, {str(seen)!r})\n"
    )
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", shlex.join([sys.executable, str(program)]))
    async with reading(tmp_path, text_result("a\x1bb", **result)) as (stand, screen):
        monkeypatch.setattr(stand.app, "suspend", contextlib.nullcontext)
        await stand.press("v")
        await stand.until(seen.exists)
        assert seen.read_text().startswith("400 ")
        assert read in seen.read_text()
        await stand.until(lambda: stand.app.screen is screen)
