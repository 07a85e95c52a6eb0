"""Scrolling rows and lines drawn only where they are seen: any number costs the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Final

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.color import Color
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar
from textual.strip import Strip

from elicit_tui.dataclass import dataclass
from elicit_tui.tui.console.half_pages import HalfPages
from elicit_tui.tui.console.spans import Line, Role, shortened, text_of, within, wrapped
from elicit_tui.tui.theme import thumb_row

if TYPE_CHECKING:
    from textual import events
    from textual.selection import Selection

    from elicit_tui.tui.ordered_app import OrderedApp


# What draws spans: text whose roles become the colours of the theme.

COLOURS: Final[Mapping[Role, str]] = {
    "plain": "foreground",
    "strong": "foreground",
    "dim": "faint",
    "accent": "accent",
    "good": "success",
    "warn": "warning",
    "bad": "error",
    "gone": "error",
    "hit": "warning",
    "here": "accent",
}
"""The name of each role's colour in the theme."""

BOLD: Final = frozenset({"strong", "accent", "warn", "bad", "hit", "here"})


class SpanView(ScrollView):
    """Draws spans: each role in its colour of the theme, and none a class that is to be styled."""

    DEFAULT_CSS = """
    SpanView {
        background: transparent; scrollbar-size-vertical: 1; scrollbar-size-horizontal: 0;
        overflow-x: hidden;
        overflow-y: auto;
    }
    """

    # Of this drawing: what it stands on, the colours of the theme by name, the cells of a line.
    _ground = Style()
    _colours: Mapping[str, str] = {}
    _row_width = 0

    def render_lines(self, crop: Region) -> list[Strip]:
        """Look up once what all lines of a drawing need."""
        self._ground = self.rich_style
        self._colours = self.app.theme_variables
        self._row_width = self.scrollable_content_region.width
        return super().render_lines(crop)

    def strip_of(self, spans: Line, width: int, over: Style | None = None) -> Strip:
        """One line as cells, exactly `width` wide; one that goes on says so at its end."""
        ground, colours = self._ground, self._colours
        segments = []
        for text, role in within(spans, width):
            style = ground + span_style(colours[COLOURS[role]], role)
            segments.append(Segment(text, style + over if over else style))
        blank = ground + over if over else ground
        return Strip(segments).adjust_cell_length(width, blank)

    def scroll_to(self, *to: Any, **how: Any) -> None:
        """At once: the library waits for a sixtieth of a second, and loses one of two keys."""
        super().scroll_to(*to, **{**how, "animate": False})

    def watch_show_vertical_scrollbar(self, shown: bool) -> None:
        """Let the scrollbar begin where the view stands: it may have gone there before."""
        if shown:
            self.vertical_scrollbar.position = self.scroll_y

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Paint the scrollbar where its thumb moves: in a long text a page is less than a row."""
        bar = self.vertical_scrollbar
        if thumb_row(bar, bar.position) == thumb_row(bar, new_value):
            bar.set_reactive(ScrollBar.position, new_value)
        super().watch_scroll_y(old_value, new_value)

    @property
    def cursor_style(self) -> Style:
        """What is laid over the line that is pointed at."""
        colours = self.app.theme_variables
        if self.has_focus:
            return _cursor(colours["accent"], colours["background"])
        return _cursor(colours["well-focus"], None)


@lru_cache(maxsize=64)
def span_style(colour: str, role: Role) -> Style:
    """How a span is drawn in the colour of its role: what was found is told without colours too."""
    return Style(
        color=Color.parse(colour).rich_color,
        bold=role in BOLD or None,
        underline=role == "hit" or None,
        reverse=role == "here" or None,
    )


@lru_cache(maxsize=16)
def _cursor(ground: str, colour: str | None) -> Style:
    return Style(
        bgcolor=Color.parse(ground).rich_color,
        color=Color.parse(colour).rich_color if colour else None,
    )


# A list of rows with a cursor, drawn only where it is seen.

Draw = Callable[[str, int], Sequence[Line]]
"""The lines of one row, by its key, for a width in cells."""


class RowList(SpanView, can_focus=True):
    """Rows of equal height; the arrow keys move the cursor, Enter chooses."""

    app: OrderedApp[int]

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False, id="rows.up"),
        Binding("down,j", "move(1)", "Down", show=False, id="rows.down"),
        Binding("pageup,ctrl+u,ctrl+b", "page(-1)", "Page up", show=False),
        Binding("pagedown,ctrl+d,ctrl+f", "page(1)", "Page down", show=False),
        Binding("home,g", "edge(0)", "First", show=False),
        Binding("end,G", "edge(1)", "Last", show=False),
        Binding("enter", "choose", "Open", id="rows.choose"),
    ]

    cursor: reactive[int] = reactive(0)

    @dataclass
    class Highlighted(Message):
        """The cursor came to another row; `key` is None when there is none."""

        rows: RowList
        key: str | None

        @property
        def control(self) -> RowList:
            """The list."""
            return self.rows

    @dataclass
    class Chosen(Message):
        """Enter, or a click, on a row."""

        rows: RowList
        key: str

        @property
        def control(self) -> RowList:
            """The list."""
            return self.rows

    def __init__(
        self,
        *,
        row_height: int = 1,
        empty: str = "",
        verb: str = "Open",
        follow: bool = False,
        id: str | None = None,
    ) -> None:
        """`follow`: new rows come in front; a cursor on the first row stays on the first one."""
        super().__init__(id=id)
        self._follow = follow
        self.verb = verb
        """What Enter does, for the bar of keys."""
        self.row_height = row_height
        self.empty = empty
        self._keys: Sequence[str] = ()
        self._draw: Draw = lambda key, width: ()
        self._told_key: str | None = None

    @property
    def keys(self) -> Sequence[str]:
        """The keys of the rows, in order."""
        return self._keys

    @property
    def key(self) -> str | None:
        """The key under the cursor, or None when there are no rows."""
        return self._keys[self.cursor] if self.cursor < len(self._keys) else None

    @property
    def set_off(self) -> int:
        """The number of the row that is set off: the one under the cursor."""
        return self.cursor

    def show(self, keys: Sequence[str], draw: Draw) -> None:
        """Draw these rows; the cursor stays on its key where that is still there."""
        before, was_empty = self.key, not self._keys
        self._keys, self._draw = keys, draw
        if was_empty != (not keys):
            self.refresh_bindings()
        self.virtual_size = Size(0, len(keys) * self.row_height)
        if self._follow and self.cursor == 0:
            self.scroll_home(animate=False, immediate=True)
        elif before is not None and before in keys:
            self.cursor = keys.index(before)
        else:
            self.cursor = max(0, min(self.cursor, len(keys) - 1))
        self.refresh()
        self._tell()

    def _empty_words(self, width: int) -> list[str]:
        return list(wrapped(self.empty, max(10, width - 2)))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many rows as it has, or as say that it has none, where it is as high as they are."""
        return self.virtual_size.height if self._keys else len(self._empty_words(width))

    def point_at(self, key: str) -> None:
        """Put the cursor on this key, if it is there."""
        if key in self._keys:
            self.cursor = self._keys.index(key)

    def on_resize(self) -> None:
        """Keep the cursor in sight where there is less room."""
        self._bring_into_sight()

    def watch_cursor(self) -> None:
        """Keep the cursor in sight and say where it is."""
        self._bring_into_sight()
        self._tell()

    def _bring_into_sight(self) -> None:
        region = Region(0, self.set_off * self.row_height, 1, self.row_height)
        # Rows that were few a moment ago have no scrollbar yet, without which nothing scrolls.
        self.scroll_to_region(region, animate=False, immediate=True, force=True, x_axis=False)
        self.refresh()

    def _tell(self) -> None:
        if self.key != self._told_key:
            self._told_key = self.key
            self.post_message(self.Highlighted(self, self.key))

    def render_line(self, y: int) -> Strip:
        """One line of what is seen."""
        width = self._row_width
        number, part = divmod(y + self.scroll_offset.y, self.row_height)
        if not self._keys:
            words = self._empty_words(width)
            if len(words) > self.size.height > 0:
                last = self.size.height - 1
                words[last:] = [shortened(f"{words[last]} {words[last + 1]}", width - 2)]
                words[last] = words[last].removesuffix("…").rstrip(" .") + " …"
            y -= len(words) < self.size.height  # A blank line above, where there is room.
            text = " " + words[y] if 0 <= y < len(words) else ""
            return self.strip_of(((text, "dim"),), width)
        if number >= len(self._keys):
            return Strip.blank(width, self._ground)
        drawn = self._draw(self._keys[number], width)
        spans = drawn[part] if part < len(drawn) else ()
        if number != self.set_off:
            return self.strip_of(spans, width)
        return self.strip_of(with_pointer(spans, self.has_focus), width, self.cursor_style)

    def action_move(self, by: int) -> None:
        """Move the cursor by rows."""
        if self._keys:
            self.cursor = max(0, min(len(self._keys) - 1, self.cursor + by))

    def action_page(self, by: int) -> None:
        """Move the cursor by what fits on the screen."""
        self.action_move(by * max(1, self.size.height // self.row_height))

    def action_edge(self, last: int) -> None:
        """Move the cursor to the first or the last row."""
        self.cursor = max(0, len(self._keys) - 1) if last else 0

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nothing can be chosen where there is nothing."""
        return action != "choose" or bool(self._keys)

    def action_choose(self) -> None:
        """Choose the row under the cursor."""
        if self.key is not None:
            self.post_message(self.Chosen(self, self.key))
            self.app.keys_follow(self)

    def on_click(self, event: events.Click) -> None:
        """A click points; a second one on the same row chooses."""
        inside = event.get_content_offset(self)  # Without the border above the first row.
        if inside is None:
            return
        number = (inside.y + self.scroll_offset.y) // self.row_height
        if 0 <= number < len(self._keys):
            self.cursor = number
            if event.chain > 1:
                self.action_choose()


def with_pointer(spans: Line, focused: bool) -> Line:
    """The line with a bar in its empty first cell, a thin one where the keys go elsewhere.

    So the cursor, and which list has the keys, is seen without colours too.
    """
    if not spans or not spans[0][0].startswith(" "):
        return spans
    (text, role), *rest = spans
    return (("▌" if focused else "▏", "accent"), (text[1:], role), *rest)


# Scrolling lines drawn only where they are seen: any length costs the same.

GAP = 1
"""Between a text and its scrollbar, whether it is there or not."""

Source = Callable[[int], Sequence[Line]]
"""The lines for a width in cells."""


class LineView(SpanView, HalfPages, can_focus=True):
    """Lines to read: a result, a log, an explanation. Follows the end when it stood there."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll_up", "Up", show=False, id="lines.up"),
        Binding("down,j", "scroll_down", "Down", show=False, id="lines.down"),
        Binding("pageup,ctrl+b", "page_up", "Page up", show=False),
        Binding("pagedown,space,ctrl+f", "page_down", "Page down", show=False),
        Binding("home,g,ctrl+home", "scroll_home", "Top", show=False),
        Binding("end,G,ctrl+end", "scroll_end", "End", show=False),
    ]

    DEFAULT_CSS = """
    LineView {
        padding: 0 1;
    }
    """

    def __init__(self, *, follow: bool = False, id: str | None = None) -> None:
        super().__init__(id=id)
        self._source: Source = lambda width: ()
        self._lines: Sequence[Line] = ()
        self._follow = follow
        self._sticks = follow
        self._drawn_for = 0

    @property
    def allow_select(self) -> bool:
        """Text can be selected with the mouse and copied."""
        return True

    @property
    def lines(self) -> Sequence[Line]:
        """The lines as they stand for the present width."""
        return self._lines

    def line_at(self, number: int) -> Line:
        """A line as it is drawn."""
        return self._lines[number]

    def show(self, source: Source, *, keep_place: bool = False) -> None:
        """Draw these lines; from the top unless the place is to be kept."""
        self._source = source
        self._lay_out()
        if self._sticks:
            self._to_end()
        elif not keep_place and not self._follow:
            self.scroll_home(animate=False, immediate=True)

    def _to_end(self) -> None:
        self.scroll_to(y=self.max_scroll_y, animate=False, immediate=True, force=True)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Follow the end for as long as one stands there; new lines do not move this."""
        super().watch_scroll_y(old_value, new_value)
        self._sticks = self._follow and new_value >= self.max_scroll_y

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many rows as it has lines, where it is as high as they are."""
        return len(self._source(max(10, width - GAP)))

    @property
    def _width(self) -> int:
        return self.scrollable_content_region.width or self.size.width

    def _lay_out(self) -> None:
        self._drawn_for = self._width
        if not self._drawn_for:
            # It has no place yet; a Resize does not tell where the region was asked for before.
            self.call_after_refresh(self.on_resize)
            return
        self._lines = self._source(max(10, self._drawn_for - GAP))
        if by := self._wider_with_them:
            self._drawn_for += by
            self._lines = self._source(max(10, self._drawn_for - GAP))
        self.virtual_size = Size(0, len(self._lines))
        self.refresh()

    @property
    def _wider_with_them(self) -> int:
        """Cells that there are more as a scrollbar goes with these lines; fewer as one comes."""
        if self.styles.scrollbar_gutter == "stable" or not self.container_size.height:
            return 0
        scrolls = len(self._lines) > self.container_size.height
        return self.styles.scrollbar_size_vertical * (self.show_vertical_scrollbar - scrolls)

    def on_resize(self) -> None:
        """Wrap again for the new width."""
        if self._width == self._drawn_for:
            return
        self._lay_out()
        if self._sticks:
            self.call_after_refresh(self._to_end)

    def render_line(self, y: int) -> Strip:
        """One line of what is seen."""
        number, width = y + self.scroll_offset.y, self._row_width
        if number >= len(self._lines):
            return Strip.blank(width, self._ground)
        strip = self.strip_of(self.line_at(number), width)
        selection = self.text_selection
        if selection is not None and (span := selection.get_span(number)) is not None:
            start, end = span[0], width if span[1] == -1 else span[1]
            marked = self.screen.get_component_rich_style("screen--selection")
            parts = list(strip.divide([start, min(end, width), width]))
            if len(parts) > 1:
                parts[1] = parts[1].apply_style(marked)
            strip = Strip.join(parts)
        return strip.apply_offsets(0, number)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text."""
        return selection.extract("\n".join(text_of(spans) for spans in self._lines)), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Draw the selection."""
        self.refresh()
