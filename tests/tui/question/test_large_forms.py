"""Large forms: what is drawn, and that every field is reached."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tui.question.asking import Asking, asked, form_question, schema, until

pytestmark = pytest.mark.anyio

KINDS: list[dict[str, Any]] = [
    {"type": "string", "minLength": 2},
    {"type": "integer", "minimum": 1, "maximum": 9},
    {"type": "boolean"},
    {"type": "string", "enum": ["a", "b", "c"]},
    {"type": "string", "format": "email"},
]


def fields(count: int) -> dict[str, Any]:
    return schema(**{f"field{number}": KINDS[number % 5] for number in range(count)})


async def test_only_what_can_be_seen_of_a_large_form_is_drawn_at_first() -> None:
    app = Asking(form_question(fields(200)))
    async with asked(app) as pilot:
        form = app.view.body.fields
        assert form is not None
        seen = len(form._rows)
        assert seen < 50
        form.scroll_end(animate=False)
        await until(pilot, lambda: len(form._rows) > seen, "the next rows")


async def test_the_last_of_many_fields_is_reached_by_sending_and_by_tab() -> None:
    requested = fields(40)
    requested["required"] = ["field39"]
    app = Asking(form_question(requested))
    async with asked(app) as pilot:
        form = app.view.body.fields
        assert form is not None
        for expected in range(12):
            focused = form.focused_field
            assert focused is not None
            assert focused.spec.name == f"field{expected}"
            await pilot.press("tab")
        await pilot.press("ctrl+s")
        for _ in range(50):
            await pilot.pause()
        focused = form.focused_field
        assert focused is not None
        assert focused.spec.name == "field39"


async def test_more_choices_than_can_be_offered_are_said_and_left_out() -> None:
    cities = {"type": "string", "enum": [f"city-{number}" for number in range(10_000)]}
    app = Asking(form_question(schema(v={"type": "string"}, city=cities)))
    async with asked(app) as pilot:
        assert "it has more than 5,000 choices: it is left out" in app.words
        await pilot.press("a", "ctrl+s")
        await pilot.pause()
    assert app.outcome is not None
    assert app.outcome.content == {"v": "a"}
