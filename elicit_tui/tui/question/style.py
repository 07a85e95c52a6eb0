"""Where the parts of a question stand, and how they tighten where there is little room."""

from __future__ import annotations

from typing import Final

from textual.geometry import Size
from textual.widget import Widget

_NARROW: Final = 64
"""Columns; with fewer, what stood side by side stands one below the other."""
_HEIGHTS: Final = ((30, "-short"), (16, "-tiny"), (13, "-least"))
"""Rows; with fewer, the class that takes room from everything but the fields and the buttons."""

FRAME_CSS: Final = """
QuestionFrame {
    background: $surface; color: $foreground; border: round $border-blurred;
    padding: 0 1; width: 100%; height: 100%;
    & > #call { max-height: 3; }
    & > #findings { max-height: 7; margin: 1 0 0 0; }
    & > #message {
        max-height: 34%; margin: 1 0; border-left: vkey $border-blurred;
        &:focus { border-left: outer $accent; }
    }
    & > #status { margin: 1 0 0 0; }
    &.-short > #identity { max-height: 2; }
    &.-short > #findings { max-height: 4; margin: 0; }
    &.-short > #message { max-height: 25%; }
    &.-short > #status { margin: 0; }
    &.-short.-narrow {
        & > #call { max-height: 2; }
        & > #findings { max-height: 3; }
        & > #message { max-height: 4; margin: 0; }
        & > #form, & > #url { margin: 1 0 0 0; }
    }
    &.-short.-tiny {
        & > #identity, & > #call, & > #findings { max-height: 1; margin: 0; }
        & > #message { max-height: 2; margin: 0; }
        & > #form, & > #url, & > #aside { margin: 0; }
        & > #status { height: 1; }
    }
    &.-short.-least {
        & > #message { max-height: 1; }
        & #do-raw, & #do-help, & #do-copy, & #do-code { display: none; }
        &.-url > #call { display: none; }
    }
    &.-aside > #message { display: none; }
    &.-short.-code {
        & > #identity, & > #call, & > #findings, & > #message { display: none; }
        & > #url { margin: 0; }
    }
    &.-code.-narrow > #status { display: none; }
    &.-step > #findings { display: none; }
    & > #aside { margin: 1 0 0 0; }
}
"""


def tighten(frame: Widget, size: Size) -> bool:
    """Give the frame the classes of its size; whether it is narrow."""
    for rows, tighter in _HEIGHTS:
        frame.set_class(size.height < rows, tighter)
    narrow = size.width < _NARROW
    frame.set_class(narrow, "-narrow")
    return narrow
