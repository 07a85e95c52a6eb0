"""Answering with few keys: letters, digits, Yes and No, and what no key may do by accident."""

from __future__ import annotations

import time
from typing import Any

import pytest

from elicit_tui.elicitation import Finding, Severity
from elicit_tui.form.field import Ticked, Unset
from tests.bounds import bounded
from tests.tui.question.asking import (
    WARNING,
    Asking,
    answer,
    asked,
    form_question,
    schema,
    until,
)

pytestmark = pytest.mark.anyio

PLACE = {"type": "string", "title": "Place", "enum": ["Staging", "Production", "Canary"]}
SURE = {"type": "boolean", "title": "Sure"}
COUNT = {"type": "integer", "title": "Count", "minimum": 1, "maximum": 10, "default": 3}


@pytest.mark.parametrize(("key", "place"), [("p", "Production"), ("3", "Canary")])
async def test_a_letter_or_a_digit_picks_a_choice(key: str, place: str) -> None:
    outcome = await answer(Asking(form_question(schema(v=PLACE))), key, "ctrl+s")
    assert outcome is not None
    assert outcome.content == {"v": place}


async def test_a_digit_changes_neither_yes_nor_no() -> None:
    fields = schema(v={"type": "boolean", "default": False})
    outcome = await answer(Asking(form_question(fields)), "1", "2", "ctrl+s")
    assert outcome is not None
    assert outcome.content == {"v": False}


async def test_a_digit_picks_where_several_can_be_chosen_too() -> None:
    several = {"type": "array", "title": "Places", "items": {"enum": PLACE["enum"]}}
    outcome = await answer(Asking(form_question(schema(v=several))), "1", "3", "1", "2", "ctrl+s")
    assert outcome is not None
    assert outcome.content == {"v": ["Production", "Canary"]}


@pytest.mark.parametrize(
    ("field", "required", "keys", "content"),
    [
        (PLACE, True, ("right", "left", "enter"), {"v": "Staging", "w": "x"}),
        (PLACE, False, ("enter",), {"w": "x"}),
        (PLACE, False, ("right", "enter"), {"v": "Staging", "w": "x"}),
        (PLACE, False, ("right", "right", "enter"), {"v": "Production", "w": "x"}),
        (PLACE, False, ("c", "enter"), {"v": "Canary", "w": "x"}),
        (SURE, True, ("right", "enter"), {"v": False, "w": "x"}),
    ],
)
async def test_enter_goes_on_from_a_choice_as_from_a_line(
    field: dict[str, Any], required: bool, keys: tuple[str, ...], content: dict[str, Any]
) -> None:
    fields = schema(("v",) if required else (), v=field, w={"type": "string", "title": "Word"})
    outcome = await answer(Asking(form_question(fields)), *keys, "x", "ctrl+s")
    assert outcome is not None
    assert outcome.content == content


async def test_enter_takes_no_choice_that_was_not_moved_to() -> None:
    fields = schema(("v",), v=PLACE, w={"type": "string", "title": "Word"})
    app = Asking(form_question(fields))
    async with asked(app, (120, 30)) as pilot:
        assert "Enter choose" not in app.words
        await pilot.press("enter", "x", "ctrl+s")
        await until(pilot, lambda: "✗" in app.words, "what is missing")
        assert app.outcome is None
        await pilot.press("right", "enter", "ctrl+s")
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert app.outcome is not None
    assert app.outcome.content == {"v": "Staging", "w": "x"}


async def test_enter_alone_answers_no_yes_or_no() -> None:
    app = Asking(form_question(schema(("v",), v=SURE)))
    async with asked(app) as pilot:
        await pilot.press("enter")
        await until(pilot, lambda: "last field" in app.words, "what sends")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "1 answer missing" in app.words, "that it is not answered")
        assert app.outcome is None


@pytest.mark.parametrize(("key", "said"), [("y", True), ("n", False)])
async def test_y_and_n_answer_a_boolean(key: str, said: bool) -> None:
    outcome = await answer(Asking(form_question(schema(("v",), v=SURE))), key, "ctrl+s")
    assert outcome is not None
    assert outcome.content == {"v": said}


