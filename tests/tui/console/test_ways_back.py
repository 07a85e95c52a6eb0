"""One comes back to where one was: to the tools, out of a search, from the queue."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from elicit_tui.elicitation import Call
from elicit_tui.host.offers import Tool
from elicit_tui.tui.console.screen import ConsoleScreen
from elicit_tui.tui.console.screens.records import RecordScreen
from elicit_tui.tui.console.servers import read_offers
from tests.tui.console.reading import reading, search, text_result
from tests.tui.console.stand import Stand, console

pytestmark = pytest.mark.anyio


def tool(name: str, description: str = "") -> Tool:
    schema = {"type": "object", "properties": {}}
    read = Tool.read({"name": name, "inputSchema": schema, "description": description})
    assert read is not None
    return read


TOOLS = {"alpha": tuple(map(tool, ("book", "clear", "plan")))}


def bar(stand: Stand) -> str:
    """The bar of keys."""
    return stand.text().splitlines()[-1]


async def test_from_another_pane_one_comes_back_to_the_tools(tmp_path: Path) -> None:
    async with console(tmp_path, tools=TOOLS) as stand:
        await stand.press("enter", "down")
        await stand.until(lambda: "▌⚒ clear" in stand.text())
        await stand.press("2", "1")
        await stand.until(lambda: "▌⚒ clear" in stand.text() and "Enter Call" in bar(stand))
        await stand.press("escape", "2", "1")
        await stand.until(lambda: "Enter Tools" in bar(stand))


async def test_a_search_and_its_cursor_stay_over_the_call_of_what_was_found(tmp_path: Path) -> None:
    async with console(tmp_path, tools=TOOLS) as stand:
        await stand.press("slash")
        await stand.until(lambda: "Enter To the list" in bar(stand))
        await stand.press(*"pla")
        await stand.until(lambda: "⚒ book" not in stand.text())
        assert "Enter To the list" in bar(stand)
        assert "/ Search" not in bar(stand)
        await stand.press("enter")
        await stand.until(lambda: "Enter Call" in bar(stand) and "▌⚒ plan" in stand.text())
        assert not [*stand.app.state.calls]
        await stand.press("enter")
        await stand.until(lambda: "plan" in [call.call.name for call in stand.app.state.calls])
        await stand.press("1")
        await stand.until(lambda: "▌⚒ plan" in stand.text() and "Esc End search" in bar(stand))
        assert "⚒ book" not in stand.text()


async def test_escape_ends_a_search_before_it_leaves_the_tools(tmp_path: Path) -> None:
    async with console(tmp_path, tools=TOOLS) as stand:
        await stand.press("slash", *"pla", "down")
        await stand.until(lambda: "Esc End search" in bar(stand))
        assert "⚒ book" not in stand.text()
        await stand.press("escape")
        await stand.until(lambda: "⚒ book" in stand.text() and "▌⚒ plan" in stand.text())
        await stand.until(lambda: "Esc Servers" in bar(stand))


async def test_down_goes_on_from_the_first_that_was_found(tmp_path: Path) -> None:
    async with console(tmp_path, tools=TOOLS) as stand:
        await stand.press("slash", "l")
        await stand.until(lambda: "⚒ book" not in stand.text())
        await stand.press("down")
        await stand.until(lambda: "▌⚒ plan" in stand.text())


async def test_the_cursor_stays_in_sight_when_a_description_takes_rows_from_the_list(
    tmp_path: Path,
) -> None:
    tools = [tool(f"tool{number:02}", "Does it. " * (60 * (number % 2))) for number in range(20)]
    async with console(tmp_path, tools={"alpha": tuple(tools)}, size=(80, 24)) as stand:
        await stand.press("enter", "end")
        for key in ("up", "up", "up", "down", "down"):
            await stand.press(key)
        await stand.until(lambda: "▌⚒ tool18" in stand.text())
        await stand.press("down")
        await stand.until(lambda: "▌⚒ tool19" in stand.text())


async def test_enter_stays_in_a_search_that_finds_nothing(tmp_path: Path) -> None:
    async with console(tmp_path, tools=TOOLS) as stand:
        await stand.press("slash", *"zzz", "enter", "m")
        await stand.until(lambda: "zzzm" in stand.text())
        assert stand.app.muted == frozenset()


async def test_a_search_stays_when_its_pane_is_left(tmp_path: Path) -> None:
    async with console(tmp_path, tools=TOOLS) as stand:
        await stand.press("slash", *"pla", "enter", "2", "1")
        await stand.until(lambda: "▌⚒ plan" in stand.text())
        assert "⚒ book" not in stand.text()


async def test_the_question_of_the_call_just_made_opens_before_older_ones(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        first, second = stand.ask(message="Where to?"), stand.ask(message="How long?")
        await stand.shown(first)
        await stand.press("ctrl+l", "1")
        call = Call("tools/call", "clear", {})
        stand.app.state.calls.start("alpha", call)
        third = stand.ask(message="Clear it?", calls=(call,))
        await stand.shown(third)
        await stand.until(lambda: "3 of 3" in stand.text())
        assert stand.outcome(second) is None


async def test_what_was_put_back_opens_only_by_choice(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        first, second = stand.ask(message="Where to?"), stand.ask(message="How long?")
        await stand.shown(first)
        await stand.press("ctrl+l")
        await stand.lists_what_waits()
        await stand.press("f1")
        await stand.until(lambda: "Help" in stand.text())
        await stand.press("escape")
        await stand.lists_what_waits()
        assert isinstance(stand.app.screen, ConsoleScreen)
        await stand.press("down", "enter")
        await stand.shown(second)
        await stand.press("ctrl+n")
        await stand.until(lambda: stand.outcome(second))
        await stand.lists_what_waits()
        assert stand.outcome(first) is None
        await stand.press("enter")
        await stand.shown(first)


async def test_whoever_goes_on_to_the_next_question_goes_through_the_queue(
    tmp_path: Path,
) -> None:
    async with console(tmp_path) as stand:
        first, second = stand.ask(message="Where to?"), stand.ask(message="How long?")
        await stand.shown(first)
        await stand.press("ctrl+l")
        await stand.lists_what_waits()
        await stand.press("ctrl+o")
        await stand.shown(first)
        await stand.press("ctrl+n")
        await stand.shown(second)


async def test_a_question_of_several_calls_is_said_to_be_of_one_of_them(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        calls = tuple(Call("tools/call", name, {}) for name in ("plan", "clear"))
        await stand.shown(stand.ask(calls=calls))
        await stand.press("ctrl+l")
        await stand.until(lambda: "alpha · plan or clear" in stand.text())


async def test_a_call_that_ended_is_no_longer_said_to_be_the_one_that_asks(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        calls = tuple(Call("tools/call", name, {}) for name in ("plan", "clear"))
        for call in calls:
            stand.app.state.calls.start("alpha", call)
        request = stand.ask(calls=calls)
        await stand.shown(request)
        assert "plan() or clear()" in stand.text()
        record = stand.app.state.calls.get(calls[0].id)
        assert record is not None
        record.end("answered", result={"content": []})
        stand.app.look_for_questions()
        await stand.until(lambda: "clear()" in stand.text() and "plan()" not in stand.text())
        await stand.press("f2")
        await stand.until(lambda: "asks during  clear()" in stand.text())
        await stand.shown(request)
        await stand.press("ctrl+l")
        await stand.until(lambda: "alpha · clear" in stand.text())


async def test_the_second_enter_looks_at_what_was_searched_for_in_the_history(
    tmp_path: Path,
) -> None:
    async with console(tmp_path) as stand:
        for message in ("Shall we?", "Where to?"):
            await stand.shown(stand.ask("alpha", message))
            await stand.press("ctrl+n")
            await stand.until(lambda: isinstance(stand.app.screen, ConsoleScreen))
        await stand.press("5")
        await stand.until(lambda: "Shall we?" in stand.text() and "Where to?" in stand.text())
        await stand.press("slash")
        await stand.until(lambda: "Enter To the list" in bar(stand))
        await stand.press(*"shall")
        await stand.until(lambda: "Where to?" not in stand.text())
        assert "Enter To the list" in bar(stand)
        await stand.press("enter")
        await stand.until(lambda: "Enter Look" in bar(stand))
        assert not isinstance(stand.app.screen, RecordScreen)
        await stand.press("enter")
        await stand.until(lambda: isinstance(stand.app.screen, RecordScreen))
        await stand.until(lambda: "Shall we?" in stand.text())


async def test_a_record_of_the_history_is_copied_as_it_is_recorded(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        await stand.shown(stand.ask("alpha", "Where to?"))
        await stand.press("ctrl+n")
        await stand.until(lambda: isinstance(stand.app.screen, ConsoleScreen))
        await stand.press("5")
        await stand.until(lambda: "Where to?" in stand.text())
        await stand.press("enter")
        await stand.until(lambda: "c Copy" in bar(stand))
        await stand.press("c")
        await stand.until(lambda: "The JSON of the record" in stand.notices())
        record = json.loads(stand.app.clipboard)
    assert (record["message"], record["action"]) == ("Where to?", "decline")


@pytest.mark.parametrize(("pane", "shown"), [("4", "Shall we?"), ("5", "Shall we?")])
async def test_escape_ends_a_search_from_what_was_found(
    tmp_path: Path, pane: str, shown: str
) -> None:
    async with console(tmp_path) as stand:
        for message in (shown, "Where to?"):
            await stand.shown(stand.ask("alpha", message))
            await stand.press("ctrl+n")
            await stand.until(lambda: isinstance(stand.app.screen, ConsoleScreen))
        await stand.press(pane)
        await stand.until(lambda: "Where to?" in stand.text() and "Esc" not in bar(stand))
        await stand.press("slash", *"shall")
        await stand.until(lambda: "Where to?" not in stand.text())
        await stand.press("down")
        await stand.until(lambda: "Esc End search" in bar(stand))
        await stand.press("escape")
        await stand.until(lambda: "Where to?" in stand.text() and "Esc" not in bar(stand))


async def test_a_search_that_finds_nothing_in_the_history_says_so(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        await stand.press("5")
        await stand.until(lambda: "Nothing has been asked or called yet." in stand.text())
        assert "1 leads to the servers" in " ".join(stand.text().replace("│", "").split())
        assert "ledger.sqlite3" in stand.text().replace("\n", "").replace("│", "")
        await stand.press("1")
        await stand.shown(stand.ask("alpha", "Shall we?"))
        await stand.press("ctrl+n")
        await stand.until(lambda: stand.outcomes)
        await stand.press("5")
        await stand.until(lambda: "Shall we?" in stand.text())
        await stand.press("slash", *"atlantis")
        await stand.until(lambda: "Nothing matches." in stand.text())
        assert "recorded" not in stand.text()


async def test_the_history_is_searched_by_how_a_question_ended_as_its_line_says_it(
    tmp_path: Path,
) -> None:
    async with console(tmp_path) as stand:
        for message, key in (("Shall we?", "ctrl+n"), ("Where to?", "escape")):
            await stand.shown(stand.ask("alpha", message))
            await stand.press(key)
            await stand.until(lambda: isinstance(stand.app.screen, ConsoleScreen))
        await stand.press("5")
        await stand.until(lambda: "declined by you" in stand.text())
        await stand.until(lambda: "cancelled by you" in stand.text())
        await stand.press("slash", *"declined by you")
        await stand.until(lambda: "Where to?" not in stand.text())
        assert "Shall we?" in stand.text()


@pytest.mark.parametrize("columns", [40, 80])
async def test_the_way_back_from_a_call_to_the_calls_is_the_first_key_that_is_named(
    tmp_path: Path, columns: int
) -> None:
    async with console(tmp_path, tools=TOOLS, size=(columns, 24)) as stand:
        await stand.press("enter", "enter")
        await stand.until(lambda: "done" in stand.text() and "Enter Read" in bar(stand))
        await stand.press("enter")
        await stand.until(lambda: bar(stand).startswith(" Esc Calls"))


async def test_the_bar_says_what_enter_does_with_a_tool_a_prompt_and_a_resource(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, tools=TOOLS) as stand:
        record = stand.app.state.servers["alpha"]
        record.offers = (
            record.offers[0],
            *read_offers("prompt", [{"name": "welcome"}]),
            *read_offers("resource", [{"name": "menu", "uri": "alpha://menu"}]),
        )
        stand.app.state.changed()
        await stand.press("enter")
        for verb in ("Call", "Get", "Read"):
            await stand.until(lambda verb=verb: bar(stand).startswith(f" Enter {verb}"))
            await stand.press("down")


@pytest.mark.parametrize("columns", [80, 100, 160])
async def test_the_keys_by_which_a_call_is_taken_along_stand_in_its_frame(
    tmp_path: Path, columns: int
) -> None:
    async with console(tmp_path, tools=TOOLS, size=(columns, 24)) as stand:
        for _ in range(2):
            call = stand.app.state.calls.start("alpha", Call("tools/call", "book", {}))
            call.end("answered", result={})
        await stand.press("3")
        await stand.until(lambda: "d Compare" in bar(stand))
        named = "w Keep call  e Copy command  s Save result"
        await stand.until(lambda: named in stand.text().splitlines()[-2])
        assert "Save" not in bar(stand)


async def test_a_frame_that_became_narrow_names_fewer_keys(tmp_path: Path) -> None:
    async with console(tmp_path, tools=TOOLS, size=(160, 24)) as stand:
        call = stand.app.state.calls.start("alpha", Call("tools/call", "book", {}))
        call.end("answered", result={})
        await stand.press("3")
        await stand.until(lambda: "n Note  y Copy JSON" in stand.text().splitlines()[-2])
        await stand.pilot.resize_terminal(80, 24)
        await stand.until(lambda: "s Save result ─╯" in stand.text().splitlines()[-2])


async def test_whoever_reads_a_result_is_told_how_to_save_it_and_copy_its_call(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, tools=TOOLS, size=(80, 24)) as stand:
        call = stand.app.state.calls.start("alpha", Call("tools/call", "book", {}))
        call.end("answered", result={})
        await stand.press("3", "z")
        await stand.until(lambda: "s Save result  y Copy JSON  e Copy command" in stand.text())


@pytest.mark.parametrize(("columns", "named"), [(80, False), (160, True)])
async def test_the_rarer_keys_of_a_pane_are_named_where_there_is_room_and_always_in_the_palette(
    tmp_path: Path, columns: int, named: bool
) -> None:
    async with console(tmp_path, tools=TOOLS, size=(columns, 24)) as stand:
        stand.app.state.calls.start("alpha", Call("tools/call", "book", {})).end(
            "answered", result={}
        )
        await stand.press("3")
        await stand.until(lambda: "c Copy" in bar(stand))
        for key in ("a Again", "^P Commands  ^Q Leave  F1 Help"):
            assert key in bar(stand)
        assert ("f Filter" in bar(stand)) is named
        assert ("n Note" in stand.text()) is named
        assert ("c Copy  …" in bar(stand)) is not named
        titles = {command.title for command in stand.app.get_system_commands(stand.app.screen)}
        assert {
            "Search the calls",
            "Keep this call in a file",
            "Write a note at this call",
        } <= titles
        await stand.press("1")
        await stand.until(lambda: "r Restart" in bar(stand))
        assert "Del Remove" in stand.text()
        assert "Favourite" not in bar(stand), "on a server there is nothing to be made one"


@pytest.mark.parametrize("key", ["left", "h"])
async def test_an_arrow_leads_out_of_what_a_search_found_to_the_servers(
    tmp_path: Path, key: str
) -> None:
    async with console(tmp_path, tools=TOOLS) as stand:
        await stand.press("slash", *"pla", "enter")
        await stand.until(lambda: "Esc End search" in bar(stand) and "▌⚒ plan" in stand.text())
        await stand.press(key)
        await stand.until(lambda: "⚒ book" in stand.text() and "Enter Tools" in bar(stand))
        await stand.press("right")
        await stand.until(lambda: "▌⚒ plan" in stand.text())


@pytest.mark.parametrize("key", ["left", "h", "escape"])
async def test_a_call_leads_back_to_the_tools_of_its_server_whichever_way_one_came(
    tmp_path: Path, key: str
) -> None:
    async with console(tmp_path, tools=TOOLS, size=(140, 30)) as stand:
        await stand.press("enter", "down", "enter")
        await stand.until(lambda: "[3 Calls" in stand.text() and "Esc Tools" in bar(stand))
        await stand.press("enter")
        await stand.until(lambda: "Esc Calls" in bar(stand))
        await stand.press(key)
        await stand.until(lambda: "Esc Tools" in bar(stand))
        await stand.press(key)
        await stand.until(lambda: "[1 Servers" in stand.text() and "▌⚒ clear" in stand.text())
        await stand.press("3")
        await stand.until(lambda: "[3 Calls" in stand.text() and "Enter Read" in bar(stand))
        await stand.until(lambda: "Esc Tools" in bar(stand))
        await stand.press(key)
        await stand.until(lambda: "[1 Servers" in stand.text() and "▌⚒ clear" in stand.text())


async def test_from_the_call_of_another_server_one_comes_to_the_tools_of_that(
    tmp_path: Path,
) -> None:
    tools = {**TOOLS, "beta": (tool("ring"),)}
    async with console(tmp_path, tools=tools, size=(140, 30)) as stand:
        for server, name in (("gone", "old"), ("beta", "ring"), ("alpha", "book")):
            call = stand.app.state.calls.start(server, Call("tools/call", name, {}))
            call.end("answered", result={})
        await stand.press("3", "down")
        await stand.until(lambda: "Esc Tools" in bar(stand))
        await stand.press("escape")
        await stand.until(lambda: "▌⚒ ring" in stand.text() and "[1 Servers" in stand.text())
        await stand.press("3", "down")
        await stand.until(lambda: "gone · old" in stand.text() and "Esc" not in bar(stand))


@pytest.mark.parametrize("key", ["left", "h"])
async def test_an_arrow_lists_all_calls_again_behind_a_search(tmp_path: Path, key: str) -> None:
    async with console(tmp_path, tools=TOOLS) as stand:
        for _ in range(2):
            await stand.press("enter")
            await stand.until(lambda: "Enter Call" in bar(stand))
            await stand.press("down", "enter")
            await stand.until(lambda: "[3 Calls" in stand.text())
            await stand.press("1", "escape")
            await stand.until(lambda: "Enter Tools" in bar(stand))
        await stand.press("3", "slash", *"plan", "enter")
        await stand.until(lambda: "Esc End search" in bar(stand) and "clear" not in stand.text())
        await stand.press(key)
        await stand.until(lambda: "clear" in stand.text() and "End search" not in bar(stand))


@pytest.mark.parametrize("key", ["left", "h"])
async def test_an_arrow_leads_out_of_the_text_of_a_result_but_first_out_of_a_search(
    tmp_path: Path, key: str
) -> None:
    async with reading(tmp_path, text_result("one\ntwo\nthree")) as (stand, screen):
        await search(stand, "two")
        await stand.until(lambda: "1 of 1 for “two”" in stand.text())
        await stand.press(key)
        await stand.until(lambda: "for “two”" not in stand.text())
        assert stand.app.screen is screen
        await stand.press(key)
        await stand.until(lambda: stand.app.screen is not screen)
