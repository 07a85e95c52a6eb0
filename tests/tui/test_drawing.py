"""What changed is drawn again, at once, and what stands between two changes is left as it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from rich.color_triplet import ColorTriplet
from rich.console import Console
from rich.segment import Segment
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.geometry import Region
from textual.pilot import Pilot
from textual.strip import Strip
from textual.widgets import Input, Static

from elicit_tui.tui.ordered_app import OrderedApp
from elicit_tui.tui.textual_terminal import CompositorUpdate, Few, SeenOnScreen, write_subtitle

pytestmark = pytest.mark.anyio


class Line(Static):
    """A line that counts how often it is drawn."""

    def render_lines(self, crop: Region) -> list[Strip]:
        app = self.app
        assert isinstance(app, Lines)
        app.drawn[self.id or ""] += 1
        return super().render_lines(crop)


class Lines(OrderedApp[None]):
    """Three lines, with a box over the end of the last one."""

    CSS = """
    Screen { layers: page above; }
    Line { height: 1; }
    #box { layer: above; dock: bottom; width: 4; margin-left: 6; offset: 0 -9; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.drawn: Counter[str] = Counter()
        self.written = ""

    def compose(self) -> ComposeResult:
        for name in ("top", "middle", "bottom"):
            yield Line(f"{name} before", id=name)
        yield Line("▛box", id="box")

    def _display(self, screen: object, renderable: object) -> None:
        super()._display(screen, renderable)  # type: ignore[arg-type]
        if isinstance(renderable, CompositorUpdate):
            self.written += renderable.render_segments(Console(width=40))


async def test_what_stands_between_two_changes_is_not_drawn_again() -> None:
    app = Lines()
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        app.drawn.clear()
        app.written = ""
        for name in ("top", "bottom"):
            app.query_one(f"#{name}", Line).update(f"{name} after")
        await pilot.pause()
    assert app.drawn["top"] >= 1 <= app.drawn["bottom"]
    assert app.drawn["middle"] == 0
    assert "top after" in app.written
    assert "middle" not in app.written


async def test_what_lies_over_a_change_stays_over_it() -> None:
    app = Lines()
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        app.written = ""
        app.query_one("#bottom", Line).update("bottom after")
        await pilot.pause()
        box, bottom = (app.query_one(name).region for name in ("#box", "#bottom"))
    assert box.overlaps(bottom)
    assert "▛box" in app.written
    assert "bottom after" not in app.written


async def test_a_change_of_the_layout_draws_all_that_moved() -> None:
    app = Lines()
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        app.query_one("#top", Line).update("top again")
        await pilot.pause()
        app.written = ""
        app.query_one("#top", Line).styles.height = 3
        await pilot.pause()
    assert "middle before" in app.written
    assert app.written.index("middle before") < app.written.index("bottom")


class Frame(Vertical):
    """A frame that notes which of its rows are drawn."""

    DEFAULT_CSS = "Frame { border: round red; height: 10; } Frame Static { height: 1fr; }"
    rows: tuple[int, ...] = ()

    def render_lines(self, crop: Region) -> list[Strip]:
        self.rows += tuple(crop.line_range)
        return super().render_lines(crop)


class Framed(Lines):
    """A frame around a text."""

    def __init__(self, frame: type[Frame] = Frame) -> None:
        super().__init__()
        self._frame = frame

    def compose(self) -> ComposeResult:
        with self._frame():
            yield Line("text before", id="text")


@asynccontextmanager
async def framed(kind: type[Frame] = Frame) -> AsyncIterator[tuple[Framed, Frame, Pilot[None]]]:
    """A frame that has been drawn; what is drawn of it and in it from then on is counted."""
    app = Framed(kind)
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        frame = app.query_one(Frame)
        frame.rows = ()
        app.drawn.clear()
        yield app, frame, pilot


async def test_a_frame_is_not_drawn_again_where_the_text_in_it_changes() -> None:
    async with framed() as (app, frame, pilot):
        app.query_one("#text", Line).update("text after")
        await pilot.pause()
    assert app.drawn["text"]
    assert not frame.rows
    assert "text after" in app.written


class Seen(Frame, SeenOnScreen):
    """A frame that notes what of it is told to be on the screen."""

    seen: tuple[Region, ...] = ()

    def on_screen(self, part: Region) -> None:
        self.seen += (part,)


async def test_what_stands_on_a_screen_that_was_drawn_is_seen_whichever_part_of_it_changed() -> (
    None
):
    async with framed(Seen) as (app, frame, pilot):
        assert isinstance(frame, Seen)
        frame.seen = ()
        app.query_one("#text", Line).update("text after")
        await pilot.pause()
        assert not frame.rows, "nothing of the frame itself was drawn again"
        assert {*frame.seen} == {Region(0, 0, 40, 10)}
        frame.styles.offset = (0, 5)
        await pilot.pause()
    assert frame.seen[-1] == Region(0, 0, 40, 7), "the rest is below the screen"


class Named(OrderedApp[None]):
    """Two lines to type in; no key is in the first one."""

    AUTO_FOCUS = "#other"
    CSS = """
    Input>.input--placeholder { color: red; }
    Input.-late>.input--placeholder { color: blue; }
    """

    def compose(self) -> ComposeResult:
        yield Input(placeholder="a name", id="name")
        yield Input(placeholder="another", id="other")


async def test_a_part_of_a_widget_is_styled_when_it_is_drawn_and_anew_when_its_widget_is() -> None:
    app = Named()
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        line = app.query_one("#name", Input)
        assert [*line._component_styles] == ["input--placeholder"], "the only part that it shows"
        assert "input--cursor" in [*app.query_one("#other")._component_styles]
        assert _colour_of(line) == (255, 0, 0)
        line.add_class("-late")
        await pilot.pause()
        assert _colour_of(line) == (0, 0, 255)
        with pytest.raises(KeyError):
            line.get_component_styles("input--nothing")


def _colour_of(line: Input) -> ColorTriplet | None:
    colour = line.get_component_rich_style("input--placeholder").color
    return colour and colour.triplet


async def test_words_in_the_border_of_a_frame_draw_its_row_and_nothing_that_it_holds() -> None:
    async with framed() as (app, frame, pilot):
        write_subtitle(frame, "line 7 of [9]")
        await pilot.pause()
        assert {*frame.rows} == {9}
        assert "line 7 of [9]" in app.written
        frame.rows = ()
        write_subtitle(frame, "line 7 of [9]")
        await pilot.pause()
    assert not frame.rows, "the same words are there already"
    assert not app.drawn


def test_a_line_keeps_only_the_last_of_what_was_cut_from_it() -> None:
    Lines()
    line = Strip([Segment("a line that is cut at each of its letters")])
    for end in range(1, 40):
        assert line.crop(0, end).text == line.text[:end]
    kept = line._crop_cache
    assert isinstance(kept, Few)
    assert [end for _, end in kept] == [*range(40 - Few.LIMIT, 40)]
    assert line.crop(0, 39) is kept[0, 39]
