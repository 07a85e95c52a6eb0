"""What servers offer is searched for in words of one's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from elicit_tui.host.offers import ResourceTemplate
from tests.tui.console.stand import console
from tests.tui.console.test_calls import tool

pytestmark = pytest.mark.anyio


async def test_where_nothing_has_all_words_what_has_most_stands_first_and_it_is_said(
    tmp_path: Path,
) -> None:
    reads = tool("read_note", description="Reads the contents of a file.")
    moves = tool("move_note", description="Moves a file.")
    tools = {"alpha": [tool("weather"), moves], "beta": [reads]}
    async with console(tmp_path, tools=tools, size=(100, 30)) as stand:
        await stand.press("right", "slash", *"show file contents")
        await stand.until(lambda: "none has all of these words" in stand.text())
        assert 0 < stand.text().index("read_note") < stand.text().index("move_note")
        assert "weather" not in stand.text()
        await stand.press("ctrl+u", *"file")
        await stand.until(lambda: "move_note" in stand.text())
        assert "none has all" not in stand.text()
        await stand.press("ctrl+u", *"xylophone of a")
        await stand.until(lambda: "no tool, prompt or resource matches" in stand.text())


async def test_behind_the_one_that_happens_to_have_all_words_stands_what_has_most(
    tmp_path: Path,
) -> None:
    edits = tool("edit_note", description="Edits the text of a file and shows what changed.")
    reads = tool("read_note", description="Reads a file as text.")
    async with console(tmp_path, tools={"alpha": [reads, edits]}, size=(100, 30)) as stand:
        await stand.press("right", "slash", *"show text of a file")
        await stand.until(lambda: "1 of 2" in stand.text())
        assert 0 < stand.text().index("edit_note") < stand.text().index("read_note")
        assert "none has all" not in stand.text()


async def test_what_a_server_offers_is_found_by_its_kind(tmp_path: Path) -> None:
    memo = ResourceTemplate.read({"uriTemplate": "memo://{who}", "name": "memo"})
    assert memo is not None
    async with console(tmp_path, servers=["alpha"], templates=(memo,), size=(100, 30)) as stand:
        await stand.press("right", "slash", *"template memo")
        await stand.until(lambda: "1 of " in stand.text())
        assert "memo://{who}" in stand.text()
        assert "none has all" not in stand.text()
