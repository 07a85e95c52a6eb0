"""Where one is in a list or in a text of which only a part is in sight: in the frame around it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from rich.cells import cell_len
from textual.dom import DOMNode
from textual.widget import Widget

from elicit_tui.tui.console.spans import marked, pattern_of
from elicit_tui.tui.console.views import Draw, LineView, RowList
from elicit_tui.tui.textual_terminal import write_subtitle

CORNERS = 4
"""Cells of a frame that its words do not have."""


AIR = 2
"""Cells of it around words that are not only keys."""


class PlacedList(RowList):
    """A list whose frame says in which of its rows one is, where they are not all in sight."""

    beside: Callable[[int], str] = staticmethod(lambda room: "")
    """What else stands there, in so many cells; where it takes more it stands alone."""

    named: Callable[[], Iterable[str]] = staticmethod(lambda: ())
    """Of that each key with what it does."""

    _marked: str | None = None
    _looked_for: Sequence[str] = ()

    @property
    def set_off(self) -> int:
        """While the keys go elsewhere the row that is marked, where there is one."""
        marked = None if self.has_focus else self._marked
        return self.keys.index(marked) if marked in self.keys else self.cursor

    def mark(self, key: str | None) -> None:
        """Set this row off: it is what keys that go elsewhere act on."""
        if key != self._marked:
            self._marked = key
            self._bring_into_sight()

    def show(self, keys: Sequence[str], draw: Draw, looked_for: Sequence[str] = ()) -> None:
        """Draw these rows. `looked_for`: the words that found them, which stand out."""
        self._looked_for = looked_for
        super().show(keys, _with_marks(draw, looked_for) if looked_for else draw)
        self._name_place_soon()

    def on_resize(self) -> None:
        """More of them are in sight, or fewer."""
        self.name_place()

    def watch_cursor(self) -> None:
        """The cursor came to another row."""
        super().watch_cursor()
        self._name_place_soon()

    def _name_place_soon(self) -> None:
        # Who asks for its size before it is laid out takes the Resize away that would tell.
        self.call_after_refresh(self.name_place)

    @property
    def place(self) -> str:
        """`4 of 28`, or `2 of 3 found`; empty where all rows there are stand in sight, or none."""
        in_sight = self.size.height // self.row_height
        count = len(self.keys)
        if self._looked_for:
            return f"{self.cursor + 1:,} of {count:,} found" if count else ""
        return f"{self.cursor + 1:,} of {count:,}" if 0 < in_sight < count else ""

    def name_place(self) -> None:
        """Write it into the frame."""
        if not self.is_attached:
            return
        frame = next((node for node in self.ancestors_with_self if _is_frame(node)), None)
        if isinstance(frame, Widget):
            room, place = frame.outer_size.width - CORNERS, self.place
            beside = self.beside(room - len(f"{place} · ") if place else room)
            both = " · ".join(part for part in (place, beside) if part)
            if self._looked_for:
                words = both if cell_len(both) <= room - AIR else place
            else:
                words = both if cell_len(both) <= room else beside
            write_subtitle(frame, words, self.named())


def _is_frame(node: DOMNode) -> bool:
    return node.has_class("box") or node.has_class("dialog")


def _with_marks(draw: Draw, looked_for: Sequence[str]) -> Draw:
    pattern = pattern_of(*looked_for)
    return lambda key, width: [marked(line, pattern) for line in draw(key, width)]


def line_in(view: LineView) -> str:
    """`line 12 of 300`: the first in sight; empty where all are."""
    count, top = len(view.lines), view.scroll_offset.y
    if not 0 < view.size.height < count:
        return ""
    return (
        f"end of {count:,} lines" if top >= view.max_scroll_y else f"line {top + 1:,} of {count:,}"
    )
