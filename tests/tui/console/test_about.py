"""One key shows whole what the panes have to cut: a server, and what it says of its tools."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation import Call, ServerIdentity
from elicit_tui.elicitation.settings import ConsoleSettings, ServerSettings
from elicit_tui.host.offers import Tool
from elicit_tui.tui.console.screen import ConsoleScreen
from elicit_tui.tui.console.screens.about import AboutScreen, HelpScreen
from elicit_tui.tui.console.screens.arguments import ArgumentsScreen
from elicit_tui.tui.console.screens.result_reader import ResultScreen
from tests.tui.console.stand import CITY, FakeConnection, Stand, console

pytestmark = pytest.mark.anyio

SAID = "It says a lot of itself, " * 40 + "up to here."
ADDRESS = "/opt/" + "a-long-way/" * 20 + "alpha-server"


def servers() -> dict[str, ServerSettings]:
    return {"alpha": ServerSettings("alpha", command=ADDRESS)}


def tools() -> dict[str, tuple[Tool, ...]]:
    tool = Tool.read({"name": "book", "description": SAID, "inputSchema": CITY})
    assert tool is not None
    return {"alpha": (tool,)}


def unwrapped(stand: Stand) -> str:
    """The words on the screen, without their lines, frames and blanks."""
    return "".join(stand.text().replace("│", "").split())


async def about(stand: Stand) -> None:
    assert "F2 About" in stand.text().splitlines()[-1]
    await stand.press("f2")
    await stand.until(lambda: isinstance(stand.app.screen, AboutScreen))


@pytest.mark.parametrize("size", [(80, 24), (140, 40)])
async def test_how_a_server_is_reached_is_shown_whole(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with console(tmp_path, server_settings=servers(), tools=tools(), size=size) as stand:
        assert ADDRESS not in unwrapped(stand)
        await about(stand)
        assert ADDRESS in unwrapped(stand)
        assert "1 tool" in stand.text()
        assert "up to here." not in stand.text()
        await stand.press("escape")
        await stand.until(lambda: "Enter Tools" in stand.text())


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("auto", "“book” may be called"),
        ("writes", "“book” does not say of itself that it only reads, so you are asked first."),
    ],
)
async def test_all_about_a_tool_says_whether_one_is_asked_before_it_is_called(
    tmp_path: Path, mode: Any, said: str
) -> None:
    server = ServerSettings("alpha", command="x", default_tools_approval_mode=mode)
    async with console(tmp_path, server_settings={"alpha": server}, tools=tools()) as stand:
        await stand.press("enter")
        await about(stand)
        await stand.press("end")
        words = " ".join(stand.text().replace("│", " ").split())
        assert said in words
        assert "e under Servers sets it for all its tools." in words


async def test_the_first_page_of_the_help_has_the_keys_that_move_and_what_runs_the_others(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["alpha"], size=(80, 24)) as stand:
        await stand.press("f1")
        await stand.until(lambda: isinstance(stand.app.screen, HelpScreen))
        await stand.until(lambda: "PgUp PgDn" in stand.text())
        assert "↑ ↓ j k" in stand.text()
        assert "^P          Finds one of these by its name, and runs it" in stand.text()


async def test_what_a_tool_says_of_itself_is_shown_whole_from_the_list_and_before_a_call(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, server_settings=servers(), tools=tools(), size=(80, 30)) as stand:
        await stand.press("enter")
        await stand.until(lambda: "Enter Call" in stand.text())
        assert "up to here." not in stand.text()
        await about(stand)
        assert "up to here." in stand.text()
        await stand.press("escape", "enter")
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        await stand.until(lambda: "City *" in stand.text())
        assert "up to here." not in stand.text()
        await about(stand)
        assert "up to here." in stand.text()
        await stand.press("escape")
        await stand.until(lambda: "City *" in stand.text())


async def test_how_a_server_wants_to_be_used_is_read_with_all_about_it(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"], tools=tools(), size=(80, 40)) as stand:
        told = "Ask \x1b[31mme\u202e first.\n\n[bold]Then[/bold] book."
        stand.host.connections["alpha"].instructions = told
        await about(stand)
        assert "its instructions, in its own words" in stand.text()
        assert "first." in stand.text()
        assert "[bold]Then[/bold] book." in stand.text()
        assert not {"\x1b", "\u202e"} & {*stand.text()}


async def test_what_would_be_sent_stands_above_what_the_tool_says(tmp_path: Path) -> None:
    async with console(tmp_path, tools=tools(), size=(80, 40)) as stand:
        await stand.press("enter", "enter")
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        await stand.press(*"Oslo", "f2")
        await stand.until(lambda: isinstance(stand.app.screen, AboutScreen))
        assert "what would be sent · tools/call" in stand.text()
        assert '{"name":"book","arguments":{"city":"Oslo"}}' in unwrapped(stand)
        await stand.press("escape")
        await stand.until(lambda: "City *" in stand.text())
        await stand.press("f5", "f2")
        await stand.until(lambda: isinstance(stand.app.screen, AboutScreen))
        assert '"arguments":{"city":"Oslo"}' in unwrapped(stand)


async def test_what_a_tool_takes_is_listed_with_what_it_says_of_itself(tmp_path: Path) -> None:
    schema = {
        "type": "object",
        "properties": {
            "unit": {"type": "string", "enum": ["m", "km"], "description": "Of lengths."},
            "digits": {"type": "integer", "minimum": 0, "maximum": 9, "default": 2},
        },
        "required": ["unit"],
    }
    tool = Tool.read({"name": "measure", "inputSchema": schema})
    assert tool is not None
    async with console(tmp_path, tools={"alpha": (tool,)}, size=(140, 40)) as stand:
        await stand.press("enter")
        for words in (
            "unit *",
            "one of m, km · Of lengths.",
            "digits",
            "integer · 0 to 9 · default 2",
        ):
            await stand.until(lambda words=words: words in stand.text())
        await stand.press("f2")
        await stand.until(lambda: isinstance(stand.app.screen, AboutScreen))
        assert "one of m, km · Of lengths." in stand.text()


@pytest.mark.parametrize(("pane", "first"), [("1", "servers"), ("3", "calls"), ("5", "history")])
async def test_help_begins_with_the_keys_of_where_one_is(
    tmp_path: Path, pane: str, first: str
) -> None:
    async with console(tmp_path, tools=tools()) as stand:
        if pane == "3":
            offer = stand.app.state.servers["alpha"].offers[0]
            stand.app.state.calls.start("alpha", Call("tools/call", offer.name, {}))
        await stand.press(pane, "f1")
        await stand.until(lambda: "Help" in stand.text().splitlines()[0])
        line = stand.text().splitlines()[1]
        assert line.strip("│╭ ").startswith(first)


@pytest.mark.parametrize("covered", [False, True])
async def test_help_says_of_the_keys_of_the_panes_where_they_do_nothing(
    tmp_path: Path, covered: bool
) -> None:
    async with console(tmp_path, servers=["alpha"], size=(100, 40)) as stand:
        record = stand.app.state.calls.start("alpha", Call("tools/call", "look", {}))
        record.end("answered", result={"content": [{"type": "text", "text": "seen"}]})
        await stand.press("3")
        if covered:
            await stand.press("z")
            await stand.until(lambda: isinstance(stand.app.screen, ResultScreen))
        await stand.press("f1", "slash", *"the panes")
        await stand.until(lambda: "pane.servers" in stand.text())
        assert ("the panes, once you are back at them" in stand.text()) == covered


async def test_help_is_narrowed_to_what_one_looks_for(tmp_path: Path) -> None:
    async with console(tmp_path, size=(80, 24)) as stand:
        await stand.press("f1")
        await stand.until(lambda: "/ Search" in stand.text())
        await stand.press("slash", *"favou")
        await stand.until(lambda: "★ favourite" in stand.text().split("servers.favourite")[-1])
        assert "servers.mute" not in stand.text()
        assert "Before a question reaches you" not in stand.text()
        await stand.press(*"xyz")
        await stand.until(lambda: "Nothing matches." in stand.text())
        await stand.press("escape")
        await stand.until(lambda: "servers.mute" in stand.text())
        await stand.press("escape")
        await stand.until(lambda: isinstance(stand.app.screen, ConsoleScreen))


async def search_the_help(stand: Stand, words: str) -> str:
    """What stands in its frame once it is narrowed to them, without the lines it is broken into."""
    await stand.press("f1")
    await stand.until(lambda: isinstance(stand.app.screen, HelpScreen))
    await stand.press("slash", *words)
    await stand.pilot.pause()
    framed = (line.strip("│ ") for line in stand.text().splitlines() if line.startswith("│"))
    return " ".join(framed)


async def test_what_the_help_found_is_shown_to_its_end(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"], size=(40, 24)) as stand:
        found = await search_the_help(stand, "servers.fav")
        assert "f     Make this a favourite, or no more servers.favourite" in found
    async with console(tmp_path, servers=["alpha"], size=(80, 24)) as stand:
        found = await search_the_help(stand, "in a loop")  # A line is broken within these words.
        assert "F9          Mute the server whose question is open" in found
        assert "console.mute_loop" in found


@pytest.mark.parametrize(
    ("words", "entry"),
    [
        ("palette", "^P, :       Every action by its name"),
        ("console.help", "F1, ?       Help"),
        ("leave, once", "q           Go back; at the panes leave, once you are sure."),
        ("running", "◐ running"),
    ],
)
async def test_the_help_names_the_keys_that_have_no_name_of_their_own(
    tmp_path: Path, words: str, entry: str
) -> None:
    async with console(tmp_path, size=(80, 24)) as stand:
        assert entry in await search_the_help(stand, words)
        assert "F1 Back" not in stand.text().splitlines()[-1]


async def test_escape_ends_a_search_of_the_help_before_it_closes_it(tmp_path: Path) -> None:
    async with console(tmp_path, size=(80, 24)) as stand:
        await search_the_help(stand, "console.help")
        await stand.press("enter", "escape")
        await stand.until(lambda: "moving" in stand.text())
        assert isinstance(stand.app.screen, HelpScreen)
        await stand.press("escape")
        await stand.until(lambda: not isinstance(stand.app.screen, HelpScreen))


async def test_the_help_names_no_question_mark_for_a_key_that_was_changed(tmp_path: Path) -> None:
    look = ConsoleSettings(keys={"console.help": "f12"})
    async with console(tmp_path, size=(80, 30), console=look) as stand:
        await stand.press("f12")
        await stand.until(lambda: isinstance(stand.app.screen, HelpScreen))
        await stand.until(lambda: "F12         Help" in stand.text())


async def test_the_help_names_no_key_of_a_place_twice(tmp_path: Path) -> None:
    async with console(tmp_path, server_settings=servers(), tools=tools(), size=(140, 70)) as stand:
        await stand.press("3", "f1")
        await stand.until(lambda: "Else write a note at this call" in stand.text())
        calls = stand.text().partition("moving")[0].replace("│", " ").splitlines()
        keys = [line.split()[0] for line in calls if line.strip()]
        assert keys.count("n") == keys.count("Esc") == 1


async def test_the_help_of_a_form_names_one_meaning_of_a_key(tmp_path: Path) -> None:
    async with console(tmp_path, server_settings=servers(), tools=tools(), size=(140, 90)) as stand:
        await stand.press("enter", "enter")
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        await stand.press("f1")
        await stand.until(lambda: "on the whole screen" in stand.text())
        lines = stand.text().replace("│", " ").splitlines()
        assert len([line for line in lines if line.split()[:1] == ["F4"]]) == 1


async def test_before_a_call_of_a_tool_that_runs_as_a_task_alone_it_is_said_that_it_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    identity = ServerIdentity("alpha", "stdio", "alpha-server", protocol_version="2025-11-25")
    monkeypatch.setattr(FakeConnection, "identity", identity)
    (book,) = tools()["alpha"]
    offered = Tool.read({**book.raw, "description": "", "execution": {"taskSupport": "required"}})
    assert offered is not None
    async with console(tmp_path, servers=["alpha"], tools={"alpha": (offered,)}) as stand:
        await stand.until(lambda: "book" in stand.text())
        await stand.press("enter")
        await about(stand)
        await stand.until(lambda: "soitcannotbecalledhere." in unwrapped(stand))
        assert "beforeacall“book”runsasataskalone" in unwrapped(stand)
        assert "may be called" not in stand.text()
