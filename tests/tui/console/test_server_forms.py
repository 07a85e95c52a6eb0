"""What the form of a server takes: names, folders, variables, and which calls are asked before."""

from __future__ import annotations

from pathlib import Path

import pytest

from elicit_tui.config import CommandLine, load
from elicit_tui.elicitation.settings import (
    Provenance,
    ServerSettings,
    Settings,
)
from elicit_tui.tui.console.screens.arguments import ArgumentsScreen
from elicit_tui.tui.console.screens.server_dialogs import ServerScreen
from elicit_tui.tui.console.server_editing import NEXT_RUN
from tests.tui.console.own_file import (
    configured,
    edited_in,
    editing,
    new_server,
    put,
    tables,
    written,
)
from tests.tui.console.stand import console
from tests.tui.console.test_calls import tool

pytestmark = pytest.mark.anyio


async def test_what_was_typed_of_a_server_is_there_when_its_form_is_opened_again(
    tmp_path: Path, mine: Path
) -> None:
    async with new_server(tmp_path, mine) as stand:
        await stand.press(*"npx notes", "escape")
        await stand.until(lambda: not isinstance(stand.app.screen, ServerScreen))
        assert "What you filled in is kept: n goes on with it." in stand.notices()
        await stand.press("n")
        await stand.until(lambda: "npx notes" in stand.text() and "not written yet" in stand.text())
        await stand.press("ctrl+s")
        await stand.until(lambda: "notes" in stand.host.connections)
        await stand.press("n")
        await stand.until(lambda: isinstance(stand.app.screen, ServerScreen))
        assert "not written yet" not in stand.text()


async def test_a_draft_of_a_servers_edit_gives_way_to_what_the_file_holds(
    tmp_path: Path, mine: Path
) -> None:
    async with editing(tmp_path, mine, (120, 40)) as stand:
        assert "F7" not in stand.text()
        await stand.press("f7")
        assert "Nothing is changed here that could be taken back." in stand.notices()
        await stand.press(*"other --port 80", "escape")
        await stand.until(lambda: not isinstance(stand.app.screen, ServerScreen))
        await stand.press("e")
        await stand.until(lambda: "not written yet" in stand.text())
        await stand.until(lambda: "F7 Begin anew" in stand.text().splitlines()[-1])
        await stand.press("f7")
        await stand.until(lambda: "not written yet" not in stand.text())
        assert "other --port 80" not in stand.text()
        await stand.until(lambda: "F7" not in stand.text())
        await stand.press("escape")
        await stand.until(lambda: not isinstance(stand.app.screen, ServerScreen))
        assert "What you filled in is kept" not in stand.notices()
        await stand.press("e")
        await stand.until(lambda: "Ask before calls" in stand.text())
        assert "not written yet" not in stand.text()


async def test_the_command_comes_first_in_both_forms_and_enter_leads_on_from_it_as_everywhere(
    tmp_path: Path, mine: Path
) -> None:
    async with editing(tmp_path, mine, (120, 40)) as stand:
        await stand.until(lambda: "▌ Command or URL" in stand.text())
        await stand.until(lambda: "Enter next" in stand.text().splitlines()[-1])
        await stand.press("shift+tab")
        await stand.until(lambda: "▌ Environment" in stand.text())
        await stand.until(lambda: "Tab → Write it button" in stand.text().splitlines()[-1])
        await stand.press("tab")
        await stand.until(lambda: "Enter Write it" in stand.text().splitlines()[-1])
        await stand.press("escape")
        await stand.press("n")
        await stand.until(lambda: "▌ Command or URL" in stand.text() and "Add" in stand.text())


async def test_a_new_server_is_begun_anew_with_nothing_filled_in(
    tmp_path: Path, mine: Path
) -> None:
    async with new_server(tmp_path, mine, size=(120, 40)) as stand:
        await stand.until(lambda: "Ask before calls" in stand.text())
        await stand.press(*"npx notes")
        await stand.until(lambda: "F7 Begin anew" in stand.text())
        await stand.press("f7")
        await stand.until(lambda: "npx notes" not in stand.text())
        await stand.press(*"npx rain")
        await stand.until(lambda: stand.text().count("rain") == 2)
        await stand.press("ctrl+s")
        await stand.until(lambda: "rain" in stand.host.connections)


async def test_the_help_of_a_servers_form_lists_the_keys_of_that_form_alone(
    tmp_path: Path, mine: Path
) -> None:
    async with editing(tmp_path, mine, (120, 60)) as stand:
        await stand.press("f1")
        await stand.until(lambda: "a server to be written" in stand.text())
        lines = [line.strip("│ ") for line in stand.text().splitlines()]
        first = lines.index("a server to be written")
        here = "\n".join(lines[first : lines.index("", first)])
        assert "Write it" in here
        assert "Begin anew" in here
        assert not [word for word in ("Import", "Remove", "Keep") if word in here]


