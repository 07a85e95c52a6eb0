"""What is typed reaches what the keys before it opened, however busy the machine is."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from textual import events
from textual.dom import DOMNode
from textual.widgets import Input

from elicit_tui.tui.console.screens.long_text import LongTextArea, LongTextScreen
from elicit_tui.tui.key_gate import KeyOrder
from elicit_tui.tui.widgets.lines import TextLine
from tests.tui.console.stand import console
from tests.tui.console.test_calls import tool

pytestmark = pytest.mark.anyio

BUSY_SECONDS = 1.2


async def test_letters_after_a_search_key_are_searched_for_also_on_a_machine_that_stood_still(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rise, risen = KeyOrder._rise, 0

    def stands_still(self: KeyOrder, nodes: Sequence[DOMNode], turn: int) -> None:
        nonlocal risen
        risen += 1
        if risen == 3:
            time.sleep(BUSY_SECONDS)
        rise(self, nodes, turn)

    async with console(tmp_path, tools={"alpha": [tool("rise"), tool("other")]}) as stand:
        await stand.until(lambda: "rise" in stand.text())
        monkeypatch.setattr(KeyOrder, "_rise", stands_still)
        for key, letter in (("slash", "/"), ("r", "r"), ("i", "i")):
            stand.app.post_message(events.Key(key, letter))
        await stand.until(lambda: getattr(stand.app.focused, "value", "")[-1:] == "i")
        assert isinstance(stand.app.focused, Input)
        assert stand.app.focused.value == "ri"


async def test_letters_before_a_key_that_acts_at_once_stand_in_their_field_when_it_does(
    tmp_path: Path,
) -> None:
    field = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    async with console(tmp_path, tools={"alpha": [tool("write", field)]}) as stand:
        await stand.until(lambda: "write" in stand.text())
        await stand.press("enter", "enter")
        await stand.until(lambda: isinstance(stand.app.focused, TextLine))
        for key in (*"hello", "f4", *" you"):
            stand.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await stand.until(lambda: isinstance(stand.app.screen, LongTextScreen))
        await stand.until(lambda: stand.app.screen.query_one(LongTextArea).text == "hello you")


async def test_letters_right_behind_enter_stand_in_the_next_field(tmp_path: Path) -> None:
    texts = {"path": {"type": "string"}, "content": {"type": "string"}}
    schema = {"type": "object", "properties": texts}
    async with console(tmp_path, tools={"alpha": [tool("write", schema)]}) as stand:
        await stand.until(lambda: "write" in stand.text())
        await stand.press("enter", "enter")
        await stand.until(lambda: isinstance(stand.app.focused, TextLine))
        for key in (*"u.txt", "enter", *"hello"):
            stand.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await stand.until(lambda: getattr(stand.app.focused, "value", "")[-1:] == "o")
        assert [line.value for line in stand.app.screen.query(TextLine)] == ["u.txt", "hello"]
