"""Tools and calls are found: lists as they are and change, and what is searched in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation import Call, ElicitationRequest, Review, ServerIdentity, accept
from elicit_tui.errors import ProtocolCallError
from elicit_tui.host.events import ListChanged
from elicit_tui.ledger import Ledger
from elicit_tui.tui.console.found_lines import FoundLines
from elicit_tui.tui.console.panels.calls import CallsPane
from elicit_tui.tui.console.views import RowList
from tests.tui.console.reading import text_result
from tests.tui.console.stand import console
from tests.tui.console.test_calls import calls_of, tool
from tests.tui.console.test_palette import searching

pytestmark = pytest.mark.anyio


async def test_a_list_that_fails_hides_no_tool(tmp_path: Path) -> None:
    failing = ProtocolCallError(-32601, "Method not found")
    tools = {"alpha": [tool("ping")]}
    async with console(tmp_path, tools=tools, no_prompts=failing) as stand:
        record = stand.app.state.servers["alpha"]
        await stand.until(lambda: record.offers_read)
        assert [offer.name for offer in record.offers] == ["ping"]
        said = [line.text for line in stand.app.state.activity]
        assert "its prompts could not be listed: Method not found" in said
        assert "does not tell when its lists change: Method not found" in said


async def test_a_server_whose_list_failed_is_not_said_to_offer_nothing(tmp_path: Path) -> None:
    failing = ProtocolCallError(-32603, "The disk is full")
    async with console(tmp_path, no_prompts=failing) as stand:
        await stand.until(lambda: stand.text().count("lists not read") == 2)
        assert "what it offers could not be read: the activity says why" in stand.text()
        assert "offers nothing" not in stand.text()


async def test_a_list_that_changes_is_read_again(tmp_path: Path) -> None:
    async with console(tmp_path, tools={"alpha": [tool("ping")]}) as stand:
        assert sorted(stand.host.watched) == ["alpha", "beta"], "also in the modern era"
        stand.host.connections["alpha"].tool_list = (tool("ping"), tool("pong"))
        stand.host.tell(ListChanged("alpha", "tools"))
        await stand.until(lambda: "pong" in stand.text())


async def test_the_search_finds_a_tool_by_its_description(tmp_path: Path) -> None:
    tools = [tool("one"), tool("two"), tool("three")]
    async with console(tmp_path, tools={"alpha": tools}) as stand:
        await stand.press("slash", *"what two", "enter", "enter")
        await stand.until(lambda: calls_of(stand))
        assert [call.name for call in calls_of(stand)] == ["two"]


async def test_a_search_points_at_the_first_that_is_called_so(tmp_path: Path) -> None:
    tools = [
        tool("alarm", description="Rings at a sign."),
        tool("sign_in"),
        tool("beep"),
        tool("sign_out"),
    ]
    async with console(tmp_path, tools={"alpha": tools}) as stand:
        await stand.press("enter", "down", "down", "slash", *"sign", "enter", "enter")
        await stand.until(lambda: calls_of(stand))
        assert [call.name for call in calls_of(stand)] == ["sign_in"]


async def test_enter_behind_a_search_that_found_several_goes_to_their_list(tmp_path: Path) -> None:
    tools = [tool("sign_in"), tool("sign_out"), tool("beep")]
    async with console(tmp_path, tools={"alpha": tools}) as stand:
        await stand.press("slash", *"sign")
        await stand.until(lambda: "Enter To the list" in stand.text().split("\n")[-1])
        await stand.press("enter")
        listing = stand.app.query_one("#offer-list", RowList)
        await stand.until(lambda: listing.has_focus)
        await stand.press("down", "enter")
        await stand.until(lambda: calls_of(stand))
        assert [call.name for call in calls_of(stand)] == ["sign_out"]


@pytest.mark.parametrize("servers", [["alpha"], ["alpha", "beta"]])
async def test_a_search_that_finds_nothing_says_where_it_looked(
    tmp_path: Path, servers: list[str]
) -> None:
    async with console(tmp_path, servers=servers, tools={"alpha": [tool("beep")]}) as stand:
        await stand.press("slash", *"sign")
        where = (
            "no tool, prompt or resource matches" if len(servers) > 1 else "nothing here matches"
        )
        await stand.until(lambda: where in stand.text())


@pytest.mark.parametrize("size", [(140, 40), (80, 24), (40, 15)])
async def test_a_search_finds_what_other_servers_offer_too_and_names_them(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    tools = {"alpha": [tool("beep")], "beta": [tool("convert", description="Beeps, too.")]}
    async with console(tmp_path, tools=tools, size=size) as stand:
        await stand.press("slash", *"beep")
        await stand.until(lambda: "beta: convert" in stand.text())
        assert stand.text().index("beep") < stand.text().index("beta: convert")
        await stand.press("enter", "down")
        if size != (40, 15):
            await stand.until(lambda: "Beeps, too." in stand.text())
        await stand.press("enter")
        await stand.until(lambda: calls_of(stand, "beta"))
        assert calls_of(stand, "beta")[0].name == "convert"
        await stand.press("1", "escape")
        await stand.until(lambda: "beta: convert" not in stand.text())
        assert stand.app.query_one("#server-list", RowList).key == "beta"


async def test_what_was_found_of_another_server_is_told_of_and_made_a_favourite_as_its_own(
    tmp_path: Path,
) -> None:
    tools = {"alpha": [tool("beep")], "beta": [tool("boop")]}
    async with console(tmp_path, tools=tools) as stand:
        await stand.press("slash", *"boop", "enter", "f")
        await stand.until(lambda: "★ beta: boop" in stand.text())
        assert stand.app.remembered.favourites == [("beta", "tool:boop")]
        await stand.press("m")
        await stand.until(lambda: stand.app.muted)
        assert stand.app.muted == {"beta"}
        await stand.press("f2")
        await stand.until(lambda: "What boop does." in stand.text())
        assert "beta" in stand.text()


async def test_the_mark_among_the_servers_follows_what_a_search_found_and_the_keys_act_on_that(
    tmp_path: Path,
) -> None:
    many = [f"s{number:02}" for number in range(20)]
    tools = {"alpha": [tool("beep")], many[-1]: [tool("boop"), tool("beeper")]}
    async with console(tmp_path, servers=["alpha", *many], tools=tools, size=(80, 24)) as stand:
        await stand.press("slash", *"boop")
        await stand.until(lambda: "▏● s19" in stand.text())
        assert "▏● alpha" not in stand.text()
        await stand.press("enter", "m")
        await stand.until(lambda: stand.app.muted == {"s19"})
        await stand.press("slash", *"beep", "enter")
        await stand.until(lambda: "▏● alpha" in stand.text())
        await stand.press("down")
        await stand.until(lambda: "▏● s19" in stand.text())
        stand.app.screen.query_one("#server-list").focus()
        await stand.until(lambda: "▌● alpha" in stand.text() and "▏● s19" not in stand.text())
        await stand.press("down")
        await stand.until(lambda: "▌● s00" in stand.text())


async def test_what_begins_so_stands_before_what_has_it_later(tmp_path: Path) -> None:
    tools = [tool("toggle-simulated-logging"), tool("simulate-research-query")]
    async with console(tmp_path, servers=["alpha"], tools={"alpha": tools}) as stand:
        await stand.press("slash", *"simul", "enter", "enter")
        await stand.until(lambda: calls_of(stand))
        assert calls_of(stand)[0].name == "simulate-research-query"


async def test_a_search_of_calls_points_at_the_first_that_is_found(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"]) as stand:
        for name in ("find", "tell", "find"):
            call = stand.app.state.calls.start("alpha", Call("tools/call", name, {}))
            call.end("answered", result={})
        await stand.press("3")
        await stand.until(lambda: "tell" in stand.text())
        listing = stand.app.query_one("#call-list", RowList)
        await stand.press("end", "slash", *"find")
        await stand.until(lambda: len(listing.keys) == 2)
        await stand.until(lambda: listing.cursor == 0)
        await stand.press("down", "escape")
        await stand.until(lambda: len(listing.keys) == 3)


async def test_a_favourite_stands_before_nothing_that_is_called_as_was_searched(
    tmp_path: Path,
) -> None:
    old = tool("read_file", description="Deprecated: use read_text_file.")
    async with console(tmp_path, tools={"alpha": [old, tool("read_text_file")]}) as stand:
        offers = stand.app.state.servers["alpha"].offers
        stand.app.remembered.toggle_favourite("alpha", offers[0].key)
        await stand.press("slash", *"read_text", "enter", "enter")
        await stand.until(lambda: calls_of(stand))
        assert [call.name for call in calls_of(stand)] == ["read_text_file"]


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("contents of a file", "read_text_file"),
        ("read", "read_text_file"),
        ("read_file", "read_file"),
    ],
)
async def test_what_is_deprecated_stands_last_unless_its_name_is_written_out(
    tmp_path: Path, words: str, first: str
) -> None:
    old = "Contents of a file. DEPRECATED: Use read_text_file instead."
    tools = [
        tool("read_file", description=old),
        tool("read_text_file", description="Contents of a file."),
    ]
    async with console(tmp_path, tools={"alpha": tools}) as stand:
        await stand.press("slash", *words)
        listing = stand.app.query_one("#offer-list", RowList)
        await stand.until(lambda: bool(listing.keys) and listing.keys[0] == f"tool:{first}")


async def test_calls_are_searched_by_their_name_and_what_they_were_called_with(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["alpha"]) as stand:
        for name, city in (("find", "Oslo"), ("find", "Rome"), ("tell", "Bern")):
            record = stand.app.state.calls.start("alpha", Call("tools/call", name, {"city": city}))
            record.end("answered", result={})
        await stand.press("3")
        await stand.until(lambda: "tell" in stand.text())
        listing = stand.app.query_one("#call-list", RowList)
        await stand.press("slash", "q")
        await stand.until(lambda: "Nothing matches." in stand.text())
        await stand.press("enter")  # There is nothing to be read.
        await stand.press("backspace", *"fi")
        await stand.until(lambda: len(listing.keys) == 2)
        await stand.press("down", "down")
        assert listing.has_focus
        assert listing.cursor == 1
        await stand.press("escape")
        await stand.until(lambda: len(listing.keys) == 3)
        assert not stand.app.query_one("#call-search").display
        assert "End search" not in stand.text()
        await stand.press("slash", *"rom", "enter")
        await stand.until(lambda: listing.has_focus and len(listing.keys) == 1)
        await stand.press("enter")
        await stand.until(lambda: stand.app.query_one("#call-detail").has_focus)
        assert '"city": "Rome"' in stand.text()
        found = listing.key
        await stand.press("escape", "escape")
        await stand.until(lambda: len(listing.keys) == 3)
        await stand.settled()
        assert listing.key == found
        await stand.press("slash", *"rom", "enter")
        await stand.until(lambda: len(listing.keys) == 1)
        stand.app.state.pointed_call = next(iter(stand.app.state.calls)).call.id
        stand.app.query_one(CallsPane).draw()
        await stand.until(lambda: len(listing.keys) == 3)  # One that was just made is not hidden.


async def test_calls_are_found_by_all_words_in_any_order_and_each_of_them_stands_out(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["alpha"]) as stand:
        for name, path in (("read_file", "hosts.json"), ("read_file", "note"), ("ls", "hosts")):
            record = stand.app.state.calls.start("alpha", Call("tools/call", name, {"path": path}))
            record.end("answered", result=text_result("Some words of it."))
        await stand.press("3")
        await stand.until(lambda: "hosts.json" in stand.text())
        listing = stand.app.query_one("#call-list", RowList)
        await stand.press("slash", *"hosts read")
        await stand.until(lambda: len(listing.keys) == 1)
        detail = stand.app.query_one("#call-detail", FoundLines)
        await stand.until(lambda: "hosts.json" in stand.text() and detail.lines)
        drawn = [span for n in range(len(detail.lines)) for span in detail.line_at(n)]
        assert {text.casefold() for text, role in drawn if role in ("hit", "here")} == {"hosts"}
        await stand.press("ctrl+u", *"hosts nothing")
        await stand.until(lambda: not listing.keys)


async def test_no_result_is_read_through_before_calls_are_searched(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"]) as stand:
        record = stand.app.state.calls.start("alpha", Call("tools/call", "read", {}))
        record.end("answered", result=text_result("Some words of it."))
        await stand.press("3")
        await stand.until(lambda: "Some words" in stand.text())
        await stand.settled()
        assert record.result_words is None
        await stand.press("slash", *"words")
        await stand.until(lambda: record.result_words is not None)


async def test_behind_a_search_of_the_calls_n_goes_to_what_was_found_in_the_whole_result(
    tmp_path: Path,
) -> None:
    gone = (7, 2_000)
    rows = [{"host": f"h{n}", "note": "gone" if n in gone else "in use"} for n in range(3_000)]
    async with console(tmp_path, servers=["alpha"]) as stand:
        record = stand.app.state.calls.start("alpha", Call("tools/call", "read", {}))
        record.end("answered", result=text_result(json.dumps(rows)))
        await stand.press("3")
        await stand.until(lambda: "n Note" in stand.text())
        await stand.press("slash", *"gone", "enter")
        await stand.until(lambda: "n To what is found" in stand.text())
        assert "n Note" not in stand.text()
        await stand.press("n")
        await stand.until(lambda: "1 of 2 rows for “gone”" in stand.text())
        await stand.press("n")
        await stand.until(lambda: "2 of 2 rows for “gone”" in stand.text())
        assert "h2000" in stand.text()
        await stand.press("escape", "escape", "slash", "escape")
        await stand.until(lambda: "n Note" in stand.text())


async def test_a_call_that_was_found_and_has_no_result_says_so_where_n_would_go_to_it(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["alpha"], size=(140, 40)) as stand:
        stand.app.state.calls.start("alpha", Call("tools/call", "read", {})).end("cancelled")
        await stand.press("3")
        await stand.until(lambda: "n Note" in stand.text())
        await stand.press("slash", *"read", "enter")
        await stand.until(lambda: "1 of 1 found" in stand.text())
        assert "To what is found" not in stand.text()
        assert stand.text().count("End search") == 1
        await stand.press("n")
        await stand.until(lambda: "This call has no result." in stand.notices())


async def test_a_tool_is_found_by_what_it_does_however_that_is_said(tmp_path: Path) -> None:
    tools = [
        tool("fetch", description="Read the contents of a file."),
        tool("list", description="Reads nothing of a folder."),
    ]
    async with console(tmp_path, servers=["alpha"], tools={"alpha": tools}) as stand:
        listing = stand.app.query_one("#offer-list", RowList)
        await stand.press("slash", *"reads the files")
        await stand.until(lambda: listing.keys == ("tool:fetch", "tool:list"))
        await stand.press("escape")
        await searching(stand, "reads the files", "alpha: fetch")


async def test_the_activity_is_searched_by_all_words(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        for server, text in (("alpha", "asks for a city"), ("beta", "asks for a city")):
            stand.app.state.activity.add(server, text)
        await stand.press("4")
        await stand.until(lambda: stand.text().count("asks for a city") == 2)
        await stand.press("slash", *"city alpha")
        await stand.until(lambda: stand.text().count("asks for a city") == 1)


@pytest.mark.parametrize("line", [0, 1])
async def test_a_click_on_either_line_of_a_server_points_at_that_server(
    tmp_path: Path, line: int
) -> None:
    async with console(tmp_path, servers=("alpha", "beta", "gamma")) as stand:
        servers = stand.app.screen.query_one("#server-list", RowList)
        await stand.pilot.click(servers, offset=(4, 1 + 2 + line))
        await stand.until(lambda: servers.key == "beta")


@pytest.mark.parametrize(
    ("words", "first", "second"),
    [
        ("git_diff", "git_diff", "git_diff_staged"),
        ("diff", "git_diff_staged", "git_diffs"),
        ("branch", "git_branch", "git_branching"),
        ("mail", "sendMail", "blackmail"),
    ],
)
async def test_who_searches_finds_what_is_called_just_so_before_what_only_holds_the_word(
    tmp_path: Path, words: str, first: str, second: str
) -> None:
    names = (
        "list_rebranched git_branching git_diffs blackmail git_diff_staged "
        "git_branch git_diff sendMail"
    ).split()
    async with console(tmp_path, tools={"alpha": [tool(name) for name in names]}) as stand:
        await stand.press("slash", *words)
        listing = stand.app.query_one("#offer-list", RowList)
        await stand.until(lambda: 1 < len(listing.keys) < len(names))
        keys = list(listing.keys)
        assert keys[0] == f"tool:{first}"
        assert f"tool:{second}" in keys[1:]


async def test_the_filter_says_what_is_listed_and_its_key_what_it_lists_next(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["alpha"], size=(80, 24)) as stand:
        for state in ("answered", "answered", "failed"):
            record = stand.app.state.calls.start("alpha", Call("tools/call", "look", {}))
            record.end(state, result={})
        await stand.press("3")
        await stand.until(lambda: "f Only failed" in stand.text())
        await stand.press("f")
        await stand.until(lambda: "Calls · failed, 1 of 3" in stand.text())
        assert "f Only done" in stand.text()
        await stand.press("f")
        await stand.until(lambda: "Calls · done, 2 of 3" in stand.text())
        assert "f All calls" in stand.text()


@pytest.mark.parametrize(
    ("width", "words"),
    [(120, "f cancelled or refused  W Kept"), (80, "─ f cancelled  W Kept calls ─")],
)
async def test_what_the_key_that_filters_lists_next_is_said_in_the_room_that_there_is(
    tmp_path: Path, width: int, words: str
) -> None:
    async with console(tmp_path, servers=["alpha"], size=(width, 24)) as stand:
        for number in range(20):
            record = stand.app.state.calls.start("alpha", Call("tools/call", "look", {}))
            record.end("cancelled" if number % 2 else "answered", result={})
        await stand.press("3")
        await stand.until(lambda: words in stand.text())
        assert "cancelled or re…" not in stand.text()


@pytest.mark.parametrize("content", ["redacted", "full"])
async def test_the_history_is_searched_by_what_was_answered_but_by_no_secret(
    tmp_path: Path, content: Any
) -> None:
    properties = {"city": {"type": "string"}, "password": {"type": "string"}}
    schema = {"type": "object", "properties": properties}
    async with console(tmp_path) as stand:
        ledger = Ledger.open(tmp_path / "ledger.sqlite3", content=content)
        for message, answer in (
            ("Where to?", {"city": "Rome", "password": "opensesame"}),
            ("How?", {"city": "by sea"}),
        ):
            identity = ServerIdentity("alpha", "stdio", "alpha-server")
            params = {"message": message, "requestedSchema": schema}
            request = ElicitationRequest(identity, params)
            ledger.asked(request, Review())
            ledger.decided(request, accept("user", "You sent it.", answer), Review())
        ledger.close()
        await stand.press("5")
        await stand.until(lambda: "Where to?" in stand.text() and "How?" in stand.text())
        await stand.press("slash", *"rome")
        await stand.until(lambda: "How?" not in stand.text())
        assert "Where to?" in stand.text()
        await stand.press("ctrl+u", *"how alpha")
        await stand.until(lambda: "How?" in stand.text() and "Where to?" not in stand.text())
        await stand.press("ctrl+u", *"opensesame")
        await stand.until(lambda: "Nothing matches. Secrets are not searched." in stand.text())
