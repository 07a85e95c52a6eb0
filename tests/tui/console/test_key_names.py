"""A key that the owner changed is named by its new name everywhere, and everything has a button."""

from __future__ import annotations

from pathlib import Path

import pytest

from elicit_tui.elicitation import Call
from elicit_tui.elicitation.settings import ConsoleSettings
from elicit_tui.host.offers import Tool
from elicit_tui.tui.console.action_keys import commands, known_keys
from elicit_tui.tui.console.application import ConsoleApp
from elicit_tui.tui.console.screen import ConsoleScreen
from elicit_tui.tui.question.screen import QuestionScreen
from tests.tui.console.stand import Stand, console

pytestmark = pytest.mark.anyio

KEYS = {
    "question.send": "f10",
    "question.cancel": "f12",
    "question.later": "f11",
    "field.clear": "ctrl+k",
    "console.next_question": "ctrl+b",
    "console.mute_loop": "ctrl+f",
    "console.allowances": "ctrl+w",
    "question.session": "ctrl+g",
    "arguments.call": "ctrl+r",
}
TOOL = Tool(
    "erase",
    raw={
        "name": "erase",
        "inputSchema": {
            "type": "object",
            "properties": {"what": {"type": "string"}},
            "required": ["what"],
        },
        "annotations": {"destructiveHint": True},
    },
)


async def listens(stand: Stand, page: str) -> None:
    def ready() -> bool:
        view = getattr(stand.app.screen, "view", None)
        return view is not None and view.page == page and not view.deaf

    await stand.until(ready)


async def test_a_question_names_the_changed_keys_on_its_buttons_in_its_line_and_in_its_help(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, console=ConsoleSettings(keys=KEYS)) as stand:
        request = stand.ask("alpha")
        await stand.shown(request)
        await stand.until(lambda: "F10 Send" in stand.text())
        assert "F11 Later" in stand.text()
        assert "^K clear" in stand.text()
        assert "^U" not in stand.text()
        await stand.press("L", "f12")
        await stand.until(lambda: "F12 again cancels" in stand.text())
        await stand.press("enter")
        await stand.until(lambda: "F10 sends" in stand.text())
        await stand.press("f1")
        await listens(stand, "help")
        for words in ("F10", "^K", "^B Next question", "^F Mute server", "^W Allowed tools"):
            assert words in stand.text()
        for words in ("^S", "^U"):
            assert words not in stand.text()
        await stand.press("ctrl+k")
        await stand.press("f12")
        await listens(stand, "answer")
        await stand.press("ctrl+k")
        await stand.until(lambda: "not filled in" in stand.text())


async def test_the_border_names_the_key_of_the_next_question_while_another_waits(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, console=ConsoleSettings(keys=KEYS)) as stand:
        first = stand.ask("alpha", "First?")
        await stand.shown(first)
        assert "next" not in stand.text().splitlines()[0]
        second = stand.ask("beta", "Second?")
        await stand.until(lambda: "1 of 2, ^B next" in stand.text().splitlines()[0])
        await stand.press("ctrl+b")
        await stand.shown(second)


async def test_the_rest_of_the_console_is_reached_from_buttons_of_an_open_question(
    tmp_path: Path,
) -> None:
    async with console(tmp_path) as stand:
        request = stand.ask("alpha")
        await stand.shown(request)
        await stand.press("f3")
        await stand.until(lambda: "You have allowed no tool." in stand.text())
        await stand.press("escape")
        await stand.until(lambda: isinstance(stand.app.screen, QuestionScreen))
        await stand.press("f1")
        await listens(stand, "help")
        await stand.pilot.click("#do-app-mute_loop")
        await stand.until(lambda: "1 question of “alpha” waits for you" in stand.text())
        await stand.press("y")
        await stand.until(lambda: stand.outcome(request) is not None)
        assert "alpha" in stand.app.muted


async def test_the_border_of_the_help_page_leads_nowhere_else(tmp_path: Path) -> None:
    async with console(tmp_path, size=(78, 24)) as stand:
        await stand.shown(stand.ask("alpha"))
        await stand.until(lambda: "… F2 About" in stand.text().splitlines()[-1])
        await stand.press("f1")
        await listens(stand, "help")
        await stand.until(lambda: "F1 shows" not in stand.text().splitlines()[-1])


