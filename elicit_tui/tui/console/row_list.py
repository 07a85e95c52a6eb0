"""A list of rows with a cursor, drawn only where it is seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from elicit_tui.tui.console.span_view import SpanView
from elicit_tui.tui.console.spans import Line, wrapped

if TYPE_CHECKING:
    from textual import events

Draw = Callable[[str, int], Sequence[Line]]
"""The lines of one row, by its key, for a width in cells."""


class RowList(SpanView, can_focus=True):
    """Rows of equal height; the arrow keys move the cursor, Enter chooses."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False, id="rows.up"),
        Binding("down,j", "move(1)", "Down", show=False, id="rows.down"),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
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
        self._told: str | None = None

    @property
    def keys(self) -> Sequence[str]:
        """The keys of the rows, in order."""
        return self._keys

    @property
    def key(self) -> str | None:
        """The key under the cursor, or None when there are no rows."""
        return self._keys[self.cursor] if self.cursor < len(self._keys) else None

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
        region = Region(0, self.cursor * self.row_height, 1, self.row_height)
        self.scroll_to_region(region, animate=False, immediate=True, x_axis=False)
        self.refresh()

    def _tell(self) -> None:
        if self.key != self._told:
            self._told = self.key
            self.post_message(self.Highlighted(self, self.key))

    def render_line(self, y: int) -> Strip:
        """One line of what is seen."""
        width = self.scrollable_content_region.width
        number, part = divmod(y + self.scroll_offset.y, self.row_height)
        if not self._keys:
            words = list(wrapped(self.empty, max(10, width - 2)))
            y -= len(words) < self.size.height  # A blank line above, where there is room.
            text = " " + words[y] if 0 <= y < len(words) else ""
            return self.strip_of(((text, "dim"),), width)
        if number >= len(self._keys):
            return Strip.blank(width, self._ground)
        drawn = self._draw(self._keys[number], width)
        spans = drawn[part] if part < len(drawn) else ()
        if number != self.cursor:
            return self.strip_of(spans, width)
        over = self.cursor_style
        return self.strip_of(_pointed(spans, self.has_focus), width, over)

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

    def on_click(self, event: events.Click) -> None:
        """A click points; a second one on the same row chooses."""
        number = (event.y + self.scroll_offset.y) // self.row_height
        if 0 <= number < len(self._keys):
            if event.chain > 1:
                self.cursor = number
                self.action_choose()
            else:
                self.cursor = number


def _pointed(spans: Line, focused: bool) -> Line:
    """The line with a bar in its empty first cell, a thin one where the keys go elsewhere.

    So the cursor, and which list has the keys, is seen without colours too.
    """
    if not spans or not spans[0][0].startswith(" "):
        return spans
    (text, role), *rest = spans
    return (("▌" if focused else "▏", "accent"), (text[1:], role), *rest)
