"""A server that is restarted in the console begins as the file has it then."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from elicit_tui import paths
from elicit_tui.elicitation import Call
from elicit_tui.tui.console.screens.confirmations import RestartScreen, StopScreen
from tests.tui.console.own_file import edited_in, put
from tests.tui.console.stand import FakeConnection, Stand, console
from tests.tui.console.test_calls import tool

pytestmark = pytest.mark.anyio


@pytest.fixture
def settings_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(paths, "managed_file", lambda: tmp_path / "managed.toml")
    return tmp_path / "config.toml"


ASKS = 'default_tools_approval_mode = "prompt"\n'


async def restarted(stand: Stand) -> None:
    """By its key, until it stands there again."""
    before = stand.host.connections["a"]
    await stand.press("r")
    await stand.until(lambda: stand.host.connections["a"] is not before)
    await stand.until(lambda: "● a" in stand.text())


async def test_a_restart_takes_the_settings_of_the_server_that_the_file_has_now(
    tmp_path: Path, settings_file: Path
) -> None:
    put(settings_file, '[mcp_servers.a]\ncommand = "x"\n')
    tools = {"a": [tool("ping")]}
    async with console(tmp_path, servers=["a"], tools=tools) as stand:
        edited_in(stand, settings_file)
        await stand.until(lambda: "● a" in stand.text())
        record = stand.app.state.servers["a"]
        record.questions = 3
        put(settings_file, f'[mcp_servers.a]\ncommand = "y"\n{ASKS}')
        await restarted(stand)
        assert stand.runtime.settings.servers["a"].command == "y"
        assert stand.app.state.servers["a"].settings.command == "y"
        assert stand.app.state.servers["a"].questions == 3
        stand.app.call_offer("a", stand.app.state.servers["a"].offers[0])
        await stand.until(lambda: stand.runtime.broker.pending)
        [pending] = stand.runtime.broker.pending
        assert pending.question.request.traits.about_call
        assert stand.host.connections["a"].calls == []


async def test_a_call_that_a_restart_cancels_says_that_the_server_was_restarted(
    tmp_path: Path,
) -> None:
    async def work(connection: FakeConnection, call: Call) -> dict[str, Any]:
        await asyncio.Event().wait()
        return {}

    tools = {"a": [tool("long")]}
    async with console(tmp_path, servers=["a"], tools=tools, work=work) as stand:
        stand.app.call_offer("a", stand.app.state.servers["a"].offers[0])
        await stand.until(lambda: stand.host.connections["a"].running)
        before = stand.host.connections["a"]
        stand.app.restart("a")
        await stand.until(lambda: isinstance(stand.app.screen, RestartScreen))
        await stand.press("tab", "enter")
        await stand.until(lambda: stand.host.connections["a"] is not before)
        [record] = stand.app.state.calls
        assert (record.state, record.failure) == ("cancelled", "You restarted “a”.")
        await stand.until(lambda: "You restarted “a”." in stand.text())


async def test_a_restart_leaves_managed_settings_above_those_of_the_file(
    tmp_path: Path, settings_file: Path
) -> None:
    put(settings_file, '[mcp_servers.a]\ncommand = "x"\n')
    async with console(tmp_path, servers=["a"]) as stand:
        edited_in(stand, settings_file)
        await stand.until(lambda: "● a" in stand.text())
        first = stand.host.connections["a"]
        paths.managed_file().write_text('[managed]\nservers = "only"\n')
        await stand.press("r")
        await stand.until(lambda: stand.app.state.servers["a"].state == "refused")
        assert stand.host.connections["a"] is first


async def test_a_restart_with_a_broken_file_says_so_and_leaves_the_server_as_it_was(
    tmp_path: Path, settings_file: Path
) -> None:
    put(settings_file, '[mcp_servers.a]\ncommand = "x"\n')
    async with console(tmp_path, servers=["a"]) as stand:
        edited_in(stand, settings_file)
        await stand.until(lambda: "● a" in stand.text())
        first = stand.host.connections["a"]
        put(settings_file, "[mcp_servers.a\n")
        await stand.press("r")
        await stand.until(lambda: "“a” stays as it was: " in stand.notices())
        await stand.settled()
        assert stand.host.connections["a"] is first
        assert stand.app.state.servers["a"].state == "ready"


@pytest.mark.parametrize("off", ["", "enabled = false\n"], ids=["gone", "off"])
async def test_what_the_file_has_no_more_or_switched_off_ends_with_its_restart(
    tmp_path: Path, settings_file: Path, off: str
) -> None:
    put(settings_file, '[mcp_servers.a]\ncommand = "x"\n')
    async with console(tmp_path, servers=["a"]) as stand:
        edited_in(stand, settings_file)
        await stand.until(lambda: "● a" in stand.text())
        first = stand.host.connections["a"]
        put(settings_file, f'[mcp_servers.a]\ncommand = "x"\n{off}' if off else "")
        await stand.press("r")
        await stand.until(
            lambda: (
                stand.app.state.servers["a"].state == "off"
                if off
                else "a" not in stand.app.state.servers
            )
        )
        told = "mcp_servers.a.enabled is false." if off else "“a” is configured no more."
        await stand.until(lambda: told in stand.notices())
        assert stand.host.connections["a"] is first
        if off:
            put(settings_file, '[mcp_servers.a]\ncommand = "x"\n')
            await restarted(stand)


async def test_a_server_is_stopped_by_a_key_and_starts_again_by_that_which_the_bar_names_then(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["a"], tools={"a": [tool("ping")]}, size=(140, 30)) as st:
        await st.until(lambda: "● a" in st.text() and "x Stop" in st.text())
        before = st.host.connections["a"]
        await st.press("x")
        await st.until(lambda: "○ a" in st.text() and "You stopped it." in st.text())
        assert st.host.connections["a"] is before
        assert "has ended" not in st.notices()
        await st.until(lambda: " r Start  Enter Read" in st.text().splitlines()[-1])
        await st.press("x")
        await st.until(lambda: "It does not run, or not yet." in st.notices())
        await st.press("r")
        await st.until(lambda: "● a" in st.text() and "x Stop" in st.text())
        assert st.host.connections["a"] is not before


async def test_a_server_at_work_is_stopped_only_once_that_was_meant(tmp_path: Path) -> None:
    async def work(connection: FakeConnection, call: Call) -> dict[str, Any]:
        await asyncio.Event().wait()
        return {}

    tools = {"a": [tool("long")]}
    async with console(tmp_path, servers=["a"], tools=tools, work=work) as stand:
        stand.app.call_offer("a", stand.app.state.servers["a"].offers[0])
        await stand.until(lambda: stand.host.connections["a"].running)
        await stand.press("1", "escape", "x")
        await stand.until(lambda: isinstance(stand.app.screen, StopScreen))
        await stand.until(lambda: "1 running call is cancelled." in stand.text())
        await stand.press("n")
        await stand.settled()
        assert stand.app.state.servers["a"].state == "ready"
        await stand.press("x")
        await stand.until(lambda: isinstance(stand.app.screen, StopScreen))
        await stand.press("y")
        await stand.until(lambda: stand.app.state.servers["a"].state == "closed")
        [record] = stand.app.state.calls
        assert (record.state, record.failure) == ("cancelled", "You stopped “a”.")
