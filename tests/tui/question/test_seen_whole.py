"""What others wrote or chose for the person goes out once all of it was on the screen."""

from __future__ import annotations

from typing import Any

import pytest

from elicit_tui.elicitation import Draft
from elicit_tui.form.field import Typed
from tests.tui.question.asking import (
    Asking,
    answer,
    asked,
    form_question,
    schema,
    typing,
    until,
)

pytestmark = pytest.mark.anyio

COLOURS = (
    "red blue green pink white black grey brown cyan gold lime navy plum rose ruby teal sand snow "
    "sky silver tan violet wheat yellow azure beige coral ivory khaki mint"
).split()
LONG = "Lorem ipsum dolor sit amet " * 12 + "and also subscribe me to the weekly letter"
ALIKE = "Option one " + "and so on " * 40
TEXT = {"type": "string", "title": "Greeting"}
MANY = {"type": "array", "title": "Colours", "items": {"type": "string", "enum": COLOURS}}
TITLED = {
    "type": "string",
    "title": "Plan",
    "oneOf": [{"const": "a", "title": ALIKE}, {"const": "b", "title": ALIKE + "with extras"}],
}
VALUED = {
    "type": "string",
    "title": "Plan",
    "oneOf": [{"const": "z" * 400 + "!", "title": "Short"}, {"const": "b", "title": "Other"}],
}

HIDING = {
    "a line": ({**TEXT, "default": LONG}, "subscribe me to the weekly letter"),
    "a block": ({**TEXT, "default": "a\n" * 60 + "last line"}, "last line"),
    "texts": (
        {"type": "array", "items": {"type": "string"}, "default": [f"name {n}" for n in range(40)]},
        '"name 39"',
    ),
    "choices": ({**MANY, "default": [*COLOURS[:5], "yellow", "mint"]}, '"mint"'),
    "a number": ({"type": "integer", "default": int("12" * 150 + "9")}, "2129"),
    "a title": ({**TITLED, "default": "b"}, "with extras"),
    "a value": ({**VALUED, "default": "z" * 400 + "!"}, '!"'),
}


def compact(app: Asking) -> str:
    """All that is on the screen, without blanks and frames."""
    return "".join(app.words.replace("│", " ").split())


async def ready(pilot: Any, app: Asking) -> None:
    await until(pilot, lambda: bool(app.outcomes) or not app.view.deaf, "it hears again")


@pytest.mark.parametrize("size", [(80, 24), (40, 15)], ids=str)
@pytest.mark.parametrize("kind", HIDING)
async def test_a_default_that_its_field_does_not_show_whole_is_read_before_it_goes_out(
    kind: str, size: tuple[int, int]
) -> None:
    wanted, end = HIDING[kind]
    app = Asking(form_question(schema(v=wanted)))
    async with asked(app, size) as pilot:
        await until(pilot, lambda: "^S Read on" in app.words, "that it goes on")
        assert "1 not seen yet" in app.words
        shown = ""
        while "".join(end.split()) not in shown or app.view.page != "review":
            await pilot.press("ctrl+s")
            await ready(pilot, app)
            assert app.outcome is None
            shown += compact(app)
        assert "notshownwholeyet" in shown
        while not app.outcomes:
            await pilot.press("ctrl+s")
            await ready(pilot, app)
    assert app.outcome is not None
    assert app.outcome.content == {"v": wanted["default"]}
    assert app.outcome.seen == {"message", "content.v"}


async def test_nothing_of_a_review_that_had_to_be_opened_is_skipped() -> None:
    names = [f"name {n}" for n in range(90)]
    wanted = {"type": "array", "items": {"type": "string"}, "default": names}
    app = Asking(form_question(schema(v=wanted)))
    async with asked(app) as pilot:
        shown: set[str] = set()
        while not app.outcomes:
            await pilot.press("ctrl+s")
            await ready(pilot, app)
            shown |= {name for name in names if f'"{name}"' in app.words}
    assert shown == set(names)


async def test_what_a_review_showed_whole_is_sent_from_the_form_at_once() -> None:
    app = Asking(form_question(schema(v={**TEXT, "default": LONG})))
    async with asked(app) as pilot:
        for key in ("ctrl+r", "escape"):
            await pilot.press(key)
            await ready(pilot, app)
        await until(pilot, lambda: "^S Send" in app.words, "that it can be sent")
        await pilot.press("x")
        await until(pilot, lambda: "subscribe" not in app.words, "another text")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert app.outcome is not None
    assert app.outcome.content == {"v": "x"}


async def test_a_line_that_was_gone_through_is_sent_at_once() -> None:
    app = Asking(form_question(schema(v={**TEXT, "default": "left " * 13 + "and right"})))
    async with asked(app) as pilot:
        await until(pilot, lambda: "^S Read on" in app.words, "that it goes on")
        await pilot.press("home")
        await until(pilot, lambda: "^S Send" in app.words, "both ends were there")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.outcome is not None, "the answer")


