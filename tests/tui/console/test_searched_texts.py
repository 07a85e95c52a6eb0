"""A text that is read over the console is searched as a result is, and so are kept calls."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widget import Widget

from elicit_tui.tui.console.found_lines import FoundLines
from elicit_tui.tui.console.screens.about import AboutScreen
from elicit_tui.tui.console.screens.kept_files import KeptFilesScreen
from elicit_tui.tui.console.screens.result_value import ValueScreen
from elicit_tui.tui.console.views import RowList
from tests.tui.console.reading import reading, text_result
from tests.tui.console.stand import console
from tests.tui.console.test_calls import tool
from tests.tui.console.test_kept_files import keep, listing

pytestmark = pytest.mark.anyio

LONG = " ".join(f"word{number} and more of it." for number in range(100))


async def test_what_a_tool_says_of_itself_is_searched_and_its_places_are_walked(
    tmp_path: Path,
) -> None:
    tools = {"alpha": [tool("read", description=LONG)]}
    async with console(tmp_path, servers=["alpha"], tools=tools, size=(80, 24)) as stand:
        await stand.press("enter", "f2")
        await stand.until(lambda: isinstance(stand.app.screen, AboutScreen))
        await stand.until(lambda: "/ Search" in stand.text())
        await stand.press("slash", *"word9", "enter")
        await stand.until(lambda: "1 of 11 for “word9”" in stand.text())
        words = stand.app.screen.query_one("#words", FoundLines)
        await stand.press("n", "n", "N")
        await stand.until(lambda: "2 of 11 for “word9”" in stand.text())
        await stand.until(lambda: "word90 and" in stand.text())
        assert words.has_focus
        await stand.press("escape")
        await stand.until(lambda: "for “word9”" not in stand.text())
        assert isinstance(stand.app.screen, AboutScreen), "the first Esc ends the search"
        await stand.press("escape")
        await stand.until(lambda: not isinstance(stand.app.screen, AboutScreen))


async def test_a_text_that_opens_never_has_the_keys_in_its_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    focused: list[str | None] = []
    set_focus = AboutScreen.set_focus

    def noted(screen: AboutScreen, widget: Widget | None, **how: bool) -> None:
        focused.append(widget.id if widget is not None else None)
        set_focus(screen, widget, **how)

    monkeypatch.setattr(AboutScreen, "set_focus", noted)
    tools = {"alpha": [tool("read", description=LONG)]}
    async with console(tmp_path, servers=["alpha"], tools=tools, size=(80, 24)) as stand:
        await stand.press("enter", "f2")
        await stand.until(lambda: isinstance(stand.app.screen, AboutScreen) and focused)
        await stand.until(lambda: "/ Search" in stand.text())
    assert "words" in focused
    assert "text-search" not in focused


async def test_a_value_of_a_result_is_searched_and_says_that_nothing_is_found(
    tmp_path: Path,
) -> None:
    result = text_result('{"note": "' + LONG + '"}')
    async with reading(tmp_path, result, size=(80, 24)) as (stand, _):
        await stand.press("enter")
        await stand.until(lambda: isinstance(stand.app.screen, ValueScreen))
        await stand.press("slash", *"nowhere", "enter")
        await stand.until(lambda: "nothing found for “nowhere”" in stand.text())


async def test_kept_calls_are_searched_by_their_name_and_by_what_they_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("alone", "beyond", "hello"):
        keep(tmp_path / f"{name}.call.json")
    keep(tmp_path / "first.call.json", "alpha", "first")
    async with listing(tmp_path, monkeypatch) as stand:
        rows = stand.app.screen.query_one("#kept-files", RowList)
        await stand.until(lambda: len(rows.keys) == 4)
        await stand.press("slash", *"greet yon")
        await stand.until(lambda: "1 of 1 found" in stand.text())
        await stand.press("enter")
        assert rows.has_focus
        assert Path(rows.key or "").name == "beyond.call.json"
        await stand.press("escape")
        await stand.until(lambda: len(rows.keys) == 4)
        assert Path(rows.key or "").name == "beyond.call.json"
        await stand.press("escape")
        await stand.until(lambda: not isinstance(stand.app.screen, KeptFilesScreen))