@pytest.mark.parametrize(
    ("keys", "required", "content"),
    [
        (("right",), False, {"v": True}),
        (("right", "right"), False, {"v": False}),
        (("right", "left"), False, {}),
        (("end",), False, {"v": False}),
        (("left",), True, {"v": True}),
        (("right",), True, {"v": False}),
        (("right", "tab"), False, {"v": True}),
        (("down",), False, {}),
        (("down", "up"), False, {}),
        (("left",), False, {}),
        (("enter",), False, {}),
    ],
)
async def test_the_arrow_beside_a_yes_or_no_chooses_it_and_nothing_else_does(
    keys: tuple[str, ...], required: bool, content: dict[str, Any]
) -> None:
    fields = schema(("v",) if required else (), v=SURE, w={"type": "string", "title": "Word"})
    outcome = await answer(Asking(form_question(fields)), *keys, "ctrl+s")
    assert outcome is not None
    assert outcome.content == content


async def test_the_arrows_up_and_down_go_from_a_yes_or_no_to_the_rows_around_it() -> None:
    app = Asking(form_question(schema(v=SURE, w={**SURE, "title": "Really"})))
    async with asked(app) as pilot:
        panel = app.view.body.panel
        assert "y n ←→ choose" in app.words
        for key, name in (("down", "w"), ("down", "w"), ("up", "v"), ("up", "v")):
            await pilot.press(key)
            await until(pilot, lambda name=name: panel.focused_field.spec.name == name, name)
        assert "That was the last field" not in app.words


NARROW = (16, 24)
"""Where yes and no have no room side by side."""


@pytest.mark.parametrize("required", [True, False])
async def test_the_arrows_down_a_narrow_form_answer_no_yes_or_no(required: bool) -> None:
    names = ("v", "w") if required else ()
    app = Asking(form_question(schema(names, v=SURE, w={**SURE, "title": "Really"})))
    async with asked(app, NARROW) as pilot:
        panel = app.view.body.panel
        for key, name in (("down", "w"), ("up", "v")):
            for _ in range(3):
                await pilot.press(key)
            await until(pilot, lambda name=name: panel.focused_field.spec.name == name, name)
        await pilot.press("enter", "shift+tab", "right", "left")
        assert panel.entries == {"v": Unset(), "w": Unset()}


@pytest.mark.parametrize("required", [True, False])
@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (("space",), True),
        (("space", "space"), False),
        (("space", "space", "space"), True),
        (("n", "tab", "shift+tab", "space"), True),
    ],
)
async def test_space_says_yes_and_then_turns_a_yes_or_no_over(
    keys: tuple[str, ...], said: bool, required: bool
) -> None:
    fields = schema(("v",) if required else (), v=SURE, w={"type": "string", "title": "Word"})
    app = Asking(form_question(fields))
    async with asked(app, (120, 30)) as pilot:
        assert "Space the other" in app.words
        await pilot.press(*keys)
        answered = {"v": Ticked(said)}
        await until(pilot, lambda: answered.items() <= app.view.body.panel.entries.items(), "it")


@pytest.mark.parametrize(("key", "said"), [("right", True), ("y", True), ("n", False)])
async def test_space_behind_an_arrow_or_a_letter_keeps_the_yes_or_no_that_it_chose(
    key: str, said: bool
) -> None:
    app = Asking(form_question(schema(v=SURE)))
    async with asked(app) as pilot:
        await pilot.press(key, "space")
        await pilot.pause()
        assert app.view.body.panel.entries == {"v": Ticked(said)}
        await pilot.press("space")
        turned = {"v": Ticked(not said)}
        await until(pilot, lambda: app.view.body.panel.entries == turned, "the other one")


@pytest.mark.parametrize(
    ("keys", "said"),
    [(("down", "space"), True), (("down", "enter"), True), (("down", "down", "space"), False)],
)
async def test_of_yes_and_no_below_each_other_space_and_enter_take_what_the_arrows_led_to(
    keys: tuple[str, ...], said: bool
) -> None:
    app = Asking(form_question(schema(v=SURE)))
    async with asked(app, NARROW) as pilot:
        await pilot.press(*keys)
        await until(pilot, lambda: app.view.body.panel.entries == {"v": Ticked(said)}, "an answer")


async def test_a_required_boolean_looks_unanswered() -> None:
    app = Asking(form_question(schema(("v",), v=SURE)))
    async with asked(app):
        assert "○ yes   ○ no" in app.words
        assert "unset" not in app.words


async def test_a_number_is_replaced_by_what_is_typed() -> None:
    outcome = await answer(Asking(form_question(schema(v=COUNT))), "7", "ctrl+s")
    assert outcome is not None
    assert outcome.content == {"v": 7}


async def test_limits_stand_at_the_field_with_the_focus_only() -> None:
    app = Asking(form_question(schema(a=COUNT, b={**COUNT, "title": "Other", "maximum": 20})))
    async with asked(app) as pilot:
        assert "1 to 10" in app.words
        assert "1 to 20" not in app.words
        await pilot.press("tab")
        await until(pilot, lambda: "1 to 20" in app.words, "the limits of the other field")
        assert "1 to 10" not in app.words


