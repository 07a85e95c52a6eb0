"""The activity: a line of it is pointed at, opened and copied; the end is followed."""

from __future__ import annotations

from pathlib import Path

import pytest

from elicit_tui.host.events import LogMessage
from elicit_tui.tui.console.panels.activity import Happenings
from elicit_tui.tui.console.screens.records import RecordScreen
from elicit_tui.tui.console.views import RowList
from tests.tui.console.stand import Stand, console
from tests.tui.console.test_calls import tool

pytestmark = pytest.mark.anyio


def lines(stand: Stand) -> Happenings:
    return stand.app.screen.query_one("#activity-lines", Happenings)


def pointed(stand: Stand) -> str:
    line = lines(stand).pointed
    return line.text if line is not None else ""


async def test_enter_on_a_line_of_a_call_leads_to_it_and_escape_back(tmp_path: Path) -> None:
    tools = {"alpha": [tool("first"), tool("second")]}
    async with console(tmp_path, servers=["alpha"], tools=tools, size=(100, 30)) as stand:
        for number in (0, 1):
            stand.app.call_offer("alpha", stand.app.state.servers["alpha"].offers[number])
            await stand.until(lambda n=number: len(stand.app.state.calls) == n + 1)
            await stand.until(lambda: not stand.app.state.calls.running)
        await stand.press("4")
        await stand.until(lambda: pointed(stand) == "← second: done")
        await stand.until(lambda: "Enter Its call" in stand.text())
        await stand.press("up", "up")
        assert pointed(stand) == "← first: done"
        await stand.press("enter")
        await stand.until(lambda: "[3 Calls]" in stand.text())
        await stand.until(lambda: "alpha · first" in stand.text())
        _, first = stand.app.state.calls
        assert stand.app.query_one("#call-list", RowList).key == first.call.id
        await stand.press("escape")
        await stand.until(lambda: "[4 Activity]" in stand.text())
        assert pointed(stand) == "← first: done"


async def test_enter_on_the_end_of_a_question_shows_its_record(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"]) as stand:
        request = stand.ask(message="Where to go?")
        await stand.shown(request)
        await stand.press("ctrl+n")
        await stand.until(lambda: stand.outcome(request))
        await stand.press("4")
        await stand.until(lambda: "Where to go?" in pointed(stand))
        await stand.until(lambda: "Enter Its record" in stand.text())
        await stand.press("enter")
        await stand.until(lambda: isinstance(stand.app.screen, RecordScreen))
        await stand.until(lambda: "as it is recorded" in stand.text())
        assert "Where to go?" in stand.text()


async def test_enter_on_what_became_of_a_server_shows_that_server(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha", "beta"]) as stand:
        await stand.press("4")
        await stand.until(lambda: lines(stand).count >= 4)
        await stand.press("home")
        for _ in range([each.server for each in stand.app.state.activity].index("beta")):
            await stand.press("down")
        await stand.until(lambda: "Enter Its server" in stand.text())
        await stand.press("enter")
        await stand.until(lambda: "[1 Servers]" in stand.text())
        await stand.until(lambda: stand.app.query_one("#server-list", RowList).key == "beta")


async def test_a_line_about_nothing_says_so_and_any_line_is_copied(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"]) as stand:
        stand.app.state.say("", "The store is away.", "warn")
        await stand.press("4")
        await stand.until(lambda: pointed(stand) == "The store is away.")
        await stand.press("enter")
        await stand.until(
            lambda: "about no call, question or server that is listed" in stand.notices()
        )
        await stand.press("c")
        await stand.until(lambda: stand.app.clipboard.endswith("The store is away."))


async def test_in_the_inbox_alone_a_line_about_a_server_leads_nowhere_and_names_no_key(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, inbox=True) as stand:
        stand.app.state.say("alpha", "→ look", about=("call", "of another process"))
        await stand.press("2")
        await stand.until(lambda: pointed(stand) == "→ look")
        await stand.until(lambda: "c Copy line" in stand.text())
        assert "Enter Its" not in stand.text()
        await stand.press("enter")
        await stand.until(lambda: "that is listed here" in stand.notices())


async def test_the_last_line_is_followed_until_one_goes_to_another(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"], size=(80, 24)) as stand:
        for number in range(60):
            stand.app.state.say("alpha", f"line {number}")
        await stand.press("4")
        await stand.until(lambda: pointed(stand) == "line 59")
        stand.app.state.say("alpha", "one more")
        await stand.until(lambda: pointed(stand) == "one more" and "one more" in stand.text())
        await stand.press("up", "up")
        stand.app.state.say("alpha", "and another")
        await stand.until(lambda: lines(stand).count == 64)
        assert pointed(stand) == "line 58"
        await stand.until(lambda: "▌" in stand.text())
        (line,) = [each for each in stand.text().splitlines() if "▌" in each]
        assert "line 58" in line


async def test_a_long_line_is_pointed_at_as_one_and_a_page_passes_over_many(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["alpha"], size=(80, 24)) as stand:
        stand.app.state.say("alpha", "word " * 60)
        for number in range(60):
            stand.app.state.say("alpha", f"line {number}")
        await stand.press("4")
        await stand.until(lambda: pointed(stand) == "line 59")
        await stand.press("pageup")
        assert pointed(stand) == "line 40"
        await stand.press("home")
        while not pointed(stand).startswith("word"):
            await stand.press("down")
        await stand.until(lambda: stand.text().count("▌") > 3)
        await stand.press("down")
        assert pointed(stand) == "line 0"


async def test_a_log_line_of_a_call_leads_to_that_call(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"], tools={"alpha": [tool("first")]}) as stand:
        stand.app.call_offer("alpha", stand.app.state.servers["alpha"].offers[0])
        await stand.until(lambda: len(stand.app.state.calls) and not stand.app.state.calls.running)
        (made,) = stand.app.state.calls
        stand.host.tell(LogMessage("alpha", "info", None, "working", made.call.id))
        await stand.press("4")
        await stand.until(lambda: "working" in pointed(stand))
        await stand.press("enter")
        await stand.until(lambda: "[3 Calls]" in stand.text())