async def test_a_home_folder_is_written_whole_as_a_shell_would_have_it(
    tmp_path: Path, mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/a b")
    async with new_server(tmp_path, mine) as stand:
        await stand.press(*"~/run ~/notes '~/x' --at=~ a~", "tab", "f", *["tab"] * 3, *"~/work")
        await stand.press("ctrl+s")
        await stand.until(lambda: "f" in stand.host.connections)
        [server] = load(CommandLine(config_file=mine)).servers.values()
        assert (server.command, *server.args) == (
            *("/home/a b/run", "/home/a b/notes", "~/x", "--at=~", "a~"),
        )
        assert server.cwd == "/home/a b/work"


async def test_a_name_that_is_taken_is_told_with_the_cursor_in_its_field(
    tmp_path: Path, mine: Path
) -> None:
    async with console(tmp_path) as stand:
        edited_in(stand, mine)
        await stand.press("n")
        await stand.until(lambda: isinstance(stand.app.screen, ServerScreen))
        await stand.press("x", "tab", *"beta", "ctrl+s")
        await stand.until(lambda: "There is a server “beta” already." in stand.text())
        await stand.press("2")
        await stand.until(lambda: "beta2" in stand.text())


async def test_a_server_that_is_not_enabled_is_removed(tmp_path: Path, mine: Path) -> None:
    async with configured(
        tmp_path, mine, tables("on") + tables("off", more="enabled = false\n"), notifications=True
    ) as stand:
        await stand.press("down", "r", "delete")
        await stand.until(lambda: "Remove “off”?" in stand.text())
        await stand.press("y")
        await stand.until(lambda: "off" not in stand.app.state.servers)
        await stand.settled()
        assert written(mine) == tables("on")


async def test_a_server_that_is_not_enabled_says_how_it_is_started_and_is(
    tmp_path: Path, mine: Path
) -> None:
    async with configured(
        tmp_path, mine, tables("off", more="enabled = false\n"), size=(100, 30)
    ) as stand:
        await stand.until(lambda: "e, then “Start it”, starts it" in stand.text())
        assert "e Edit, then “Start it”" in stand.text()
        assert "r Read again" in stand.text()
        assert "Restart" not in stand.text()
        await stand.press("e")
        await stand.until(lambda: "Start it" in stand.text() and "Change" in stand.text())
        await stand.press("y", "ctrl+s")
        await stand.until(lambda: stand.app.state.servers["off"].state == "ready")


async def test_a_row_that_is_painted_before_its_server_leaves_the_list_is_empty(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["alpha", "beta"]) as stand:
        del stand.app.state.servers["beta"]
        stand.app.screen.query_one("#server-list").refresh()
        await stand.until(lambda: "beta" not in stand.text())
        assert "● alpha" in stand.text()


async def test_arguments_are_read_about_and_sent_while_their_server_goes(tmp_path: Path) -> None:
    tools = {
        "alpha": [tool("greet", {"type": "object", "properties": {"name": {"type": "string"}}})]
    }
    async with console(tmp_path, servers=["alpha", "beta"], tools=tools) as stand:
        await stand.press("enter", "enter")
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        stand.app.take_over("alpha", Settings())
        await stand.until(lambda: "alpha" not in stand.app.state.servers)
        await stand.press("f2", "ctrl+s")
        await stand.until(lambda: "No server here is called “alpha”" in stand.notices())
        assert not [*stand.app.state.calls]


async def test_a_server_that_is_renamed_before_the_run_is_open_keeps_its_name_until_the_next(
    tmp_path: Path, mine: Path
) -> None:
    async with configured(tmp_path, mine, tables("a")) as stand:
        stand.app.runtime, opened_later = None, stand.runtime
        await stand.press("e")
        await stand.until(lambda: isinstance(stand.app.screen, ServerScreen))
        await stand.press("tab", "end", "b", "ctrl+s")
        await stand.until(lambda: NEXT_RUN in stand.notices())
        stand.app.runtime = opened_later
        assert [*stand.app.state.servers] == ["a"]
        assert written(mine) == tables("ab")


async def test_a_servers_name_is_kept_exactly_whatever_signs_it_holds(
    tmp_path: Path, mine: Path
) -> None:
    async with new_server(tmp_path, mine) as stand:
        await stand.press(*"my server", "tab", *"foo=node", "ctrl+s")
        await stand.until(lambda: "▌● foo=node" in stand.text())
        assert written(mine) == '[mcp_servers."foo=node"]\ncommand = "my"\nargs = ["server"]\n'
        await stand.press("e")
        await stand.until(lambda: isinstance(stand.app.screen, ServerScreen))
        await stand.press("tab", "home", *"m=1.", "ctrl+s")
        await stand.until(lambda: "▌● m=1.foo=node" in stand.text())
        assert [*stand.app.state.servers] == ["m=1.foo=node"]
        assert [*load(CommandLine(config_file=mine)).servers] == ["m=1.foo=node"]


async def test_whoever_edits_a_server_is_told_whether_anything_of_it_is_another_now(
    tmp_path: Path, mine: Path
) -> None:
    async with configured(tmp_path, mine, tables("a"), size=(120, 40)) as stand:
        for keys, told in {
            ("right", "left"): "“a” is as it was: nothing was changed.",
            ("right",): "“a” is written in",
        }.items():
            await stand.press("e")
            await stand.until(lambda: "Ask before calls" in stand.text())
            await stand.press("tab", "tab", "tab", *keys, "ctrl+s")
            await stand.until(lambda told=told: told in stand.notices())
            await stand.settled()


@pytest.mark.parametrize("goes_on", [True, False])
async def test_whoever_edits_a_server_that_runs_is_told_that_it_is_restarted(
    tmp_path: Path, mine: Path, goes_on: bool
) -> None:
    async with configured(tmp_path, mine, tables("a"), size=(120, 40)) as stand:
        await stand.until(lambda: stand.app.state.servers["a"].state == "ready")
        await stand.press("e")
        await stand.until(lambda: "Ask before calls" in stand.text())
        await stand.press("end", *" y", "tab", "tab", "y" if goes_on else "n", "ctrl+s")
        await stand.until(lambda: "“a” is written in" in stand.notices())
        assert ("It is restarted." in stand.notices()) is goes_on


async def test_a_form_that_is_longer_than_the_screen_says_that_it_goes_on_and_its_end_does_not(
    tmp_path: Path, mine: Path
) -> None:
    async with editing(tmp_path, mine, (80, 24)) as stand:
        await stand.until(lambda: "more below: Tab" in stand.text())
        assert "Environment" not in stand.text()
        await stand.press(*["tab"] * 5)
        await stand.until(lambda: "Environment" in stand.text())
        await stand.until(lambda: "Enter New line" in stand.text().splitlines()[-1])
        await stand.until(lambda: "more below" not in stand.text())


@pytest.mark.parametrize("lines", [("A=1",), ("A=1", "B=2")])
async def test_a_variable_is_added_to_those_that_the_file_has(
    tmp_path: Path, mine: Path, lines: tuple[str, ...]
) -> None:
    env = dict(line.split("=") for line in lines)
    more = ", ".join(f'{name} = "{value}"' for name, value in env.items())
    async with configured(
        tmp_path, mine, tables("a", more=f"env = {{ {more} }}\n"), size=(120, 40)
    ) as stand:
        await stand.press("e")
        await stand.until(lambda: "Ask before calls" in stand.text())
        await stand.press(*["tab"] * 5)
        await stand.until(lambda: "typing replaces" not in stand.text())
        assert "↺ in the file" in stand.text()
        await stand.press("enter", *"C=3", "ctrl+s")
        await stand.until(
            lambda: load(CommandLine(config_file=mine)).servers["a"].env == {**env, "C": "3"}
        )


async def test_the_bar_names_the_keys_of_the_field_one_is_in_and_its_hint_what_is_written(
    tmp_path: Path, mine: Path
) -> None:
    async with editing(tmp_path, mine, (120, 40)) as stand:
        assert "Space" not in stand.text().splitlines()[-1]
        await stand.press("tab", "tab")
        await stand.until(lambda: "y n ←→ choose  Space the other" in stand.text().splitlines()[-1])
        await stand.press("tab")
        await stand.until(lambda: "1-4 ←→ choose" in stand.text().splitlines()[-1])
        assert '"auto"' not in stand.text()


async def test_an_arrow_chooses_when_calls_are_asked_before_and_none_that_leads_past_it(
    tmp_path: Path, mine: Path
) -> None:
    async with configured(tmp_path, mine, tables("a"), size=(120, 40)) as stand:
        await stand.press("e")
        await stand.until(lambda: "● may destroy" in stand.text())
        await stand.press("tab", "tab", "tab", "down", "shift+tab")
        await stand.until(lambda: "● may destroy" in stand.text())
        await stand.press("right")
        await stand.until(lambda: "● may write" in stand.text())
        await stand.press("ctrl+s")
        mode = 'default_tools_approval_mode = "writes"\n'
        await stand.until(lambda: written(mine) == tables("a", more=mode))


async def test_on_a_narrow_screen_the_keys_of_a_field_go_before_the_help(
    tmp_path: Path, mine: Path
) -> None:
    async with editing(tmp_path, mine, (60, 40)) as stand:
        await stand.press("tab", "tab", "tab")
        await stand.until(lambda: "1-4 " in stand.text().splitlines()[-1])
        bar = stand.text().splitlines()[-1]
        assert "Help" in bar, bar


async def test_a_confirmation_says_where_its_mode_was_set_after_the_file_was_changed_by_hand(
    tmp_path: Path, mine: Path
) -> None:
    tools = {"a": [tool("greet")]}
    async with configured(tmp_path, mine, tables("a"), tools=tools, size=(120, 40)) as stand:
        put(mine, tables("a", more='default_tools_approval_mode = "prompt"\n'))
        await stand.press("e")
        await stand.until(lambda: isinstance(stand.app.screen, ServerScreen))
        await stand.press("end", *" y", "ctrl+s")
        await stand.until(lambda: stand.runtime.settings.servers["a"].args == ("y",))
        await stand.settled()
        await stand.press("enter", "enter")
        await stand.until(lambda: "is confirmed at every call" in stand.text())
        key = "mcp_servers.a.default_tools_approval_mode"
        words = " ".join(stand.text().replace("│", " ").split())
        assert f'now “every call”: {key} = "prompt" (user)' in words


async def test_a_variable_before_a_command_is_told_where_it_belongs(
    tmp_path: Path, mine: Path
) -> None:
    async with new_server(tmp_path, mine) as stand:
        await stand.press(*"PORT=80 node a=b", "tab", "f", "ctrl+s")
        told = "“PORT” is a variable: it belongs under Environment."
        await stand.until(lambda: told in stand.text())
        assert written(mine) is None
        await stand.press("home", *(["delete"] * len("PORT=80 ")), "ctrl+s")
        await stand.until(lambda: "f" in stand.host.connections)
        [server] = load(CommandLine(config_file=mine)).servers.values()
        assert (server.command, *server.args) == ("node", "a=b")


async def test_a_new_server_is_started_unless_one_says_no(tmp_path: Path, mine: Path) -> None:
    async with new_server(tmp_path, mine) as stand:
        await stand.until(lambda: "Start it" in stand.text())
        (line,) = (line for line in stand.text().splitlines() if "Start it" in line)
        assert "unset" not in line
        assert "● yes" in line
        await stand.press("x", "tab", *"off", "tab", "n", "ctrl+s")
        await stand.until(lambda: "off" in stand.app.state.servers)
        assert written(mine) == tables("off", more="enabled = false\n")


async def test_whoever_edits_a_server_chooses_which_calls_are_asked_before(
    tmp_path: Path, mine: Path
) -> None:
    tools = {"a": [tool("greet")]}
    async with configured(tmp_path, mine, tables("a"), tools=tools, size=(120, 40)) as stand:
        await stand.press("e")
        await stand.until(lambda: "Ask before calls" in stand.text())
        await stand.press("tab", "tab", "tab", "3", "ctrl+s")
        mode = 'default_tools_approval_mode = "prompt"\n'
        await stand.until(lambda: written(mine) == tables("a", more=mode))
        await stand.settled()
        await stand.press("enter", "enter")
        await stand.until(lambda: "is confirmed at every call" in stand.text())


async def test_a_managed_server_is_not_edited(tmp_path: Path, mine: Path) -> None:
    put(mine, "[mcp_servers.a]\nenabled = true\n")
    servers = {"a": ServerSettings("a", command="x", layer="managed")}
    locked = {"mcp_servers.a": Provenance("managed", locked=True)}
    async with console(tmp_path, server_settings=servers, provenance=locked) as stand:
        edited_in(stand, mine)
        await stand.press("e")
        await stand.until(lambda: "mcp_servers.a is locked by managed" in stand.notices())
        assert not isinstance(stand.app.screen, ServerScreen)


async def test_a_new_server_is_given_when_its_calls_are_asked_before(
    tmp_path: Path, mine: Path
) -> None:
    async with new_server(tmp_path, mine) as stand:
        await stand.until(lambda: "Ask before calls" in stand.text())
        await stand.press("x", "tab", "a", "tab", "tab", "3", "ctrl+s")
        mode = 'default_tools_approval_mode = "prompt"\n'
        await stand.until(lambda: written(mine) == tables("a", more=mode))
