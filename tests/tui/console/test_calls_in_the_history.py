"""The history has the calls too, each in its turn between the questions, and leads to them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation import Call
from elicit_tui.tui.console.calls import AnsweredQuestion, CallRecord
from elicit_tui.tui.console.kept_calls import KeptCalls
from elicit_tui.tui.console.panels.calls import CallsPane
from elicit_tui.tui.console.panels.history import HistoryPane
from elicit_tui.tui.console.remembered import Remembered
from elicit_tui.tui.console.screens.records import RecordScreen
from elicit_tui.tui.console.views import RowList
from elicit_tui.tui.console.written_later import until_written
from tests.tui.console.reading import text_result
from tests.tui.console.stand import FakeConnection, Stand, console
from tests.tui.console.test_calls import tool

pytestmark = pytest.mark.anyio


def ended_call(stand: Stand, name: str, **arguments: Any) -> str:
    call = Call("tools/call", name, arguments)
    stand.app.state.calls.start("alpha", call).end("answered", result=text_result("Fine."))
    return call.id


async def test_a_call_that_asked_nothing_stands_in_the_history_and_enter_leads_to_it_and_back(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["alpha"], size=(140, 40)) as stand:
        wanted = ended_call(stand, "read", path="hosts.json")
        ended_call(stand, "write", path="other")
        await stand.press("5")
        await stand.until(lambda: "read  path=hosts.json" in stand.text())
        line = next(line for line in stand.text().split("\n") if "hosts.json" in line)
        assert "● alpha" in line
        assert "done" in line
        await stand.press("slash", *"hosts read", "enter", "enter")
        await stand.until(lambda: "[3 Calls]" in stand.text())
        await stand.until(lambda: stand.app.query_one("#call-list", RowList).key == wanted)
        await stand.until(lambda: "Esc History" in stand.text())
        await stand.press("escape")
        await stand.until(lambda: "[5 History]" in stand.text())
        assert stand.app.query_one("#history-rows", RowList).key == f"call:{wanted}"


async def test_a_call_that_runs_stands_in_the_history_and_its_end_is_told_there(
    tmp_path: Path,
) -> None:
    release = asyncio.Event()

    async def work(connection: FakeConnection, call: Call) -> dict[str, Any]:
        await release.wait()
        return text_result("ok")

    tools = {"alpha": [tool("slow")]}
    async with console(tmp_path, servers=["alpha"], tools=tools, work=work) as stand:
        await stand.press("enter", "enter")
        await stand.until(lambda: stand.app.state.calls.running)
        await stand.press("5")
        await stand.until(lambda: "running" in stand.text())
        release.set()
        await stand.until(lambda: "running" not in stand.text() and "done" in stand.text())


def kept_elsewhere(server: str, name: str) -> None:
    """Another console keeps a call that has ended."""
    ended = CallRecord(server, Call("tools/call", name, {}))
    ended.end("answered", result=text_result("Fine."))
    KeptCalls("redacted").add(ended, {}, None)
    until_written()


async def test_the_calls_of_a_server_that_is_here_no_more_stand_in_the_history(
    tmp_path: Path,
) -> None:
    kept_elsewhere("gone", "farewell")
    async with console(tmp_path, servers=["alpha"], size=(120, 30)) as stand:
        await stand.press("5")
        await stand.until(lambda: "farewell" in stand.text())
        await stand.press("enter")
        await stand.until(lambda: "[3 Calls]" in stand.text() and "farewell" in stand.text())
        await stand.press("a")
        await stand.until(lambda: "No server here is called “gone”." in stand.notices())


@pytest.mark.parametrize("pane", ["3", "5"])
async def test_a_call_of_another_console_comes_by_itself_and_moves_no_cursor(
    tmp_path: Path, pane: str
) -> None:
    async with console(tmp_path, servers=["alpha"], size=(120, 30)) as stand:
        ended_call(stand, "mine")
        await stand.press(pane)
        await stand.until(lambda: "mine" in stand.text())
        kept_elsewhere("alpha", "theirs")
        await stand.until(lambda: "theirs" in stand.text())
        calls = stand.app.query("#call-list")
        chosen = [stand.app.state.calls.get(each.key) for each in calls.results(RowList)]
        assert [each.call.name for each in chosen if each] == ["mine"] * len(chosen)


async def test_calls_of_another_console_that_come_before_a_list_is_laid_out_are_had_all_the_same(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["alpha"]) as stand:
        for pane in (CallsPane(stand.app.state), HistoryPane(stand.app.state)):
            theirs = CallRecord("alpha", Call("tools/call", f"for {pane.id}", {}))
            pane.have_calls([theirs])
            assert theirs in stand.app.state.calls


async def test_a_question_stands_above_the_call_that_asked_it(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"]) as stand:
        ended_call(stand, "travel")
        request = stand.ask(message="Where to?")
        await stand.shown(request)
        await stand.press(*"Oslo", "ctrl+s")
        await stand.until(lambda: stand.outcome(request))
        await stand.press("5")
        await stand.until(lambda: "Where to?" in stand.text() and "travel" in stand.text())
        text = stand.text()
        assert text.index("Where to?") < text.index("travel")
        assert "question, or call" in text


async def test_a_key_leads_from_the_record_of_a_question_to_the_call_that_asked_it(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["alpha"], size=(120, 40)) as stand:
        call = Call("tools/call", "plan", {})
        stand.app.state.calls.start("alpha", call)
        for message, calls in (("Where to?", (call,)), ("Who is it?", ())):
            request = stand.ask("alpha", message, calls=calls)
            await stand.shown(request)
            await stand.press("ctrl+n")
            await stand.until(lambda asked=request: stand.outcome(asked))
        ended_call(stand, "newer")
        await stand.press("5", "slash", *"who is", "enter", "enter")
        await stand.until(lambda: isinstance(stand.app.screen, RecordScreen))
        await stand.until(lambda: "Esc Back" in stand.text())
        assert "z Its call" not in stand.text()
        await stand.press("escape", "slash", *"where", "enter")
        rows = stand.app.query_one("#history-rows", RowList)
        await stand.until(lambda: rows.has_focus and rows.keys)
        rows.point_at(next(key for key in rows.keys if not key.startswith("call:")))
        await stand.press("enter")
        await stand.until(lambda: "z Its call" in stand.text())
        await stand.press("z")
        await stand.until(lambda: "[3 Calls" in stand.text())
        await stand.until(lambda: stand.app.query_one("#call-list", RowList).key == call.id)


async def test_a_key_leads_from_a_record_to_the_call_that_asked_it_in_an_earlier_run(
    tmp_path: Path,
) -> None:
    call = Call("tools/call", "plan", {})
    async with console(tmp_path, servers=["alpha"]) as stand:
        record = stand.app.state.calls.start("alpha", call)
        request = stand.ask("alpha", "Where to?", calls=(call,))
        await stand.shown(request)
        await stand.press("ctrl+n")
        await stand.until(lambda: stand.outcome(request))
        record.end("answered", result=text_result("Nowhere."))
        KeptCalls("redacted").add(record, {}, None)
        until_written()
    async with console(tmp_path, servers=["alpha"], size=(120, 40)) as stand:
        ended_call(stand, "newer")
        await stand.press("5")
        rows = stand.app.query_one("#history-rows", RowList)
        await stand.until(lambda: [key for key in rows.keys if not key.startswith("call:")])
        rows.point_at(next(key for key in rows.keys if not key.startswith("call:")))
        await stand.press("enter")
        await stand.until(lambda: "z Its call" in stand.text())
        await stand.press("z")
        await stand.until(lambda: "[3 Calls" in stand.text())
        await stand.until(lambda: stand.app.query_one("#call-list", RowList).key == call.id)


async def test_of_a_long_path_the_file_name_is_in_sight_in_the_history(tmp_path: Path) -> None:
    folder = "/".join(["a-folder-with-a-long-name"] * 6)
    async with console(tmp_path, servers=["alpha"], size=(80, 24)) as stand:
        ended_call(stand, "read", path=f"/srv/{folder}/hosts.json")
        await stand.press("5")
        await stand.until(lambda: "hosts.json" in stand.text())


async def test_a_call_that_was_not_allowed_and_one_whose_question_was_declined_are_told_apart(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["alpha"], size=(100, 24)) as stand:
        for name in ("asks", "pays"):
            call = Call("tools/call", name, {})
            record = stand.app.state.calls.start("alpha", call)
            if name == "asks":
                record.answered.append(AnsweredQuestion("Sure?", "decline", "declined by you"))
                record.end("answered", result=text_result("No."))
            else:
                record.confirmation = "declined by you"
                record.end("refused", failure="It was not called.")
        for pane in "53":
            await stand.press(pane)
            await stand.until(lambda: "question declined by you" in stand.text())
            await stand.until(lambda: "not called, declined by you" in stand.text())


async def test_what_a_server_asked_before_it_was_renamed_has_its_new_name_as_its_calls_have(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["alpha"], size=(100, 30)) as stand:
        stand.runtime.broker.mute("alpha")
        stand.ask("alpha")
        ended_call(stand, "read")
        await stand.until(lambda: stand.outcomes)
        stand.app.remembered.rename("alpha", "omega")
        stand.app.state.rename_server("alpha", "omega")
        await stand.press("5")
        await stand.until(lambda: "Where to?" in stand.text() and "read" in stand.text())
        rows = [
            line for line in stand.text().split("\n") if "Where to?" in line or "read  " in line
        ]
        assert all(" omega " in row and "alpha" not in row for row in rows), rows
        await stand.press("slash", *"alpha where", "enter", "enter")
        await stand.until(lambda: "omega, called “alpha” then" in stand.text())


def test_a_name_that_another_server_had_later_stays_its_own() -> None:
    times = ("2026-12-01T10:00:00.5", "2026-12-01T11:00:00", "2026-12-01T12:00:00")
    renamed = [("one", "two", times[0]), ("two", "three", times[1]), ("one", "four", times[2])]
    names = Remembered(renamed=renamed)
    assert names.called_now("one", "2026-12-01T09:59:59") == "three"
    assert names.called_now("one", "2026-12-01T10:30:00") == "four"
    assert names.called_now("one", "2026-12-01T12:30:00") == "one"
    assert names.called_now("two", "2026-12-01T11:30:00") == "two"


@pytest.mark.parametrize("size", [(60, 20), (80, 24)])
async def test_a_long_end_of_a_call_leaves_room_for_what_was_called_and_whom(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with console(tmp_path, servers=["alpha"], size=size) as stand:
        call = Call("tools/call", "clear_cache", {})
        record = stand.app.state.calls.start("alpha", call)
        why = "not asked: You muted “alpha” for this run, which is said at length."
        record.answered.append(AnsweredQuestion("Clear it?", "cancel", why))
        record.end("answered", result=text_result("It stays."))
        await stand.press("5")
        await stand.until(lambda: "question not asked" in stand.text())
        row = next(line for line in stand.text().split("\n") if "question not asked" in line)
        assert "alpha" in row
        assert row.rstrip("│ ").endswith("…")
        assert "clear_ca" in row
        assert "server  " in stand.text(), "the heading has its words"
