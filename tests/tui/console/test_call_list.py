"""Calls beside each other: told apart at a glance, found by what came back, read as it is."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.broker.contracts import Resolved
from elicit_tui.elicitation import Call, ElicitationRequest, Review, ServerIdentity, accept
from elicit_tui.elicitation.settings import ServerSettings
from elicit_tui.tui.console.bars import KeyBar
from elicit_tui.tui.console.call_words import SEARCHED_CHARACTERS, briefly
from elicit_tui.tui.console.calls import AnsweredQuestion
from elicit_tui.tui.console.kept_calls import KeptCalls
from elicit_tui.tui.console.panels.calls import CallsPane
from elicit_tui.tui.console.screen import ConsoleScreen
from elicit_tui.tui.console.screens.result_reader import ResultScreen
from elicit_tui.tui.console.written_later import until_written
from tests.tui.console.reading import text_result
from tests.tui.console.stand import Stand, console
from tests.tui.console.test_calls import tool

pytestmark = pytest.mark.anyio


async def made(stand: Stand, name: str, result: dict[str, Any], **arguments: Any) -> None:
    """One more call, ended, in sight."""
    call = Call("tools/call", name, arguments)
    stand.app.state.calls.start("alpha", call).end("answered", result=result)
    stand.app.state.changed()
    await stand.press("3")
    await stand.until(lambda: name in stand.text())


# Told apart


def test_of_a_path_that_has_no_room_the_last_parts_are_seen() -> None:
    path = "/tmp/somewhere/code/demo-repo"
    seen = {room: briefly({"repo_path": path, "limit": "5"}, room) for room in (12, 19, 24, 30)}
    assert seen == {
        12: "…/demo-repo…",
        19: "…/code/demo-repo,…",
        24: "repo_path=…/demo-repo,…",
        30: "repo_path=…/code/demo-repo, l…",
    }
    assert briefly({"page": f"https://{'long.' * 60}example/a/b.html"}, 20) == "page=…/a/b.html"
    assert briefly({"file": "C:\\Users\\me\\notes.txt"}, 20) == "file=…\\me\\notes.txt"


def test_what_is_no_path_begins_where_it_begins() -> None:
    text = "the first and/or the last of them"
    assert briefly({"query": text}, 20) == "the first and/or th…"
    assert briefly({"limit": "5", "query": text}, 20) == "limit=5, query=the…"


async def test_the_list_of_calls_shows_where_a_tool_was_used_at_eighty_columns(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["alpha"], size=(80, 24)) as stand:
        await made(stand, "git_log", text_result("ok"), repo_path="/tmp/new/people/project")
        row = next(line for line in stand.text().splitlines() if "done ·" in line)
        assert "…/project" in row


# Found


async def test_calls_of_one_minute_that_were_made_alike_are_told_apart_by_their_seconds(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["alpha"], size=(80, 24)) as stand:
        for second, path in ((7, "a"), (48, "a"), (50, "b")):
            call = Call("tools/call", "read", {"path": path})
            record = stand.app.state.calls.start("alpha", call)
            record.began = datetime.now().replace(hour=9, minute=30, second=second)
            record.end("answered", result=text_result(path))
        stand.app.state.changed()
        await stand.press("3")
        await stand.until(lambda: "09:30:07  read" in stand.text())
        assert "09:30:48  read" in stand.text()
        assert "09:30  read" in stand.text()


async def test_a_call_is_found_by_what_came_back_and_that_is_in_sight(tmp_path: Path) -> None:
    long = "\n".join([*(f"line {number}" for number in range(300)), "a needle", "more"])
    async with console(tmp_path, servers=["alpha"], size=(80, 24)) as stand:
        await made(stand, "hay", text_result(long))
        await made(stand, "straw", text_result("nothing"))
        await stand.press("slash", *"Needle")
        await stand.until(lambda: "hay" in stand.text() and "straw" not in stand.text())
        await stand.until(lambda: "a needle" in stand.text())
        await stand.press("escape", "home")
        await stand.until(lambda: "straw" in stand.text())


async def test_a_call_is_found_by_its_arguments_as_its_row_shows_them(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"], size=(100, 30)) as stand:
        await made(stand, "list", text_result("ok"), path="notes")
        await made(stand, "read", text_result("ok"), path="hosts", depth=2)
        await stand.press("3", "slash", *"path=hosts, d")
        await stand.until(lambda: "depth=2" in stand.text() and "notes" not in stand.text())


async def test_a_call_is_found_by_why_it_failed(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"], size=(100, 30)) as stand:
        await made(stand, "fine", text_result("ok"))
        failed = stand.app.state.calls.start("alpha", Call("tools/call", "broken", {}))
        failed.end("failed", failure="No such branch.")
        await stand.press("slash", *"such branch")
        await stand.until(lambda: "broken" in stand.text() and "fine" not in stand.text())


async def test_of_a_long_result_the_beginning_is_searched_and_that_is_said(tmp_path: Path) -> None:
    far = "x" * SEARCHED_CHARACTERS + " needle"
    async with console(tmp_path, servers=["alpha"], size=(100, 30)) as stand:
        await made(stand, "hay", text_result(far))
        await stand.press("slash", *"needle")
        await stand.until(lambda: "Nothing matches" in stand.text())
        assert "50,000" in stand.text()


async def test_another_call_is_read_from_its_beginning(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"], size=(80, 24)) as stand:
        for name in ("first", "second"):
            lines = "\n".join(f"{name} {number}" for number in range(100))
            await made(stand, name, text_result(lines))
        await stand.press("enter", "end")
        await stand.until(lambda: "second 99" in stand.text())
        await stand.press("escape", "down")
        await stand.until(lambda: "first 0" in stand.text())


# Read


async def test_json_that_came_in_one_line_stands_in_lines_beside_the_list(tmp_path: Path) -> None:
    hosts = [{"name": f"host-{number}", "up": True} for number in range(3)]
    compact = json.dumps({"hosts": hosts}, separators=(",", ":"))
    async with console(tmp_path, servers=["alpha"], size=(140, 40)) as stand:
        await made(stand, "look", text_result(compact, "And words: {not json}"))
        await stand.until(lambda: "host-2" in stand.text())
        assert '    "name": "host-2",' in stand.text()
        assert "And words: {not json}" in stand.text()


async def test_json_that_has_lines_stays_as_its_author_laid_it_out(tmp_path: Path) -> None:
    laid_out = '{"name": "host",\n "load": [1,\n          2]}'
    async with console(tmp_path, servers=["alpha"], size=(140, 40)) as stand:
        await made(stand, "look", text_result(laid_out))
        await stand.until(lambda: '"load": [1,' in stand.text())


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("See [how](docs/guide.md).", "such as “docs/guide.md”, are relative"),
        ("See [run](javascript:alert(1)) and [top](#top).", "This result has no link."),
        ("See https://example.com/a. " + "More words. " * 5_000, "this text has more"),
    ],
    ids=["relative", "none", "too-long"],
)
async def test_who_cannot_follow_a_link_hears_why(tmp_path: Path, words: str, why: str) -> None:
    async with console(tmp_path, servers=["alpha"]) as stand:
        await made(stand, "look", text_result(words))
        await stand.press("o")
        await stand.until(lambda: why in stand.notices())
        await stand.press("z")
        await stand.until(lambda: isinstance(stand.app.screen, ResultScreen))
        assert why in stand.app.screen.why_not("open_link")  # type: ignore[attr-defined]


async def test_the_time_of_a_call_is_its_own_and_that_of_the_person_stands_apart(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["alpha"]) as stand:
        call = Call("tools/call", "look", {})
        record = stand.app.state.calls.start("alpha", call)
        record.started -= 41.2
        params = {"message": "Where to?", "requestedSchema": {"type": "object"}}
        request = ElicitationRequest(ServerIdentity("alpha", "stdio", "x"), params, calls=(call,))
        answer = accept("user", "You said yes.", {}, waited_ms=40_000)
        stand.app.state.broker_event(Resolved(request, Review(()), answer))
        record.end("answered", result={})
        stand.app.state.changed()
        await stand.press("3")
        await stand.until(lambda: "● done  1.2 s, you 40 s" in stand.text())
        assert "look" in stand.text()
        assert "41 s" not in stand.text()


# Made again

TOUCHES = ServerSettings("alpha", command="alpha-server")


@asynccontextmanager
async def called_once(
    path: Path, settings: ServerSettings = TOUCHES, **definition: Any
) -> AsyncIterator[Stand]:
    """A tool without arguments that was called once, under the cursor."""
    tools = {"alpha": [tool("restart_all", **definition)]}
    owned = {"alpha": settings}
    async with console(path, server_settings=owned, tools=tools) as stand:
        await stand.press("right", "enter")
        await stand.until(lambda: "done" in stand.text())
        assert len(stand.host.connections["alpha"].calls) == 1
        yield stand


async def test_a_tool_that_may_change_something_is_called_again_only_once_that_is_meant(
    tmp_path: Path,
) -> None:
    async with called_once(tmp_path) as stand:
        made = stand.host.connections["alpha"].calls
        await stand.press("a")
        await stand.until(lambda: "Call “restart_all” again?" in stand.text())
        await stand.press("n")
        await stand.until(lambda: isinstance(stand.app.screen, ConsoleScreen))
        assert len(made) == 1
        await stand.press("a", "y")
        await stand.until(lambda: len(made) == 2)


@pytest.mark.parametrize(
    ("settings", "definition"),
    [
        pytest.param(TOUCHES, {"annotations": {"readOnlyHint": True}}, id="only-reads"),
        pytest.param(TOUCHES, {"annotations": {"idempotentHint": True}}, id="idempotent"),
        pytest.param(TOUCHES, {"annotations": {"destructiveHint": False}}, id="destroys-nothing"),
        pytest.param(
            replace(TOUCHES, default_tools_approval_mode="approve"), {}, id="owner-approves-it"
        ),
    ],
)
async def test_a_tool_that_destroys_nothing_or_that_its_owner_approves_is_called_again_at_once(
    tmp_path: Path, settings: ServerSettings, definition: dict[str, Any]
) -> None:
    async with called_once(tmp_path, settings, **definition) as stand:
        await stand.press("a")
        await stand.until(lambda: len(stand.host.connections["alpha"].calls) == 2)


async def test_a_tool_that_is_asked_about_anyway_is_asked_about_once(tmp_path: Path) -> None:
    asked = replace(TOUCHES, default_tools_approval_mode="prompt")
    tools = {"alpha": [tool("restart_all")]}
    async with console(tmp_path, server_settings={"alpha": asked}, tools=tools) as stand:
        made = stand.host.connections["alpha"].calls
        await stand.press("right", "enter")
        for count in (1, 2):
            await stand.until(lambda: "is confirmed at every call" in stand.text())
            await stand.until(lambda: not stand.app.screen.view.deaf)  # type: ignore[attr-defined]
            await stand.press("y")
            await stand.until(lambda count=count: len(made) == count)
            await stand.until(lambda: isinstance(stand.app.screen, ConsoleScreen))
            if count == 1:
                await stand.press("a")


async def test_a_tool_that_was_allowed_for_the_session_is_called_again_at_once(
    tmp_path: Path,
) -> None:
    tools = {"alpha": [tool("wipe", annotations={"destructiveHint": True})]}
    async with console(tmp_path, servers=["alpha"], tools=tools) as stand:
        made = stand.host.connections["alpha"].calls
        await stand.press("right", "enter")
        await stand.until(lambda: "This session" in stand.text())
        await stand.until(lambda: not stand.app.screen.view.deaf)  # type: ignore[attr-defined]
        await stand.press("ctrl+a")
        await stand.until(lambda: len(made) == 1)
        await stand.until(lambda: isinstance(stand.app.screen, ConsoleScreen))
        await stand.press("a")
        await stand.until(lambda: len(made) == 2)


async def test_the_bar_asks_once_what_the_frame_of_a_call_names_and_not_for_each_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    named = CallsPane.in_frame.fget
    assert named is not None

    def in_frame(pane: CallsPane) -> frozenset[str]:
        asked.append(pane)
        return named(pane)

    async with console(tmp_path, servers=["alpha"]) as stand:
        call = Call("tools/call", "look", {})
        stand.app.state.calls.start("alpha", call).end("answered", result=text_result("x"))
        await stand.press("3")
        await stand.until(lambda: "w Keep call" in stand.text())
        monkeypatch.setattr(CallsPane, "in_frame", property(in_frame))
        stand.app.screen.query_one(KeyBar).follow()
        assert len(asked) == 2, "for the keys, and for the rarer ones"


@pytest.mark.parametrize("size", [(80, 24), (140, 40)])
async def test_the_frame_of_the_calls_names_the_key_of_those_kept_in_files(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with console(tmp_path, servers=["alpha"], size=size) as stand:
        await made(stand, "look", text_result("x"))
        await stand.until(lambda: "W Kept calls" in stand.text())
        stand.app.state.calls.start("alpha", Call("tools/call", "look", {})).end("failed")
        stand.app.state.changed()
        await stand.until(lambda: "f Only failed  W Kept" in stand.text())
        assert "f Filter" not in stand.text()
        assert "Kept cal…" not in stand.text()


async def test_calls_that_differ_in_what_was_answered_alone_are_told_apart_by_that(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["alpha"], size=(80, 24)) as stand:
        for city in ("Oslo", "Rome"):
            await made(stand, "book", text_result("ok"), trip="summer")
            call = next(iter(stand.app.state.calls))
            sent = json.dumps({"guest": "Ada Lovelace of London", "city": city})
            call.answered.append(
                AnsweredQuestion("Where to?", "accept", "you answered", True, sent)
            )
        stand.app.state.changed()
        await stand.until(lambda: "city=Oslo" in stand.text() and "city=Rome" in stand.text())
        cut = AnsweredQuestion("", "accept", "you answered", True, '{"city": "Os…')
        assert cut.sent_texts == {"sent": '{"city": "Os…'}


async def test_like_rows_stand_as_a_table_beside_the_calls_where_no_cell_has_to_be_cut(
    tmp_path: Path,
) -> None:
    hosts = [{"host": f"h{number}", "load": number, "up": True} for number in range(203)]
    async with console(tmp_path, servers=["alpha"], size=(140, 40)) as stand:
        await made(stand, "look", text_result(json.dumps(hosts)))
        await stand.until(lambda: "│ host  load  up" in stand.text())
        assert "│ h12     12  true" in stand.text()
        await stand.press("t")
        await stand.until(lambda: '"type": "text"' in stand.text())
        await stand.press("t", "right", "G")
        await stand.until(lambda: "… 3 more rows: z shows them" in stand.text())
        wide = [{**row, "note": "word " * 30} for row in hosts]
        await stand.press("escape")
        await made(stand, "other", text_result(json.dumps(wide)))
        await stand.until(lambda: '"host": "h0",' in stand.text())


async def test_a_call_is_removed_from_the_list_once_that_is_sure_and_stays_away(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, tools={"alpha": [tool("ping")]}) as stand:
        await stand.press("enter", "enter")
        await stand.until(lambda: "● done" in stand.text())
        await stand.press("delete")
        await stand.until(lambda: "Remove the call of “ping”?" in stand.text())
        await stand.press("n")
        await stand.until(lambda: "● done" in stand.text())
        await stand.press("delete")
        await stand.until(lambda: "Remove the call of “ping”?" in stand.text())
        await stand.press("y")
        await stand.until(lambda: "No call yet." in stand.text())
    until_written(30)
    assert not KeptCalls("redacted").read()


async def test_a_call_that_runs_is_not_removed_and_the_key_says_what_ends_it(
    tmp_path: Path,
) -> None:
    async def work(connection: Any, call: Call) -> dict[str, Any]:
        await asyncio.Event().wait()
        return {}

    async with console(tmp_path, tools={"alpha": [tool("ping")]}, work=work) as stand:
        await stand.press("enter", "enter")
        await stand.until(lambda: "running" in stand.text())
        await stand.press("delete")
        await stand.until(lambda: "It still runs: x cancels it." in stand.notices())


@pytest.mark.parametrize("size", [(140, 40), (80, 24)])
async def test_of_a_long_address_the_end_stands_in_the_title_too(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    address = f"file:///srv/{'/'.join(['a-long-folder'] * 9)}/hosts.json"
    async with console(tmp_path, servers=["alpha"], size=size) as stand:
        call = Call("resources/read", address)
        stand.app.state.calls.start("alpha", call).end("answered", result=text_result("x"))
        await stand.press("3")
        await stand.until(lambda: "hosts.json ─" in stand.text())
        await stand.press("z")
        await stand.until(lambda: "hosts.json" in stand.text().split("\n")[0])


async def test_of_a_resource_that_was_read_no_key_is_named_that_keeps_calls_of_tools(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["alpha"], size=(140, 40)) as stand:
        for call in (Call("resources/read", "file:///a"), Call("tools/call", "look", {})):
            stand.app.state.calls.start("alpha", call).end("answered", result=text_result("x"))
        await stand.press("3")
        await stand.until(lambda: "w Keep call" in stand.text())
        await stand.press("j")
        await stand.until(lambda: "w Keep call" not in stand.text() and "n Note" in stand.text())
        await stand.press("w")
        await stand.until(lambda: "Only the call of a tool is kept" in stand.notices())
