"""Spans of time as people read them."""

from __future__ import annotations

import pytest

from elicit_tui.text import countdown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(None, ""), (0, "0:00"), (0.2, "0:01"), (59.5, "1:00"), (271, "4:31"), (3729, "1:02:09")],
)
def test_time_left_is_shown_as_a_clock_does_and_ends_at_zero(
    seconds: float | None, shown: str
) -> None:
    assert countdown(seconds) == shown
