"""What the arguments of a call hold beside the fields of its form is sent along, and told."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation import Call
from elicit_tui.tui.console.calls import CallRecord
from elicit_tui.tui.console.json_editor import JsonEditor
from elicit_tui.tui.console.screens.arguments import ArgumentsScreen
from elicit_tui.tui.widgets import FormView
from elicit_tui.tui.widgets.buttons import KeyButton
from tests.tui.console.stand import Stand, console
from tests.tui.console.test_calls import GREET, calls_of, tool

pytestmark = pytest.mark.anyio

TOOLS = {"alpha": [tool("greet", GREET)]}


async def opened(stand: Stand, **arguments: Any) -> ArgumentsScreen:
    """The form of a call that is made again."""
    await stand.settled()
    stand.app.call_again(CallRecord("alpha", Call("tools/call", "greet", arguments)))
    await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
    screen = stand.app.screen
    assert isinstance(screen, ArgumentsScreen)
    await stand.until(lambda: stand.app.focused is not None)
    return screen


async def test_a_key_that_no_field_has_is_told_beside_the_form_and_sent(tmp_path: Path) -> None:
    async with console(tmp_path, tools=TOOLS) as stand:
        screen = await opened(stand, name="Ada")
        await stand.press("f5")
        editor = screen.query_one(JsonEditor)
        editor.show('{"name": "Ada", "times": null, "loud": [true]}')
        await stand.press("f5")
        told = 'Also sent, as no field has it: {"times": null, "loud": [true]}'
        await stand.until(lambda: told in stand.text())
        await stand.press("f5")
        await stand.until(lambda: '"loud"' in editor.text)
        assert '"times": null' in editor.text
        await stand.press("f5", "tab", *"2")
        await stand.until(lambda: 'has it: {"loud": [true]}' in stand.text())
        await stand.press("ctrl+s")
        await stand.until(lambda: calls_of(stand))
        assert calls_of(stand)[0].arguments == {"name": "Ada", "times": 2, "loud": [True]}


async def test_a_call_made_again_keeps_what_its_form_has_no_field_for(tmp_path: Path) -> None:
    async with console(tmp_path, tools=TOOLS) as stand:
        await opened(stand, name="Ada", times=3, loud=True)
        await stand.until(lambda: 'Also sent, as no field has it: {"loud": true}' in stand.text())
        await stand.press("escape")
        await opened(stand, name="Ada", times=3, loud=True)
        await stand.press("ctrl+s")
        await stand.until(lambda: calls_of(stand))
        assert calls_of(stand)[0].arguments == {"name": "Ada", "times": 3, "loud": True}


LINES = {"type": "array", "items": {"type": "string"}}


@pytest.mark.parametrize("required", [[], ["lines"]])
async def test_a_text_of_two_lines_in_a_list_is_called_again_as_one(
    tmp_path: Path, required: list[str]
) -> None:
    schema = {"type": "object", "properties": {"lines": LINES}, "required": required}
    async with console(tmp_path, tools={"alpha": [tool("greet", schema)]}) as stand:
        screen = await opened(stand, lines=["a\nb", "c"])
        assert screen.query_one(JsonEditor).display == bool(required)
        await stand.press("ctrl+s")
        await stand.until(lambda: calls_of(stand))
        assert calls_of(stand)[0].arguments == {"lines": ["a\nb", "c"]}


async def test_what_is_too_long_to_be_told_stays_json(tmp_path: Path) -> None:
    async with console(tmp_path, tools=TOOLS) as stand:
        screen = await opened(stand, name="Ada")
        await stand.press("f5")
        editor = screen.query_one(JsonEditor)
        editor.show(f'{{"name": "Ada", "essay": "{"x" * 400}"}}')
        # What changes in it ends what was said; it is on the screen once that is done.
        await stand.until(lambda: "essay" in stand.text())
        await stand.press("f5")
        await stand.until(lambda: "No field of the form can hold “essay”" in stand.text())
        assert editor.display
        assert "essay" in editor.text


async def test_what_the_tool_refuses_beside_its_fields_is_not_sent(tmp_path: Path) -> None:
    closed = {**GREET, "additionalProperties": False}
    async with console(tmp_path, tools={"alpha": [tool("greet", closed)]}) as stand:
        screen = await opened(stand, name="Ada", times=3, loud=True)
        await stand.press("ctrl+s")
        await stand.until(lambda: "loud" in str(screen.query_one("#trouble").render()))
        assert not calls_of(stand)


async def test_a_letter_typed_on_a_button_changes_nothing_in_the_json(tmp_path: Path) -> None:
    async with console(tmp_path, tools=TOOLS) as stand:
        screen = await opened(stand, name="Ada")
        await stand.press("f5")
        editor = screen.query_one(JsonEditor)
        before = editor.text
        await stand.until(lambda: '"times"' in stand.text())
        screen.query_one("#send", KeyButton).focus()
        await stand.until(lambda: isinstance(stand.app.focused, KeyButton))

        async def told() -> None:
            while "Not typed: a button has the keys" not in stand.text():
                await stand.press("x")  # The JSON is judged once more, and what was told goes.

        await asyncio.wait_for(told(), 30)
        await stand.press("y", "backspace")
        assert editor.text == before
        assert isinstance(stand.app.focused, KeyButton)


async def test_a_letter_typed_on_a_button_still_goes_to_the_line_one_came_from(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, tools=TOOLS) as stand:
        screen = await opened(stand)
        await stand.press(*"Ad")
        screen.query_one("#send", KeyButton).focus()
        await stand.press("a")
        await stand.until(
            lambda: screen.query_one(FormView).conversion.content.get("name") == "Ada"
        )
