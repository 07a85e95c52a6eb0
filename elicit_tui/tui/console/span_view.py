"""What draws spans: text whose roles become the colours of the theme."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.geometry import Region
from textual.scroll_view import ScrollView
from textual.strip import Strip

from elicit_tui.tui.console.spans import Line, Role

COLOURS: Final[Mapping[Role, str]] = {
    "plain": "foreground",
    "strong": "foreground",
    "dim": "faint",
    "accent": "accent",
    "good": "success",
    "warn": "warning",
    "bad": "error",
}
"""The name of each role's colour in the theme."""

BOLD: Final = frozenset({"strong", "accent", "warn", "bad"})


class SpanView(ScrollView):
    """Draws spans: each role in its colour of the theme.

    Roles are no component classes, whose styles are worked out again for every view each time that
    one of its own changes: a fifth of the time until the console's first screen is painted.
    """

    DEFAULT_CSS = """
    SpanView {
        background: transparent;
        scrollbar-size-vertical: 1;
        scrollbar-size-horizontal: 0;
        overflow-x: hidden;
        overflow-y: auto;
    }
    """

    _ground = Style()
    """What this drawing stands on."""

    def render_lines(self, crop: Region) -> list[Strip]:
        """Look the ground up once for all lines of a drawing."""
        self._ground = self.rich_style
        return super().render_lines(crop)

    def strip_of(self, spans: Line, width: int, over: Style | None = None) -> Strip:
        """One line as cells, exactly `width` wide."""
        ground, colours = self._ground, self.app.theme_variables
        segments = []
        for text, role in spans:
            style = ground + _style(colours[COLOURS[role]], role in BOLD)
            segments.append(Segment(text, style + over if over else style))
        blank = ground + over if over else ground
        return Strip(segments).adjust_cell_length(width, blank)

    @property
    def cursor_style(self) -> Style:
        """What is laid over the line that is pointed at."""
        colours = self.app.theme_variables
        if self.has_focus:
            return _cursor(colours["accent"], colours["background"])
        return _cursor(colours["well-focus"], None)


@lru_cache(maxsize=64)
def _style(colour: str, bold: bool) -> Style:
    return Style(color=Color.parse(colour).rich_color, bold=bold or None)


@lru_cache(maxsize=16)
def _cursor(ground: str, colour: str | None) -> Style:
    return Style(
        bgcolor=Color.parse(ground).rich_color,
        color=Color.parse(colour).rich_color if colour else None,
    )
