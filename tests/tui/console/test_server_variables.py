"""What is typed in a server's form beside what its file has, and what it keeps when it is left."""

from __future__ import annotations

from pathlib import Path

import pytest

from elicit_tui.config import CommandLine, load
from elicit_tui.tui.console.screens.server_dialogs import ServerScreen
from tests.tui.console.own_file import configured, editing, new_server, tables, written

pytestmark = pytest.mark.anyio


async def test_what_a_server_has_gives_way_to_what_is_typed_as_in_the_form_of_a_call(
    tmp_path: Path, mine: Path
) -> None:
    async with configured(tmp_path, mine, tables("a")) as stand:
        await stand.press("e")
        await stand.until(lambda: "in the file: typing replaces it" in stand.text())
        # Of what it has nothing of it is said what holds, in the words that are chosen from.
        assert stand.text().count("↺ by default") == 2
        assert "approval_mode" not in stand.text()
        assert "line break" not in stand.text()
        await stand.press(*"zed", "ctrl+s")
        # Both forms begin with the command.
        await stand.until(lambda: written(mine) == tables("a").replace('"x"', '"zed"'))


async def test_a_variable_is_added_to_those_that_were_written_down_and_left(
    tmp_path: Path, mine: Path
) -> None:
    async with editing(tmp_path, mine, (120, 40)) as stand:
        await stand.press(*["tab"] * 5, *"A=1", "shift+tab", "escape")
        await stand.until(lambda: not isinstance(stand.app.screen, ServerScreen))
        await stand.press("e")
        await stand.until(lambda: "↺ not written yet" in stand.text())
        await stand.press(*["tab"] * 5, "enter", *"B=2", "ctrl+s")
        await stand.until(
            lambda: load(CommandLine(config_file=mine)).servers["a"].env == {"A": "1", "B": "2"}
        )


async def test_what_was_told_of_a_form_that_was_left_covers_nothing_of_it_when_it_opens_again(
    tmp_path: Path, mine: Path
) -> None:
    async with new_server(tmp_path, mine, notifications=True) as stand:
        await stand.press(*"npx notes", "escape")
        await stand.until(lambda: "n goes on with it." in stand.text())
        await stand.press("n")
        await stand.until(lambda: "npx notes" in stand.text())
        await stand.until(lambda: "n goes on with it." not in stand.text())
        assert not stand.notices()


async def test_a_servers_form_is_begun_anew_from_among_its_variables_too(
    tmp_path: Path, mine: Path
) -> None:
    async with editing(tmp_path, mine, (120, 40)) as stand:
        await stand.press(*["tab"] * 5, *"A=1")
        await stand.until(lambda: "A=1" in stand.text())
        await stand.press("f7")
        await stand.until(lambda: "A=1" not in stand.text())
