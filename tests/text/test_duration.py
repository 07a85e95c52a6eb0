"""Numbers, spans and points of time as people read them."""

from __future__ import annotations

import time

import pytest

from elicit_tui.text import countdown, in_figures, in_seconds, local_time


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(None, ""), (0, "0:00"), (0.2, "0:01"), (59.5, "1:00"), (271, "4:31"), (3729, "1:02:09")],
)
def test_time_left_is_shown_as_a_clock_does_and_ends_at_zero(
    seconds: float | None, shown: str
) -> None:
    assert countdown(seconds) == shown


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        *((7, "7"), (7.0, "7"), (-0.25, "-0.25"), (1 / 3, "0.333333"), (99_999.5, "99999.5")),
        *((999_999.6, "1000000"), (12_345_678, "12345678"), (-12_345_678.0, "-12345678")),
        *((999_999_999_999_999, "999999999999999"), (1e300, "1e+300")),
    ],
)
def test_a_number_is_written_without_a_power_of_ten_where_it_is_not_very_long(
    number: float, shown: str
) -> None:
    assert in_figures(number) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(1, "1 second"), (0.5, "0.5 seconds"), (1_209_600, "1209600 seconds")],
)
def test_a_span_of_time_is_told_in_seconds(seconds: float, shown: str) -> None:
    assert in_seconds(seconds) == shown


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
