"""How the columns of a form fall at a width: labels, controls, hints; or one below the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.content import Content

from elicit_tui.form import Field

BAR = 2
"""Cells at the left edge, where the focused row has its bar."""
_GAP = 2
_WIDE = 54
_ROOMY = 60
"""With fewer cells no label is broken to stand beside its control."""
_LABEL_MOST = 24
_HINT_MOST = 34
_CONTROL_LEAST = 24
CONTROL_MOST = 64
"""A line to type in grows no wider than this."""


@dataclass(frozen=True)
class Columns:
    """Widths in cells; `label` 0 means that labels stand above their controls."""

    width: int
    label: int
    hint: int

    @property
    def stacked(self) -> bool:
        """Whether labels stand above their controls."""
        return self.label == 0

    @property
    def control_x(self) -> int:
        """Where controls and what is said below them begin."""
        return BAR if self.stacked else BAR + self.label + _GAP

    @property
    def room(self) -> int:
        """From there to the right edge."""
        return max(self.width - self.control_x, 8)

    @property
    def control(self) -> int:
        """How wide a control with a hint beside it is."""
        return min(CONTROL_MOST, self.room - (self.hint + _GAP if self.hint else 0))

    @property
    def hint_x(self) -> int:
        """Where hints begin."""
        return self.control_x + self.control + _GAP


def columns_for(
    fields: Sequence[Field], hints: Sequence[str], width: int, *, one_line: bool = False
) -> Columns:
    """The columns of a whole form, so that all its rows line up.

    `one_line`: no more of it can be seen; then a label stands beside its control, however narrow.
    """
    longest = max((Content(spec.title).cell_length for spec in fields), default=8) + 2
    label = max(10, min(longest, _LABEL_MOST, width // 3))
    if one_line:
        return Columns(width, label, 0)
    if width < _WIDE:
        return Columns(width, 0, 0)
    if width < _ROOMY and longest > label:
        return Columns(width, 0, 0)
    most = min(_HINT_MOST, width - BAR - label - _GAP - _CONTROL_LEAST - _GAP)
    fitting = [cells for hint in hints if 0 < (cells := Content(hint).cell_length) <= most]
    return Columns(width, label, max(fitting, default=0))
