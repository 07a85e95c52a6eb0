"""Spans of time in words."""

from __future__ import annotations


def in_seconds(seconds: float) -> str:
    """A span of time as people say it: "1 second", "0.5 seconds", "300 seconds"."""
    return f"{seconds:g} second{'' if seconds == 1 else 's'}"


def countdown(seconds: float | None) -> str:
    """Time left as a clock shows it, `4:31` or `1:02:09`; empty while nothing counts."""
    if seconds is None:
        return ""
    minutes, rest = divmod(int(seconds + 0.999), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
