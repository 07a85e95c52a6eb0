"""A new server is called after what it is, and never by a command."""

from __future__ import annotations

from pathlib import Path

import pytest

from elicit_tui.tui.console.named_after import free_name, looks_like_command, name_for
from elicit_tui.tui.console.screens.server_dialogs import ServerScreen
from tests.tui.console.own_file import configured, new_server, put, tables, written
from tests.tui.console.stand import console


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("npx -y @modelcontextprotocol/server-everything", "everything"),
        ("npx -y @modelcontextprotocol/server-filesystem@1.2.3 /home/you", "filesystem"),
        ("node /tmp/node_modules/.bin/mcp-server-everything", "everything"),
        ("uvx mcp-server-time --local-timezone=Europe/Oslo", "time"),
        ("uv run server.py", "server"),
        ("python -m mcp_server_git", "git"),
        ("docker run -i --rm mcp/fetch:latest", "fetch"),
        ("/opt/notes/bin/notes-mcp --stdio", "notes"),
        ("PORT=80 node weather.js", "weather"),
        ("node /home/you/node_modules/@scope/server-everything/dist/index.js", "everything"),
        ("node ~/notes/build/src/main.js", "notes"),
        ("python /opt/mcp-weather/bin/__main__.py", "weather"),
        ("node dist/index.js", "index"),
        ("https://mcp.example.com/mcp", "example"),
        ("http://localhost:3000/mcp", "localhost"),
        ("http://127.0.0.1:9/mcp", "localhost"),
        ("http://[::1]:9/mcp", "localhost"),
        ("http://10.0.0.5:3000/mcp", "10.0.0.5"),
        ("http://[2001:db8::5]:3000/mcp", ""),
        ("npx -y", ""),
        ("x 'y", ""),
        ("", ""),
    ],
)
def test_a_server_is_called_after_its_command_or_its_address(target: str, name: str) -> None:
    assert name_for(target) == name


@pytest.mark.parametrize(
    ("taken", "name"),
    [((), "time"), (("time",), "time-2"), (("time", "time-2"), "time-3"), (("time-2",), "time")],
)
def test_a_name_that_is_taken_has_a_number_behind_it(taken: tuple[str, ...], name: str) -> None:
    assert free_name("time", taken) == name


@pytest.mark.parametrize("name", ["node server.js", "./server", "https://a.example", "a b"])
def test_a_command_is_no_name(name: str) -> None:
    assert "looks like a command" in looks_like_command(name)


@pytest.mark.anyio
async def test_a_command_that_is_pasted_first_names_its_server(tmp_path: Path, mine: Path) -> None:
    async with new_server(tmp_path, mine) as stand:
        await stand.press(*"npx mcp-server-time")
        await stand.until(lambda: "from what is above" in stand.text())
        await stand.press("ctrl+s")
        await stand.until(lambda: "time" in stand.host.connections)
        expected = '[mcp_servers.time]\ncommand = "npx"\nargs = ["mcp-server-time"]\n'
        assert written(mine) == expected


@pytest.mark.anyio
async def test_a_server_like_one_that_is_here_is_written_under_a_name_that_is_free(
    tmp_path: Path, mine: Path
) -> None:
    async with configured(tmp_path, mine, tables("time")) as stand:
        await stand.press("n")
        await stand.until(lambda: isinstance(stand.app.screen, ServerScreen))
        await stand.press(*"npx mcp-server-time")
        await stand.until(lambda: "time-2" in stand.text())
        await stand.press("ctrl+s")
        await stand.until(lambda: "time-2" in stand.host.connections)
        assert "[mcp_servers.time-2]" in (written(mine) or "")


@pytest.mark.anyio
async def test_a_name_that_was_typed_stays_whatever_the_command_becomes(
    tmp_path: Path, mine: Path
) -> None:
    async with new_server(tmp_path, mine) as stand:
        await stand.press(*"npx one", "tab", *"mine", "shift+tab", "end", *"-more", "ctrl+s")
        await stand.until(lambda: "mine" in stand.host.connections)
        assert '"one-more"' in (written(mine) or "")


@pytest.mark.anyio
async def test_a_command_in_place_of_a_name_is_told_at_once_and_not_written(
    tmp_path: Path, mine: Path
) -> None:
    async with new_server(tmp_path, mine, size=(80, 24)) as stand:
        await stand.press("x", "tab", *"node server.js")
        await stand.until(lambda: "“node server.js” looks like a command" in stand.text())
        await stand.press("ctrl+s")
        await stand.until(lambda: "looks like a command" in stand.text())
        assert written(mine) is None
        await stand.press("end", *["backspace"] * len(" server.js"))
        await stand.until(lambda: "looks like a command" not in stand.text())
        await stand.press("ctrl+s")
        await stand.until(lambda: "node" in stand.host.connections)


@pytest.mark.anyio
async def test_a_name_that_stands_in_the_file_is_no_fault(tmp_path: Path, mine: Path) -> None:
    put(mine, '[mcp_servers."a b"]\ncommand = "x"\n')
    async with console(tmp_path, servers=[]) as stand:
        present = {"name": "a b", "target": "x"}
        stand.app.push_screen(ServerScreen(str(mine), lambda _: "not now", present))
        await stand.until(lambda: "Change a server" in stand.text())
        await stand.press("ctrl+s")
        await stand.until(lambda: "not now" in stand.text())


@pytest.mark.anyio
async def test_a_command_that_is_taken_away_leaves_its_server_without_a_name(
    tmp_path: Path, mine: Path
) -> None:
    async with new_server(tmp_path, mine) as stand:
        await stand.press(*"npx notes")
        await stand.until(lambda: "from what is above" in stand.text())
        await stand.press("ctrl+u")
        await stand.until(lambda: "2 missing (*)" in stand.text())
        assert "from what is above" not in stand.text()
        await stand.press("tab", "ctrl+e")
        await stand.until(lambda: "▌ Name" in stand.text())
        assert "on purpose" not in stand.text(), "a name cannot be empty"
