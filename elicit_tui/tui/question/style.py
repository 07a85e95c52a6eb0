"""Where the parts of a question stand, and how they tighten where there is little room."""

from __future__ import annotations

from typing import Final

FRAME_CSS: Final = """
QuestionFrame {
    background: $surface; color: $foreground; border: round $border-blurred;
    padding: 0 1; width: 100%; height: 100%;
    & > #call { max-height: 3; }
    & > #findings { max-height: 7; margin: 1 0 0 0; }
    & > #message { max-height: 34%; margin: 1 0; }
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
    &.-aside > #message { display: none; }
    &.-step > #findings { display: none; }
    & > #aside { margin: 1 0 0 0; }
}
"""