async def test_a_line_that_goes_on_says_so_at_either_side() -> None:
    app = Asking(form_question(schema(v={**TEXT, "default": LONG}, w={"type": "string"})))
    async with asked(app) as pilot:
        await until(pilot, lambda: "…" in line(app) and "weekly letter" in line(app), "the left")
        assert not line(app).rstrip(" │").endswith("…")
        await pilot.press("home")
        await until(pilot, lambda: "Lorem" in line(app), "its beginning")
        assert line(app).rstrip(" │").endswith("…")
        await pilot.press("end", *["left"] * 120, "right", "right")
        await until(pilot, lambda: line(app).count("…") == 2, "both sides")
        await pilot.press("tab")
        await until(pilot, lambda: "Lorem" in line(app), "its beginning again")


def line(app: Asking) -> str:
    return next(row for row in app.words.split("\n") if "Greeting" in row)


@pytest.mark.parametrize("kind", ["a line", "a block"])
async def test_what_the_person_leaves_of_a_default_is_read_and_what_they_write_is_not(
    kind: str,
) -> None:
    app = Asking(form_question(schema(v=HIDING[kind][0])))
    async with asked(app) as pilot:
        await pilot.press("end", "x")
        await until(pilot, lambda: "letterx" in app.words or "linex" in app.words, "the letter")
        await until(pilot, lambda: "^S Read on" in app.words, "that it goes on")
        await pilot.press("ctrl+u", "y")
        await until(pilot, lambda: "^S Send" in app.words, "that it can be sent")
        await pilot.press("ctrl+d")
        await until(pilot, lambda: "^S Read on" in app.words, "that it goes on again")


async def test_a_choice_of_others_is_read_though_the_person_chose_one_more() -> None:
    app = Asking(form_question(schema(v=HIDING["choices"][0])))
    async with asked(app) as pilot:
        await pilot.press(*"tan", "enter")
        await until(pilot, lambda: "now 8" in app.words, "that it is chosen")
        await until(pilot, lambda: "^S Read on" in app.words, "that it goes on")
        await pilot.press("escape", "end", "pageup")
        await until(pilot, lambda: "^S Send" in app.words, "all were there")


async def test_what_the_person_wrote_or_chose_themselves_is_not_read_again() -> None:
    fields = schema(v=TEXT, w=TITLED, x=MANY)
    app = Asking(form_question(fields))
    async with asked(app) as pilot:
        await pilot.press(*typing("long " * 30), "tab", "2", "tab")
        for colour in ("yellow", "mint", "brown"):
            await pilot.press(*colour, "enter")
        await until(pilot, lambda: "now 3" in app.words, "what was chosen")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.outcome is not None, "the answer")
        assert app.view.page == "answer"


@pytest.mark.parametrize("by_agent", [False, True])
async def test_what_the_agent_filled_in_is_read_and_what_the_person_wrote_before_is_not(
    by_agent: bool,
) -> None:
    draft = Draft({"v": Typed(LONG)}, frozenset({"v"}))
    if by_agent:
        draft = Draft()
        draft.fill_in({"v": Typed(LONG)}, frozenset({"v"}))
    app = Asking(form_question(schema(v=TEXT)), draft=draft)
    async with asked(app) as pilot:
        await pilot.press("ctrl+s")
        await until(pilot, lambda: bool(app.outcomes) or app.view.page == "review", "either")
    assert bool(app.outcomes) is not by_agent


async def test_many_defaults_are_never_sent_unseen() -> None:
    fields = {f"d{n}": {"type": "string", "title": f"D{n}", "default": f"v{n}."} for n in range(40)}
    app = Asking(form_question(schema(**fields)))
    async with asked(app) as pilot:
        shown: set[int] = set()
        while not app.outcomes:
            shown |= {n for n in range(40) if f"v{n}." in app.words}
            await pilot.press("ctrl+s")
            await ready(pilot, app)
    assert shown == set(range(40))


@pytest.mark.parametrize("size", [(80, 24), (140, 40)], ids=str)
async def test_ordinary_defaults_need_one_key(size: tuple[int, int]) -> None:
    fields = schema(
        v={**TEXT, "default": "hello"},
        w={"type": "integer", "default": 12},
        x={**MANY, "default": ["mint"]},
    )
    lines = schema(v={**TEXT, "default": "one\ntwo"}, w={"type": "boolean", "default": True})
    for wanted in (fields, lines):
        assert await answer(Asking(form_question(wanted)), "ctrl+s", size=size) is not None


async def test_a_default_that_was_changed_and_put_off_is_still_to_be_seen() -> None:
    requested, draft = schema(v={**TEXT, "default": LONG}), Draft()
    first = Asking(form_question(requested), draft=draft)
    async with asked(first) as pilot:
        await pilot.press("end", "x", "home", "y", "ctrl+l")
        await until(pilot, lambda: bool(first.later), "it is put off")
    app = Asking(form_question(requested), draft=draft)
    async with asked(app) as pilot:
        await pilot.press("ctrl+s")
        await until(pilot, lambda: bool(app.outcomes) or app.view.page == "review", "either")
        assert not app.outcomes
