"""The palette names the keys that work in it, and shows a theme before it is chosen."""

from __future__ import annotations

from pathlib import Path

import pytest

from elicit_tui.tui.console.palette import Palette
from tests.tui.console.stand import Stand, console

pytestmark = pytest.mark.anyio


async def searching(stand: Stand, words: str, first: str) -> None:
    """Open the palette and search; wait until that is the first that is found."""
    await stand.press("ctrl+p")
    await stand.until(lambda: isinstance(stand.app.screen, Palette))
    await stand.pilot.press(*words)
    await stand.until(lambda: first in stand.text())


async def test_the_bar_below_the_palette_has_its_keys_and_not_the_panes(tmp_path: Path) -> None:
    async with console(tmp_path, size=(80, 24)) as stand:
        await stand.press("ctrl+p")
        await stand.until(lambda: "Add a server" in stand.text())
        bar = stand.text().split("\n")[-1]
        assert bar.split() == ["Enter", "Run", "↑↓", "Choose", "Esc", "Back"]
        await stand.press("escape")
        await stand.until(lambda: "Restart" in stand.text().split("\n")[-1])


async def test_a_theme_is_worn_while_it_is_pointed_at_and_escape_puts_the_old_one_back(
    tmp_path: Path,
) -> None:
    async with console(tmp_path) as stand:
        assert stand.app.theme == "elicit-dark"
        await searching(stand, "theme", "Theme: light")
        await stand.press("down", "down")
        await stand.until(lambda: stand.app.theme == "elicit-light")
        await stand.press("up")
        await stand.until(lambda: stand.app.theme == "elicit-dark")
        await stand.press("down")
        await stand.until(lambda: stand.app.theme == "elicit-light")
        await stand.press("escape")
        await stand.until(lambda: not isinstance(stand.app.screen, Palette))
        assert stand.app.theme == "elicit-dark"
        assert stand.app.remembered.theme == ""


async def test_the_theme_that_is_chosen_stays(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        await searching(stand, "high", "Theme: high-contrast")
        await stand.until(lambda: stand.app.theme == "elicit-high-contrast")
        await stand.press("enter")
        await stand.until(lambda: stand.app.remembered.theme == "high-contrast")
        assert stand.app.theme == "elicit-high-contrast"
