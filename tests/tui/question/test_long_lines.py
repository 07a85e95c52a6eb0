"""A text that is longer than its line: where it is seen, written and left."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from tests.tui.question.asking import Asking, asked, form_question, schema, typing, until

pytestmark = pytest.mark.anyio

NOTE = {"type": "string", "title": "Note"}
NUMBER = {"type": "integer", "title": "Count", "minimum": 1, "maximum": 100_000}
WORDS = "one two three four five six seven eight nine ten eleven"


def form() -> Asking:
    """A text above a number, whose hint takes room from both."""
    return Asking(form_question(schema(note=NOTE, count=NUMBER)))


async def written(app: Asking, pilot: Pilot[None], text: str) -> None:
    await pilot.press(*typing(text))
    await until(pilot, lambda: text[-8:] in app.words, "the last letters")


async def test_a_line_that_is_filled_goes_on_to_the_right_edge_as_one_types() -> None:
    app = form()
    async with asked(app) as pilot:
        await written(app, pilot, WORDS[:20])
        top = app.words.splitlines()
        await written(app, pilot, WORDS[20:])
        assert WORDS in app.words, "all of it is seen, the first word too"
        assert [line[:12] for line in app.words.splitlines()] == [line[:12] for line in top]


async def test_what_is_written_stays_in_sight_in_a_window_that_becomes_narrower() -> None:
    app = Asking(form_question(schema(note=NOTE)))
    async with asked(app, size=(100, 24)) as pilot:
        await written(app, pilot, WORDS)
        await pilot.resize_terminal(48, 24)
        await until(pilot, lambda: "ten eleven" in app.words, "the end of the text")
        assert "one two" not in app.words
        await pilot.press("tab")
        await until(pilot, lambda: "one two" in app.words, "the beginning of the text")
        assert "…" in next(line for line in app.words.splitlines() if "one two" in line)
