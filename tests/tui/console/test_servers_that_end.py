"""A server that ends by itself is told of wherever one is, with what starts it again."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from elicit_tui.elicitation import Call
from elicit_tui.errors import ServerError
from elicit_tui.host.events import ServerStateChanged
from elicit_tui.tui.console.screens.about import HelpScreen
from elicit_tui.tui.console.screens.arguments import ArgumentsScreen
from tests.tui.console.stand import FakeConnection, Stand, console
from tests.tui.console.test_calls import DESTRUCTIVE, asks_to_call, tool

pytestmark = pytest.mark.anyio

ENDS = ServerStateChanged("alpha", "failed", "The server alpha ended (exit code 3).\nlast words")


async def under_calls(stand: Stand, server: str = "alpha") -> None:
    """Look at the call of a server that it has answered."""
    stand.app.state.calls.start(server, Call("tools/call", "ping", {})).end("answered", result={})
    stand.app.state.changed()
    await stand.press("3")
    await stand.until(lambda: "ping" in stand.text())


async def test_a_server_that_ends_under_the_calls_is_told_of_once_and_marked_in_a_narrow_window(
    tmp_path: Path,
) -> None:
    tools = {"alpha": [tool("ping")]}
    async with console(tmp_path, tools=tools, size=(80, 24)) as stand:
        await under_calls(stand)
        assert "✗" not in stand.text().split("\n")[0]
        stand.host.tell(ENDS)
        await stand.until(lambda: "“alpha” has ended" in stand.notices())
        await stand.until(lambda: "1 Servers ✗1" in stand.text().split("\n")[0])
        assert "The server alpha ended (exit code 3)." in stand.notices()
        assert "r here starts it again" in stand.notices()
        assert "last words" not in stand.notices()
        stand.host.tell(ENDS)
        await stand.pilot.pause(0.3)
        assert stand.notices().count("has ended") == 1


@pytest.mark.parametrize("pane", "2345")
async def test_the_key_that_a_notice_names_starts_the_server_at_each_pane(
    tmp_path: Path, pane: str
) -> None:
    """Also where the call that one looks at is another server's, which runs."""
    async with console(tmp_path, tools={"alpha": [tool("ping")]}) as stand:
        await under_calls(stand, "beta")
        before = stand.host.connections["alpha"]
        await stand.press(pane)
        stand.host.tell(ENDS)
        await stand.until(lambda: "r here starts it again" in stand.notices())
        await stand.press("r")
        await stand.until(lambda: stand.host.connections["alpha"] is not before)
        await stand.settled()
        again = stand.host.connections["alpha"]
        await stand.press("r")
        await stand.settled()
        assert stand.host.connections["alpha"] is again, "it runs: the key does nothing more"


async def test_in_the_list_of_servers_and_over_the_panes_a_notice_says_where_its_key_works(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, tools={"alpha": [tool("ping")]}) as stand:
        stand.host.tell(ENDS)
        await stand.until(lambda: "r on its row starts it again" in stand.notices())
        stand.host.tell(ServerStateChanged("alpha", "ready"))
        await stand.press("f1")
        await stand.until(lambda: isinstance(stand.app.screen, HelpScreen))
        stand.host.tell(ENDS)
        await stand.until(lambda: "r under Servers (1) starts it again" in stand.notices())


async def test_a_server_that_was_told_to_end_is_not_told_of(tmp_path: Path) -> None:
    async with console(tmp_path, tools={"alpha": [tool("ping")]}) as stand:
        stand.app.restart("alpha")
        await stand.until(lambda: [each.text for each in stand.app.state.activity].count("closed"))
        await stand.settled()
        assert "has ended" not in stand.notices()


async def test_the_call_of_a_server_that_has_ended_starts_it_once_that_is_meant(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, tools={"alpha": [tool("ping")]}) as stand:
        await under_calls(stand)
        before = stand.host.connections["alpha"]
        stand.host.tell(ENDS)
        await stand.press("a")
        await stand.until(lambda: "Start “alpha” and call “ping” again?" in stand.text())
        assert "once it is ready “ping” is called again." in words(stand)
        await stand.press("n")
        await stand.settled()
        assert stand.host.connections["alpha"] is before
        await stand.press("a")
        await stand.until(lambda: "Start “alpha”" in stand.text())
        await stand.press("y")
        await stand.until(lambda: stand.host.connections["alpha"] is not before)
        await stand.until(lambda: stand.host.connections["alpha"].calls)
        assert before.calls == []
        assert len(stand.app.state.calls) == 2


