"""The pages over a question are read by the keys of a pager, as every other text."""

from __future__ import annotations

import pytest

from tests.tui.question.asking import Asking, asked, form_question, schema, until

TEXT = {"type": "string"}

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("opens", ["ctrl+r", "f1", "f2"])
async def test_a_page_over_a_question_scrolls_and_closes_by_the_keys_of_a_pager(
    opens: str,
) -> None:
    app = Asking(form_question(schema(**{f"v{number}": TEXT for number in range(30)})))
    async with asked(app, size=(60, 16)) as pilot:
        page = app.view.aside
        await pilot.press("a", opens)
        await until(pilot, lambda: page.max_scroll_y > 1 and not app.view.deaf, "the page")
        await pilot.press("G")
        await until(pilot, lambda: page.scroll_y == page.max_scroll_y, "its end")
        await pilot.press("k")
        await until(pilot, lambda: page.scroll_y == page.max_scroll_y - 1, "the line above")
        await pilot.press("g")
        await until(pilot, lambda: page.scroll_y == 0, "its beginning")
        await pilot.press("j")
        await until(pilot, lambda: page.scroll_y == 1, "the line below")
        await pilot.press("q")
        await until(pilot, lambda: app.view.page == "answer", "the question")
        await pilot.press("q")
        await until(pilot, lambda: "aq" in app.words, "a letter of the field")
        assert app.outcome is None
