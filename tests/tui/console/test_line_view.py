"""Long texts: laid out only where they are seen, and at their end with one key."""

from __future__ import annotations

import pytest
from textual.app import ComposeResult

from elicit_tui.tui.console.line_view import LineView
from elicit_tui.tui.console.spans import Line
from elicit_tui.tui.ordered_app import OrderedApp
from elicit_tui.tui.theme import use_theme

pytestmark = pytest.mark.anyio


class Reading(OrderedApp[None]):
    """One text of ten thousand lines, not shown yet."""

    def __init__(self) -> None:
        super().__init__()
        use_theme(self, "dark")
        self.widths: list[int] = []

    def compose(self) -> ComposeResult:
        """The text."""
        view = LineView()
        view.display = False
        yield view

    def lines(self, width: int) -> list[Line]:
        self.widths.append(width)
        return [((f"line {number}", "plain"),) for number in range(10_000)]


async def test_what_has_no_place_on_the_screen_is_not_laid_out() -> None:
    app = Reading()
    async with app.run_test(size=(80, 24)) as pilot:
        view = app.query_one(LineView)
        view.show(app.lines)
        view.show(app.lines)
        assert app.widths == []
        view.display = True
        await pilot.pause()
        assert app.widths
        assert min(app.widths) > 70
        assert len(view.lines) == 10_000


async def test_the_end_of_a_long_text_is_reached_at_once() -> None:
    app = Reading()
    async with app.run_test(size=(80, 24)) as pilot:
        view = app.query_one(LineView)
        view.display = True
        await pilot.pause()
        view.show(app.lines)
        view.focus()
        await pilot.press("end")
        await pilot.pause()
        assert view.scroll_offset.y == view.max_scroll_y == 10_000 - view.size.height
