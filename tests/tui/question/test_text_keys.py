"""Keys that lead through a text of several lines."""

from __future__ import annotations

import pytest
from textual.widgets.text_area import Selection

from elicit_tui.tui.widgets.text_block import TextBlock
from tests.tui.question.asking import Asking, asked, form_question, schema

pytestmark = pytest.mark.anyio


async def test_keys_lead_to_the_start_and_the_end_of_a_text_of_several_lines() -> None:
    app = Asking(form_question(schema(wish={"type": "string", "maxLength": 5_000})))
    async with asked(app) as pilot:
        block = app.screen.query_one(TextBlock)
        await pilot.press(*"one", "enter", *"two", "left")
        places = []
        for key in ("ctrl+home", "ctrl+end"):
            await pilot.press(key)
            places.append(block.cursor_location)
        assert places == [(0, 0), (1, 3)]
        await pilot.press("ctrl+shift+home")
        assert block.selection == Selection((1, 3), (0, 0))
        await pilot.press("ctrl+home", "ctrl+shift+end")
        assert block.selected_text == "one\ntwo"
