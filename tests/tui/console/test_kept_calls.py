"""Calls are kept in files and made again; favourites stand first; what was used last is at hand."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from elicit_tui import paths
from elicit_tui.elicitation import Call
from elicit_tui.paths import sole_writer, state_directory
from elicit_tui.tui.console.remembered import Place, Remembered
from elicit_tui.tui.console.screens.arguments import ArgumentsScreen
from elicit_tui.tui.console.screens.keep_call import KeepCallScreen
from elicit_tui.tui.console.written_later import until_written
from tests.tui.console.stand import Stand, console
from tests.tui.console.test_calls import GREET, calls_of, tool

pytestmark = pytest.mark.anyio

TOOLS = {"alpha": [tool("first"), tool("greet", GREET), tool("last")]}


def entry(stand: Stand, title: str) -> Callable[[], Any]:
    """What the palette does under this title."""
    commands = stand.app.get_system_commands(stand.app.screen)
    return next(command.callback for command in commands if command.title == title)


def titles(stand: Stand) -> list[str]:
    return [command.title for command in stand.app.get_system_commands(stand.app.screen)]


@asynccontextmanager
async def made_call(tmp_path: Path) -> AsyncIterator[Stand]:
    """A console in front of the one call that was made."""
    async with console(tmp_path, servers=["alpha"], tools=TOOLS) as stand:
        done = stand.app.state.calls.start("alpha", Call("tools/call", "greet", {"name": "Ada"}))
        done.end("answered", result={})
        await stand.press("3")
        await stand.until(lambda: "greet" in stand.text())
        yield stand


async def test_a_call_is_kept_and_made_again_from_the_palette(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with console(tmp_path, servers=["alpha"], tools=TOOLS) as stand:
        arguments = {"name": "Ada", "times": 2}
        done = stand.app.state.calls.start("alpha", Call("tools/call", "greet", arguments))
        done.end("answered", result={})
        await stand.press("3")
        await stand.until(lambda: "greet" in stand.text())
        await stand.press("w")
        await stand.until(lambda: "alpha-greet" in stand.text() and ".call.json" in stand.text())
        await stand.press("enter")
        await stand.until(lambda: "elicit-tui call @alpha-greet makes" in stand.notices())
        assert kept() == {"server": "alpha", "tool": "greet", "arguments": arguments}
        assert (tmp_path / "alpha-greet.call.json").read_text().endswith("}\n")
        await stand.press("w", "enter")
        await stand.until(lambda: "exists" in stand.text())
        await stand.press("escape")
        entry(stand, "Kept call: alpha-greet")()
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        await stand.press("ctrl+s")
        await stand.until(lambda: calls_of(stand))
        assert calls_of(stand)[0].arguments == arguments


async def test_of_a_call_whose_arguments_were_not_kept_the_file_is_said_to_lack_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with made_call(tmp_path) as stand:
        next(iter(stand.app.state.calls)).withheld = ("name",)
        await stand.press("w")
        await stand.until(lambda: "“name” of an earlier run was not kept" in stand.text())
        assert "as you sent them" not in stand.text()
        await stand.press("enter")
        await stand.until(lambda: "makes it again once “name” stands" in stand.notices())


async def test_a_call_whose_name_has_a_blank_is_told_as_a_shell_takes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with made_call(tmp_path) as stand:
        await stand.press("w", "ctrl+u", *"five steps", "enter")
        await stand.until(lambda: "elicit-tui call '@five steps' makes" in stand.notices())


async def test_a_call_kept_under_any_name_is_in_the_palette(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with made_call(tmp_path) as stand:
        await stand.press("w")
        await stand.until(lambda: isinstance(stand.app.screen, KeepCallScreen))
        await stand.until(lambda: "File name" in stand.text())
        name = stand.app.screen.query_one(Input)
        name.value = ""
        await stand.press("enter")
        await stand.until(lambda: "It needs a name." in stand.text())
        name.value = "orders"
        await stand.press("enter")
        await stand.until(lambda: "orders.call.json" in stand.notices())
        assert "Kept call: orders" in titles(stand)


async def test_the_files_of_a_folder_of_others_do_nothing_to_the_console(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "cloned"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / "\x1b]0;owned\x07\udc80.call.json").write_text(
        json.dumps({"server": "\x1b[2Jalpha", "tool": "greet"})
    )
    (folder / "endless.call.json").symlink_to("/dev/tty")
    async with console(tmp_path, servers=["alpha"], tools=TOOLS) as stand:
        commands = stand.app.get_system_commands(stand.app.screen)
        (found,) = [each for each in commands if each.title.startswith("Kept call")]
        assert found.title.isprintable()
        assert found.help.isprintable()
        found.callback()
        await stand.until(lambda: "No server is called" in stand.text())
        assert "\x1b" not in stand.notices() + stand.text()


def kept() -> Any:
    return json.loads(Path("alpha-greet.call.json").read_text())


async def test_a_favourite_stands_first_in_the_next_run_too(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"], tools=TOOLS, size=(160, 40)) as stand:
        await stand.press("right", "end")
        await stand.until(lambda: "f Favourite" in stand.text().splitlines()[-1])
        await stand.press("f")
        await stand.until(lambda: "★ last" in stand.text())
        await stand.until(lambda: "f Not favourite" in stand.text().splitlines()[-1])
        await stand.press("down")
        await stand.until(lambda: "f Favourite" in stand.text().splitlines()[-1])
        await stand.press("home")
        await stand.until(lambda: "f Not favourite" in stand.text().splitlines()[-1])
    async with console(tmp_path, servers=["alpha"], tools=TOOLS) as stand:
        text = stand.text()
        assert text.index("★ last") < text.index("first")
        await stand.press("right", "home", "f")
        await stand.until(lambda: "★" not in stand.text())


async def test_what_was_used_last_is_in_the_palette_of_the_next_run(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"], tools=TOOLS) as stand:
        for name in ("first", "last"):
            entry(stand, f"alpha: {name}")()
            await stand.until(lambda sought=name: calls_of(stand)[-1:] and sought in last(stand))
    async with console(tmp_path, servers=["alpha"], tools=TOOLS) as stand:
        recent = [title for title in titles(stand) if title.startswith("Recent")]
        assert recent == ["Recent: alpha: last", "Recent: alpha: first"]


def last(stand: Stand) -> str:
    return calls_of(stand)[-1].name


SECRET = "AKIA" + "IOSFODNN7" + "EXAMPLE"
LOGIN = {
    "type": "object",
    "properties": {
        "host": {"type": "string"},
        "password": {"type": "string"},
        "remark": {"type": "string"},
    },
}


PIXELS = b64encode(b"".join(sha256(bytes([each])).digest() for each in range(9))).decode()


def test_two_consoles_remember_what_the_other_was_told() -> None:
    one, other = Remembered.load(), Remembered.load()
    one.toggle_favourite("alpha", "tool:deploy")
    other.used("alpha", "tool:read")
    one.choose_theme("dark", "auto")
    other.keeps_in(Path("/somewhere"))
    until_written(20)
    for now in (other, Remembered.load()):
        assert now.favourites == [("alpha", "tool:deploy")]
        assert now.recent == [("alpha", "tool:read")]
    assert Remembered.load().theme_for("auto") == "dark"
    other.toggle_favourite("alpha", "tool:deploy")
    until_written(20)
    assert Remembered.load().favourites == []
    assert one.toggle_favourite("alpha", "tool:deploy") is False, "here it was one"


def test_what_is_used_while_something_is_written_stays_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one, seen, replaces = Remembered(), list[list[Place]](), paths.replace_file
    one.choose_theme("light", "auto")
    until_written(20)

    def replace_file(*given: Any) -> None:
        if not seen:
            one.used("alpha", "tool:second")
        seen.append(one.recent)
        replaces(*given)

    monkeypatch.setattr(paths, "replace_file", replace_file)
    one.used("alpha", "tool:first")
    until_written(20)
    until_written(20)
    assert seen == [[("alpha", "tool:second"), ("alpha", "tool:first")]] * 2


def test_what_another_console_writes_just_now_is_waited_for_and_holds_nothing_up() -> None:
    one = Remembered.load()
    with sole_writer(state_directory() / "console.json"):
        one.used("alpha", "tool:just-now")
        assert one.recent[0] == ("alpha", "tool:just-now")
        assert one.recent[0] not in Remembered.load().recent
    until_written(20)
    assert one.recent[0] in Remembered.load().recent


async def test_what_was_used_last_begins_with_its_arguments_marked_and_typing_replaces_them(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["alpha"], tools=TOOLS) as stand:
        entry(stand, "alpha: greet")()
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        await stand.press(*"Ada", "ctrl+s")
        await stand.until(lambda: calls_of(stand) and "Recent: alpha: greet" in titles(stand))
        entry(stand, "Recent: alpha: greet")()
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        await stand.until(lambda: "Ada" in stand.text())
        assert "from before: typing replaces it" in stand.text()
        await stand.press(*"Eve", "ctrl+s")
        await stand.until(lambda: len(calls_of(stand)) == 2)
        assert calls_of(stand)[-1].arguments["name"] == "Eve"


async def test_all_that_was_used_last_is_in_the_palette(tmp_path: Path) -> None:
    names = [f"tool-{number}" for number in range(12)]
    tools = {"alpha": [tool(name) for name in names]}
    async with console(tmp_path, servers=["alpha"], tools=tools) as stand:
        for offer in stand.app.state.servers["alpha"].offers:
            stand.app.remembered.used("alpha", offer.key)
        assert {f"Recent: alpha: {name}" for name in names} <= set(titles(stand))


def test_what_is_written_late_goes_to_the_home_that_it_was_meant_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    meant = state_directory() / "console.json"
    with sole_writer(meant):
        Remembered.load().used("alpha", "tool:late")
        monkeypatch.setenv("HOME", str(tmp_path))
    until_written(20)
    assert "tool:late" in meant.read_text()
    assert Remembered.load().recent == []
