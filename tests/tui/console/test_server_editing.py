"""Servers are added, changed and removed in the console, and this run has them at once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from elicit_tui import paths
from elicit_tui.config import CommandLine, load
from elicit_tui.elicitation.settings import ServerSettings
from elicit_tui.tui.console.screens.server_dialogs import ServerScreen
from tests.tui.console.stand import Stand, console

pytestmark = pytest.mark.anyio


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(paths, "managed_file", lambda: tmp_path / "managed.toml")
    return tmp_path / "config.toml"


def edited_in(stand: Stand, path: Path) -> None:
    """Let the console write this file, and read it again."""

    def reload() -> Mapping[str, ServerSettings]:
        return load(CommandLine(config_file=path)).servers

    stand.app.config_path = str(path)
    stand.app._reload = reload


def written(path: Path) -> str | None:
    return path.read_text() if path.exists() else None


async def test_the_first_server_is_added_changed_and_removed(tmp_path: Path, mine: Path) -> None:
    async with console(tmp_path, servers=[]) as stand:
        edited_in(stand, mine)
        assert "add one here" in stand.text()
        await stand.press("n")
        await stand.until(lambda: isinstance(stand.app.screen, ServerScreen))
        await stand.press(*"a b", "tab", *"x 'y", "ctrl+s")
        await stand.until(lambda: "cannot be split" in stand.text())
        assert written(mine) is None
        await stand.press("'", "ctrl+s")
        await stand.until(lambda: "a b" in stand.host.connections)
        assert written(mine) == '[mcp_servers."a b"]\ncommand = "x"\nargs = ["y"]\n'
        await stand.until(lambda: "● a b" in stand.text())

        await stand.press("e")
        await stand.until(lambda: "x y" in stand.text())
        await stand.press("end", *" z", "ctrl+s")
        await stand.until(lambda: stand.runtime.settings.servers["a b"].args == ("y", "z"))
        await stand.until(lambda: "● a b" in stand.text())

        await stand.press("delete")
        await stand.until(lambda: "Remove a b?" in stand.text())
        await stand.press("y")
        await stand.until(lambda: "add one here" in stand.text())
        assert (written(mine) or "").strip() == ""
        assert "a b" not in stand.runtime.settings.servers


async def test_a_server_of_the_command_line_is_not_edited(tmp_path: Path, mine: Path) -> None:
    async with console(tmp_path, servers=["alpha"]) as stand:
        edited_in(stand, mine)
        await stand.press("e")
        assert "alpha does not come from" in stand.notices()
        await stand.press("delete")
        assert written(mine) is None
