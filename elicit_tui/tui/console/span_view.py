"""What draws spans: text whose roles become the colours of the theme."""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.scroll_view import ScrollView
from textual.strip import Strip

from elicit_tui.tui.console.spans import ROLES, Line


class SpanView(ScrollView):
    """Draws spans: each role in its colour of the theme."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"role--{role}" for role in ROLES} | {"role--cursor"}

    DEFAULT_CSS = """
    SpanView {
        background: transparent;
        scrollbar-size-vertical: 1;
        scrollbar-size-horizontal: 0;
        overflow-x: hidden;
        overflow-y: auto;
        & > .role--plain { color: $foreground; }
        & > .role--strong { color: $foreground; text-style: bold; }
        & > .role--dim { color: $faint; }
        & > .role--accent { color: $accent; text-style: bold; }
        & > .role--good { color: $success; }
        & > .role--warn { color: $warning; text-style: bold; }
        & > .role--bad { color: $error; text-style: bold; }
        & > .role--cursor { background: $well-focus; }
        &:focus > .role--cursor {
            background: $accent;
            color: $background;
        }
    }
    """

    def strip_of(self, spans: Line, width: int, over: Style | None = None) -> Strip:
        """One line as cells, exactly `width` wide."""
        base = self.rich_style
        segments = []
        for text, role in spans:
            style = base + self.get_component_rich_style(f"role--{role}", partial=True)
            segments.append(Segment(text, style + over if over else style))
        blank = base + over if over else base
        return Strip(segments).adjust_cell_length(width, blank)
