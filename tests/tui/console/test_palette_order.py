"""The palette finds the name that begins so first, and ends nothing by a word in its middle."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from textual.widgets import Input

from elicit_tui.elicitation import Call
from elicit_tui.elicitation.settings import ServerSettings
from elicit_tui.host.events import ServerStateChanged
from elicit_tui.tui.console.palette import Palette
from elicit_tui.tui.console.palette_entries import (
    CAREFUL,
    FAVOURITE,
    KEPT,
    PLAIN,
    RECENT,
    TOOL,
    Entry,
    Traits,
    entry,
    found,
    in_order,
)
from elicit_tui.tui.console.views import RowList
from tests.tui.console.stand import console
from tests.tui.console.test_calls import calls_of, tool
from tests.tui.console.test_kept_calls import titles
from tests.tui.console.test_palette import searching
from tests.tui.console.test_while_it_starts import at_once

pytestmark = pytest.mark.anyio

GRAVE = Traits(place=CAREFUL, is_grave=True)
LEAVING = Traits(place=CAREFUL, found_by=("leave", "quit", "exit"))


def made(title: str, traits: Traits = PLAIN, help_text: str = "") -> Entry:
    return entry(title, help_text, lambda: None, traits)


def of_tool(name: str, place: int = TOOL, server: str = "files") -> Entry:
    before = {FAVOURITE: "★ ", RECENT: "Recent: "}.get(place, "")
    return made(f"{before}{server}: {name}", Traits((name,), place, label=before))


def names(entries: list[Entry], query: str) -> list[str]:
    return [each.words for each in found(entries, query)]


def test_a_name_that_begins_so_stands_before_one_that_has_it_later() -> None:
    read, picture = made("Read this result on the whole screen"), made("Screenshot")
    assert names([read, picture], "screen") == ["Screenshot", read.words]
    later, begins = of_tool("do_commits"), of_tool("commits_all")
    assert names([later, begins], "commits") == [begins.words, later.words]
    assert names([of_tool("log_all"), of_tool("log")], "log") == ["files: log", "files: log_all"]
    named_so = of_tool("x", server="git")
    assert names([named_so, of_tool("git_log")], "git") == ["files: git_log", named_so.words]


def test_tools_stand_before_commands_and_what_is_at_hand_before_both() -> None:
    entries = [
        made("Write a note at this call"),
        of_tool("write_file"),
        of_tool("write_file", RECENT),
        made("Kept call: write", Traits(("write it",), KEPT)),
        of_tool("write_file", FAVOURITE),
    ]
    expected = [each.words for each in reversed(entries)]
    assert names(entries, "write") == expected
    later = of_tool("overwrite", FAVOURITE)
    assert names([later, entries[0]], "write")[0] == entries[0].words, "no place beats a beginning"


def test_before_anything_is_searched_what_is_at_hand_stands_first_and_the_newest_before() -> None:
    newest, older = of_tool("b", RECENT), of_tool("a", RECENT)
    kept, best = made("Kept call: z", Traits(("z",), KEPT)), of_tool("y", FAVOURITE)
    rest = [made("Help"), of_tool("c"), made("Add a server")]
    listed = in_order([*rest, newest, older, kept, best])
    titles_of_rest = ["Add a server", "Help", "files: c"]
    first = [each.words for each in (best, kept, newest, older)]
    assert [each.words for each in listed] == first + titles_of_rest


def test_leaving_is_found_by_its_own_words_and_by_nothing_else_of_its_name() -> None:
    leaves = made("Leave elicit-tui (quit)", LEAVING, "asks once while questions wait")
    for query in ("elicit", "tui", "elicit-tui", "questions", "ask", "leave elicit"):
        assert not names([leaves], query)
    for query in ("leave", "lea", "quit", "exit", "EXIT"):
        assert names([leaves], query) == [leaves.words]


def test_what_ends_something_is_found_by_the_beginning_of_its_name() -> None:
    restarts = made("Restart git", GRAVE, "ready")
    for query in ("git", "git_log", "ready", "start", "rg"):
        assert not names([restarts], query)
    for query in ("res", "restart git", "git restart"):
        assert names([restarts], query) == ["Restart git"]


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("gitst", "git_status"),
        ("rf", "read_text_file"),
    ],
)
def test_a_name_in_short_is_found_behind_all_that_has_what_was_written(
    query: str, name: str
) -> None:
    whole = made("Help", help_text=f"has {query} in it")
    assert names([of_tool(name), whole], query) == ["Help", f"files: {name}"]


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("ce", "create_entities"),
        ("rtf", "read_text_file"),
        ("sm", "sendMail"),
        ("gsd", "get-sum-d"),
    ],
)
def test_the_initials_of_a_name_find_it_before_what_has_them_within(query: str, name: str) -> None:
    within = of_tool(f"get-a{query}b")
    assert names([within, of_tool(name)], query) == [f"files: {name}", within.words]
    assert names([of_tool(f"{query}-begins"), of_tool(name)], query)[-1] == f"files: {name}"


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("longop", "trigger-long-running-operation"),
        ("mvfile", "move_file"),
        ("mv file", "move_file"),
        ("tinyimage", "get-tiny-image"),
        ("lngop", "trigger-long-running-operation"),
        ("trigop", "trigger-long-running-operation"),
    ],
)
def test_letters_in_their_order_find_a_name_behind_all_that_has_the_words(
    query: str, name: str
) -> None:
    told = made("Help", help_text=f"has {query} in it")
    assert names([of_tool(name), of_tool("get-env"), told], query) == ["Help", f"files: {name}"]


def test_of_names_in_short_the_one_of_the_fewest_parts_that_begins_so_stands_first() -> None:
    more, later, begins = map(of_tool, ("mov_f_ile", "a_move_file", "move_a_file"))
    shown = [each.words for each in (begins, later, more)]
    assert names([more, later, begins], "movfil") == shown
    assert not names([made("Move a file", GRAVE)], "mvfile")


def test_our_words_before_a_name_find_it_only_by_their_beginning() -> None:
    recent = of_tool("echo", RECENT)
    for query in ("ec", "ecen", "en", "nt"):
        assert (recent.words in names([recent], query)) == (query == "ec")
    assert names([recent, of_tool("recent_commits")], "recent")[0] == "files: recent_commits"
    assert names([recent], "rece") == [recent.words]
    kept = made("Kept call: hosts", Traits(("hosts",), KEPT, label="Kept call: "), "fs · read")
    for query in ("kept hosts", "read kept hosts", "hosts kept call", "read hosts"):
        assert names([kept], query) == [kept.words]
    for query in ("kept nothing", "ept hosts", "kept echo"):
        assert not names([kept, recent], query)


def test_what_cannot_be_done_now_stands_behind_all_that_can() -> None:
    away = made("files: search", Traits(("search",), TOOL, cannot=True))
    told = made("Help", help_text="how to search")
    assert names([away, told], "search") == ["Help", "files: search"]


@pytest.mark.parametrize(
    ("query", "name"),
    [("research", "read_search"), ("ile", "read_file"), ("tf", "read_text_file"), ("r", "get_r")],
)
def test_letters_scattered_over_a_name_are_no_name_in_short(query: str, name: str) -> None:
    short = [each for each in found([of_tool(name)], query) if query not in each.words]
    assert not short


def test_what_was_typed_as_a_word_stands_before_words_that_only_hold_it() -> None:
    holds = made("One", Traits(place=FAVOURITE), "unreported transports")
    begins, whole = made("Two", help_text="names its ports"), made("Three", help_text="a port")
    for query, first in (("port", whole), ("ports", begins), ("por", begins), ("ransp", holds)):
        assert names([holds, begins, whole], query)[0] == first.words
    assert names([holds, begins, whole], "port") == ["Three", "Two", "One"]


async def test_the_word_of_all_themes_and_enter_leave_the_one_that_is_worn(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"]) as stand:
        stand.app.wear("nord")
        await searching(stand, "theme", "Theme: nord")
        await stand.press("enter")
        await stand.until(lambda: not isinstance(stand.app.screen, Palette))
        assert stand.app.remembered.theme == "nord"


@pytest.mark.parametrize("word", ["picture", "screenshot", "svg"])
async def test_a_picture_of_the_screen_is_found_by_what_one_calls_it(
    tmp_path: Path, word: str
) -> None:
    async with console(tmp_path, servers=["alpha"]) as stand:
        await searching(stand, word, "Screenshot")


async def test_a_word_of_all_that_a_tool_says_finds_it_behind_what_is_named_so(
    tmp_path: Path,
) -> None:
    says = tool("read", description="Reads a file.\n" + "Any size. " * 30 + "All encodings.")
    named = tool("list_encodings")
    async with console(tmp_path, servers=["alpha"], tools={"alpha": [says, named]}) as stand:
        await stand.until(lambda: stand.app.state.servers["alpha"].offers)
        listed = stand.app.get_system_commands(stand.app.screen)
        entries = [each for each in listed if isinstance(each, Entry)]
        assert names(entries, "encodings") == ["alpha: list_encodings", "alpha: read"]


@pytest.mark.parametrize("query", ["mute", "restart", "leave", "quit"])
def test_a_tool_that_runs_at_once_takes_the_name_of_no_command(query: str) -> None:
    hostile = made(f"evil: {query}", Traits((query,), TOOL, is_at_once=True))
    ours = [
        made("Mute alpha"),
        made("Restart alpha", GRAVE),
        made("Leave elicit-tui", LEAVING),
    ]
    assert names([hostile, *ours], query)[-1] == hostile.words
    assert len(names([hostile, *ours], query)) == 2
    chosen = made(f"★ mine: {query}", Traits((query,), FAVOURITE, is_at_once=True))
    assert names([chosen, *ours], query)[0] == chosen.words, "the person chose it"


async def test_what_is_typed_while_the_palette_opens_stands_in_it_and_enter_runs_what_that_finds(
    tmp_path: Path,
) -> None:
    tools = {"alpha": [tool("aaa"), tool("get-sum")]}
    async with console(tmp_path, servers=["alpha"], tools=tools) as stand:
        await stand.until(lambda: stand.app.state.servers["alpha"].offers)
        await at_once(stand, "ctrl+p", *"get-sum", "enter")
        await stand.until(lambda: calls_of(stand))
        assert [call.name for call in calls_of(stand)] == ["get-sum"]


async def test_enter_runs_what_all_that_was_typed_finds(tmp_path: Path) -> None:
    tools = {"alpha": [tool("git"), tool("git_log")]}
    async with console(tmp_path, servers=["alpha"], tools=tools) as stand:
        await searching(stand, "git", "alpha: git_log")
        palette = stand.app.screen
        assert isinstance(palette, Palette)
        line = palette.query_one(Input)
        line.value = "git_log"  # At once, as fast typing on a busy machine.
        line.post_message(Input.Submitted(line, line.value))
        await stand.until(lambda: calls_of(stand))
        assert [call.name for call in calls_of(stand)] == ["git_log"]


async def test_a_server_whose_tool_is_called_mute_is_muted_by_that_word(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"], tools={"alpha": [tool("mute")]}) as stand:
        await searching(stand, "mute", "Mute alpha")
        await stand.press("enter")
        await stand.until(lambda: "alpha" in stand.app.muted)
        assert not calls_of(stand)


async def test_no_word_of_its_name_leaves_the_console_or_restarts_a_server(tmp_path: Path) -> None:
    tools = {"alpha": [tool("elicit_form")]}
    async with console(tmp_path, servers=["alpha"], tools=tools) as stand:
        await searching(stand, "elicit", "alpha: elicit_form")
        assert "Leave" not in stand.text()
        await stand.press("escape")
        await searching(stand, "alpha", "alpha: elicit_form")
        assert "Restart" not in stand.text()


async def test_the_name_of_a_server_leads_to_it_and_does_nothing_to_it(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        await stand.press("3")
        await searching(stand, "beta", "Server: beta")
        await stand.press("enter")
        await stand.until(lambda: stand.app.query_one("#server-list", RowList).key == "beta")
        await stand.until(lambda: "Restart" in stand.text().split("\n")[-1])
        assert not stand.app.muted


async def test_what_is_a_favourite_kept_or_used_last_stands_first_in_the_palette(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    saved = json.dumps({"server": "alpha", "tool": "one", "arguments": {}})
    (tmp_path / "mine.call.json").write_text(saved)
    tools = {"alpha": [tool("one"), tool("two")]}
    async with console(tmp_path, servers=["alpha"], tools=tools) as stand:
        stand.app.remembered.toggle_favourite("alpha", "tool:two")
        stand.app.remembered.used("alpha", "tool:one")
        record = stand.app.state.calls.start("alpha", Call("tools/call", "one", {"path": "a.txt"}))
        record.end("answered", result={})
        await stand.press("ctrl+p")
        await stand.until(lambda: "★ alpha: two" in stand.text())
        text = stand.text()
        recent = next(line for line in text.splitlines() if "Recent: alpha: one" in line)
        assert recent.rstrip(" │").endswith("path=a.txt")
        first = ["★ alpha: two", "Kept call: mine", "Recent: alpha: one", "Add a server"]
        assert [each for each in first if each in text] == sorted(first, key=text.index)
        assert "alpha: two" not in titles(stand)
        await stand.press(*"a.txt")
        await stand.until(lambda: "★ alpha: two" not in stand.text())
        await stand.until(lambda: "Recent: alpha: one" in stand.text())


async def test_what_has_a_key_on_the_screen_stands_before_what_is_done_elsewhere(
    tmp_path: Path,
) -> None:
    async with console(tmp_path) as stand:
        listed = [each.title for each in in_order(stand.app.get_system_commands(stand.app.screen))]
        here = ("Add a server", "Edit this server", "Import servers of other programs")
        elsewhere = ("Allowed tools", "Help", "Theme: auto")
        assert max(map(listed.index, here)) < min(map(listed.index, elsewhere))


async def test_what_each_server_has_and_other_themes_are_listed_once_they_are_searched_for(
    tmp_path: Path,
) -> None:
    async with console(tmp_path) as stand:
        listed = [each.title for each in in_order(stand.app.get_system_commands(stand.app.screen))]
        assert not [title for title in listed if "alpha" in title]
        assert [title for title in listed if title.startswith("Theme:")] == ["Theme: auto"]
        found = {"edit": "Edit alpha", "alpha": "Server: alpha", "light": "Theme: light"}
        for words, title in found.items():
            await searching(stand, words, title)
            await stand.press("escape")


async def test_the_tools_of_a_server_that_has_ended_are_found_with_the_reason(
    tmp_path: Path,
) -> None:
    tools = {"beta": [tool("ping")]}
    async with console(tmp_path, tools=tools) as stand:
        await stand.press("3")
        stand.host.tell(ServerStateChanged("beta", "failed", "It broke."))
        await searching(stand, "ping", "beta: ping")
        assert "has ended: r under Servers starts it again" in stand.text()
        await stand.press("enter")
        await stand.until(lambda: "“beta” has ended: r under Servers" in stand.notices())
        await stand.until(lambda: "It broke." in stand.text())
        assert not calls_of(stand)


async def test_what_was_used_of_a_server_that_does_not_start_is_found_too(tmp_path: Path) -> None:
    async with console(tmp_path, failures={"beta": "No such file."}) as stand:
        stand.app.remembered.used("beta", "tool:ping")
        await searching(stand, "ping", "beta: ping")
        assert "did not start: r under Servers starts it again" in stand.text()


@pytest.mark.parametrize("words", ["confirm", "approve", "ask before"])
async def test_where_it_is_set_which_calls_are_asked_before_is_found(
    tmp_path: Path, words: str
) -> None:
    servers = {
        "mine": ServerSettings("mine", command="x"),
        "theirs": ServerSettings("theirs", command="x", layer="managed"),
    }
    async with console(tmp_path, server_settings=servers) as stand:
        await stand.press("3")
        await searching(stand, words, "Allowed tools")
        await stand.until(lambda: "Edit mine" in stand.text())
        assert "Edit theirs" not in stand.text()


async def test_the_page_of_allowed_tools_says_where_is_set_which_calls_ask_first(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["alpha"]) as stand:
        await stand.press("f3")
        await stand.until(lambda: "You have allowed no tool." in stand.text())
        words = " ".join(stand.text().replace("│", " ").split())
        assert "Which calls ask you first is set for each server: e under Servers." in words
