"""What stands in a field from before is edited, replaced or left by the keys one would take."""

from __future__ import annotations

from typing import Any

import pytest
from textual import events

from elicit_tui.elicitation import Draft
from elicit_tui.form.field import Typed
from tests.tui.question.asking import Asking, asked, form_question, schema, until

pytestmark = pytest.mark.anyio

TEXT = {"type": "string", "title": "Name"}
LONG = {"type": "string", "title": "Note", "maxLength": 4_000}
NUMBER = {"type": "integer", "title": "Number"}
SECRET = {"type": "string", "title": "Word", "format": "password"}


def came_back(spec: dict[str, Any], text: str) -> Asking:
    """A question with this in its first field, and another field below."""
    draft = Draft()
    draft.write({"v": Typed(text)}, frozenset({"v"}))
    return Asking(form_question(schema(v=spec, w=TEXT)), draft=draft)


@pytest.mark.parametrize(
    ("spec", "text", "left"),
    [(TEXT, "Ada", "Ad"), (LONG, "one\ntwo", "one\ntw"), (NUMBER, "25", 2)],
    ids=["line", "block", "number"],
)
async def test_backspace_takes_one_letter_of_what_came_back(
    spec: dict[str, Any], text: str, left: Any
) -> None:
    app = came_back(spec, text)
    async with asked(app) as pilot:
        await until(pilot, lambda: "from before: typing replaces it" in app.words, "the mark")
        assert "Backspace edits it" in app.words
        await pilot.press("backspace")
        await until(pilot, lambda: app.view.body.content.get("v") == left, "one letter less")


async def test_backspace_takes_all_of_a_secret_that_is_not_shown() -> None:
    app = came_back(SECRET, "opensesame")
    async with asked(app) as pilot:
        await until(pilot, lambda: "from before: typing replaces it" in app.words, "the mark")
        assert "Backspace edits it" not in app.words
        await pilot.press("backspace")
        await until(pilot, lambda: "v" not in app.view.body.content, "nothing")


@pytest.mark.parametrize(
    ("keys", "left"),
    [
        (("enter", "!"), "one\ntwo\n!"),
        (("enter", "enter", "!"), "one\ntwo\n\n!"),
        (("ctrl+j", "!"), "one\ntwo\n!"),
        (("!",), "!"),
    ],
)
async def test_enter_begins_a_line_behind_several_that_came_back_and_a_letter_replaces_them(
    keys: tuple[str, ...], left: str
) -> None:
    app = came_back(LONG, "one\ntwo")
    async with asked(app) as pilot:
        await until(pilot, lambda: "from before: typing replaces it" in app.words, "the mark")
        await pilot.press("tab", "shift+tab", *keys)
        await until(pilot, lambda: app.view.body.content.get("v") == left, "the text")


async def test_enter_begins_one_more_text_of_a_list_that_came_back_and_then_goes_on() -> None:
    app = came_back({"type": "array", "items": {"type": "string"}}, "Oleg\nMarta")
    async with asked(app) as pilot:
        await until(pilot, lambda: "from before: typing replaces it" in app.words, "the mark")
        await pilot.press("enter", *"Ada", "enter", "enter", "B")
        written = {"v": ["Oleg", "Marta", "Ada"], "w": "B"}
        await until(pilot, lambda: app.view.body.content == written, "both fields")


async def test_an_arrow_leads_to_the_field_below_and_back_and_changes_nothing() -> None:
    app = came_back(TEXT, "Ada")
    async with asked(app) as pilot:
        await pilot.press("down", "B")
        await until(pilot, lambda: app.view.body.content == {"v": "Ada", "w": "B"}, "the field")
        await pilot.press("up", "x")
        await until(pilot, lambda: app.view.body.content == {"v": "x", "w": "B"}, "the way back")


async def test_a_tab_right_behind_a_paste_goes_on_to_the_next_field() -> None:
    app = Asking(form_question(schema(v=TEXT, w=TEXT)))
    async with asked(app) as pilot:
        for event in (events.Paste("Ada"), events.Key("tab", None), events.Key("B", "B")):
            await app.on_event(event)
        await until(pilot, lambda: app.view.body.content == {"v": "Ada", "w": "B"}, "both")
