"""What stands below each other in a list, stands in columns."""

from __future__ import annotations

from pathlib import Path

import pytest

from elicit_tui.elicitation import Call
from elicit_tui.host.events import ServerLog
from elicit_tui.host.offers import Tool
from elicit_tui.tui.console.screen import ConsoleScreen
from elicit_tui.tui.console.screens.about import HelpScreen
from elicit_tui.tui.console.spans import Line, text_of, within, wrapped
from elicit_tui.tui.console.views import LineView
from tests.tui.console.stand import CITY, Stand, console

pytestmark = pytest.mark.anyio


def lines_with(stand: Stand, *words: str) -> list[str]:
    lines = stand.text().splitlines()
    return [next(line for line in lines if word in line) for word in words]


@pytest.mark.parametrize("size", [(80, 24), (140, 40)])
async def test_the_clock_of_a_call_stands_where_it_is_however_long_the_call_took(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with console(tmp_path, size=size) as stand:
        for name, seconds in (("quick", 0.4), ("slow", 3_729.5), ("a_tool_of_a_long_name", 12)):
            record = stand.app.state.calls.start("alpha", Call("tools/call", name, {}))
            record.end("answered", result={"content": []})
            record.ended = record.started + seconds
        await stand.press("3")
        await stand.until(lambda: "0.4 s" in stand.text() and "1:02:09" in stand.text())
        rows = lines_with(stand, "  quick", "  slow", "  a_tool")
        assert len({row.index(record.at) for row in rows}) == 1


async def test_a_tool_has_its_whole_name_where_there_is_room_beside_its_title(
    tmp_path: Path,
) -> None:
    names = ("go", "leave_while_asking", "ask_the_impossible")
    found = [Tool.read({"name": name, "title": "T", "inputSchema": CITY}) for name in names]
    tools = {"alpha": tuple(tool for tool in found if tool is not None)}
    async with console(tmp_path, tools=tools, size=(96, 28)) as stand:
        await stand.until(lambda: all(name in stand.text() for name in names))
        rows = lines_with(stand, "go  ", *names[1:])
        assert len({row.index("T ") for row in rows}) == 1


async def test_titles_stand_in_one_column_beside_names_of_30_letters_on_a_wide_screen(
    tmp_path: Path,
) -> None:
    names = ("echo", "trigger-long-running-operation")
    found = [Tool.read({"name": name, "title": "Says", "inputSchema": CITY}) for name in names]
    tools = {"alpha": tuple(tool for tool in found if tool is not None)}
    async with console(tmp_path, tools=tools, size=(140, 40)) as stand:
        await stand.until(lambda: all(name in stand.text() for name in names))
        short, long = lines_with(stand, "echo  ", names[1])
        assert short.index("Says") == long.index("Says")


async def test_one_long_name_takes_no_room_from_what_the_other_tools_say(tmp_path: Path) -> None:
    names = ("go", "stop_at_once", "convert_a_time_between_any_two_zones_of_the_world")
    found = [Tool.read({"name": name, "title": "Says", "inputSchema": CITY}) for name in names]
    tools = {"alpha": tuple(tool for tool in found if tool is not None)}
    async with console(tmp_path, tools=tools, size=(140, 40)) as stand:
        await stand.until(lambda: all(name in stand.text() for name in names))
        short, ordinary, long = lines_with(stand, "go  ", *names[1:])
        assert f"{names[1]}  Says" in ordinary
        assert short.index("Says") == ordinary.index("Says")
        assert f"{names[2]}  Says" in long


@pytest.mark.parametrize("size", [(80, 24), (140, 40)])
async def test_what_is_said_of_a_tool_has_the_rows_that_few_tools_leave(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    said = " ".join(f"word{number}" for number in range(60))
    few = [Tool.read({"name": "go", "description": said, "inputSchema": CITY})]
    many = [Tool.read({"name": f"go_{n}", "inputSchema": CITY}) for n in range(60)]
    tools = {"alpha": tuple(filter(None, few)), "beta": tuple(filter(None, many))}
    async with console(tmp_path, servers=["alpha", "beta"], tools=tools, size=size) as stand:
        await stand.until(lambda: "word59" in stand.text() and "City" in stand.text())
        await stand.press("down")
        await stand.until(lambda: "go_9" in stand.text() and "tool · 1 argument" in stand.text())


async def test_the_questions_of_servers_with_long_and_short_names_begin_in_one_column(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=("alpha", "a-longer-name")) as stand:
        for server, message in (("alpha", "Shall we?"), ("a-longer-name", "Or not?")):
            await stand.shown(stand.ask(server, message))
            await stand.press("ctrl+n")
            await stand.until(lambda: isinstance(stand.app.screen, ConsoleScreen))
        await stand.press("5")
        await stand.until(lambda: "Shall we?" in stand.text() and "Or not?" in stand.text())
        heading, first, second = lines_with(stand, "decided by", "Shall we?", "Or not?")
        column = heading.index("question")
        assert (first.index("“Shall we?"), second.index("“Or not?")) == (column, column)


async def test_what_happened_begins_right_behind_the_longest_name(tmp_path: Path) -> None:
    async with console(tmp_path, servers=("a", "beta"), size=(80, 24)) as stand:
        stand.app.state.say("a", "→ one")
        stand.app.state.say("beta", "→ two")
        await stand.press("4")
        await stand.until(lambda: "→ two" in stand.text())
        first, second = lines_with(stand, "→ one", "→ two")
        assert "beta → two" in second
        assert first.index("→") == second.index("→")


async def test_a_server_that_asked_still_says_all_that_it_offers(tmp_path: Path) -> None:
    found = [Tool.read({"name": name, "inputSchema": CITY}) for name in ("one", "two")]
    tools = {"alpha": tuple(tool for tool in found if tool is not None)}
    async with console(tmp_path, tools=tools, size=(80, 24)) as stand:
        await stand.shown(stand.ask("alpha"))
        await stand.press("ctrl+n")
        await stand.until(lambda: "2 tools" in stand.text())
        (row,) = lines_with(stand, "2 tools")
        assert "…" not in row.split("││")[0]


async def test_the_question_beside_the_list_is_titled_with_who_asks_it(tmp_path: Path) -> None:
    async with console(tmp_path, size=(140, 40)) as stand:
        await stand.shown(stand.ask("alpha", "Where to?"))
        await stand.press("ctrl+l")
        await stand.until(lambda: "Waiting for you" in stand.text())
        await stand.until(lambda: "─ alpha ─" in stand.text())


async def test_what_a_server_wrote_is_set_off_in_each_line_of_the_activity(tmp_path: Path) -> None:
    async with console(tmp_path, size=(80, 24)) as stand:
        stand.host.tell(ServerLog("alpha", "✗ declined by you " * 6))
        await stand.press("4")
        await stand.until(lambda: "alpha │ ✗ declined" in stand.text())
        lines = [line for line in stand.text().splitlines() if "declined" in line]
        assert len(lines) > 1
        assert all("│ " in line.strip("│").partition("declined")[0] for line in lines)


async def test_the_keys_in_a_frame_stand_out(tmp_path: Path) -> None:
    async with console(tmp_path, size=(80, 24)) as stand:
        await stand.until(lambda: "n Add" in stand.text())
        accent = stand.app.get_css_variables()["accent"].casefold()
        frame = next(
            strip
            for strip in stand.app.screen._compositor.render_strips(stand.app.size)
            if "n Add" in strip.text
        )
        coloured = {
            segment.text.strip()
            for segment in frame
            if segment.style is not None
            and segment.style.color is not None
            and str(segment.style.color.name).casefold() == accent
        }
        assert {"n", "e", "Del"} <= coloured


def test_what_goes_on_behind_a_key_of_json_stands_further_in_than_the_key() -> None:
    written = '  "name": "host-0.eu-central.example.org",\n  "up": true'
    assert [*wrapped(written, 36)] == [
        '  "name":',
        '    "host-0.eu-central.example.org",',
        '  "up": true',
    ]


async def test_what_is_said_of_a_tool_is_cut_where_its_own_row_ends(tmp_path: Path) -> None:
    written = {"description": "Waits until all of it is there. " * 4, "inputSchema": CITY}
    hints = {"annotations": {"destructiveHint": True}}
    found = [Tool.read({"name": "wait", **written}), Tool.read({"name": "go", **written, **hints})]
    tools = {"alpha": tuple(tool for tool in found if tool is not None)}
    async with console(tmp_path, servers=["alpha"], tools=tools, size=(140, 40)) as stand:
        await stand.until(lambda: "▲ destructive" in stand.text())
        wait, go = lines_with(stand, "⚒ wait", "⚒ go")
        assert "… ▲ destructive" in go
        assert wait.index("…") > go.index("…")


async def test_the_break_that_ends_a_result_is_no_line_of_it(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"], size=(140, 40)) as stand:
        record = stand.app.state.calls.start("alpha", Call("tools/call", "look", {}))
        text = {"type": "text", "text": "one line\nanother\n"}
        record.end("answered", result={"content": [text]})
        await stand.press("3")
        await stand.until(lambda: "│ another" in stand.text())
        rows = stand.text().splitlines()
        last = next(number for number, row in enumerate(rows) if "│ another" in row)
        assert rows[last].count("│") == rows[last + 1].count("│") + 1


async def test_the_list_of_what_was_stopped_has_no_more_rows_than_its_words_while_it_is_empty(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, size=(80, 24)) as stand:
        await stand.press("2")
        await stand.until(lambda: "under History." in stand.text().splitlines()[-3])


async def test_keys_in_the_help_look_as_they_do_in_the_bars(tmp_path: Path) -> None:
    async with console(tmp_path, size=(80, 24)) as stand:
        await stand.press("f1")
        await stand.until(lambda: isinstance(stand.app.screen, HelpScreen))
        lines = stand.app.screen.query_one(LineView).lines
        restart = next(line for line in lines if "Start this server again" in text_of(line))
        assert restart[0][1] == "accent"


@pytest.mark.parametrize(
    ("line", "width", "shown"),
    [
        ((("○ ", "dim"), ("not asked", "plain")), 11, "○ not asked"),
        ((("○ ", "dim"), ("not asked   ", "plain")), 11, "○ not asked   "),
        ((("○ ", "dim"), ("not asked: muted", "plain")), 10, "○ not ask…"),
        ((("○ not aske", "dim"), ("d", "plain")), 10, "○ not ask…"),
        ((("○ not asked", "dim"), (" by a rule", "plain"), (" of yours", "dim")), 10, "○ not ask…"),
        ((("漢字漢字", "dim"), ("漢字", "plain")), 10, "漢字漢字…"),
    ],
)
def test_a_line_that_goes_on_beyond_its_cells_says_so_at_its_end(
    line: Line, width: int, shown: str
) -> None:
    assert text_of(within(line, width)) == shown


async def test_no_end_of_a_row_is_cut_without_a_word_of_it(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"], size=(80, 24)) as stand:
        await stand.press("4")
        lines = stand.app.screen.query_one("#activity-lines", LineView)
        lines.show(lambda width: [((" ○ not asked ", "warn"), ("for this run " * 12, "dim"))])
        await stand.until(lambda: "○ not asked for this run" in stand.text())
        row = next(line for line in stand.text().splitlines() if "○ not asked" in line)
        assert row.rstrip("│ ").endswith("…")


async def test_what_a_line_to_search_in_says_ends_with_an_ellipsis_where_it_is_cut(
    tmp_path: Path,
) -> None:
    found = Tool.read({"name": "go", "inputSchema": CITY})
    assert found is not None
    async with console(tmp_path, tools={"alpha": (found,)}, size=(60, 20)) as stand:
        await stand.until(lambda: "search tools, prompts" in stand.text())
        line = next(line for line in stand.text().splitlines() if "search tools" in line)
        assert line.rstrip("│ ").endswith(("…", "resources")), line
