"""A dialog's button is filled once what it takes is there; what is missing is told beside it."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.screen import Screen

from elicit_tui.elicitation.settings import Settings
from elicit_tui.tui.console.json_editor import JsonEditor
from elicit_tui.tui.console.screens.arguments import ArgumentsScreen
from elicit_tui.tui.console.screens.server_dialogs import OtherServersScreen
from elicit_tui.tui.console.servers import OwnFile
from tests.tui.console.own_file import new_server
from tests.tui.console.stand import Stand, console
from tests.tui.console.test_calls import GREET, RELATE, tool

pytestmark = pytest.mark.anyio


async def opened(stand: Stand, screen: type[Screen[object]]) -> None:
    await stand.until(lambda: isinstance(stand.app.screen, screen))


def looks_ready(stand: Stand) -> bool:
    return stand.app.screen.query_one("#send").has_class("-main")


@pytest.mark.parametrize("size", [(80, 24), (40, 15)])
async def test_the_button_that_calls_is_calm_until_what_is_required_is_filled_in(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with console(tmp_path, tools={"alpha": [tool("greet", GREET)]}, size=size) as stand:
        await stand.press("enter", "enter")
        await opened(stand, ArgumentsScreen)
        await stand.until(lambda: "1 missing (*)" in stand.text())
        assert not looks_ready(stand)
        await stand.press("ctrl+s")
        await stand.until(lambda: "✗ needs an answer" in stand.text())
        assert not looks_ready(stand)
        await stand.press(*"Ada")
        await stand.until(lambda: looks_ready(stand))
        assert "missing" not in stand.text()
        await stand.press("f5")
        await stand.until(lambda: '"Ada"' in stand.text())
        assert looks_ready(stand)


async def test_what_is_wrong_is_not_called_missing(tmp_path: Path) -> None:
    count = {"type": "integer", "maximum": 9}
    schema = {"type": "object", "properties": {"n": count}, "required": ["n"]}
    async with console(tmp_path, tools={"alpha": [tool("count", schema)]}) as stand:
        await stand.press("enter", "enter")
        await opened(stand, ArgumentsScreen)
        await stand.until(lambda: "1 missing (*)" in stand.text())
        await stand.press("9", "9")
        await stand.until(lambda: "1 to correct" in stand.text())
        assert "missing" not in stand.text()
        # What typing on cannot mend gives way to what is typed, as what was right does.
        await stand.press("escape")
        await stand.until(lambda: not isinstance(stand.app.screen, ArgumentsScreen))
        await stand.press("enter")
        await stand.until(lambda: "from before: typing replaces it" in stand.text())
        await stand.press("5")
        await stand.until(lambda: looks_ready(stand))


async def test_json_that_is_still_null_is_not_ready(tmp_path: Path) -> None:
    async with console(tmp_path, tools={"alpha": [tool("relate", RELATE)]}) as stand:
        await stand.press("enter", "enter")
        await opened(stand, ArgumentsScreen)
        await stand.until(lambda: "3 still null" in stand.text())
        assert not looks_ready(stand)
        await stand.press("a", "tab", "b", "tab", "c")
        await stand.until(lambda: looks_ready(stand) and "still null" not in stand.text())


async def test_json_that_is_begun_anew_counts_every_null(tmp_path: Path) -> None:
    async with console(tmp_path, tools={"alpha": [tool("relate", RELATE)]}) as stand:
        await stand.press("enter", "enter")
        await opened(stand, ArgumentsScreen)
        await stand.until(lambda: "3 still null" in stand.text())
        await stand.press("a")
        await stand.until(lambda: "2 still null" in stand.text())
        await stand.press("f7")
        await stand.until(lambda: "3 still null" in stand.text())


async def test_tab_leads_round_to_a_null_that_was_left_above_before_it_leads_to_the_button(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, tools={"alpha": [tool("relate", RELATE)]}) as stand:
        await stand.press("enter", "enter")
        await opened(stand, ArgumentsScreen)
        await stand.until(lambda: "3 still null" in stand.text())
        await stand.press("tab", "b", "tab", "c", "tab")
        editor = stand.app.screen.query_one(JsonEditor)
        assert (stand.app.focused, editor.selected_text) == (editor, "null")
        await stand.press("tab")
        assert stand.app.focused is stand.app.screen.query_one("#send"), "it may be meant so"


async def test_tab_leads_from_the_last_null_of_all_to_the_button_at_once(tmp_path: Path) -> None:
    async with console(tmp_path, tools={"alpha": [tool("relate", RELATE)]}) as stand:
        await stand.press("enter", "enter")
        await opened(stand, ArgumentsScreen)
        await stand.until(lambda: "3 still null" in stand.text())
        await stand.press("a", "tab", "b", "tab", "tab")
        assert stand.app.focused is stand.app.screen.query_one("#send")


async def test_what_is_missing_in_json_has_the_keys_once_the_button_said_so(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, tools={"alpha": [tool("relate", RELATE)]}) as stand:
        await stand.press("enter", "enter")
        await opened(stand, ArgumentsScreen)
        await stand.press("tab", "b", "tab", "c", "tab", "tab", "enter")
        await stand.until(lambda: "relations[0].from" in stand.text())
        await stand.press("a")
        await stand.until(lambda: looks_ready(stand) and '"from": "a"' in stand.text())


async def test_the_button_that_writes_a_server_is_calm_until_both_fields_are_filled_in(
    tmp_path: Path, mine: Path
) -> None:
    async with new_server(tmp_path, mine, size=(80, 24)) as stand:
        await stand.until(lambda: "2 missing (*)" in stand.text())
        assert not looks_ready(stand)
        await stand.press(*"npx notes")
        await stand.until(lambda: looks_ready(stand))
        assert "missing" not in stand.text()


async def test_the_button_that_imports_is_calm_until_something_is_ticked(tmp_path: Path) -> None:
    other = {"notes": ("Codex", 'command = "x"\n')}
    async with console(tmp_path, size=(40, 15)) as stand:
        stand.app.own_file = OwnFile(Settings, lambda: other, lambda names: None)
        await stand.press("i")
        await opened(stand, OtherServersScreen)
        await stand.until(lambda: "none chosen" in stand.text())
        assert not looks_ready(stand)
        await stand.press("space")
        await stand.until(lambda: looks_ready(stand) and "none chosen" not in stand.text())
