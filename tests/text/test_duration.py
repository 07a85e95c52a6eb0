"""Spans and points of time as people read them."""

from __future__ import annotations

import time

import pytest

from elicit_tui.text import countdown, local_time


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(None, ""), (0, "0:00"), (0.2, "0:01"), (59.5, "1:00"), (271, "4:31"), (3729, "1:02:09")],
)
def test_time_left_is_shown_as_a_clock_does_and_ends_at_zero(
    seconds: float | None, shown: str
) -> None:
    assert countdown(seconds) == shown


def test_a_time_is_that_of_the_readers_clock() -> None:
    assert len(local_time("2026-11-21T09:30:00Z")) == len("2026-11-21 09:30")
    assert len(local_time("2026-11-21T09:30:00Z", seconds=True)) == len("2026-11-21 09:30:00")
    assert local_time("no time") == "no time"
    assert local_time(None) == ""


@pytest.mark.parametrize(
    ("zone", "moment"),
    [("XXX-14", "9999-12-31T23:59:59Z"), ("XXX+12", "0001-01-01T00:00:00Z")],
)
def test_a_time_that_no_clock_here_can_show_stands_as_it_is(
    zone: str, moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        assert local_time(moment) == moment
    finally:
        monkeypatch.undo()
        time.tzset()
