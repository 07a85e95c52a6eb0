"""Scrolling lines drawn only where they are seen: any length costs the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.strip import Strip

from elicit_tui.tui.console.span_view import SpanView
from elicit_tui.tui.console.spans import Line, text_of

if TYPE_CHECKING:
    from textual.selection import Selection

_GAP = 1
"""Between a text and its scrollbar, whether it is there or not."""

Source = Callable[[int], Sequence[Line]]
"""The lines for a width in cells."""


class LineView(SpanView, can_focus=True):
    """Lines to read: a result, a log, an explanation. Follows the end when it stood there."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll_up", "Up", show=False, id="lines.up"),
        Binding("down,j", "scroll_down", "Down", show=False, id="lines.down"),
        Binding("pageup", "page_up", "Page up", show=False),
        Binding("pagedown,space", "page_down", "Page down", show=False),
        Binding("home,g", "scroll_home", "Top", show=False),
        Binding("end,G", "scroll_end", "End", show=False),
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

    def watch_show_vertical_scrollbar(self, shown: bool) -> None:
        """Let the scrollbar begin where the view stands: it may have gone to its end before."""
        if shown:
            self.vertical_scrollbar.position = self.scroll_y

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many rows as it has lines, where it is as high as they are."""
        return len(self._source(max(10, width - _GAP)))

    @property
    def _width(self) -> int:
        return self.scrollable_content_region.width or self.size.width

    def _lay_out(self) -> None:
        self._drawn_for = self._width
        if not self._drawn_for:
            # It has no place on the screen; when it gets one it is laid out for that. A Resize
            # does not always say so: not where the region was asked for in between.
            self.call_after_refresh(self.on_resize)
            return
        self._lines = self._source(max(10, self._drawn_for - _GAP))
        self.virtual_size = Size(0, len(self._lines))
        self.refresh()

    def on_resize(self) -> None:
        """Wrap again for the new width."""
        if self._width == self._drawn_for:
            return
        self._lay_out()
        if self._sticks:
            self.call_after_refresh(self._to_end)

    def render_line(self, y: int) -> Strip:
        """One line of what is seen."""
        number = y + self.scroll_offset.y
        width = self.scrollable_content_region.width
        if number >= len(self._lines):
            return Strip.blank(width, self._ground)
        spans = self._lines[number]
        strip = self.strip_of(spans, width)
        selection = self.text_selection
        if selection is not None and (span := selection.get_span(number)) is not None:
            start, end = span
            end = width if end == -1 else end
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
