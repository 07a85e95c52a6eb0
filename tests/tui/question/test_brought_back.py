"""What one key took out of a field another one brings back, and nothing of it is lost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from textual import events

from elicit_tui.form.field import Typed, Unset
from tests.tui.question.asking import Asking, asked, form_question, schema, until
from tests.tui.question.test_pasted_lines import obeyed_again

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


@pytest.mark.parametrize("field", [TEXT, {"type": "integer"}])
async def test_the_key_that_undoes_takes_a_paste_away_and_brings_it_back(
    field: Mapping[str, Any],
) -> None:
    app = Asking(form_question(schema(a=field, b=TEXT)))
    async with asked(app) as pilot:

        def stands(entry: object) -> bool:
            return app.view.body.fields.entries.get("a") == entry

        await pilot.press("1", "2")
        app.post_message(events.Paste("345"))
        await until(pilot, lambda: stands(Typed("12345")), "the paste")
        await obeyed_again(pilot)
        await pilot.press("ctrl+z")
        await until(pilot, lambda: stands(Typed("12")), "what stood before")
        await pilot.press("ctrl+z")
        await until(pilot, lambda: stands(Typed("12345")), "the paste again")


async def test_what_was_typed_where_nothing_stood_is_undone_and_comes_back() -> None:
    app = Asking(form_question(schema(a=TEXT, b=TEXT)))
    async with asked(app) as pilot:
        await pilot.press(*"Lovelace")
        await until(pilot, lambda: "Lovelace" in app.words, "what was typed")
        await pilot.press("ctrl+z")
        await until(pilot, lambda: "Lovelace" not in app.words, "none of it")
        await pilot.press("ctrl+z")
        await until(pilot, lambda: "Lovelace" in app.words, "all of it")


@pytest.mark.parametrize("begins", [[], ["a", "backspace"]])
async def test_a_paste_into_an_empty_line_is_undone_to_an_empty_line(begins: list[str]) -> None:
    app = Asking(form_question(schema(a=TEXT, b=TEXT)))
    async with asked(app) as pilot:
        await pilot.press(*begins)
        app.post_message(events.Paste("far too much"))
        await until(pilot, lambda: "far too much" in app.words, "the paste")
        await obeyed_again(pilot)
        await pilot.press("ctrl+z")
        await until(pilot, lambda: "far too much" not in app.words, "none of it")
        assert isinstance(app.view.body.fields.entries.get("a", Unset()), Unset)


async def test_more_lines_than_a_block_shows_are_undone_and_come_back() -> None:
    """The bar beside them goes while the cursor still stands on a line that is no more."""
    app = Asking(form_question(schema(a=LONG, b=TEXT)))
    async with asked(app) as pilot:
        app.post_message(events.Paste("\n".join(f"verse {number}" for number in range(12))))
        await until(pilot, lambda: "verse 11" in app.words, "the paste")
        await obeyed_again(pilot)
        for takes_away, brings_back in (("ctrl+z", "ctrl+y"), ("ctrl+u", "ctrl+z")):
            await pilot.press(takes_away)
            await until(pilot, lambda: "verse" not in app.words, "none of it")
            await pilot.press(brings_back)
            await until(pilot, lambda: "verse 11" in app.words, "all of it")
