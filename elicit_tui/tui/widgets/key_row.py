"""Buttons side by side: what decides at the left, the rest at the right edge as far as it fits."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.containers import Container
from textual.geometry import NULL_OFFSET, Region, Size, Spacing
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.widget import Widget

from elicit_tui.tui.widgets.key_button import KeyButton

_GAP = 1
_BETWEEN = 2
"""Cells at least between both groups."""


def _cells(buttons: Sequence[KeyButton]) -> int:
    return sum(button.cells for button in buttons)


def _fitting(buttons: Sequence[KeyButton], width: int) -> list[KeyButton]:
    """Those at the right edge for which there is room beside the others, the first ones first."""
    taken = _cells([button for button in buttons if not button.aside])
    taken += _GAP * (sum(not button.aside for button in buttons) - 1) + _BETWEEN
    fitting = []
    for button in buttons:
        if button.aside and taken + button.cells <= width:
            fitting.append(button)
            taken += button.cells
    return fitting


class _Flow(Layout):
    """From the left, and on in the next row; closer together where that saves a row."""

    name = "flow"

    def arrange(
        self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True
    ) -> ArrangeResult:
        """The place of each button."""
        buttons = [child for child in children if isinstance(child, KeyButton)]
        left = [button for button in buttons if not button.aside]
        cells = _cells(left)
        gap = _GAP if cells + _GAP * (len(left) - 1) <= size.width or cells > size.width else 0
        placements, x, y = [], 0, 0
        for button in left:
            if x and x + button.cells > size.width:
                x, y = 0, y + 1
            place = Region(x, y, button.cells, 1)
            placements.append(WidgetPlacement(place, NULL_OFFSET, Spacing(), button))
            x += button.cells + gap
        fitting = _fitting(buttons, size.width)
        x = size.width - _cells(fitting)
        for button in fitting:
            place = Region(x, 0, button.cells, 1)
            placements.append(WidgetPlacement(place, NULL_OFFSET, Spacing(), button))
            x += button.cells
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

    def on_resize(self, event: events.Resize) -> None:
        """What has no place is no Tab stop either."""
        self.fit()

    def fit(self) -> None:
        """Take out what there is no room for, and put back what there is."""
        buttons = list(self.query_children(KeyButton))
        fitting = _fitting(buttons, self.content_size.width)
        for button in buttons:
            button.can_focus = not button.aside or button in fitting
