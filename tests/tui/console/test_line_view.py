"""Long texts: laid out only where they are seen, and at their end with one key."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.message import Message
from textual.pilot import Pilot
from textual.scrollbar import ScrollBar

from elicit_tui.tui.console.spans import Line, wrapped
from elicit_tui.tui.console.views import GAP, LineView
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


async def until(pilot: Pilot[None], true: Callable[[], bool], seconds: float = 20) -> None:
    """Let the application work until it is true."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        await pilot.pause(0.01)


async def test_each_of_two_quick_keys_scrolls_a_page() -> None:
    app = Reading()
    async with app.run_test(size=(80, 24)) as pilot:
        view = app.query_one(LineView)
        view.display = True
        view.show(app.lines)
        view.focus()
        await until(pilot, lambda: view.max_scroll_y > 0)
        for _ in range(2):
            app.post_message(events.Key("pagedown", None))
        await until(pilot, lambda: view.scroll_y > view.size.height)
        assert view.scroll_y == 2 * view.size.height


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
        await until(pilot, lambda: view.has_focus and view.allow_vertical_scroll)
        await pilot.press("end")
        await until(pilot, lambda: view.scroll_offset.y > 0)
        assert view.scroll_offset.y == view.max_scroll_y == 10_000 - view.size.height


class Untold(LineView):
    """A text that nobody tells of its place, as where its region was asked for before."""

    def post_message(self, message: Message) -> bool:
        """Take every message but a Resize."""
        return not isinstance(message, events.Resize) and super().post_message(message)


async def test_lines_stand_there_also_when_no_resize_told_of_their_place() -> None:
    app = Reading()
    async with app.run_test(size=(80, 24)) as pilot:
        view = Untold()
        mounting = app.mount(view)
        view.show(app.lines)
        await mounting
        await until(pilot, lambda: len(view.lines) == 10_000)


def test_lines_break_at_blanks_and_a_word_that_is_too_wide_is_taken_apart() -> None:
    text = "a log of 日本語 words and one-that-is-far-too-wide  to stay whole"
    lines = list(wrapped(text, 12))
    assert all(cell_len(line) <= 12 for line in lines)
    assert lines[:2] == ["a log of", "日本語 words"]
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert list(wrapped("  indented text of two lines", 18)) == [
        "  indented text of",
        "  two lines",
    ]


def test_tabs_are_columns_of_cells_also_behind_wide_signs_and_in_lines_that_break() -> None:
    assert list(wrapped("a\tb\n日本\tb\n12345678\tb", 40)) == [
        "a       b",
        "日本    b",
        "12345678        b",
    ]
    assert list(wrapped("\tone two", 12)) == ["      one", "      two"]


class Following(Reading):
    """The same, from its end on."""

    def compose(self) -> ComposeResult:
        """The text."""
        view = LineView(follow=True)
        view.display = False
        yield view


async def test_the_scrollbar_of_a_text_that_is_followed_stands_at_its_end() -> None:
    app = Following()
    async with app.run_test(size=(80, 24)) as pilot:
        view = app.query_one(LineView)
        view.show(app.lines)
        view.display = True
        await until(pilot, lambda: view.scroll_y > 0)
        assert view.scroll_y == view.max_scroll_y
        await until(pilot, lambda: view.vertical_scrollbar.position == view.scroll_y)


async def test_a_page_by_which_its_thumb_does_not_move_paints_no_scrollbar(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    painted: list[float] = []
    render = ScrollBar.render

    def counted(bar: ScrollBar) -> Any:
        painted.append(bar.position)
        return render(bar)

    monkeypatch.setattr(ScrollBar, "render", counted)
    app = Following()
    async with app.run_test(size=(80, 24)) as pilot:
        view = app.query_one(LineView)
        view.show(lambda width: [((f"line {number}", "plain"),) for number in range(100_000)])
        view.display = True
        await until(pilot, lambda: view.scroll_y == view.max_scroll_y and painted)
        view.focus()
        await pilot.press("home")
        await until(pilot, lambda: bool(painted) and painted[-1] == 0)
        painted.clear()
        await pilot.press("pagedown", "pagedown")
        await pilot.pause()
        assert view.scroll_y == view.vertical_scrollbar.position == 48
        assert painted == []
        await pilot.press("end")
        await until(pilot, lambda: bool(painted) and painted[-1] == view.max_scroll_y)


class Pages(OrderedApp[None]):
    """Pages of one paragraph each, which is wrapped: short ones, and longer ones than fit."""

    def __init__(self) -> None:
        super().__init__()
        use_theme(self, "dark")

    def compose(self) -> ComposeResult:
        """The page."""
        yield LineView()


def paragraph(words: int) -> Callable[[int], list[Line]]:
    return lambda width: [((part, "plain"),) for part in wrapped("sixteen letters " * words, width)]


@pytest.mark.parametrize("pages", [(1_000, 20), (20, 1_000), (20, 1_000, 20, 1_000)])
async def test_each_page_is_wrapped_for_the_scrollbar_that_it_has_and_not_for_that_of_another(
    pages: tuple[int, ...],
) -> None:
    app = Pages()
    async with app.run_test(size=(50, 10)) as pilot:
        view = app.query_one(LineView)
        for words in pages:
            view.show(paragraph(words))
            await pilot.pause()
            room = view.scrollable_content_region.width - GAP
            assert view.show_vertical_scrollbar is (words > 100)
            assert list(view.lines) == paragraph(words)(room)
            assert view.virtual_size.height == len(view.lines)
