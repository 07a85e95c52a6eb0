"""Buttons side by side, in as many rows as they need."""

from __future__ import annotations

from textual.containers import Container
from textual.geometry import NULL_OFFSET, Region, Size, Spacing
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.widget import Widget

from elicit_tui.tui.widgets.key_button import KeyButton

_GAP = 1


class _Flow(Layout):
    """From the left, and on in the next row; closer together where that saves a row."""

    name = "flow"

    def arrange(
        self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True
    ) -> ArrangeResult:
        """The place of each button."""
        buttons = [child for child in children if isinstance(child, KeyButton)]
        cells = sum(button.cells for button in buttons)
        gap = _GAP if cells + _GAP * (len(buttons) - 1) <= size.width or cells > size.width else 0
        placements, x, y = [], 0, 0
        for button in buttons:
            if x and x + button.cells > size.width:
                x, y = 0, y + 1
            place = Region(x, y, button.cells, 1)
            placements.append(WidgetPlacement(place, NULL_OFFSET, Spacing(), button))
            x += button.cells + gap
        return placements


_FLOW = _Flow()


class KeyRow(Container):
    """Holds nothing but `KeyButton`s."""

    DEFAULT_CSS = """
    KeyRow { height: auto; width: 100%; }
    """

    @property
    def layout(self) -> Layout:
        """Ours, whatever a style says."""
        return _FLOW
