"""Enter in the form of a call goes on, from the last field to the button, and there it calls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation.settings import ServerSettings
from elicit_tui.tui import question_gate
from elicit_tui.tui.console.screens.arguments import ArgumentsScreen
from tests.tui.console.stand import Stand, console
from tests.tui.console.test_calls import GREET, calls_of, tool

pytestmark = pytest.mark.anyio

PATH = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A person who reads before the second Enter."""
    monkeypatch.setattr(question_gate, "ENTER_SECONDS", 0.0)


def bar(stand: Stand) -> str:
    return stand.text().splitlines()[-1]


async def open_form(stand: Stand) -> None:
    await stand.press("enter", "enter")
    await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
    await stand.until(lambda: "^S Call" in stand.text())


def offering(schema: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"alpha": [tool("read", schema, **more)]}


TRIP = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "day": {"type": "string"},
        "seat": {"type": "string", "enum": ["aisle", "window"]},
    },
}


@pytest.mark.parametrize("width", [100, 60, 40])
async def test_the_bar_says_what_enter_does_in_a_line_of_several_and_marks_what_it_leaves_out(
    tmp_path: Path, width: int
) -> None:
    size = (width, 30)
    async with console(tmp_path, servers=["alpha"], tools=offering(TRIP), size=size) as stand:
        await open_form(stand)
        await stand.until(lambda: "Enter next" in bar(stand))
        assert bar(stand).endswith("F1 Help")
        assert ("…" in bar(stand)) is ("line break" not in bar(stand))
        await stand.press("enter", "enter")
        await stand.until(lambda: "Enter → Call button" in bar(stand))
        assert ("…" in bar(stand)) is ("choose" not in bar(stand))
        assert not calls_of(stand)


@pytest.mark.parametrize(
    ("schema", "typed", "sent"),
    [
        (PATH, "/tmp", {"path": "/tmp"}),
        ({"type": "object", "properties": {"n": {"type": "integer"}}}, "12", {"n": 12}),
    ],
)
async def test_enter_in_the_only_line_goes_on_to_the_button_and_says_so_before_it_calls(
    tmp_path: Path, schema: dict[str, Any], typed: str, sent: dict[str, Any]
) -> None:
    async with console(tmp_path, servers=["alpha"], tools=offering(schema)) as stand:
        await open_form(stand)
        await stand.until(lambda: "Enter → Call button" in bar(stand))
        await stand.press(*typed, "enter")
        await stand.until(lambda: "[^S Call]" in stand.text() and "Enter Call" in bar(stand))
        assert not calls_of(stand)
        await stand.press("enter")
        await stand.until(lambda: calls_of(stand))
        assert [call.arguments for call in calls_of(stand)] == [sent]


async def test_enter_says_what_is_missing_or_wrong_and_calls_nothing(tmp_path: Path) -> None:
    short = {"type": "string", "minLength": 3}
    schema = {"type": "object", "properties": {"name": short}, "required": ["name"]}
    async with console(tmp_path, servers=["alpha"], tools=offering(schema)) as stand:
        await open_form(stand)
        await stand.press("a", "b", "enter", "enter")
        await stand.until(lambda: "✗" in stand.text())
        assert isinstance(stand.app.screen, ArgumentsScreen)
        await stand.press("c", "enter", "enter")
        await stand.until(lambda: calls_of(stand))
        assert calls_of(stand)[0].arguments == {"name": "abc"}


async def test_in_a_long_list_the_bar_says_what_enter_does_before_and_after_it_chose(
    tmp_path: Path,
) -> None:
    items = {"type": "string", "enum": [f"x{n}" for n in range(20)]}
    schema = {"type": "object", "properties": {"tags": {"type": "array", "items": items}}}
    async with console(tmp_path, servers=["alpha"], tools=offering(schema)) as stand:
        await open_form(stand)
        await stand.until(lambda: "Enter → Call button" in bar(stand))
        assert "Tab → Call button" not in bar(stand)
        await stand.press(*"x7")
        await stand.until(lambda: "Enter choose  Tab → Call button" in bar(stand))
        await stand.press("enter")
        await stand.until(lambda: "Enter → Call button" in bar(stand))


async def test_a_line_that_stands_alone_says_that_enter_ends_it(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"], tools=offering(PATH)) as stand:
        await open_form(stand)
        await stand.press("a", "ctrl+s")
        await stand.until(lambda: "done" in stand.text())
        for key in ("n", "w"):
            await stand.press(key)
            await stand.until(lambda: "Enter Write it" in bar(stand))
            await stand.press("escape")
            await stand.until(lambda: "Write it" not in stand.text())


async def test_with_two_lines_enter_goes_on_to_the_second_and_from_there_to_the_button(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["alpha"], tools=offering(GREET)) as stand:
        await open_form(stand)
        assert "Enter Call" not in stand.text()
        await stand.press(*"Ada", "enter", "enter")
        await stand.until(lambda: getattr(stand.app.focused, "id", None) == "send")
        assert calls_of(stand) == []


async def test_enter_that_is_held_down_opens_a_form_and_calls_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(question_gate, "ENTER_SECONDS", 60.0)
    schema = {"type": "object", "properties": {"path": {"type": "string"}}}
    async with console(tmp_path, servers=["alpha"], tools=offering(schema)) as stand:
        await open_form(stand)
        await stand.press("enter", "enter", "enter")
        await stand.until(lambda: question_gate.TOO_SOON in stand.text())
        assert calls_of(stand) == []
        monkeypatch.setattr(question_gate, "ENTER_SECONDS", 0.0)
        await stand.press("x", "enter", "enter")
        await stand.until(lambda: calls_of(stand))


async def test_a_call_that_is_made_again_is_looked_at_before_enter_makes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with console(tmp_path, servers=["alpha"], tools=offering(PATH)) as stand:
        await open_form(stand)
        await stand.press("a", "ctrl+s")
        await stand.until(lambda: calls_of(stand) and "done" in stand.text())
        monkeypatch.setattr(question_gate, "ENTER_SECONDS", 60.0)
        await stand.press("a")
        await stand.until(lambda: "from before" in stand.text())
        await stand.press("enter", "enter")
        await stand.until(lambda: question_gate.TOO_SOON in stand.text())
        assert len(calls_of(stand)) == 1
        monkeypatch.setattr(question_gate, "ENTER_SECONDS", 0.0)
        await stand.press("enter")
        await stand.until(lambda: len(calls_of(stand)) == 2)


async def test_what_is_asked_before_is_asked_after_enter_too(tmp_path: Path) -> None:
    destroys = {"annotations": {"destructiveHint": True}}
    asks = ServerSettings("alpha", command="alpha-server", default_tools_approval_mode="prompt")
    async with console(
        tmp_path, server_settings={"alpha": asks}, tools=offering(PATH, **destroys)
    ) as stand:
        await open_form(stand)
        await stand.press("a", "enter", "enter")
        await stand.until(lambda: "Allow once" in stand.text())
        assert calls_of(stand) == []
        await stand.press("escape")
