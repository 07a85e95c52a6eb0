"""A key that a screen has and that does nothing just now says why, in a notice."""

from __future__ import annotations

from pathlib import Path

import pytest

from elicit_tui.tui.console.screens.arguments import ArgumentsScreen
from tests.tui.console.stand import console
from tests.tui.console.test_calls import GREET, tool

pytestmark = pytest.mark.anyio


async def test_the_key_of_favourites_says_on_a_server_what_it_is_for(tmp_path: Path) -> None:
    async with console(
        tmp_path,
        servers=["alpha", "broken"],
        tools={"alpha": [tool("greet", GREET)]},
        failures={"broken": "It did not start."},
    ) as stand:
        await stand.press("f")
        assert "A favourite is a tool, a prompt or a resource: → leads to" in stand.notices()
        await stand.press("down", "f")
        assert "this server has none just now" in stand.notices()
        await stand.press("slash", *"gre")
        await stand.until(lambda: "⚒ greet" in stand.text() and "all servers" in stand.text())


async def test_where_no_server_offers_anything_the_key_that_searches_says_so(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["broken"], failures={"broken": "Gone."}) as stand:
        await stand.press("slash")
        assert "No server offers anything to search in." in stand.notices()


async def test_moving_where_nothing_more_is_says_nothing(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"]) as stand:
        await stand.press("escape", "left", "up", "down")
        assert stand.notices() == ""


async def test_muting_a_failed_server_is_told_by_its_marked_name(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["broken"], failures={"broken": "Gone."}) as stand:
        await stand.press("m")
        assert "“broken” is muted for this run" in stand.notices()


async def test_without_a_server_its_keys_say_how_to_have_one(tmp_path: Path) -> None:
    async with console(tmp_path, servers=[]) as stand:
        await stand.press("r")
        assert "There is no server yet: n adds one." in stand.notices()


@pytest.mark.parametrize(
    ("pane", "key", "words"),
    [
        ("2", "m", "No question waits here."),
        ("2", "D", "No question waits here."),
        ("3", "x", "There is no call here."),
        ("5", "u", "The history is read again."),
    ],
)
async def test_an_empty_pane_says_why_its_keys_do_nothing(
    tmp_path: Path, pane: str, key: str, words: str
) -> None:
    async with console(tmp_path) as stand:
        await stand.press(pane, key)
        await stand.until(lambda: words in stand.notices())


async def test_the_keys_of_a_call_that_is_over_say_so(tmp_path: Path) -> None:
    async with console(
        tmp_path, servers=["alpha"], tools={"alpha": [tool("ping", {"type": "object"})]}
    ) as stand:
        await stand.press("right", "enter")
        await stand.until(lambda: "done" in stand.text())
        await stand.press("x", "o", "f")
        assert "This call is over." in stand.notices()
        assert "This result has no link." in stand.notices()
        assert "All calls are alike" in stand.notices()


async def test_a_form_says_of_a_key_of_the_json_that_it_is_not_for_it(tmp_path: Path) -> None:
    async with console(
        tmp_path, servers=["alpha"], tools={"alpha": [tool("greet", GREET)]}
    ) as stand:
        await stand.press("right", "enter")
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        await stand.press("f7")
        assert "JSON is begun anew" in stand.notices()
        await stand.press("f3")
        assert "Close this first" in stand.notices()
        await stand.press("escape")


async def test_among_the_tools_their_own_keys_have_the_room_of_the_servers(tmp_path: Path) -> None:
    async with console(
        tmp_path, servers=["alpha"], tools={"alpha": [tool("greet", GREET)]}, size=(80, 24)
    ) as stand:
        await stand.press("right")
        await stand.until(lambda: "Enter Call" in stand.text().split("\n")[-1])
        assert "^P Commands" in stand.text().split("\n")[-1]
        assert "Restart" not in stand.text().split("\n")[-1]
