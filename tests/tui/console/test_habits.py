"""Keys and words that other programs have taught a person do here what they are pressed for."""

from __future__ import annotations

from pathlib import Path

import pytest

from elicit_tui.elicitation import Call
from elicit_tui.tui.console.action_keys import commands
from elicit_tui.tui.console.bars import SearchLine
from elicit_tui.tui.console.palette import Palette
from elicit_tui.tui.console.panels.calls import CallsPane
from elicit_tui.tui.console.screen import ConsoleScreen
from elicit_tui.tui.console.screens.about import HelpScreen
from elicit_tui.tui.console.screens.arguments import ArgumentsScreen
from elicit_tui.tui.console.screens.confirmations import LeaveScreen
from elicit_tui.tui.console.screens.result_reader import ResultScreen
from tests.tui.console.stand import Stand, console
from tests.tui.console.test_calls import GREET, tool

pytestmark = pytest.mark.anyio


def titles(stand: Stand) -> set[str]:
    return {command.title for command in commands(stand.app, stand.app.screen)}


async def test_a_question_mark_helps_and_q_goes_back_and_asks_before_it_leaves(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    async with console(tmp_path) as stand:
        for pane in "12345":
            with subtests.test(pane=pane):
                await stand.press(pane, "question_mark")
                await stand.until(lambda: isinstance(stand.app.screen, HelpScreen))
                await stand.press("q")
                await stand.until(lambda: isinstance(stand.app.screen, ConsoleScreen))
                await stand.press("q")
                await stand.until(lambda: "No question waits, and no call runs." in stand.text())
                assert "y Leave" in stand.text()
                await stand.press("n")
                await stand.until(lambda: isinstance(stand.app.screen, ConsoleScreen))
        await stand.press("q", "y")
        await stand.until(lambda: stand.app._leaving.is_set())


async def test_q_says_what_ends_with_it_and_ends_no_question_unasked(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        request = stand.ask()
        await stand.shown(request)
        await stand.press("ctrl+l")
        await stand.lists_what_waits()
        await stand.press("q", "q", "q")
        await stand.until(lambda: "1 question waits for you and ends with this" in stand.text())
        assert isinstance(stand.app.screen, LeaveScreen)
        assert stand.outcome(request) is None
        await stand.press("escape")


async def test_both_are_letters_where_one_types(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        await stand.press("5", "slash")
        await stand.until(lambda: isinstance(stand.app.focused, SearchLine))
        await stand.press(*"q?")
        search = stand.app.focused
        assert isinstance(search, SearchLine)
        assert search.value == "q?"


async def test_a_question_mark_helps_in_a_question_whose_button_names_the_other_key(
    tmp_path: Path,
) -> None:
    yes_or_no = {"type": "object", "properties": {}}
    async with console(tmp_path) as stand:
        await stand.shown(stand.ask(schema=yes_or_no))
        assert "F1 Help" in stand.text()
        await stand.press("question_mark")
        await stand.until(lambda: getattr(stand.app.screen, "view", None) is not None)
        await stand.until(lambda: stand.app.screen.view.page == "help")  # type: ignore[attr-defined]


async def test_the_palette_knows_the_words_of_other_programs(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"]) as stand:
        assert "Compare results (diff)" not in titles(stand), "there are none"
        for name in ("a", "b"):
            earlier = stand.app.state.calls.start("alpha", Call("tools/call", name, {}))
            earlier.end("answered", result={})
        assert {"Help", "Leave elicit-tui (quit)", "Compare results (diff)"} <= titles(stand)
        await stand.press("3")
        await stand.until(lambda: stand.app.screen.query_one(CallsPane).ready)
        stand.app.state.calls.start("alpha", Call("tools/call", "a", {})).end("answered", result={})
        stand.app.state.changed()
        await stand.until(lambda: "Compare this result with another one (diff)" in titles(stand))


async def test_the_palette_compares_the_last_call_that_succeeded_and_has_a_like_one_from_any_pane(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["alpha"]) as stand:
        for word in ("one", "two"):
            call = stand.app.state.calls.start("alpha", Call("tools/call", "a", {}))
            call.end("answered", result={"content": [{"type": "text", "text": word}]})
        failed = stand.app.state.calls.start("alpha", Call("tools/call", "a", {}))
        failed.end("answered", result={"content": [], "isError": True})
        lonely = stand.app.state.calls.start("alpha", Call("tools/call", "b", {}))
        lonely.end("answered", result={})
        listed = commands(stand.app, stand.app.screen)
        compare = next(each for each in listed if each.title == "Compare results (diff)")
        await compare.callback()
        await stand.until(lambda: "-one" in stand.text() and "+two" in stand.text())


async def test_tools_are_called_from_the_palette_over_what_is_only_read(tmp_path: Path) -> None:
    tools = {"alpha": [tool("greet", GREET)]}
    async with console(tmp_path, servers=["alpha"], tools=tools) as stand:
        done = stand.app.state.calls.start("alpha", Call("tools/call", "greet", {"name": "Ada"}))
        done.end("answered", result={"content": [{"type": "text", "text": "Hi."}]})
        await stand.press("3")
        await stand.until(lambda: "Hi." in stand.text())
        await stand.press("z")
        await stand.until(lambda: isinstance(stand.app.screen, ResultScreen))
        call = next(c for c in commands(stand.app, stand.app.screen) if c.title == "alpha: greet")
        call.callback()
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        assert len(stand.app.screen_stack) == 2
        await stand.press(*"Ada")
        await stand.until(lambda: "Ada" in stand.text())
        again = next(c for c in commands(stand.app, stand.app.screen) if c.title == "alpha: greet")
        again.callback()
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        await stand.until(lambda: "Ada" in stand.text())  # What was typed is there again.


async def test_the_keys_that_go_right_and_left_go_to_what_stands_beside_a_list_and_back(
    tmp_path: Path,
) -> None:
    tools = {"alpha": [tool("greet", GREET)]}
    async with console(tmp_path, servers=["alpha"], tools=tools) as stand:
        done = stand.app.state.calls.start("alpha", Call("tools/call", "greet", {"name": "Ada"}))
        done.end("answered", result={})

        def focused() -> str | None:
            return stand.app.focused.id if stand.app.focused is not None else None

        for pane, left, right in (
            ("1", "server-list", "offer-list"),
            ("3", "call-list", "call-detail"),
        ):
            for there, back in (("right", "left"), ("l", "h"), ("tab", "escape")):
                await stand.press(pane)
                await stand.until(lambda left=left: focused() == left)
                await stand.press(there)
                await stand.until(lambda right=right: focused() == right)
                await stand.press(back)
                await stand.until(lambda left=left: focused() == left)


async def test_what_was_searched_for_and_cleared_comes_back_by_the_key_that_undoes(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["alpha"]) as stand:
        await stand.press("slash", *"needle", "ctrl+u", "ctrl+z")
        line = stand.app.focused
        assert isinstance(line, SearchLine)
        await stand.until(lambda: line.value == "needle")


async def test_brackets_turn_the_panes_and_a_colon_opens_the_palette(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        await stand.press("right_square_bracket")
        await stand.until(lambda: "[2 Questions]" in stand.text())
        await stand.press("left_square_bracket", "left_square_bracket")
        await stand.until(lambda: "[5 History]" in stand.text())
        await stand.press("right_square_bracket")
        await stand.until(lambda: "[1 Servers]" in stand.text())
        await stand.press("colon")
        await stand.until(lambda: isinstance(stand.app.screen, Palette))
        await stand.press("escape")


async def test_brackets_and_a_colon_are_signs_where_one_types(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        await stand.press("4", "slash", "left_square_bracket", "colon", "right_square_bracket")
        line = stand.app.screen.query_one("#activity-search", SearchLine)
        assert line.value == "[:]"
