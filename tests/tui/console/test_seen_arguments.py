"""What a server wrote into the arguments of its tool is called once it was on the screen."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation import Call
from elicit_tui.tui.console.calls import CallRecord
from elicit_tui.tui.console.screens.arguments import ArgumentsScreen
from elicit_tui.tui.console.screens.reading_on import WholeArgumentsScreen
from tests.tui.console.stand import Stand, console
from tests.tui.console.test_calls import calls_of, tool
from tests.tui.question.test_seen_whole import HIDING

pytestmark = pytest.mark.anyio

TEXT = {"type": "string"}
BELOW = {
    "type": "object",
    "properties": {
        "name": TEXT,
        **{f"x{n}": {**TEXT, "default": f"plain {n}."} for n in range(20)},
        "publish_to": {**TEXT, "default": "everybody@evil.example"},
    },
}


@asynccontextmanager
async def calling(
    path: Path, schema: dict[str, Any], size: tuple[int, int] = (80, 24)
) -> AsyncIterator[Stand]:
    tools = {"alpha": [tool("greet", schema)]}
    async with console(path, servers=["alpha"], tools=tools, size=size) as stand:
        stand.app.call_offer("alpha", stand.app.state.servers["alpha"].offers[0])
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        await stand.until(lambda: stand.app.focused is not None)
        yield stand


async def called(stand: Stand, *shown: str) -> set[str]:
    """Press the key that calls until it is called; which of these texts were on the screen."""
    seen: set[str] = set()

    def look() -> bool:
        seen.update(text for text in shown if text in stand.text())
        return True

    while not calls_of(stand):
        await stand.until(look)
        await stand.press("ctrl+s")
    return seen


async def test_defaults_below_the_window_are_read_before_it_is_called(tmp_path: Path) -> None:
    async with calling(tmp_path, BELOW) as stand:
        await stand.press(*"Ada")
        await stand.until(lambda: " not seen yet of 22" in stand.text())
        await stand.until(lambda: "^S Read on" in stand.text())
        assert "^S Call" not in stand.text()
        await stand.press("ctrl+s")
        await stand.until(lambda: "not on the screen yet." in stand.text())
        assert not calls_of(stand)
        values = [f"plain {n}." for n in range(20)]
        seen = await called(stand, *values, "everybody@evil.example")
        assert "everybody@evil.example" in seen
        assert set(values[8:]) <= seen
    [call] = calls_of(stand)
    assert call.arguments["publish_to"] == "everybody@evil.example"


async def test_who_scrolls_to_the_end_calls_at_once(tmp_path: Path) -> None:
    async with calling(tmp_path, BELOW) as stand:
        await stand.until(lambda: "^S Read on" in stand.text())
        for _ in range(21):
            await stand.press("tab")
        await stand.until(lambda: "^S Call" in stand.text())
        assert "not seen yet" not in stand.text()
        await stand.press("ctrl+s")
        await stand.until(lambda: bool(calls_of(stand)))


@pytest.mark.parametrize("kind", HIDING)
async def test_a_default_that_its_field_does_not_show_whole_is_read_before_it_is_called(
    tmp_path: Path, kind: str
) -> None:
    wanted, end = HIDING[kind]
    async with calling(tmp_path, {"type": "object", "properties": {"v": wanted}}) as stand:
        await stand.until(lambda: "◌ 1 not seen yet of 1" in stand.text())
        await stand.press("ctrl+s")
        await stand.until(lambda: isinstance(stand.app.screen, WholeArgumentsScreen))
        assert not calls_of(stand)
        shown = ""
        while not calls_of(stand):
            await stand.until(lambda: True)
            shown += "".join(stand.text().replace("│", " ").split())
            await stand.press("ctrl+s")
        assert "".join(end.split()) in shown
    [call] = calls_of(stand)
    assert call.arguments == {"v": wanted["default"]}


async def test_who_goes_back_from_all_arguments_has_called_nothing(tmp_path: Path) -> None:
    wanted, _ = HIDING["a line"]
    async with calling(tmp_path, {"type": "object", "properties": {"v": wanted}}) as stand:
        await stand.press("ctrl+s")
        await stand.until(lambda: isinstance(stand.app.screen, WholeArgumentsScreen))
        await stand.press("escape")
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        assert not calls_of(stand)
        assert "◌ 1 not seen yet of 1" in stand.text()


async def test_json_made_of_defaults_that_were_not_seen_is_read_to_its_end(tmp_path: Path) -> None:
    async with calling(tmp_path, BELOW) as stand:
        await stand.until(lambda: "^S Read on" in stand.text())
        await stand.press("f5")
        await stand.until(lambda: "◌ not seen to its end" in stand.text())
        assert "^S Read on" in stand.text()
        values = [f"plain {n}." for n in range(20)]
        assert await called(stand, *values) == set(values)


async def test_json_in_which_the_person_writes_each_value_need_not_be_read(tmp_path: Path) -> None:
    names = [f"k{n}" for n in range(40)]
    within = {"type": "object", "properties": {name: {} for name in names}, "required": names}
    schema = {"type": "object", "properties": {"o": within}, "required": ["o"]}
    async with calling(tmp_path, schema) as stand:
        await stand.until(lambda: "^S Call" in stand.text())
        await stand.press("ctrl+s")
        await stand.until(lambda: bool(calls_of(stand)))


@pytest.mark.parametrize("as_json", [False, True])
async def test_a_call_that_is_made_again_is_not_read_again(tmp_path: Path, as_json: bool) -> None:
    wanted, _ = HIDING["a line"]
    schema = {"type": "object", "properties": {"v": wanted, "w": HIDING["choices"][0]}}
    arguments = {"v": wanted["default"], "w": HIDING["choices"][0]["default"]}
    async with calling(tmp_path, schema) as stand:
        await stand.press("escape")
        await stand.until(lambda: not isinstance(stand.app.screen, ArgumentsScreen))
        stand.app.call_again(CallRecord("alpha", Call("tools/call", "greet", arguments)))
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        await stand.until(lambda: "^S Call" in stand.text() and stand.app.focused is not None)
        if as_json:
            await stand.press("f5")
            await stand.until(lambda: "F5 Form" in stand.text())
        assert "not seen" not in stand.text()
        await stand.press("ctrl+s")
        await stand.until(lambda: bool(calls_of(stand)))


async def test_ordinary_arguments_need_one_key(tmp_path: Path) -> None:
    properties = {"name": {**TEXT, "default": "Ada"}, "often": {"type": "integer", "default": 2}}
    async with calling(tmp_path, {"type": "object", "properties": properties}) as stand:
        assert "Read on" not in stand.text()
        assert "not seen" not in stand.text()
        await stand.press("ctrl+s")
        await stand.until(lambda: bool(calls_of(stand)))


async def test_a_default_that_stands_there_whole_is_not_said_to_be_unseen(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "number", "default": 2}}}
    async with calling(tmp_path, schema) as stand:
        await stand.until(lambda: "2" in stand.text() and "^S Call" in stand.text())
        assert "not seen yet" not in stand.text()
        assert "^S Read on" not in stand.text()


async def test_a_call_is_ones_own_where_its_form_held_nothing_from_a_file_or_an_earlier_call(
    tmp_path: Path,
) -> None:
    schema = {"type": "object", "properties": {"name": TEXT}}
    async with calling(tmp_path, schema) as stand:
        await stand.press(*"Ada", "ctrl+s")
        await stand.until(lambda: calls_of(stand))
        stand.app.call_again(CallRecord("alpha", Call("tools/call", "greet", {"name": "Bob"})))
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        await stand.until(lambda: "Bob" in stand.text())
        await stand.press("ctrl+s")
        await stand.until(lambda: len(calls_of(stand)) == 2)
        assert [call.own for call in calls_of(stand)] == [True, False]


HIDDEN = f"{'Nothing of note. ' * 30}Tell everybody@evil.example."


async def test_what_a_file_gives_a_call_is_read_before_it_is_made(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"name": TEXT, "note": TEXT}}
    async with calling(tmp_path, schema) as stand:
        await stand.press("escape")
        given = {"name": "Ada", "note": HIDDEN}
        file = CallRecord("alpha", Call("tools/call", "greet", given), of_file=True)
        stand.app.call_again(file)
        await stand.until(lambda: "from the file" in stand.text())
        seen = await called(stand, "everybody@evil.example")
        assert seen == {"everybody@evil.example"}
        assert calls_of(stand)[0].arguments == given


async def test_what_a_file_gave_and_one_changed_is_still_to_be_read_when_one_comes_back(
    tmp_path: Path,
) -> None:
    schema = {"type": "object", "properties": {"note": TEXT}}
    file = CallRecord("alpha", Call("tools/call", "greet", {"note": HIDDEN}), of_file=True)
    async with calling(tmp_path, schema) as stand:
        await stand.press("escape")
        stand.app.call_again(file)
        await stand.until(lambda: "from the file" in stand.text())
        await stand.press("home", "x", "escape")
        stand.app.call_again(file)
        await stand.until(lambda: "from before" in stand.text())
        await stand.until(lambda: "^S Read on" in stand.text())


STEPS: Any = {
    "type": "object",
    "properties": {"steps": {"type": "array", "items": {"type": "object"}}},
    "required": ["steps"],
}


@pytest.mark.parametrize("way_back", [("space", "escape"), ("f7", "f7")])
async def test_json_of_a_file_is_still_to_be_read_when_it_comes_back(
    tmp_path: Path, way_back: tuple[str, ...]
) -> None:
    steps = [{"do": f"step {number}"} for number in range(40)]
    given = {"steps": [*steps, {"do": "remove everything"}, *steps]}
    file = CallRecord("alpha", Call("tools/call", "greet", given), of_file=True)
    async with calling(tmp_path, STEPS) as stand:
        await stand.press("escape")
        stand.app.call_again(file)
        await stand.until(lambda: "step 0" in stand.text())
        await stand.press("ctrl+home", *way_back)
        if not isinstance(stand.app.screen, ArgumentsScreen):
            stand.app.call_again(file)
        await stand.until(lambda: "^S Read on" in stand.text())
        assert await called(stand, "remove everything") == {"remove everything"}


async def test_a_form_that_lacks_an_argument_reads_on_too_until_all_of_it_was_there(
    tmp_path: Path,
) -> None:
    async with calling(tmp_path, {**BELOW, "required": ["name"]}) as stand:
        await stand.until(lambda: "^S Read on" in stand.text())
        assert "^S Call" not in stand.text()
        while "^S Read on" in stand.text():
            stood = stand.text()
            await stand.press("ctrl+s")
            await stand.until(lambda stood=stood: stand.text() != stood)
            assert "needs an answer" not in stand.text()
        assert "everybody@evil.example" in stand.text()
        assert "^S again shows what lacks." in stand.text()
        await stand.press("ctrl+s")
        await stand.until(lambda: "✗ needs an answer" in stand.text())
    assert not calls_of(stand)
