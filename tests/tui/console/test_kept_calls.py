"""Calls are kept in files and made again; favourites stand first; what was used last is at hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation import Call
from elicit_tui.elicitation.saved_call import SavedCall
from elicit_tui.errors import UsageError
from elicit_tui.tui.console.screens.arguments import ArgumentsScreen
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
        await stand.until(lambda: "alpha-greet.call.json" in stand.text())
        await stand.press("enter")
        await stand.until(lambda: "elicit-tui call @alpha-greet.call.json" in stand.notices())
        assert kept() == {"server": "alpha", "tool": "greet", "arguments": arguments}
        await stand.press("w", "enter")
        await stand.until(lambda: "exists" in stand.text())
        await stand.press("escape")
        entry(stand, "Kept call: alpha-greet")()
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        await stand.press("ctrl+s")
        await stand.until(lambda: calls_of(stand))
        assert calls_of(stand)[0].arguments == arguments


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
        await stand.until(lambda: "does not offer it" in stand.notices())
        assert "\x1b" not in stand.notices()


def kept() -> Any:
    return json.loads(Path("alpha-greet.call.json").read_text())


async def test_a_favourite_stands_first_in_the_next_run_too(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"], tools=TOOLS) as stand:
        await stand.press("right", "end", "f")
        await stand.until(lambda: "★ last" in stand.text())
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


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "is not JSON"),
        ("[]", 'needs "server"'),
        ('{"server": "a", "tool": ""}', 'needs "server"'),
        ('{"server": "a", "tool": "b", "arguments": []}', "as an object"),
        ('{"server": "a", "tool": "b", "args": {}}', "no key 'args'"),
        ('{"server": "a", "tool": "b", "arguments": {"x": NaN}}', "is not JSON"),
        ('{"server": "a", "tool": "b", "tool": "c"}', "stands twice"),
    ],
)
def test_a_file_that_is_no_call_is_told(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "x.call.json"
    path.write_text(text)
    with pytest.raises(UsageError, match=why):
        SavedCall.read(path)
