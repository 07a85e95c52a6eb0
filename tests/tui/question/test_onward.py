"""Enter goes on: to the next field, from the last one to the button; nothing it does is silent."""

from __future__ import annotations

import pytest
from textual import events
from textual.message import Message

from elicit_tui.tui import question_gate
from elicit_tui.tui.question.actions import ActionButton
from tests.tui.question.asking import (
    WARNING,
    Asking,
    asked,
    form_question,
    schema,
    until,
    url_question,
)

pytestmark = pytest.mark.anyio

CITY = {"type": "string", "title": "City"}
NIGHTS = {"type": "integer", "title": "Nights", "minimum": 1}
LONG = {"type": "string", "title": "Country", "enum": [f"country {n}" for n in range(60)]}
TOO_SOON = "That Enter came too soon to be meant. Press it again."


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A person who reads before the second Enter."""
    monkeypatch.setattr(question_gate, "ENTER_SECONDS", 0.0)


@pytest.mark.usefixtures("patient")
async def test_from_the_last_field_enter_goes_on_to_the_button_that_sends() -> None:
    app = Asking(form_question(schema(a=CITY, b=NIGHTS)))
    async with asked(app, (120, 24)) as pilot:
        await pilot.press(*"Rome", "enter")
        await until(pilot, lambda: "Enter → Send button" in app.words, "what Enter does")
        await pilot.press("3", "enter")
        said = "That was the last field. Enter or ^S sends."
        await until(pilot, lambda: said in app.words, "what sends")
        assert app.view.query_one("#do-send").has_focus
        assert app.outcome is None
        await pilot.press("enter")
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert app.outcome is not None
    assert app.outcome.content == {"a": "Rome", "b": 3}


def enter(at: float) -> events.Key:
    key = events.Key("enter", "\r")
    key.time = at
    return key


@pytest.mark.parametrize("typed", ["Rome", ""])
async def test_no_enter_that_bounces_or_is_held_down_sends(typed: str) -> None:
    app = Asking(form_question(schema(a=CITY)))
    async with asked(app) as pilot:
        await pilot.press(*typed)
        first = Message().time
        app.post_message(enter(first))
        await until(pilot, lambda: "That was the last field" in app.words, "the button")
        for at in (0.05, 0.55, 0.58, 0.61):
            app.post_message(enter(first + at))
        await until(pilot, lambda: TOO_SOON in app.words, "that it was not meant")
        await pilot.pause(question_gate.HELD_SECONDS * 2)
        assert app.outcome is None
        assert question_gate.ENTER_SECONDS > 0.66, "a key that is held down repeats sooner"


@pytest.mark.parametrize(("typed", "sends"), [("Rome", True), ("", False)])
async def test_whoever_typed_into_the_form_sends_with_the_next_enter(
    typed: str, sends: bool
) -> None:
    app = Asking(form_question(schema(a=CITY)))
    async with asked(app) as pilot:
        await pilot.press(*typed)
        first = Message().time
        app.post_message(enter(first))
        await until(pilot, lambda: "That was the last field" in app.words, "the button")
        app.post_message(enter(first + 0.3))
        if sends:
            await until(pilot, lambda: app.outcome is not None, "the answer")
        else:
            await until(pilot, lambda: TOO_SOON in app.words, "that it was not meant")
            assert app.outcome is None


@pytest.mark.usefixtures("real_pause")
async def test_nothing_is_too_early_for_whoever_comes_back_from_a_review() -> None:
    app = Asking(form_question(schema(a=CITY)))
    async with asked(app) as pilot:
        await pilot.press(*"Rome", "ctrl+r")
        await until(pilot, lambda: app.view.page == "review" and not app.view.deaf, "the review")
        app.view.action_back()
        await until(pilot, lambda: app.view.page == "answer" and app.view.listens, "the form")
        assert not app.view.deaf
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.outcome is not None, "the answer")


@pytest.mark.usefixtures("patient")
async def test_enter_on_the_button_leads_to_what_is_missing() -> None:
    app = Asking(form_question(schema(("a",), a=CITY, b=NIGHTS)))
    async with asked(app) as pilot:
        await pilot.press("tab", "3", "enter")
        await until(pilot, lambda: "last field: 1 answer missing" in app.words, "what is missing")
        await pilot.press("enter")
        await until(pilot, lambda: "✗ needs an answer" in app.words, "where it is missing")
        assert "last field" not in app.words
        assert app.view.body.panel.focused_field.spec.name == "a"


@pytest.mark.usefixtures("patient")
async def test_a_letter_taken_away_on_the_button_is_one_of_the_field_that_one_came_from() -> None:
    app = Asking(form_question(schema(("a",), a=CITY)))
    async with asked(app) as pilot:
        await pilot.press(*"Rome", "enter")
        await until(pilot, lambda: isinstance(app.screen.focused, ActionButton), "the button")
        await pilot.press("backspace")
        await until(pilot, lambda: app.view.body.fields.entries["a"].text == "Rom", "one letter")
        assert app.outcome is None


@pytest.mark.parametrize(
    ("required", "said"), [(True, "choose and go on"), (False, "→ Send button")]
)
async def test_the_last_list_says_where_enter_goes_on_to(required: bool, said: str) -> None:
    app = Asking(form_question(schema(("v",) if required else (), v=LONG)))
    async with asked(app, (120, 24)):
        assert f"Enter {said}" in app.words


@pytest.mark.usefixtures("patient")
async def test_what_was_said_of_the_last_field_goes_with_the_next_key() -> None:
    app = Asking(form_question(schema(v=LONG)))
    async with asked(app) as pilot:
        await pilot.press("enter")
        await until(pilot, lambda: "last field" in app.words, "the sentence")
        await pilot.press("shift+tab")
        await until(pilot, lambda: "last field" not in app.words, "it is gone")
        await pilot.press("7")
        await until(pilot, lambda: "search 7" in app.words, "the search")
        assert "last field" not in app.words


@pytest.mark.parametrize("key", ["enter", "f1", "f2", "ctrl+r"])
async def test_no_key_is_silent_on_the_second_step(key: str) -> None:
    app = Asking(form_question(schema(), WARNING))
    async with asked(app) as pilot:
        await pilot.press("y")
        await until(pilot, lambda: app.view.page == "step" and not app.view.deaf, "the step")
        await pilot.press(key)
        said = "^Y goes through with it, Esc goes back."
        await until(pilot, lambda: said in app.words, "what does it")
        assert app.outcome is None


async def test_enter_says_what_does_it_on_the_review_and_where_there_is_no_field() -> None:
    for app, key, said in (
        (Asking(form_question(schema(v=CITY))), "ctrl+r", "^S sends, Esc goes back."),
        (Asking(form_question(schema(("v",), v=CITY))), "ctrl+r", "Esc goes back."),
        (Asking(form_question(schema(v=CITY))), "f2", "Esc goes back."),
        (Asking(form_question(schema())), "", "y says yes, n says no."),
        (Asking(url_question("https://example.com/")), "", "^S agrees, ^N declines."),
    ):
        async with asked(app) as pilot:
            if key:
                await pilot.press(key)
                await until(pilot, lambda: app.view.page != "answer" and not app.view.deaf, "it")  # noqa: B023
            await pilot.press("enter")
            await until(pilot, lambda: said in app.words, said)  # noqa: B023
            assert app.outcome is None


async def test_from_a_review_of_what_is_not_ready_one_comes_to_the_first_field_at_fault() -> None:
    app = Asking(form_question(schema(("a",), a=CITY, b=NIGHTS, c=CITY)))
    async with asked(app) as pilot:
        await pilot.press("tab", "tab", "ctrl+r")
        await until(pilot, lambda: "Not ready" in app.words and not app.view.deaf, "the review")
        await pilot.press("escape")
        await until(pilot, lambda: app.view.page == "answer" and app.view.body.has_focus, "back")
        assert app.view.body.panel.focused_field.spec.name == "a"
        await until(pilot, lambda: "✗ needs an answer" in app.words, "what is wrong")


MANY = {"type": "array", "title": "Tags", "items": {"type": "string", "enum": ["a", "b"]}}
DEFAULTS = {f"d{n}": {"type": "string", "default": "x"} for n in range(20)}


@pytest.mark.parametrize("last", [CITY, NIGHTS, MANY, {"type": "boolean"}])
async def test_the_last_field_says_in_eighty_columns_that_enter_goes_to_the_button(
    last: dict[str, object],
) -> None:
    app = Asking(form_question(schema(a=CITY, b=last)))
    async with asked(app) as pilot:
        assert "Enter →" not in app.words
        await pilot.press("R", "tab")
        await until(pilot, lambda: "Enter → Send button" in app.words, "what Enter does")


@pytest.mark.parametrize(
    ("more", "warned", "button"), [(DEFAULTS, False, "Read on"), ({}, True, "Send…")]
)
async def test_the_button_that_enter_goes_to_is_named_as_it_is_named_there(
    more: dict[str, object], warned: bool, button: str
) -> None:
    question = form_question(schema(**more, a=CITY), *([WARNING] if warned else []))
    app = Asking(question)
    async with asked(app) as pilot:
        app.view.body.fields.focus_field("a")
        await until(pilot, lambda: f"Enter → {button} button" in app.words, "what Enter does")
        assert f"^S {button}" in app.words
