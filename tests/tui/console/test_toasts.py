"""What the console tells in passing hides nothing of a form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation import Call
from elicit_tui.host.offers import Tool
from elicit_tui.tui.console.dialog import Dialog
from elicit_tui.tui.console.result_table import ResultTable
from elicit_tui.tui.console.screens.arguments import ArgumentsScreen
from elicit_tui.tui.widgets.buttons import KeyRow
from tests.tui.console.reading import text_result
from tests.tui.console.stand import Stand, console

pytestmark = pytest.mark.anyio

LONG = {
    "type": "object",
    "properties": {f"f{number}": {"type": "string"} for number in range(12)},
    "required": ["f0"],
}
TOLD = "The answer of another terminal came first. " * 4


def is_whole(screen: Any, part: Any) -> bool:
    """Whether all of it is in sight."""
    place = screen.find_widget(part)
    return bool(place.region.area and place.visible_region == place.region)


LINKED = "Read https://example.com/one and https://example.com/two first."
DIALOGS = {
    "allowances": ("f3",),
    "server": ("1", "n"),
    "note": ("3", "n"),
    "keep": ("3", "w"),
    "save": ("3", "s"),
    "remove": ("3", "delete"),
    "compare": ("3", "d", "d"),
    "help": ("f1",),
}
"""The keys that lead to a dialog."""


async def told_over(stand: Stand, form: str, buttons: str) -> None:
    """Tell something: it stands clear of the form, whose buttons stay where they are."""
    screen = stand.app.screen
    before = screen.query_one(buttons).region
    stand.app.notify(TOLD, title="alpha", markup=False)
    await stand.until(lambda: screen.query("Toast") and "another terminal" in stand.text())
    # In a small window as much of it as there is room for.
    told = screen.find_widget(screen.query_one("Toast")).visible_region
    assert told.area
    assert not told.overlaps(screen.query_one(form).region)
    assert screen.query_one(buttons).region == before
    assert "f0 *" in stand.text()
    stand.app.clear_notifications()
    await stand.until(lambda: screen.query_one(form).region.y == 0)


@pytest.mark.parametrize("size", [(40, 15), (80, 24), (140, 40)])
async def test_what_is_told_covers_nothing_of_a_question(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with console(tmp_path, size=size, notifications=True) as stand:
        await stand.shown(stand.ask(schema=LONG))
        await told_over(stand, "QuestionView", "#actions")


@pytest.mark.parametrize("size", [(40, 15), (80, 24)])
async def test_what_is_told_covers_no_argument_of_a_call(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    tool = Tool.read({"name": "book", "inputSchema": LONG})
    assert tool is not None
    async with console(tmp_path, size=size, tools={"alpha": (tool,)}, notifications=True) as stand:
        await stand.press("enter", "enter")
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        await stand.until(lambda: "f0 *" in stand.text())
        await told_over(stand, ".dialog", ".buttons")


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (140, 40)])
@pytest.mark.parametrize("keys", DIALOGS.values(), ids=DIALOGS)
async def test_what_is_told_covers_no_word_and_no_key_of_a_dialog(
    tmp_path: Path, keys: tuple[str, ...], size: tuple[int, int]
) -> None:
    async with console(tmp_path, servers=["alpha"], size=size, notifications=True) as stand:
        for word in ("one", "two"):
            call = stand.app.state.calls.start("alpha", Call("tools/call", "look", {"n": word}))
            call.end("answered", result=text_result(f"{LINKED} {word}"))
        await stand.press(*keys)
        await stand.until(lambda: isinstance(stand.app.screen, Dialog))
        screen = stand.app.screen
        await stand.until(lambda: screen.query("KeyBar"))
        buttons = [button for row in screen.query(KeyRow) for button in row.children]
        stand.app.notify(TOLD, title="alpha", markup=False, timeout=60)
        await stand.until(lambda: screen.query("Toast") and "another terminal" in stand.text())
        told = screen.find_widget(screen.query_one("Toast")).visible_region
        assert told.area
        for part in (screen.query_one(".dialog"), screen.query_one("KeyBar")):
            assert not told.overlaps(screen.find_widget(part).visible_region)
        for button in buttons:
            await stand.until(lambda button=button: is_whole(screen, button))


async def test_what_was_told_before_a_dialog_came_is_not_told_twice(tmp_path: Path) -> None:
    async with console(tmp_path, size=(80, 24), notifications=True) as stand:
        stand.app.notify("Told once.", title="alpha", markup=False, timeout=60)
        await stand.until(lambda: "Told once." in stand.text())
        await stand.press("f3")
        await stand.until(lambda: "You have allowed no tool." in stand.text())
        await stand.until(lambda: stand.text().count("Told once.") == 1)
        below: Any = stand.app.screen_stack[0].query_one("ToastRack")
        assert not below.display
        await stand.press("escape")
        await stand.until(lambda: below.display and "Told once." in stand.text())


@pytest.mark.parametrize("size", [(80, 24), (40, 24)])
@pytest.mark.parametrize("pane", ["1", "3", "5"])
async def test_what_is_told_covers_no_row_of_a_list(
    tmp_path: Path, pane: str, size: tuple[int, int]
) -> None:
    async with console(tmp_path, size=size, notifications=True) as stand:
        await stand.press(pane)
        stand.app.notify(TOLD, title="alpha", markup=False)
        screen = stand.app.screen
        await stand.until(lambda: screen.query("Toast") and "another terminal" in stand.text())
        toast: Any = screen.query_one("Toast")
        assert not toast.region.overlaps(screen.query_one("#panes").region)
        assert not toast.region.overlaps(screen.query_one("KeyBar").region)
        stand.app.clear_notifications()
        await stand.until(lambda: screen.query_one("#panes").region.bottom == 23)


async def test_what_was_told_in_passing_stays_with_its_pane_and_a_warning_goes_along(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, size=(80, 24), notifications=True) as stand:
        stand.app.notify("Told in passing.", markup=False, timeout=60)
        stand.app.notify("A warning.", severity="warning", markup=False, timeout=60)
        await stand.until(lambda: "Told in passing." in stand.text())
        await stand.press("1")
        await stand.until(lambda: "Told in passing." in stand.text())
        await stand.press("3")
        await stand.until(lambda: "No call yet." in stand.text())
        await stand.until(lambda: "Told in passing." not in stand.text())
        assert "A warning." in stand.text()


@pytest.mark.parametrize("size", [(80, 24), (140, 40)])
async def test_what_is_told_of_a_row_that_is_read_covers_nothing_of_it(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    rows = [{f"key{number}": f"value {number}" for number in range(18)}] * 2
    async with console(tmp_path, servers=["alpha"], size=size, notifications=True) as stand:
        call = stand.app.state.calls.start("alpha", Call("tools/call", "look", {}))
        call.end("answered", result=text_result(json.dumps(rows)))
        await stand.press("3")
        await stand.until(lambda: "look" in stand.text())
        await stand.press("z", "enter")
        await stand.until(lambda: "row 1 of 2" in stand.text())
        await stand.press("c")
        screen = stand.app.screen
        await stand.until(lambda: screen.query("Toast") and "Row 1, as JSON" in stand.text())
        told = screen.query_one("Toast").region
        assert told.area
        assert not told.overlaps(screen.query_one(".dialog").region)
        assert not told.overlaps(screen.query_one("KeyBar").region)


async def test_a_row_that_was_copied_at_the_end_of_the_screen_stays_in_sight(
    tmp_path: Path,
) -> None:
    rows = [{"name": f"value {number}", "size": number} for number in range(60)]
    async with console(tmp_path, servers=["alpha"], size=(80, 24), notifications=True) as stand:
        call = stand.app.state.calls.start("alpha", Call("tools/call", "look", {}))
        call.end("answered", result=text_result(json.dumps(rows)))
        await stand.press("3")
        await stand.until(lambda: "look" in stand.text())
        await stand.press("z")
        await stand.until(lambda: "value 1 " in stand.text())
        screen = stand.app.screen
        table = screen.query_one(ResultTable)
        await stand.press(*["down"] * (table.size.height - 2))
        await stand.until(lambda: f"value {table.number} " in stand.text())
        await stand.press("c")
        await stand.until(lambda: f"Row {table.number + 1}, as JSON" in stand.text())
        await stand.until(lambda: f"value {table.number} " in stand.text())
        assert table.number > table.size.height - 2, "what is told has its row now"


async def test_a_notice_that_takes_the_place_of_another_leaves_no_empty_row(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"], notifications=True) as stand:
        stand.app.notify("One.")
        await stand.until(lambda: "▌ One." in stand.text())
        stand.app.hush()
        stand.app.notify("Two.")
        await stand.until(lambda: "▌ Two." in stand.text() and "One." not in stand.text())
        *_, frame, notice, bar = stand.text().split("\n")
        assert frame.startswith("╰")
        assert notice == "▌ Two."
        assert "F1 Help" in bar
