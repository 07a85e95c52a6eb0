"""What stands at a field that has not the focus, or below the fold, is said without a key."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tui.question.asking import Asking, asked, form_question, schema, until

pytestmark = pytest.mark.anyio

NAME = {"type": "string", "title": "Name"}
COUNT = {"type": "integer", "title": "Count", "minimum": 1, "maximum": 20, "default": 3}
PLAN = {
    "type": "string",
    "title": "Plan",
    "oneOf": [{"const": "gold-24", "title": "Golden"}, {"const": "free", "title": "Free"}],
    "default": "gold-24",
}


def remarks(count: int) -> dict[str, Any]:
    return {f"o{n}": {"type": "string", "title": f"Remark {n}"} for n in range(count)}


@pytest.mark.parametrize("width", [40, 80, 120])
async def test_a_default_is_said_at_a_field_without_the_focus_until_it_is_changed(
    width: int,
) -> None:
    app = Asking(form_question(schema(a=NAME, b=COUNT, c=NAME)))
    async with asked(app, (width, 30)) as pilot:
        assert app.words.count("default") - app.words.count("by default") == 1
        assert "1 to 20" not in app.words, "its limits are not said there"
        await pilot.press("tab", "7", "tab")
        await until(pilot, lambda: "default" not in app.words, "it is no default any more")


async def test_a_number_that_typing_replaces_looks_selected_and_says_so() -> None:
    app = Asking(form_question(schema(a=NAME, b=COUNT)))
    async with asked(app, (120, 24)) as pilot:
        await pilot.press("tab")
        await until(pilot, lambda: "0-9 replace" in app.words, "the hint")
        line = app.view.body.panel.focused_field
        selected = line.get_component_rich_style("input--selection")
        assert selected.reverse, "it is seen without colours too"
        await pilot.press("end")
        await until(pilot, lambda: "0-9 replace" not in app.words, "the hint is gone")
        await pilot.press("4")
        await until(pilot, lambda: "34" in app.words, "it was appended")


async def test_where_only_what_a_choice_sends_was_hidden_that_alone_is_said() -> None:
    app = Asking(form_question(schema(v=PLAN)))
    async with asked(app) as pilot:
        row = app.view.body.panel._rows["v"]
        row.seen, row.answer_seen = False, True
        await pilot.press("ctrl+s")
        said = "What “Plan” sends was not on the screen yet. ^S again sends."
        await until(pilot, lambda: said in app.words, "the sentence")


async def test_fields_below_the_fold_that_are_left_out_are_counted_until_they_are_seen() -> None:
    app = Asking(form_question(schema((), name=NAME, **remarks(14))))
    async with asked(app) as pilot:
        await pilot.press(*"Ada")
        await until(pilot, lambda: "ready to send 1 answer, " in app.words, "the count")
        assert " unset below" in app.words
        for _ in range(14):
            await pilot.press("tab")
        await until(pilot, lambda: "unset below" not in app.words, "all were seen")


async def test_nothing_is_said_of_fields_that_are_all_in_view() -> None:
    app = Asking(form_question(schema((), name=NAME, **remarks(2))))
    async with asked(app) as pilot:
        await pilot.press(*"Ada")
        await until(pilot, lambda: "ready to send 1 answer" in app.words, "ready")
        assert "unset below" not in app.words
