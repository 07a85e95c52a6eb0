"""What one key took out of a field another one brings back, and nothing of it is lost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from elicit_tui.form.field import Typed
from tests.tui.question.asking import Asking, asked, form_question, schema

pytestmark = pytest.mark.anyio

TEXT = {"type": "string"}
LONG = {**TEXT, "maxLength": 2000}
LINES = {**LONG, "default": "two\nlines"}


@pytest.mark.parametrize(
    ("field", "keys", "stands"),
    [
        (TEXT, [*"abc", "ctrl+u", "ctrl+z"], "abc"),
        (TEXT, [*"abc", "ctrl+u", "ctrl+u", "ctrl+z"], "abc"),
        (TEXT, [*"abc", "ctrl+u", *"de", "ctrl+z"], "abc"),
        (TEXT, [*"abc", "ctrl+u", *"de", "ctrl+z", "ctrl+z"], "de"),
        (TEXT, [*"abc", "ctrl+u", *"de", "ctrl+u", "ctrl+z", "ctrl+z"], "abc"),
        (TEXT, [*"abc", "space", *"de", "ctrl+w", "ctrl+z"], "abc de"),
        (TEXT, [*"abc", "home", "ctrl+k", "ctrl+z"], "abc"),
        (TEXT, [*"abc", "shift+home", "x", "ctrl+z"], "abc"),
        ({"type": "integer"}, [*"42", "tab", "shift+tab", "7", "ctrl+z"], "42"),
        ({**TEXT, "default": "of old"}, ["x", "ctrl+u", "ctrl+z"], "x"),
        ({**TEXT, "default": "of old"}, ["x", "ctrl+u", "ctrl+z", "ctrl+z"], "of old"),
        (LONG, [*"abc", "ctrl+u", "ctrl+j", "ctrl+z", "ctrl+z"], "abc"),
        (LINES, [*"abc", "ctrl+u", "ctrl+z"], "two\nlinesabc"),
        (LINES, [*"abc", "ctrl+d", "ctrl+z"], "two\nlinesabc"),
    ],
)
async def test_the_key_that_undoes_brings_back_what_another_took_away(
    field: Mapping[str, Any], keys: list[str], stands: str
) -> None:
    app = Asking(form_question(schema(a=field, b=TEXT)))
    async with asked(app) as pilot:
        for key in keys:
            await pilot.press(key)
            await pilot.pause()
        assert app.view.body.fields.entries["a"] == Typed(stands)
