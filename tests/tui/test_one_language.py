"""One look for one thing: a sign, a button and its colours mean the same on every screen."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual import events

import elicit_tui.tui
from elicit_tui.tui import names_on_screen
from elicit_tui.tui.console.screens.about import SIGNS
from elicit_tui.tui.names_on_screen import naming_keys
from elicit_tui.tui.question.actions import ActionButton
from elicit_tui.tui.widgets import FormView
from tests.tui.question.asking import (
    WARNING,
    Asking,
    asked,
    form_question,
    schema,
    until,
)
from tests.tui.question.test_seen import approval

NAME = {"type": "string", "title": "Name"}
KEYS = frozenset("←→↑↓↩⇥⏎")
"""Arrows are names of keys too, and of what breaks a line."""
IN_TEXTS = frozenset("⟨⟩−")
"""What is left out of a text, or was taken from it."""


def _texts(path: Path) -> Iterator[str]:
    """The texts of a module that are no docstring."""
    tree = ast.parse(path.read_text("utf-8"))
    told = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield node.value


def _is_sign(letter: str) -> bool:
    """Arrows, shapes and dingbats, but no lines and blocks of which things are drawn."""
    return "\u2190" <= letter < "\u2c00" and not "\u2500" <= letter < "\u25a0"


def test_the_helps_legend_has_each_sign_that_a_screen_shows() -> None:
    legend = "".join(sign for pair in SIGNS for sign in pair)
    shown = {
        letter
        for path in Path(elicit_tui.tui.__file__).parent.rglob("*.py")
        if path != Path(names_on_screen.__file__)
        for text in _texts(path)
        for letter in text
        if _is_sign(letter)
    }
    assert shown - KEYS - IN_TEXTS - set(legend) == set()


def test_no_sign_has_two_meanings_in_the_legend() -> None:
    legend = "".join(sign for pair in SIGNS for sign in pair)
    signs = [letter for letter in legend if _is_sign(letter)]
    assert len(signs) == len(set(signs))


@pytest.mark.anyio
async def test_a_form_names_all_its_keys_on_buttons_in_80_columns() -> None:
    app = Asking(form_question(schema(v=NAME)))
    async with asked(app, (80, 24)):
        *_, buttons, frame = app.words.rstrip().splitlines()
        assert buttons.split() == [
            *("│ ^S Send ^N Decline Esc Cancel ^L Later ^R Review F1 Help F2 About │").split()
        ]
        assert "About" not in frame


def _button(app: Asking, does: str) -> ActionButton:
    return next(each for each in app.view.query(ActionButton) if each.does == does)


def _colour(app: Asking, does: str) -> str:
    return _button(app, does).styles.background.hex.casefold()[:7]


def _named(app: Asking, name: str) -> str:
    return app.get_css_variables()[name].casefold()[:7]


@pytest.mark.anyio
async def test_the_colour_of_a_button_says_whether_it_accepts() -> None:
    app = Asking(form_question(schema()))
    async with asked(app) as pilot:
        assert _colour(app, "yes") == _named(app, "success")
        _button(app, "yes").focus()
        await until(pilot, lambda: "[y Yes]" in app.words, "the focus, in brackets")
        assert _colour(app, "yes") == _named(app, "success")
        _button(app, "no").focus()
        await until(pilot, lambda: "[n No]" in app.words, "the focus, in brackets")
        assert "[y Yes]" not in app.words
        assert _colour(app, "no") == _named(app, "accent")


@pytest.mark.anyio
async def test_what_goes_through_with_a_warning_is_amber_and_the_way_back_is_not_green() -> None:
    app = Asking(form_question(schema(), WARNING))
    async with asked(app) as pilot:
        assert _colour(app, "no") == _named(app, "faint")
        _button(app, "yes").focus()
        await until(pilot, lambda: "[y Yes" in app.words, "the focus, in brackets")
        assert _colour(app, "yes") == _named(app, "warning")


@pytest.mark.anyio
async def test_declining_a_call_is_never_green() -> None:
    app = Asking(approval(branch="main"))
    async with asked(app):
        assert _colour(app, "no") == _named(app, "faint")


TWO = {
    "day": {"type": "string", "title": "Day", "format": "date"},
    "name": {"type": "string", "title": "Name", "description": "For the table.", "minLength": 2},
    "guests": {"type": "integer", "title": "Guests", "default": 2},
    "note": {"type": "string", "title": "Note"},
}


@pytest.mark.anyio
@pytest.mark.parametrize("size", [(40, 30), (80, 40)])
async def test_one_blank_row_ends_each_field_whatever_is_said_below_it(
    size: tuple[int, int],
) -> None:
    app = Asking(form_question(schema(("day", "name"), **TWO)))
    async with asked(app, size) as pilot:
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "✗ needs an answer" in app.words, "what is missing")
        lines = [line.strip("│ ▌") for line in app.words.splitlines()]
        titles = [n for n, line in enumerate(lines) if line.startswith(("Name", "Guests", "Note"))]
        assert len(titles) == 3
        for title in titles:
            assert lines[title - 1] == ""
            assert lines[title - 2] != ""


@pytest.mark.anyio
async def test_no_row_goes_from_under_the_button_of_a_mouse() -> None:
    app = Asking(form_question(schema(("day",), **TWO)))
    async with asked(app, (40, 40)) as pilot:
        await pilot.press("tab")
        await until(pilot, lambda: "now 0" in app.words, "what is wanted of a name")
        below = app.view.query_one(FormView)._rows["note"].control
        before = below.region
        x, y = before.offset
        app.post_message(events.MouseDown(None, x, y, 0, 0, 1, False, False, False, x, y))
        await until(pilot, lambda: app.focused is below, "the field that was pressed")
        await pilot.pause()
        assert below.region == before
        app.post_message(events.MouseUp(None, x, y, 0, 0, 1, False, False, False, x, y))
        await until(pilot, lambda: below.region.y == before.y - 1, "no line for it any more")


def test_a_key_in_a_sentence_of_ours_looks_as_in_a_bar() -> None:
    said = naming_keys("^A allows it; F2 lists what ^A allowed. AF2.", "^A", "F2")
    styled = [(said.plain[span.start : span.end], str(span.style)) for span in said.spans]
    assert styled == [("^A", "bold $accent"), ("^A", "bold $accent"), ("F2", "bold $accent")]