async def test_dialogs_and_help_name_the_changed_keys(tmp_path: Path) -> None:
    settings = ConsoleSettings(keys=KEYS)
    async with console(tmp_path, tools={"alpha": (TOOL,)}, console=settings) as stand:
        await stand.press("enter", "enter")
        await stand.until(lambda: "^R Call" in stand.text())
        await stand.press("x", "tab")
        await stand.until(lambda: getattr(stand.app.focused, "id", "") == "send")
        await stand.press("enter")
        await stand.until(lambda: "^G This session" in stand.text())
        assert "^W lists and revokes" in stand.text()
        await stand.press("escape")


def test_every_key_that_a_screen_names_can_be_changed() -> None:
    for name in (
        *("field.clear", "field.empty", "field.default", "field.undo", "field.today"),
        *("field.editor", "question.session", "arguments.call", "leave.sure", "allowances.revoke"),
    ):
        assert name in known_keys(ConsoleApp, ConsoleScreen)


SIZES = [(140, 40), (80, 24), (40, 15)]


def bar(stand: Stand) -> str:
    return stand.text().splitlines()[-1]


@pytest.mark.parametrize("size", SIZES)
async def test_the_bar_names_first_what_starts_a_failed_server_and_no_tools_that_it_has_not(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    failures = {"beta": "beta was not found in PATH."}
    more = {"tools": {"alpha": (TOOL,)}, "failures": failures, "size": size}
    async with console(tmp_path, servers=["alpha", "beta"], **more) as stand:
        await stand.until(lambda: "Enter Tools" in bar(stand))
        await stand.press("down")
        await stand.until(lambda: "r Restart" in bar(stand))
        assert "Tools" not in bar(stand)
        screen = stand.text()
        assert screen.count("n Add") == 1
        assert "Add a server" in {each.title for each in commands(stand.app, stand.app.screen)}
        await stand.press("up")
        await stand.until(lambda: "Enter Tools" in bar(stand))


async def test_the_frame_of_the_servers_names_the_key_that_removes_one_before_imports(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["alpha", "beta"], size=(100, 30)) as stand:
        await stand.until(lambda: "n Add  e Edit  Del Remove" in stand.text())
        await stand.pilot.resize_terminal(56, 24)
        await stand.until(lambda: "n Add  e Edit  Del Remove  i Import" in stand.text())


async def test_without_a_call_the_bar_names_no_key_that_needs_one(tmp_path: Path) -> None:
    async with console(tmp_path, tools={"alpha": (TOOL,)}, size=(140, 40)) as stand:
        await stand.press("3")
        await stand.until(lambda: "No call yet" in stand.text())
        for key in ("Filter", "Search", "Compare"):
            assert key not in bar(stand)
        stand.app.state.calls.start("alpha", Call("tools/call", "erase", {}))
        stand.app.state.changed()
        await stand.until(lambda: "f Filter" in bar(stand) and "/ Search" in bar(stand))


@pytest.mark.parametrize(
    ("columns", "tab"), [(140, "Questions ◆1"), (80, "Questions ◆1"), (40, "2 ◆1")]
)
async def test_a_count_at_a_tab_looks_like_no_number_of_a_tab(
    tmp_path: Path, columns: int, tab: str
) -> None:
    async with console(tmp_path, size=(columns, 15)) as stand:
        await stand.press("slash")
        stand.ask("alpha")
        await stand.until(lambda: tab in stand.text().splitlines()[0])


async def test_where_keys_have_no_room_the_palette_has_its_key_alone(tmp_path: Path) -> None:
    asking = ["alpha-with-a-name", "beta-with-a-name"]
    async with console(tmp_path, servers=asking, size=(80, 24)) as stand:
        for server in asking:
            await stand.shown(stand.ask(server, "Shall we?"))
            await stand.press("ctrl+l")
        await stand.press("2")
        await stand.until(lambda: "Decline all" in stand.text())
        assert bar(stand).endswith("^P  ^Q Leave  F1 Help")
        assert bar(stand).count("…") == 1
