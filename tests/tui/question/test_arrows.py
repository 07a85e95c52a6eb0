"""The arrows in a choice: what has its sign is what is sent, and what is passed is not chosen."""

from __future__ import annotations

from typing import Any

import pytest

from elicit_tui.form.field import Chosen
from tests.tui.question.asking import Asking, asked, form_question, schema, until

pytestmark = pytest.mark.anyio

SHORT = ["a", "b", "c"]
LONG = [*SHORT, *(f"choice {number}" for number in range(60))]
BELOW = [f"{place} {'long ' * 6}choice" for place in ("one", "two", "three")]
"""Choices that have no room side by side."""


@pytest.mark.parametrize(
    ("field", "keys", "sent"),
    [
        ({"enum": SHORT, "default": "a"}, ("right",), "b"),
        ({"enum": SHORT, "default": "a"}, ("right", "end", "left"), "b"),
        ({"enum": SHORT}, ("end",), "c"),
        ({"enum": SHORT}, ("right",), "a"),
        ({"enum": SHORT}, ("right", "right"), "b"),
        ({"enum": SHORT, "default": "a"}, ("ctrl+u", "right"), "a"),
        ({"enum": ["pa", "pb", "c"]}, ("p",), "pa"),
        ({"enum": ["pa", "pb", "c"]}, ("p", "p"), "pb"),
        ({"enum": ["a", "pa", "pb"], "default": "a"}, ("p", "p"), "pb"),
        ({"enum": BELOW, "default": BELOW[0]}, ("down",), BELOW[1]),
        ({"enum": BELOW, "default": BELOW[0]}, ("down", "down", "down"), BELOW[2]),
        ({"enum": BELOW}, ("down", "space", "down"), BELOW[2]),
        ({"enum": BELOW}, ("down", "enter", "shift+tab", "up"), BELOW[0]),
        ({"enum": LONG, "default": "a"}, ("down",), "b"),
        ({"enum": LONG, "default": "a"}, ("pagedown", "home", "down"), "b"),
        ({"enum": LONG}, ("down", "space", "down"), "c"),
        ({"enum": LONG, "default": "a"}, ("c", "escape", "down"), "b"),
    ],
)
async def test_what_the_arrows_lead_to_is_what_has_the_sign_and_what_is_sent(
    field: dict[str, Any], keys: tuple[str, ...], sent: str
) -> None:
    app = Asking(form_question(schema(v={"type": "string", **field}, w={"type": "string"})))
    async with asked(app, (100, 40)) as pilot:
        await pilot.press(*keys)
        await until(pilot, lambda: app.view.body.panel.entries["v"] == Chosen(sent), "the choice")
        await until(pilot, lambda: f"● {sent}" in app.words, "its sign")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert app.outcome is not None
    assert app.outcome.content == {"v": sent}


@pytest.mark.parametrize("choices", [BELOW, LONG], ids=["below", "long"])
async def test_what_the_arrows_lead_to_while_nothing_is_chosen_is_not_left_out_without_a_word(
    choices: list[str],
) -> None:
    fields = schema(v={"type": "string", "title": "City", "enum": choices}, w={"type": "string"})
    app = Asking(form_question(fields))
    async with asked(app, (100, 40)) as pilot:
        await pilot.press("down", "tab", "x", "ctrl+s")
        told = f"City: “{choices[1]}” is not chosen yet. ^S again leaves it unset."
        await until(pilot, lambda: told in " ".join(app.words.replace("│", " ").split()), told)
        assert app.outcome is None
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert app.outcome is not None
    assert app.outcome.content == {"w": "x"}


@pytest.mark.parametrize("field", [{"enum": SHORT}, {"enum": SHORT, "default": "b"}])
async def test_the_arrows_up_and_down_lead_past_choices_beside_each_other_and_change_none(
    field: dict[str, Any],
) -> None:
    fields = schema(u={"type": "string"}, v={"type": "string", **field}, w={"type": "string"})
    app = Asking(form_question(fields))
    async with asked(app) as pilot:
        panel = app.view.body.panel
        before = panel.entries["v"]
        for key, name in (("down", "v"), ("down", "w"), ("up", "v"), ("up", "u")):
            await pilot.press(key)
            await until(pilot, lambda name=name: panel.focused_field.spec.name == name, name)
        assert panel.entries["v"] == before


async def test_down_a_list_in_which_nothing_is_chosen_chooses_nothing_on_the_way() -> None:
    fields = schema(v={"type": "string", "enum": BELOW}, w={"type": "string"})
    app = Asking(form_question(fields))
    async with asked(app, (100, 40)) as pilot:
        panel = app.view.body.panel
        await pilot.press(*["down"] * len(BELOW))
        await until(pilot, lambda: panel.focused_field.spec.name == "w", "the next field")
        await pilot.press("x", "ctrl+s")
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert app.outcome is not None
    assert app.outcome.content == {"w": "x"}
