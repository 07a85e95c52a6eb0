"""Large forms stay quick. Times are of the processor, so that a busy machine does not matter."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.tui.question.asking import Asking, asked, form_question, schema

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


async def opening(count: int) -> float:
    app = Asking(form_question(fields(count)))
    start = time.process_time()
    async with asked(app):
        return time.process_time() - start


async def test_two_hundred_fields_open_within_three_times_the_time_of_fifty() -> None:
    await opening(5)
    fifty = min([await opening(50) for _ in range(2)])
    two_hundred = min([await opening(200) for _ in range(2)])
    assert two_hundred < 3 * fifty


async def test_the_last_of_many_fields_is_reached_by_sending_and_by_tab() -> None:
    requested = fields(80)
    requested["required"] = ["field79"]
    app = Asking(form_question(requested))
    async with asked(app) as pilot:
        form = app.view._form_view
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
        assert focused.spec.name == "field79"


async def test_ten_thousand_choices_freeze_nothing() -> None:
    cities = {"type": "string", "enum": [f"city-{number}" for number in range(10_000)]}
    app = Asking(form_question(schema(v={"type": "string"}, city=cities)))
    start = time.process_time()
    async with asked(app) as pilot:
        await pilot.press("a", "tab", "9", "9", "9", "enter", "ctrl+s")
        await pilot.pause()
    assert app.outcome is not None
    assert time.process_time() - start < 5
