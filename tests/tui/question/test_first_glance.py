"""What is seen first: how much a question weighs, where it stands, and no word too much."""

from __future__ import annotations

from dataclasses import replace

import pytest

from elicit_tui.elicitation import Call, Finding, Question, Severity
from elicit_tui.elicitation.own_questions import approval_request
from elicit_tui.tui.question.actions import ActionButton
from tests.tui.question.asking import (
    SERVER,
    WARNING,
    Asking,
    asked,
    form_question,
    schema,
    until,
    url_question,
)

pytestmark = pytest.mark.anyio

NAME = {"type": "string", "title": "Name"}
BLOCK = replace(WARNING, severity=Severity.BLOCK)
DEPLOY = Call("tools/call", "deploy", {"branch": "main"})
CALL = Question(approval_request(SERVER, DEPLOY, {"annotations": {"destructiveHint": True}}, ""))
BIRTH_DATE = Finding(
    "personal.identity",
    Severity.WARN,
    "requestedSchema.properties.born",
    "birth date",
    "Together these are enough to pass for you.",
    fields=("born",),
)


def frame_colour(app: Asking) -> str:
    return app.view.styles.border_top[1].hex.casefold()


def is_bold(app: Asking, words: str) -> bool:
    strips = app.screen._compositor.render_strips()
    return any(words in part.text and part.style.bold for strip in strips for part in strip)


def filled(app: Asking) -> list[str]:
    """The words of the buttons that are filled."""
    buttons = app.view.query(ActionButton)
    return [each.words for each in buttons if each.styles.background.a]


@pytest.mark.parametrize("found", [WARNING, BLOCK], ids=["warning", "asked block"])
async def test_what_was_found_colours_the_frame_is_bold_and_fills_the_button_of_the_no(
    found: Finding,
) -> None:
    wanted = {Severity.WARN: "warning", Severity.BLOCK: "error"}[found.severity]
    for question, safe in (
        (form_question(schema(v=NAME), found), "^N Decline"),
        (form_question(schema(), found), "n No"),
        (url_question("https://example.com/", found), "^N Decline"),
    ):
        app = Asking(question)
        async with asked(app):
            assert frame_colour(app) == app.get_css_variables()[wanted].casefold()
            assert filled(app) == [safe]
            assert is_bold(app, "This acts on production.")


async def test_a_harmless_question_has_a_grey_frame_and_a_destructive_call_an_amber_one() -> None:
    app = Asking(form_question(schema()))
    async with asked(app):
        assert frame_colour(app) == app.get_css_variables()["border-blurred"].casefold()
        assert filled(app) == ["y Yes"]
    app = Asking(CALL)
    async with asked(app):
        assert frame_colour(app) == app.get_css_variables()["warning"].casefold()
        assert filled(app) == ["n Decline"]


async def test_nothing_is_filled_while_answers_are_missing_then_what_sends_them() -> None:
    app = Asking(form_question(schema(("v",), v=NAME)))
    async with asked(app) as pilot:
        await until(pilot, lambda: not filled(app), "nothing to be sent")
        await pilot.press("x")
        await until(pilot, lambda: filled(app) == ["^S Send"], "something to be sent")


async def test_the_deliberate_step_is_amber_whatever_led_to_it_and_its_way_back_filled() -> None:
    app = Asking(form_question(schema(v=NAME)), examine=lambda content: (WARNING,))
    async with asked(app) as pilot:
        await pilot.press("x", "ctrl+s")
        await until(pilot, lambda: app.view.page == "step" and not app.view.deaf, "the step")
        assert frame_colour(app) == app.get_css_variables()["warning"].casefold()
        assert filled(app) == ["Esc Back"]


async def test_what_only_optional_fields_carry_names_them_and_weighs_once_they_go_out() -> None:
    app = Asking(
        form_question(schema(v=NAME, born={"type": "string", "title": "Born"}), BIRTH_DATE)
    )
    async with asked(app) as pilot:
        assert "Only if you fill in Born." in app.words
        names = app.get_css_variables()
        assert frame_colour(app) == names["border-blurred"].casefold()
        await pilot.press("tab", "x")
        amber = names["warning"].casefold()
        await until(pilot, lambda: frame_colour(app) == amber, "its weight")
        await pilot.press("backspace", "shift+tab", "y", "ctrl+s")
        await until(pilot, lambda: app.outcome is not None, "no second step")


@pytest.mark.parametrize(
    ("question", "button"),
    [
        (form_question(schema(), message="Clear the cache?"), "#do-yes"),
        (url_question("https://example.com/sign-in"), "#do-send"),
        (CALL, "#do-no"),
        (form_question(schema(v=NAME)), "#do-send"),
    ],
    ids=["yes or no", "page", "call", "form"],
)
async def test_on_a_large_screen_a_short_question_is_a_card_with_its_buttons_below_it(
    question: Question, button: str
) -> None:
    app = Asking(question)
    async with asked(app, (140, 40)) as pilot:
        below = app.view.body.whole.region.bottom
        place = app.view.query_one(button).region
        assert place.y - below <= 3
        assert app.view.region.y > 8
        assert app.view.region.bottom < 32
        await pilot.press("f1")
        await until(pilot, lambda: app.view.page == "help" and not app.view.deaf, "help")
        assert app.screen.region.contains_region(app.view.region)


async def test_a_title_that_a_library_made_up_is_no_line() -> None:
    for title, shown in (
        ("convert_timeArguments", False),
        ("BookingPreferences", False),
        ("Your stay", True),
        ("Address", True),
    ):
        app = Asking(form_question({**schema(v=NAME), "title": title}))
        async with asked(app):
            assert (title in app.words) == shown
