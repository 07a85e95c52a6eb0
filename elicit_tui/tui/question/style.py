"""The style sheet of a question, and the classes by which it tightens where there is no room."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from textual.geometry import Size
from textual.widget import Widget

_NARROW: Final = 64
"""Columns; with fewer, what stood side by side stands one below the other."""
_WIDE: Final = 120
"""Columns; from here on the JSON that would be sent stands beside the form."""
_HEIGHTS: Final = ((30, "-short"), (16, "-tiny"), (13, "-least"))
"""Rows; with fewer, the class that takes room from everything but the fields and the buttons."""

FRAME_CSS: Final = Path(__file__).with_name("question.tcss").read_text(encoding="utf-8")


def tighten(frame: Widget, size: Size) -> None:
    """Give the frame the classes of its size."""
    for rows, tighter in _HEIGHTS:
        frame.set_class(size.height < rows, tighter)
    frame.set_class(size.width < _NARROW, "-narrow")
    frame.set_class(size.width >= _WIDE, "-wide")
