"""What a newcomer sees, at every width, and with keys of their own."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from itertools import takewhile
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import pytest
from textual._compositor import LayoutUpdate
from textual.binding import Binding
from textual.widget import Widget

from elicit_tui import tui
from elicit_tui.elicitation.settings import ConsoleSettings
from elicit_tui.host.events import ServerLog
from elicit_tui.host.offers import Tool
from elicit_tui.tui import console as console_modules
from elicit_tui.tui.console.action_keys import commands, known_keys
from elicit_tui.tui.console.action_words import SENTENCES
from elicit_tui.tui.console.application import ConsoleApp
from elicit_tui.tui.console.screen import ConsoleScreen
from elicit_tui.tui.console.screens.about import TITLES, AboutScreen, HelpScreen
from elicit_tui.tui.console.screens.arguments import ArgumentsScreen
from elicit_tui.tui.console.spans import key_lines, labelled, text_of
from elicit_tui.tui.theme import THEMES
from tests.tui.console.stand import CITY, Stand, console

pytestmark = pytest.mark.anyio

SIZES = ((40, 20), (80, 24), (140, 40))


async def test_without_a_server_the_ways_to_get_one_are_named(tmp_path: Path) -> None:
    async with console(tmp_path, servers=()) as stand:
        for words in ("elicit-tui demo", "--with", "config import", "config.toml"):
            assert words in stand.text()


@pytest.mark.parametrize("size", SIZES)
async def test_every_pane_can_be_reached_and_says_what_it_is(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with console(tmp_path, size=size) as stand:
        for key, words in (
            ("2", "Waiting for you"),
            ("3", "No call yet"),
            ("4", "Activity of this run"),
            ("5", "History"),
            ("1", "Servers"),
        ):
            await stand.press(key)
            await stand.until(lambda words=words: words in stand.text())
            assert "Help" in stand.text().splitlines()[-1]
            assert "To what is found" not in stand.text()
            assert max(map(len, stand.text().splitlines())) <= size[0]


@pytest.mark.parametrize("size", SIZES)
async def test_help_explains_the_words_and_lists_every_key(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with console(tmp_path, size=size) as stand:
        await stand.press("f1")
        await stand.until(lambda: "Start this server again" in stand.text())
        screen = stand.app.screen
        assert isinstance(screen, HelpScreen)
        said = " ".join(text_of(row) for row in screen.lines(size[0] - 4))
        assert "decline (say no)" in " ".join(said.split())
        assert "Leave elicit-tui (quit)" in said
        # Their names have room beside what they do, or none.
        assert ("console.quit" in said) == ("servers.restart" in said) == (size[0] > 40)
        await stand.press("end")
        await stand.until(lambda: "[console.keys]" in stand.text())
        await stand.press("escape")


async def test_keys_can_be_changed_and_the_bar_shows_the_new_one(tmp_path: Path) -> None:
    keys = {"servers.restart": "f5", "console.next_question": "f4"}
    async with console(tmp_path, console=ConsoleSettings(keys=keys)) as stand:
        await stand.until(lambda: "F5 Restart" in stand.text())
        await stand.press("4", "slash")
        request = stand.ask()
        await stand.until(lambda: "F4 opens" in stand.text())
        await stand.press("f4")
        await stand.shown(request)


async def test_a_key_for_an_action_that_does_not_exist_is_told_with_the_nearest(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, console=ConsoleSettings(keys={"servers.restrt": "f5"})) as stand:
        assert "Did you mean servers.restart?" in stand.notices()


def test_every_key_that_a_bar_shows_has_a_name_by_which_it_is_changed() -> None:
    nameless = [
        f"{name}.{one.__name__}: {binding.key}"
        for name in (each.name for each in walk_packages(tui.__path__, "elicit_tui.tui."))
        for one in vars(import_module(name)).values()
        if isinstance(one, type) and one.__module__ == name
        for binding in one.__dict__.get("BINDINGS", ())
        if binding.show and not binding.id and binding.key not in ("enter", "escape")
    ]
    assert nameless == [], "the id of its Binding; its place in known_keys of action_keys.py"


def test_every_named_key_of_the_console_can_be_changed_and_is_in_its_help() -> None:
    named = {
        binding.id
        for module in walk_packages(console_modules.__path__, "elicit_tui.tui.console.")
        for owner in vars(import_module(module.name)).values()
        if isinstance(owner, type)
        for binding in owner.__dict__.get("BINDINGS", ())
        if isinstance(binding, Binding) and binding.id
    }
    known = known_keys(ConsoleApp, ConsoleScreen)
    assert named - set(known) == set(), "its place in known_keys of action_keys.py"
    families = {name.partition(".")[0] for name in known}
    assert families - set(TITLES) == set(), "its place in TITLES of screens/about.py"


def test_what_the_help_says_of_a_key_is_of_one_that_there_is() -> None:
    assert set(SENTENCES) - set(known_keys(ConsoleApp, ConsoleScreen)) == set()


def test_action_ids_are_unique_and_every_one_has_words() -> None:
    for name, binding in known_keys(ConsoleApp, ConsoleScreen).items():
        assert binding.description, name


@pytest.mark.parametrize("theme", sorted(THEMES))
async def test_every_theme_can_be_worn(tmp_path: Path, theme: str) -> None:
    async with console(tmp_path, console=ConsoleSettings(theme=theme)) as stand:
        assert stand.app.theme == THEMES[theme].name
        for key in "12345":
            await stand.press(key)


async def test_every_action_is_in_the_command_palette(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        await stand.press("3")
        titles = [command.title for command in stand.app.get_system_commands(stand.app.screen)]
        for title in (
            "Help",
            "Show history",
            "Restart alpha",
            "Mute beta",
            "Leave elicit-tui (quit)",
        ):
            assert title in titles
        assert "Theme: light" in titles


async def test_the_cursor_is_seen_without_colours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with console(tmp_path) as stand:
        assert "▌● alpha" in stand.text()
        await stand.press("down")
        assert "▌● beta" in stand.text()


async def test_hostile_names_and_lines_stay_text(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        stand.host.tell(ServerLog("alpha", "[red]@click=app.quit[/] [link=x]"))
        await stand.press("4")
        await stand.until(lambda: "[red]@click=app.quit[/]" in stand.text())


async def test_history_shows_how_a_question_of_this_run_ended(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        request = stand.ask("alpha", "Shall we?")
        await stand.shown(request)
        await stand.press("ctrl+n")
        await stand.until(lambda: stand.outcomes)
        await stand.press("5")
        await stand.until(lambda: "Shall we?" in stand.text())
        await stand.press("enter")
        await stand.until(lambda: "decidedBy" in stand.text())


def test_what_only_questions_need_is_loaded_behind_the_first_painting() -> None:
    program = (
        "import sys; import elicit_tui.tui.console.application; "
        "from elicit_tui.tui.console.action_keys import binding_of; "
        "from elicit_tui.tui.console.application import ConsoleApp; "
        "binding_of('servers.add', ConsoleApp, ConsoleApp, ConsoleApp); "
        "print([name for name in sys.modules if name.startswith('elicit_tui.')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=True
    )
    rooms = {name.split(".")[1] for name in ast.literal_eval(done.stdout)}
    assert not rooms & {"broker", "form", "guardian", "host", "ledger", "policy", "store"}


async def test_whose_questions_a_key_declines_is_named_beside_it_where_several_ask(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, size=(140, 40)) as stand:
        request = stand.ask("alpha")
        await stand.shown(request)
        await stand.press("ctrl+l", "2")
        await stand.until(lambda: "D Decline all  m Mute" in stand.text())
        await stand.shown(stand.ask("beta"))
        await stand.press("ctrl+l", "up")
        await stand.until(lambda: "D Decline all of alpha" in stand.text())
        await stand.press("D")
        said = "What it asks later still comes to you."
        await stand.until(lambda: said in " ".join(stand.text().replace("│", " ").split()))


async def test_the_palette_offers_to_decline_all_only_where_questions_wait(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        await stand.shown(stand.ask("alpha"))
        await stand.press("ctrl+l")
        await stand.until(lambda: stand.app.state.questions.open is None)
        found = {each.title: each.help for each in commands(stand.app, stand.app.screen)}
        assert found["Decline all questions of alpha"] == "1 question waiting"
        assert "Decline all questions of beta" not in found
        assert "Mute beta" in found


async def test_another_pane_is_not_painted_once_more_for_the_focus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    painted: list[object] = []
    async with console(tmp_path) as stand:
        await stand.press("4", "3", "4")
        await stand.settled()
        display = ConsoleApp._display

        def seen(app: ConsoleApp, screen: Any, update: Any) -> None:
            painted.append(update)
            display(app, screen, update)

        monkeypatch.setattr(ConsoleApp, "_display", seen)
        await stand.press("3")
        await stand.settled()
        assert painted
        assert not any(isinstance(update, LayoutUpdate) for update in painted), "all of it again"


async def test_another_pane_is_laid_out_once_with_the_bars_that_tell_it(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        await stand.press("4", "3")
        await stand.settled()
        screen = stand.app.screen
        laid_out: list[str] = []
        screen.screen_layout_refresh_signal.subscribe(
            screen, lambda told: laid_out.append(stand.text().partition("\n")[0])
        )
        await stand.press("4")
        await stand.settled()
        assert len(laid_out) == 1
        assert "[4 Activity" in laid_out[0]


def tools(*descriptions: str) -> dict[str, tuple[Tool, ...]]:
    raw = [
        {"name": f"tool{number}", "description": words, "inputSchema": CITY}
        for number, words in enumerate(descriptions)
    ]
    return {"alpha": tuple(tool for tool in map(Tool.read, raw) if tool is not None)}


@pytest.mark.parametrize("size", SIZES)
async def test_the_list_of_tools_stays_as_high_whatever_is_said_of_one(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    def rule(stand: Stand) -> int:
        lines = stand.text().splitlines()
        return next(number for number, line in enumerate(lines) if "│────" in line)

    said = tools("Short.", "Says much of itself. " * 40)
    async with console(tmp_path, tools=said, size=size) as stand:
        await stand.press("enter")
        await stand.until(lambda: "Short." in stand.text())
        before = rule(stand)
        await stand.press("down")
        await stand.until(lambda: "Says much" in stand.text())
        assert rule(stand) == before


async def test_nothing_of_the_console_is_seen_around_what_lies_over_it(tmp_path: Path) -> None:
    async with console(tmp_path, tools=tools("Short."), size=(140, 40)) as stand:
        await stand.press("enter", "enter")
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        *above, _keys = stand.text().splitlines()
        framed = [line for line in above if line.strip()]
        assert framed[0].strip().startswith("╭─ Call tool0")
        assert framed[-1].strip().endswith("alpha ─╯")
        assert {line.strip()[0] for line in framed} == set("╭│╰")
        assert {line.strip()[-1] for line in framed} == set("╮│╯")


@pytest.mark.parametrize("size", SIZES[1:])
async def test_a_text_over_the_console_is_as_high_as_its_words_where_there_is_room(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with console(tmp_path, tools=tools("Short.", "Long. " * 2_000), size=size) as stand:

        async def frame() -> Widget:
            await stand.press("f2")
            await stand.until(lambda: isinstance(stand.app.screen, AboutScreen))
            return stand.app.screen.query_one(".dialog")

        await stand.press("enter")
        low = await frame()
        await stand.until(lambda: "Short." in stand.text() and "2 tools" in stand.text())
        assert low.outer_size.height < 16
        await stand.press("escape", "down")
        high = await frame()
        await stand.until(lambda: high.outer_size.height == size[1] - 1)
        assert "2 tools" not in stand.text()
        await stand.press("end")
        await stand.until(lambda: "2 tools" in stand.text())


def test_where_it_is_narrow_a_value_is_set_in_below_its_label_and_told_without_colours() -> None:
    lines = [text_of(spans) for spans in labelled("  seen", "one two three", 14)]
    assert lines == ["  seen", "    one two", "    three"]


def test_the_keys_in_a_sentence_of_ours_stand_out_and_no_word_that_holds_them() -> None:
    lines = key_lines("r starts it again. e, ever after, changes it.", 24, ("r", "e"))
    assert " ".join(map(text_of, lines)) == "r starts it again. e, ever after, changes it."
    assert [text for spans in lines for text, role in spans if role == "accent"] == ["r", "e"]


@pytest.mark.parametrize("size", [(80, 24), (140, 40)])
async def test_the_whole_address_stands_beside_its_code(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with console(tmp_path, size=size) as stand:
        await stand.shown(stand.ask_page())
        await stand.press("f6")
        await stand.until(lambda: "▀" in stand.text())
        assert "https://example.com/sign-in" in stand.text()


@pytest.mark.parametrize("columns", [60, 80, 140])
async def test_what_a_tool_says_before_it_is_called_stays_in_its_column(
    tmp_path: Path, columns: int
) -> None:
    raw = {
        "name": "wipe",
        "description": "Wipes everything that it finds. " * 8,
        "inputSchema": {"type": "object", "properties": {}},
        "annotations": {"destructiveHint": True},
    }
    wipe = Tool.read(raw)
    assert wipe is not None
    async with console(tmp_path, tools={"alpha": (wipe,)}, size=(columns, 40)) as stand:
        await stand.press("enter", "enter")
        await stand.until(lambda: "tool claims" in stand.text())
        lines = [line.strip().strip("│").rstrip() for line in stand.text().splitlines()]
        first = next(number for number, line in enumerate(lines) if "tool says  " in line)
        column = lines[first].index("Wipes")
        below = list(takewhile(lambda line: "Wipes" in line or "finds" in line, lines[first + 1 :]))
        assert below
        for line in below:
            assert not line[:column].strip()
            assert line[column] != " "
