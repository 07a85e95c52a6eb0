"""The palette names the keys that work in it, and shows a theme before it is chosen."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.command import CommandList

from elicit_tui.elicitation import ServerIdentity
from elicit_tui.host.offers import ResourceTemplate, Tool
from elicit_tui.tui.console.palette import Palette
from tests.tui.console.stand import CITY, FakeConnection, Stand, console
from tests.tui.console.test_calls import calls_of, tool

pytestmark = pytest.mark.anyio


async def searching(stand: Stand, words: str, first: str) -> None:
    """Open the palette and search; wait until that is the first that is found."""
    await stand.press("ctrl+p")
    await stand.until(lambda: isinstance(stand.app.screen, Palette))
    await stand.pilot.press(*words)
    await stand.until(lambda: first in stand.text())


async def test_the_bar_below_the_palette_has_its_keys_and_not_the_panes(tmp_path: Path) -> None:
    async with console(tmp_path, size=(80, 24)) as stand:
        await stand.press("ctrl+p")
        await stand.until(lambda: "Add a server" in stand.text())
        bar = stand.text().split("\n")[-1]
        assert bar.split() == ["Enter", "Run", "↑↓", "Choose", "Esc", "Back"]
        await stand.press("escape")
        await stand.until(lambda: "Restart" in stand.text().split("\n")[-1])


async def test_the_screen_below_the_palette_is_whole_down_to_its_frame(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"], size=(140, 40)) as stand:
        frame = stand.text().splitlines()[-2]
        assert frame.startswith("╰── n Add")
        await stand.press("ctrl+p")
        await stand.until(lambda: "Enter Run" in stand.text())
        assert frame in stand.text()


async def test_the_keys_of_other_finders_go_down_and_up_in_the_palette(tmp_path: Path) -> None:
    async with console(tmp_path, size=(80, 24)) as stand:
        await stand.press("ctrl+p")
        await stand.until(lambda: "Add a server" in stand.text())
        listing = stand.app.screen.query_one(CommandList)
        for key, place in (("ctrl+n", 1), ("ctrl+j", 2), ("ctrl+p", 1), ("ctrl+k", 0)):
            await stand.press(key)
            await stand.until(lambda place=place: listing.highlighted == place)
        assert isinstance(stand.app.screen, Palette)
        assert len(stand.app.screen_stack) == 2


async def test_the_bar_says_what_enter_does_with_the_entry_that_is_pointed_at(
    tmp_path: Path,
) -> None:
    tools = {"alpha": [tool("ping"), tool("pong", schema=CITY)]}
    async with console(tmp_path, servers=["alpha"], tools=tools, size=(80, 24)) as stand:
        for words, verb in (("alpha: ping", "Call"), ("alpha: pong", "Open form")):
            await searching(stand, words, words)
            bar = f"Enter {verb}  ↑↓ Choose"
            await stand.until(lambda bar=bar: bar in stand.text().split("\n")[-1])
            await stand.press("escape")


async def test_each_entry_has_one_line_with_its_key_and_what_is_said_of_one_stands_below(
    tmp_path: Path,
) -> None:
    said = "Adds what it is given, and tells the sum of it, however long its words may be. " * 2
    tools = {"alpha": [tool("add", description=said), tool("adds", description="Another one.")]}
    async with console(tmp_path, servers=["alpha"], tools=tools, size=(80, 24)) as stand:
        await stand.until(lambda: stand.app.state.servers["alpha"].offers)
        await searching(stand, "add", "Add a server")
        await stand.press("down")
        await stand.until(lambda: "Adds what it is given" in stand.text())
        text = stand.text()
        assert "characters in all" not in text
        assert "Another one." not in text
        rows = [line.strip("│ ") for line in text.splitlines()[5:8]]
        assert [row.split("  ")[0] for row in rows] == ["Add a server", "alpha: add", "alpha: adds"]
        assert rows[0].endswith("  n")
        await stand.press("down")
        await stand.until(lambda: "Another one." in stand.text())


async def test_a_theme_is_worn_while_it_is_pointed_at_and_escape_puts_the_old_one_back(
    tmp_path: Path,
) -> None:
    async with console(tmp_path) as stand:
        assert stand.app.theme == "elicit-dark"
        await searching(stand, "theme", "Theme: light")
        await stand.press("down", "down")
        await stand.until(lambda: stand.app.theme == "elicit-light")
        await stand.press("up")
        await stand.until(lambda: stand.app.theme == "elicit-dark")
        await stand.press("down")
        await stand.until(lambda: stand.app.theme == "elicit-light")
        await stand.press("escape")
        await stand.until(lambda: not isinstance(stand.app.screen, Palette))
        assert stand.app.theme == "elicit-dark"
        assert stand.app.remembered.theme == ""


async def test_the_theme_that_is_chosen_stays(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        await searching(stand, "high", "Theme: high-contrast")
        await stand.until(lambda: stand.app.theme == "elicit-high-contrast")
        await stand.press("enter")
        await stand.until(lambda: stand.app.remembered.theme == "high-contrast")
        assert "Theme: high-contrast. It is kept for the next time." in stand.notices()
        assert stand.app.theme == "elicit-high-contrast"


async def found(stand: Stand, words: str, count: int) -> list[str]:
    """Search in the palette; the titles of what is found, once there are so many."""
    await stand.press("ctrl+p")
    await stand.until(lambda: isinstance(stand.app.screen, Palette))
    await stand.pilot.press(*words)
    await stand.until(lambda: len(stand.app.screen.query_one(CommandList).options) == count)
    options = stand.app.screen.query_one(CommandList).options
    return [str(option.prompt).split("\n")[0] for option in options]


async def test_the_palette_finds_by_names_then_by_what_is_said_below_them(tmp_path: Path) -> None:
    tools = [
        tool("log", description="Shows the commits of a branch."),
        tool("recommits"),
        tool("do_commits"),
        tool("commits_all"),
        tool("scattered_c_o_m_m_i_t_s"),
    ]
    async with console(tmp_path, servers=["alpha"], tools={"alpha": tools}) as stand:
        await stand.until(lambda: stand.app.state.servers["alpha"].offers)
        assert await found(stand, "commits", 4) == [
            "alpha: commits_all",
            "alpha: do_commits",
            "alpha: recommits",
            "alpha: log",
        ]


@pytest.mark.parametrize(
    ("words", "finds"),
    [
        ("kept", ["Calls kept in files"]),
        ("contrast", ["Theme: high-contrast"]),
        ("theme: high", ["Theme: high-contrast"]),
    ],
)
async def test_a_theme_is_found_by_its_name_and_not_by_what_is_said_of_all(
    tmp_path: Path, words: str, finds: list[str]
) -> None:
    async with console(tmp_path, servers=["alpha"]) as stand:
        assert await found(stand, words, len(finds)) == finds


async def test_nothing_runs_that_does_not_have_what_was_written(tmp_path: Path) -> None:
    tools = {"alpha": [tool("read_search")]}
    async with console(tmp_path, servers=["alpha"], tools=tools) as stand:
        await stand.until(lambda: stand.app.state.servers["alpha"].offers)
        await searching(stand, "research", "No matches")
        await stand.press("enter", "escape")
        await stand.until(lambda: not isinstance(stand.app.screen, Palette))
        assert not calls_of(stand)


async def test_a_tool_that_cannot_be_called_is_found_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    identity = ServerIdentity("alpha", "stdio", "alpha-server", protocol_version="2025-11-25")
    monkeypatch.setattr(FakeConnection, "identity", identity)
    offered = Tool.read({**tool("research").raw, "execution": {"taskSupport": "required"}})
    assert offered is not None
    async with console(tmp_path, servers=["alpha"], tools={"alpha": [offered]}) as stand:
        await stand.until(lambda: stand.app.state.servers["alpha"].offers)
        await searching(stand, "research", "cannot be called now")
        assert "“research” runs as a task alone" in stand.text()
        await stand.press("enter")
        await stand.until(lambda: "cannot be called here" in stand.notices())


async def test_the_theme_that_is_worn_is_said_to_be(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        await searching(stand, "theme worn", "worn now")
        assert stand.text().count("Theme:") == 1
        line = next(line for line in stand.text().splitlines() if "Theme:" in line)
        assert "worn now" in line, "it is marked in its own line, whatever is pointed at"


async def test_over_a_question_the_palette_says_why_no_tool_is_called_and_what_can_be_done(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, tools={"alpha": [tool("greet")]}) as stand:
        request = stand.ask()
        await stand.shown(request)
        await searching(stand, "greet", "cannot be called now")
        await stand.until(lambda: "a question is on the screen: ^L puts it off" in stand.text())
        await stand.press("enter")
        await stand.until(lambda: "^L puts it off with what you typed" in stand.notices())
        assert stand.outcome(request) is None


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("template", "alpha: memo://{who}"),
        ("record", "Show history"),
        ("recorded", "Show history"),
        ("log", "Show activity"),
    ],
)
async def test_the_palette_knows_what_else_one_may_call_what_there_is(
    tmp_path: Path, words: str, first: str
) -> None:
    memo = ResourceTemplate.read({"uriTemplate": "memo://{who}", "name": "memo", "title": "A memo"})
    assert memo is not None
    async with console(tmp_path, servers=["alpha"], templates=(memo,)) as stand:
        await searching(stand, words, first)


async def test_a_line_parts_what_is_said_below_the_palette_from_the_frames_behind_it(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["alpha"], size=(100, 30)) as stand:
        await searching(stand, "help", "Help")
        await stand.until(lambda: "the keys of this screen" in stand.text())
        *_, line, _, bar = stand.text().split("\n")
        assert "Enter Run" in bar
        assert line == "─" * 100


async def test_where_nothing_is_found_no_key_is_named_that_would_run_it(tmp_path: Path) -> None:
    async with console(tmp_path, tools={"alpha": [tool("look")]}) as stand:
        await stand.press("ctrl+p")
        await stand.until(lambda: "Enter" in stand.text() and "↑↓ Choose" in stand.text())
        await stand.press(*"zzqqzz")
        await stand.until(lambda: "No matches found" in stand.text())
        await stand.until(lambda: "Enter" not in stand.text().splitlines()[-2])
        assert "Enter" not in stand.text()
        await stand.press("escape")