@pytest.mark.parametrize(("key", "action"), [("y", "accept"), ("n", "decline")])
@pytest.mark.parametrize("pages", [(), ("ctrl+r",)], ids=["question", "review"])
async def test_a_question_without_fields_is_answered_by_yes_and_no(
    pages: tuple[str, ...], key: str, action: str
) -> None:
    outcome = await answer(Asking(form_question(schema())), *pages, key)
    assert outcome is not None
    assert outcome.action == action


async def test_the_review_keeps_the_question_in_view() -> None:
    app = Asking(form_question(schema(v=PLACE), message="Where to?"))
    async with asked(app) as pilot:
        await pilot.press("p", "ctrl+r")
        await until(pilot, lambda: app.view.page == "review" and not app.view.deaf, "the review")
        assert "Where to?" in app.words


async def test_escape_right_after_a_page_was_closed_asks_first() -> None:
    app = Asking(form_question(schema(v=PLACE)))
    async with asked(app) as pilot:
        await pilot.press("f1")
        await until(pilot, lambda: app.view.page == "help" and not app.view.deaf, "help")
        await pilot.press("escape")
        await until(pilot, lambda: app.view.page == "answer" and not app.view.deaf, "the form")
        app.view._uncovered_at = time.monotonic()
        await pilot.press("escape")
        await pilot.pause()
        assert app.outcome is None
        assert "Esc again cancels" in app.words


async def test_every_warning_can_be_reached_by_keys() -> None:
    found = [
        Finding(f"deception.{number}", Severity.WARN, "message", "x", f"Warning {number}. " * 8)
        for number in range(6)
    ]
    app = Asking(form_question(schema(v=PLACE), *found))
    async with asked(app) as pilot:
        seen = app.words
        for _ in range(8):
            await pilot.press("pagedown")
            await pilot.pause()
            seen += app.words
    assert all(f"Warning {number}." in seen for number in range(6))


async def test_the_json_stands_beside_a_wide_form_as_it_is_typed() -> None:
    app = Asking(form_question(schema(v=PLACE)))
    async with asked(app, (130, 30)) as pilot:
        await pilot.press("p")
        await until(pilot, lambda: '"v": "Production"' in app.words, "the JSON")


async def test_the_raw_request_of_millions_of_choices_is_bounded_and_says_so() -> None:
    choices = [f"choice {number}" for number in range(40_000)]
    app = Asking(form_question(schema(v={"type": "string", "enum": choices})))
    async with asked(app) as pilot:
        with bounded():
            await pilot.press("f2")
            await until(pilot, lambda: app.view.page == "raw" and not app.view.deaf, "the request")
        assert " more" in app.view.aside._text.render().plain  # type: ignore[union-attr]


@pytest.mark.parametrize("warned", [True, False])
async def test_a_yes_that_is_looked_at_once_more_is_marked(warned: bool) -> None:
    empty = {"type": "object", "properties": {}}
    app = Asking(form_question(empty, *([WARNING] if warned else [])))
    async with asked(app) as pilot:
        assert ("y Yes…" if warned else "y Yes ") in app.words
        await pilot.press("y")
        await until(pilot, lambda: bool(app.outcomes) or app.view.page == "step", "what it does")
        assert bool(app.outcomes) is not warned


LIST = {"type": "array", "items": {"type": "string"}, "title": "Words"}


@pytest.mark.parametrize(
    ("keys", "content"),
    [
        (("enter",), {"w": "x"}),
        (("a", "enter", "enter"), {"v": ["a"], "w": "x"}),
        (("a", "enter", "b", "enter", "enter"), {"v": ["a", "b"], "w": "x"}),
        (("a", "enter", "b", "home", "enter", "tab"), {"v": ["a", "", "b"], "w": "x"}),
        (("ctrl+j", "a", "enter", "ctrl+j", "b", "tab"), {"v": ["", "a", "", "b"], "w": "x"}),
    ],
)
async def test_enter_on_the_empty_last_line_of_a_list_of_texts_goes_on_and_adds_none(
    keys: tuple[str, ...], content: dict[str, Any]
) -> None:
    fields = schema((), v=LIST, w={"type": "string", "title": "Word"})
    outcome = await answer(Asking(form_question(fields)), *keys, "x", "ctrl+s")
    assert outcome is not None
    assert outcome.content == content
