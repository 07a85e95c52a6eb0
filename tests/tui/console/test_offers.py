"""What a server offers is pointed at, searched and called."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from textual import events

from elicit_tui.elicitation import Call, ServerIdentity
from elicit_tui.host.offers import Tool
from elicit_tui.tui.console.action_keys import commands
from elicit_tui.tui.console.bars import SearchLine
from elicit_tui.tui.console.screens.arguments import ArgumentsScreen
from elicit_tui.tui.console.servers import read_offers
from elicit_tui.tui.console.views import RowList
from tests.tui.console.stand import FakeConnection, Stand, console
from tests.tui.console.test_calls import GREET, calls_of, tool

pytestmark = pytest.mark.anyio


async def test_the_cursor_begins_at_the_first_tool_of_another_server(tmp_path: Path) -> None:
    names = ("one", "two", "three")
    tools = {server: [tool(f"{server}-{name}") for name in names] for server in ("alpha", "beta")}
    async with console(tmp_path, tools=tools) as stand:
        await stand.press("enter", "down", "down")
        await stand.until(lambda: "▌⚒ alpha-three" in stand.text())
        await stand.press("escape", "down", "enter")
        await stand.until(lambda: "▌⚒ beta-one" in stand.text())


async def test_enter_calls_what_the_cursor_was_on_or_nothing(tmp_path: Path) -> None:
    tools = {"alpha": [tool("aaa_read"), tool("zzz_delete")]}
    async with console(tmp_path, servers=["alpha"], tools=tools) as stand:
        await stand.press("enter")
        await stand.until(lambda: "▌⚒ aaa_read" in stand.text())
        record = stand.app.state.servers["alpha"]
        stand.app.screen.query_one("#offer-list", RowList).action_choose()
        # Before that is dealt with the server offers it no more, and the list is drawn.
        record.offers = record.offers[1:]
        stand.app.state.changed()
        stand.app.screen.tick()
        await stand.until(lambda: "It is no longer offered." in stand.notices())
        assert not calls_of(stand)


async def test_a_tab_in_what_a_tool_says_of_itself_is_drawn_as_blanks(tmp_path: Path) -> None:
    tools = {"alpha": [tool("look", description="first\tsecond")]}
    async with console(tmp_path, tools=tools) as stand:
        await stand.until(lambda: stand.text().count("first   second") == 2)
        assert "\t" not in stand.text()


async def test_what_is_typed_behind_enter_in_the_search_stands_in_the_form(tmp_path: Path) -> None:
    tools = {"alpha": [tool("other"), tool("greet", GREET)]}
    async with console(tmp_path, tools=tools) as stand:
        await stand.press("slash", *"greet")
        await stand.until(lambda: "▏⚒ greet" in stand.text())
        driver = stand.app._driver
        assert driver is not None
        for key in ("enter", "enter", *"Ada"):
            driver.send_message(events.Key(key, key if len(key) == 1 else None))
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        await stand.until(lambda: "Ada" in stand.text())
        await stand.press("escape")


async def test_two_calls_of_one_tool_are_told_apart_by_their_arguments(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"]) as stand:
        for city in ("Oslo", "Rome"):
            call = Call("tools/call", "look", {"city": city, "days": 2})
            stand.app.state.calls.start("alpha", call).end("answered", result={})
        await stand.press("3")
        for city in ("Oslo", "Rome"):
            await stand.until(lambda city=city: f"done · city={city}" in stand.text())


@pytest.mark.parametrize("width", [80, 120])
async def test_arguments_that_begin_alike_are_told_apart_by_what_differs(
    tmp_path: Path, width: int
) -> None:
    folder = "/tmp/new/project/with/a/long/name"
    async with console(tmp_path, servers=["alpha"], size=(width, 30)) as stand:
        for arguments in (
            {"path": folder, "pattern": "first"},
            {"path": folder, "pattern": "second"},
            {"path": f"{folder}/one/of/a/few/third.txt"},
            {"path": f"{folder}/one/of/a/few/fourth.txt"},
        ):
            call = Call("tools/call", f"look_{len(arguments)}", arguments)
            stand.app.state.calls.start("alpha", call).end("answered", result={})
        await stand.press("3")
        for words in ("pattern=first", "pattern=second", "path=…third.txt", "path=…fourth.txt"):
            await stand.until(lambda words=words: f"done · {words}" in stand.text())


async def test_beside_other_servers_too_arguments_tell_calls_apart_as_far_as_there_is_room(
    tmp_path: Path,
) -> None:
    servers = ["alpha", "a-server-of-a-long-name"]
    async with console(tmp_path, servers=servers, size=(80, 24)) as stand:
        for path in ("shop/orders/of/this/year.csv", "stock/rooms/of/this/year.csv", "short"):
            call = Call("tools/call", "read", {"path": path})
            stand.app.state.calls.start(servers[1], call).end("answered", result={})
        stand.app.state.calls.start("alpha", call).end("answered", result={})
        await stand.press("3")
        for words in ("path=shop", "path=stock"):
            await stand.until(lambda words=words: f"done · {words}" in stand.text())
        rows = [line.split("│")[1] for line in stand.text().splitlines() if "done · path=s" in line]
        assert [row.rstrip()[-1] for row in rows if "short" not in row] == ["…", "…"]
        assert "done · path=short · alpha" in stand.text()


async def test_lines_that_are_pasted_into_an_argument_stay_lines(tmp_path: Path) -> None:
    async with console(tmp_path, tools={"alpha": [tool("greet", GREET)]}) as stand:
        await stand.press("enter", "enter")
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        await stand.press(*"To: ")
        assert stand.app.focused is not None
        stand.app.focused.post_message(events.Paste("# Do\n\n- first\n"))
        await stand.until(lambda: "- first" in stand.text())
        await stand.press("ctrl+s")
        await stand.until(lambda: calls_of(stand))
        assert calls_of(stand)[0].arguments["name"] == "To: # Do\n\n- first\n"


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
async def test_a_tool_that_runs_as_a_task_alone_is_not_called_where_nobody_speaks_of_its_tasks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, revision: str
) -> None:
    identity = ServerIdentity("alpha", "stdio", "alpha-server", protocol_version=revision)
    monkeypatch.setattr(FakeConnection, "identity", identity)
    raw = {**tool("research").raw, "execution": {"taskSupport": "required"}}
    offered = Tool.read(raw)
    assert offered is not None
    async with console(tmp_path, servers=["alpha"], tools={"alpha": [offered]}) as stand:
        await stand.press("enter", "enter")
        if revision == "2026-07-28":
            await stand.until(lambda: calls_of(stand))
        else:
            await stand.until(lambda: "cannot be called here" in stand.notices())
            assert " only as task" in stand.text()
            assert "runs as a task alone" in stand.text()
        found = commands(stand.app, stand.app.screen)
        titles = {each.title for each in found if not each.traits.cannot}
        assert ("alpha: research" in titles) == (revision == "2026-07-28")


async def test_what_cannot_be_called_is_not_offered_and_a_search_that_found_it_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    identity = ServerIdentity("alpha", "stdio", "alpha-server", protocol_version="2025-11-25")
    monkeypatch.setattr(FakeConnection, "identity", identity)
    offered = Tool.read({**tool("research").raw, "execution": {"taskSupport": "required"}})
    assert offered is not None
    tools = {"alpha": [tool("other"), offered]}
    async with console(tmp_path, servers=["alpha"], tools=tools) as stand:
        await stand.press("slash")
        await stand.until(lambda: "Enter To the list" in stand.text())
        await stand.press(*"resea")
        await stand.until(lambda: "⚒ other" not in stand.text())
        await stand.press("enter")
        await stand.until(lambda: "Enter Why not" in stand.text())
        await stand.press("enter")
        await stand.until(lambda: "cannot be called here" in stand.notices())
        search = stand.app.query_one("#offer-search", SearchLine)
        assert search.value == "resea"
        await stand.press("escape", "home")
        await stand.until(lambda: "Enter Call" in stand.text())
        await stand.press("end")
        await stand.until(lambda: "Enter Why not" in stand.text())


async def test_a_long_name_that_is_no_path_is_cut_at_its_end(tmp_path: Path) -> None:
    name = "get-structured-content-of-the-forecast"
    tools = {"alpha": [tool(name)]}
    async with console(tmp_path, servers=["alpha"], tools=tools, size=(80, 24)) as stand:
        await stand.until(lambda: "get-structured-content-of" in stand.text())
        call = Call("tools/call", name, {})
        stand.app.state.calls.start("alpha", call).end("answered", result={})
        stand.app.state.changed()
        await stand.press("3")
        await stand.until(lambda: re.search(r"get-struct[a-z-]*…", stand.text()))
        assert not re.search(r"…[a-z-]+forecast", stand.text())


async def test_of_a_long_address_both_ends_are_shown(tmp_path: Path) -> None:
    addresses = [
        f"file:///srv/projects/website/content/articles/{number}-draft.md" for number in (1, 2)
    ]
    raws = [{"name": "draft", "uri": address} for address in addresses]
    async with console(tmp_path, servers=["alpha"], size=(80, 24)) as stand:
        record = stand.app.state.servers["alpha"]
        record.offers = read_offers("resource", raws)
        for address in addresses:
            call = Call("resources/read", address, {})
            stand.app.state.calls.start("alpha", call).end("answered", result={})
        stand.app.state.changed()
        for pane in ("1", "3"):
            await stand.press(pane)
            for number in (1, 2):
                end = f"{number}-draft.md"
                await stand.until(lambda end=end: "file:" in stand.text() and end in stand.text())


async def test_a_form_that_is_left_leads_back_to_what_was_found_of_all_servers(
    tmp_path: Path,
) -> None:
    tools = {
        "alpha": [tool("one"), tool("two"), tool("three")],
        "beta": [tool("other"), tool("take_note", GREET), tool("note_it", GREET)],
    }
    async with console(tmp_path, tools=tools) as stand:
        await stand.press("slash", *"note")
        await stand.until(lambda: "beta: take_note" in stand.text() and "one" not in stand.text())
        assert "─ all servers ─" in stand.text()
        assert "stdio: beta-server ─╯" in stand.text()
        assert "alpha-server" not in stand.text()
        await stand.press("enter", "down", "enter")
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        await stand.press("escape")
        await stand.until(lambda: "▌⚒ beta: note_it" in stand.text())
        await stand.press("3", "1")
        await stand.until(lambda: "▌⚒ beta: note_it" in stand.text())
        await stand.press("escape")
        await stand.until(lambda: "▌⚒ note_it" in stand.text() and "─ beta ─" in stand.text())
        assert "⚒ other" in stand.text()


@pytest.mark.parametrize("size", [(80, 24), (100, 30)])
async def test_the_tool_that_was_found_is_in_sight_and_marked_when_its_search_ends(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    tools = {"alpha": [tool(f"tool-{number}", GREET) for number in range(10, 70)]}
    async with console(tmp_path, tools=tools, size=size) as stand:
        await stand.press("slash", *"tool-57")
        await stand.until(lambda: "▏⚒ tool-57" in stand.text())
        await stand.press("enter", "enter")
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        await stand.press("escape")
        await stand.until(lambda: "▌⚒ tool-57" in stand.text())
        await stand.press("escape")
        await stand.until(lambda: "tool-56" in stand.text())
        assert "▌⚒ tool-57" in stand.text()
        listing = stand.app.screen.query_one("#offer-list", RowList)
        assert listing.vertical_scrollbar.position == listing.scroll_y > 0


async def test_a_tool_is_called_by_its_name_which_is_whole_where_its_title_has_to_give_way(
    tmp_path: Path,
) -> None:
    found = [
        {"name": "send_transactional_email_now", "title": "Send Transactional Email Now"},
        {"name": "send_a_much_longer_marketing_campaign", "title": "Sends to everybody"},
        {"name": "list", "title": "List!", "description": "What there is."},
    ]
    tools = [Tool.read({**raw, "inputSchema": {"type": "object"}}) for raw in found]
    async with console(tmp_path, tools={"alpha": tuple(filter(None, tools))}) as stand:
        for width in (80, 100, 140):
            await stand.pilot.resize_terminal(width, 30)
            await stand.until(lambda: all(f" {raw['name']} " in stand.text() for raw in found))
            assert "Transactional" not in stand.text()
        rows = stand.text().splitlines()
        assert any("Sends to everybody" in row and "marketing_campaign " in row for row in rows)
        assert any("⚒ list " in row and "What there is." in row for row in rows)


async def test_that_a_tool_destroys_stands_out_in_the_list_below_it_and_in_about(
    tmp_path: Path,
) -> None:
    drop, wipe = (tool(name, annotations={"destructiveHint": True}) for name in ("drop", "wipe"))
    async with console(tmp_path, tools={"alpha": [drop, wipe]}, size=(140, 40)) as stand:
        await stand.press("enter")
        await stand.until(lambda: stand.text().count("▲ destructive") == 3)
        # One of the rows has the cursor's colours.
        assert warned(stand) == 2
        await stand.press("f2")
        await stand.until(lambda: "About drop" in stand.text())
        await stand.until(lambda: warned(stand) == 1)


def warned(stand: Stand) -> int:
    """How often `▲ destructive` is drawn in the colour of a warning."""
    warning = stand.app.get_css_variables()["warning"].casefold()
    return sum(
        "▲ destructive" in segment.text and str(segment.style.color.name).casefold() == warning
        for strip in stand.app.screen._compositor.render_strips(stand.app.size)
        for segment in strip
        if segment.style is not None and segment.style.color is not None
    )
