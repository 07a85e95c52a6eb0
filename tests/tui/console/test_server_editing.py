"""Servers are added, changed and removed in the console, and this run has them at once."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from textual.events import Key

from elicit_tui.config import CommandLine, load
from elicit_tui.elicitation import Call, ElicitationRequest
from elicit_tui.elicitation.settings import (
    ContentPolicy,
    HistorySettings,
)
from elicit_tui.tui.console.screens.server_dialogs import OtherServersScreen, ServerScreen
from elicit_tui.tui.console.views import RowList
from tests.tui.console.own_file import THEIRS, configured, edited_in, new_server, put, written
from tests.tui.console.stand import Stand, console
from tests.tui.console.test_calls import tool

pytestmark = pytest.mark.anyio


async def test_a_long_command_that_is_left_shows_its_beginning(tmp_path: Path, mine: Path) -> None:
    async with new_server(tmp_path, mine) as stand:
        await stand.press(*"npx -y ", *("word " * 40), *"--end")
        await stand.until(lambda: "--end" in stand.text())
        await stand.press("tab")
        await stand.until(
            lambda: "npx -y word" in stand.text() and "word --end" not in stand.text()
        )
        assert any("npx -y word" in line and "…" in line for line in stand.text().splitlines())


async def test_a_long_command_that_stands_there_has_the_width_of_its_row(
    tmp_path: Path, mine: Path
) -> None:
    target = "npx -y some-server " + "--flag " * 6 + "--end"
    async with console(tmp_path, servers=[]) as stand:
        stand.app.push_screen(ServerScreen(str(mine), lambda _: "", {"target": target}))
        await stand.until(lambda: target in stand.text())


async def test_the_first_server_is_added_changed_and_removed(tmp_path: Path, mine: Path) -> None:
    async with console(tmp_path, servers=[]) as stand:
        edited_in(stand, mine)
        assert "add one here" in stand.text()
        await stand.press("n")
        await stand.until(lambda: isinstance(stand.app.screen, ServerScreen))
        await stand.press(*"x 'y", "tab", *"a.b", "ctrl+s")
        await stand.until(lambda: "cannot be split" in stand.text())
        assert written(mine) is None
        await stand.press("shift+tab", "end", "'", "ctrl+s")
        await stand.until(lambda: "a.b" in stand.host.connections)
        assert written(mine) == '[mcp_servers."a.b"]\ncommand = "x"\nargs = ["y"]\n'
        await stand.until(lambda: "● a.b" in stand.text())

        await stand.press("e")
        await stand.until(lambda: "x y" in stand.text())
        await stand.press("end", *" z", "ctrl+s")
        await stand.until(lambda: stand.runtime.settings.servers["a.b"].args == ("y", "z"))
        await stand.until(lambda: "● a.b" in stand.text())

        await stand.press("delete")
        await stand.until(lambda: "Remove “a.b”?" in stand.text())
        await stand.press("y")
        await stand.until(lambda: "add one here" in stand.text())
        assert (written(mine) or "").strip() == ""
        assert "a.b" not in stand.runtime.settings.servers


@pytest.mark.parametrize("key", ["n", "i"])
async def test_the_keys_that_start_names_work_once_the_last_server_is_removed(
    tmp_path: Path, mine: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / ".codex"))
    put(tmp_path / ".codex" / "config.toml", THEIRS)
    put(mine, '[mcp_servers.alpha]\ncommand = "x"\n')
    async with console(tmp_path, servers=["alpha"]) as stand:
        edited_in(stand, mine)
        await stand.until(lambda: stand.app.focused is not None)
        await stand.press("delete")
        await stand.until(lambda: "Remove “alpha”?" in stand.text())
        await stand.press("y")
        await stand.until(lambda: "add one here" in stand.text())
        await stand.press(key)
        screens = (ServerScreen, OtherServersScreen)
        await stand.until(lambda: isinstance(stand.app.screen, screens))


@pytest.mark.parametrize("content", ["redacted", "none"])
async def test_whoever_removes_a_server_reads_what_stays_of_it(
    tmp_path: Path, mine: Path, content: ContentPolicy
) -> None:
    put(mine, '[mcp_servers.alpha]\ncommand = "x"\n')
    tools = {"alpha": [tool("ping")]}
    history = HistorySettings(content=content)
    async with console(
        tmp_path, servers=["alpha"], tools=tools, size=(160, 30), history=history
    ) as stand:
        edited_in(stand, mine)
        await stand.press("right")
        await stand.until(lambda: "Del Remove server" in stand.text().split("\n")[-1])
        await stand.press("delete")
        await stand.until(lambda: "notes stay under Calls" in stand.text())
        words = " ".join(stand.text().replace("│", " ").split())
        assert ("in the history, also in the next runs" in words) is (content == "redacted")
        assert ("until you leave" in words) is (content == "none")
        made = stand.app.state.calls.start("alpha", Call("tools/call", "ping", {}))
        made.end("answered", result={})
        await stand.press("y")
        await stand.until(lambda: not stand.app.state.servers)
        await stand.press("3")
        await stand.until(lambda: "ping" in stand.text())


async def test_a_server_of_the_command_line_is_not_edited(tmp_path: Path, mine: Path) -> None:
    async with console(tmp_path, servers=["alpha"]) as stand:
        edited_in(stand, mine)
        await stand.press("e")
        assert "“alpha” does not come from" in stand.notices()
        await stand.press("delete")
        assert written(mine) is None


async def test_servers_of_another_client_are_taken_over_those_that_are_chosen(
    tmp_path: Path, mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / ".codex"))
    put(tmp_path / ".codex" / "config.toml", THEIRS)
    put(mine, "# mine\n")
    async with console(tmp_path, servers=[]) as stand:
        edited_in(stand, mine)
        await stand.press("i")
        await stand.until(lambda: isinstance(stand.app.screen, OtherServersScreen))
        await stand.press("ctrl+s")
        await stand.until(lambda: "None is chosen" in stand.text())
        assert written(mine) == "# mine\n"
        await stand.press("down")
        await stand.until(lambda: 'command = "y"' in stand.text())
        assert "# Codex" in stand.text()
        assert re.search(r"\[ \] a  Codex: .*\n.*\[ \] b  Codex: ", stand.text())
        await stand.press("space", "ctrl+s")
        await stand.until(lambda: "● b" in stand.text())
        text = written(mine) or ""
        assert text.startswith("# mine\n")
        assert "[mcp_servers.b]" in text
        assert "[mcp_servers.a]" not in text

        put(mine, text + '[mcp_servers.a]\ncommand = "z"\n')
        await stand.press("i")
        await stand.until(lambda: "No other program on this machine" in stand.notices())


async def test_behind_an_import_the_cursor_stands_on_the_first_that_was_imported(
    tmp_path: Path, mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / ".codex"))
    theirs = THEIRS + '[mcp_servers.c]\ncommand = "z"\n'
    put(tmp_path / ".codex" / "config.toml", theirs)
    async with configured(tmp_path, mine, '[mcp_servers.mine]\ncommand = "x"\n') as stand:
        await stand.press("i")
        await stand.until(lambda: isinstance(stand.app.screen, OtherServersScreen))
        await stand.press("down", "down", "space", "up", "space", "ctrl+s")
        servers = stand.app.query_one("#server-list", RowList)
        await stand.until(lambda: servers.key == "b")
        assert [*stand.app.state.servers] == ["mine", "b", "c"]
        assert servers.has_focus


async def test_the_buttons_of_a_servers_form_are_in_sight_at_80_by_24(
    tmp_path: Path, mine: Path
) -> None:
    async with console(tmp_path, size=(80, 24)) as stand:
        edited_in(stand, mine)
        await stand.press("n")
        await stand.until(lambda: "^S Write it" in stand.text())
        assert "Environment" in stand.text()


async def test_name_folder_and_environment_of_a_server_are_changed(
    tmp_path: Path, mine: Path
) -> None:
    async with configured(
        tmp_path,
        mine,
        '# mine\n[mcp_servers.a]\ncommand = "x"\nenv = { A = "1" }\n',
        size=(100, 30),
    ) as stand:
        await stand.press("e")
        await stand.until(lambda: "A=1" in stand.text())
        await stand.press("tab", "end", "b", "tab", "tab", "tab", *"/srv")
        await stand.press("tab", "end", "enter", *"nonsense", "ctrl+s")
        await stand.until(lambda: "“nonsense” is not KEY=VALUE" in stand.text())
        await stand.press(*"=2", "ctrl+s")
        await stand.until(lambda: "● ab" in stand.text())
        assert written(mine) == (
            '# mine\n[mcp_servers.ab]\ncommand = "x"\n'
            'env = { A = "1", nonsense = "2" }\ncwd = "/srv"\n'
        )
        assert "a" not in stand.app.state.servers
        assert stand.runtime.settings.servers["ab"].cwd == "/srv"


async def test_a_server_with_a_new_name_begins_once_it_has_ended_under_the_old_one(
    tmp_path: Path, mine: Path
) -> None:
    async with configured(tmp_path, mine, '[mcp_servers.a]\ncommand = "x"\n') as stand:
        told: list[tuple[str, str]] = []
        stand.host.subscribe(lambda event: told.append((event.server, event.state)))
        disconnect, goes = stand.host.disconnect, asyncio.Event()

        async def slowly(name: str) -> None:
            if name == "a":
                await goes.wait()
            await disconnect(name)

        stand.host.disconnect = slowly
        await stand.press("e")
        await stand.until(lambda: isinstance(stand.app.screen, ServerScreen))
        await stand.press("tab", "end", "b", "ctrl+s")
        await stand.until(lambda: "ab" in stand.app.state.servers)
        await stand.pilot.pause()
        assert told == []
        goes.set()
        await stand.until(lambda: ("ab", "ready") in told)
        assert told.index(("a", "closed")) < told.index(("ab", "starting"))


async def test_what_is_typed_while_a_servers_form_opens_stands_in_its_name(
    tmp_path: Path, mine: Path
) -> None:
    async with configured(tmp_path, mine, '[mcp_servers.a]\ncommand = "x"\n') as stand:
        await stand.until(lambda: "● a" in stand.text())
        for key in "ealphabet":
            await stand.app.on_event(Key(key, key))
        await stand.until(lambda: "  alphabet " in stand.text())


async def test_what_belongs_to_a_server_goes_with_its_new_name(
    tmp_path: Path, mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    put(mine, '[mcp_servers.a]\ncommand = "x"\n\n[[rules]]\nserver = "a"\naction = "decline"\n')
    call = {"server": "a", "tool": "greet", "arguments": {}}
    put(tmp_path / "mine.call.json", json.dumps(call))
    put(tmp_path / "other.call.json", json.dumps({**call, "server": "b"}))
    servers = load(CommandLine(config_file=mine)).servers
    tools = {"a": [tool("greet")], "z": [tool("greet")]}
    async with console(tmp_path, server_settings=servers, tools=tools) as stand:
        edited_in(stand, mine)
        await stand.press("enter", "f", "enter")
        await stand.until(lambda: [r.state for r in stand.app.state.calls][:1] == ["answered"])
        await stand.press("1", "escape", "m", "e")
        await stand.until(lambda: isinstance(stand.app.screen, ServerScreen))
        await stand.press("tab", "end", "backspace", "z", "ctrl+s")
        await stand.until(lambda: "● z" in stand.text())
        await stand.until(lambda: "★ greet" in stand.text())
        assert 'server = "z"\naction = "decline"' in (written(mine) or "")
        assert json.loads((tmp_path / "mine.call.json").read_text()) == {**call, "server": "z"}
        assert json.loads((tmp_path / "other.call.json").read_text())["server"] == "b"
        assert "1 kept call names it “z” now." in stand.notices()
        assert next(iter(stand.app.state.calls)).server == "z"
        assert stand.app.muted == {"z"}
    async with console(tmp_path, servers=["z"], tools=tools) as stand:
        await stand.press("3")
        await stand.until(lambda: "z · greet" in stand.text())


async def test_the_cursor_is_on_the_server_that_was_just_added(tmp_path: Path, mine: Path) -> None:
    tools = {"alpha": [tool("greet")]}
    async with console(tmp_path, servers=["alpha", "beta"], tools=tools) as stand:
        edited_in(stand, mine)
        await stand.press("enter", "n")
        await stand.until(lambda: isinstance(stand.app.screen, ServerScreen))
        await stand.press(*"x", "tab", *"new", "ctrl+s")
        await stand.until(lambda: "▌● new" in stand.text())


async def test_a_command_with_its_arguments_is_seen_whole_where_the_screen_has_room(
    tmp_path: Path, mine: Path
) -> None:
    command = "npx -y @modelcontextprotocol/server-filesystem /home/you/projects"
    async with console(tmp_path, servers=["alpha"], size=(140, 30)) as stand:
        edited_in(stand, mine)
        await stand.press("n")
        await stand.until(lambda: isinstance(stand.app.screen, ServerScreen))
        await stand.press(*command)
        await stand.until(lambda: command in stand.text())


async def test_a_server_with_a_new_name_stays_in_its_place_with_the_cursor_on_it(
    tmp_path: Path, mine: Path
) -> None:
    async with configured(
        tmp_path, mine, "".join(f'[mcp_servers.{name}]\ncommand = "x"\n' for name in "abc")
    ) as stand:
        await stand.press("down", "e")
        await stand.until(lambda: isinstance(stand.app.screen, ServerScreen))
        await stand.press("tab", "end", "x", "ctrl+s")
        await stand.until(lambda: "▌● bx" in stand.text())
        assert [*stand.app.state.servers] == ["a", "bx", "c"]


async def test_a_server_is_changed_only_once_that_is_sure_where_its_question_waits(
    tmp_path: Path, mine: Path
) -> None:
    before = '[mcp_servers.alpha]\ncommand = "x"\n'
    put(mine, before)
    async with console(tmp_path, servers=["alpha"]) as stand:
        edited_in(stand, mine)
        request = stand.ask("alpha")
        await stand.shown(request)
        await stand.press(*"Rome", "ctrl+l")
        await stand.lists_what_waits()
        await stand.press("1", "e")
        await stand.until(lambda: isinstance(stand.app.screen, ServerScreen))
        await stand.until(lambda: "Command or URL" in stand.text())
        await stand.press("end", *" y", "ctrl+s")
        await stand.until(lambda: "Restart “alpha”?" in stand.text())
        assert "What you typed is kept" in stand.text()
        await stand.press("n")
        await stand.until(lambda: isinstance(stand.app.screen, ServerScreen))
        assert (written(mine), stand.outcome(request)) == (before, None)
        await stand.press("ctrl+s")
        await stand.until(lambda: "Restart “alpha”?" in stand.text())
        await stand.press("y")
        await stand.until(lambda: stand.outcome(request))
        assert written(mine) == before + 'args = ["y"]\n'
        assert ended_by(stand, request) == ("user", "You changed “alpha”.")


async def test_what_a_server_asks_that_is_removed_is_ended_by_the_person(
    tmp_path: Path, mine: Path
) -> None:
    put(mine, '[mcp_servers.alpha]\ncommand = "x"\n')
    async with console(tmp_path, servers=["alpha"]) as stand:
        edited_in(stand, mine)
        request = stand.ask("alpha")
        await stand.shown(request)
        await stand.press("ctrl+l")
        await stand.lists_what_waits()
        await stand.press("1", "delete")
        await stand.until(lambda: "Remove “alpha”" in stand.text())
        await stand.press("y")
        await stand.until(lambda: stand.outcome(request))
        assert ended_by(stand, request) == ("user", "You removed “alpha”.")


async def test_whoever_removes_a_server_reads_what_of_it_is_under_way(
    tmp_path: Path, mine: Path
) -> None:
    put(mine, '[mcp_servers.alpha]\ncommand = "x"\n')
    async with console(tmp_path, servers=["alpha"], size=(40, 15)) as stand:
        edited_in(stand, mine)
        made = [
            stand.app.state.calls.start("alpha", Call("tools/call", "ping", {})) for _ in range(2)
        ]
        request = stand.ask("alpha")
        await stand.shown(request)
        await stand.press("ctrl+l")
        await stand.lists_what_waits()
        await stand.press("1", "delete")
        await stand.until(lambda: "2 running calls are cancelled." in stand.text())
        assert "y Remove" in stand.text()
        assert "kept in files" not in stand.text()
        await stand.press("pagedown")
        await stand.until(lambda: "1 question of “alpha” waits" in stand.text())
        await stand.press("pagedown", "pagedown")
        await stand.until(lambda: "you kept in files" in stand.text())
        assert "y Remove" in stand.text()
        await stand.press("n")
        for call in made:
            call.end("cancelled")


def ended_by(stand: Stand, request: ElicitationRequest) -> tuple[str, str]:
    outcome = stand.outcome(request)
    assert outcome is not None
    return outcome.decided_by, outcome.reason


async def test_the_demo_says_which_runs_have_a_server_that_is_added_in_it(
    tmp_path: Path, mine: Path
) -> None:
    async with console(tmp_path, servers=["demo"]) as stand:
        edited_in(stand, mine)
        assert stand.app.own_file is not None
        stand.app.own_file = replace(stand.app.own_file, is_of_demo=True)
        await stand.press("n")
        await stand.until(lambda: isinstance(stand.app.screen, ServerScreen))
        await stand.press("x", "tab", *"git", "ctrl+s")
        await stand.until(lambda: "The next demo begins without it." in stand.notices())
        assert "“git” stands in" in stand.notices()