async def test_a_tool_that_is_asked_about_before_it_is_called_is_asked_about_once(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, tools={"alpha": [tool("ping", **DESTRUCTIVE)]}) as stand:
        await under_calls(stand)
        before = stand.host.connections["alpha"]
        stand.host.tell(ENDS)
        await stand.press("a")
        await stand.until(lambda: "Starting “alpha” again …" in stand.notices())
        await stand.until(lambda: asks_to_call(stand))
        now = stand.host.connections["alpha"]
        assert now is not before
        assert not now.calls
        await stand.pilot.pause()
        await stand.press("y")
        await stand.until(lambda: now.calls)


async def test_a_tool_that_is_no_longer_asked_about_once_its_server_runs_is_not_called_unasked(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, tools={"alpha": [tool("ping", **DESTRUCTIVE)]}) as stand:
        await under_calls(stand)
        stand.host.tools = {"alpha": [tool("ping")]}
        stand.host.tell(ENDS)
        await stand.press("a")
        await stand.until(lambda: "Call “ping” again?" in stand.text())
        assert not stand.host.connections["alpha"].calls


async def test_the_server_of_a_call_that_does_not_start_again_is_told_of_once(
    tmp_path: Path,
) -> None:
    async def fails(name: str) -> FakeConnection:
        starts.append(name)
        raise ServerError("It does not start.")

    starts: list[str] = []
    async with console(tmp_path, tools={"alpha": [tool("ping", **DESTRUCTIVE)]}) as stand:
        await under_calls(stand)
        stand.host.connect = fails  # type: ignore[method-assign]
        stand.host.tell(ENDS)
        await stand.press("a")
        await stand.until(lambda: "did not start: r under Servers" in stand.notices())
        await stand.settled()
        assert starts == ["alpha"]


async def test_with_the_server_of_a_call_of_before_comes_the_form_but_over_nothing_else(
    tmp_path: Path,
) -> None:
    tools = {"alpha": [tool("ping", {"host": {"type": "string"}})]}
    async with console(tmp_path, tools=tools) as stand:
        made = Call("tools/call", "ping", {"host": "example.org"})
        stand.app.state.calls.start("alpha", made).end("answered", result={})
        stand.app.state.changed()
        await stand.press("3")
        connect, may_start = stand.host.connect, asyncio.Event()

        async def late(name: str) -> FakeConnection:
            await may_start.wait()
            return await connect(name)

        stand.host.connect = late  # type: ignore[method-assign]
        for lies_over in (False, True):
            may_start.clear()
            stand.host.tell(ENDS)
            await stand.until(lambda: "r Start server" in stand.text())
            await stand.press("a")
            await stand.until(lambda: "the form of “ping” opens with the arguments" in words(stand))
            await stand.press("y")
            await stand.until(lambda: "Starting “alpha” again …" in stand.notices())
            if lies_over:
                await stand.press("f1")
                await stand.until(lambda: isinstance(stand.app.screen, HelpScreen))
            may_start.set()
            if not lies_over:
                await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
                await stand.until(lambda: "example.org" in stand.text())
                await stand.press("escape")
        await stand.until(lambda: "“alpha” runs again: a makes the call." in stand.notices())
        assert isinstance(stand.app.screen, HelpScreen)
        assert stand.host.connections["alpha"].calls == []


def words(stand: Stand) -> str:
    """What stands there, whatever its lines and frames."""
    return " ".join(stand.text().replace("│", " ").split())


async def test_under_the_calls_the_key_that_starts_a_server_starts_one_that_has_ended(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, tools={"alpha": [tool("ping")]}, size=(80, 24)) as stand:
        await under_calls(stand)
        before = stand.host.connections["alpha"]
        assert "Start server" not in stand.text()
        await stand.press("r")
        assert stand.host.connections["alpha"] is before
        stand.host.tell(ENDS)
        await stand.until(lambda: "r Start server" in stand.text())
        await stand.press("r")
        await stand.until(lambda: stand.host.connections["alpha"] is not before)
        assert "Starting “alpha” again …" in stand.notices()
        await stand.until(lambda: "Start server" not in stand.text())
        await stand.settled()
        await stand.press("a")
        await stand.until(lambda: "Call again" in stand.text())


async def test_the_call_of_a_server_that_never_started_or_is_gone_says_that(tmp_path: Path) -> None:
    async with console(tmp_path, failures={"beta": "No such file."}) as stand:
        await under_calls(stand, "beta")
        await stand.press("a")
        await stand.until(lambda: "Start “beta” and call “ping” again?" in stand.text())
        await stand.press("y")
        await stand.until(lambda: "“beta” did not start: r under" in stand.notices())
        await under_calls(stand, "gone")
        await stand.press("home", "a")
        await stand.until(lambda: "No server here is called “gone”." in stand.notices())


async def test_a_server_that_did_not_start_leads_to_what_it_wrote(tmp_path: Path) -> None:
    async with console(tmp_path, failures={"alpha": "No such file."}) as stand:
        await stand.until(lambda: "“alpha” did not start." in stand.text())
        assert "4 Activity has what it wrote." in words(stand)
