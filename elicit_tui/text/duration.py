"""Numbers, spans and points of time in words."""

from __future__ import annotations

from datetime import datetime

A_HAIR = 1e-3
"""A number that tells of progress has to rise: one below this says only that it goes on."""


def in_figures(number: float) -> str:
    """A number as people write it, with a power of ten only where it would be very long."""
    return f"{number:.0f}" if 1e5 <= abs(number) < 1e15 else f"{number:g}"


def in_seconds(seconds: float) -> str:
    """A span of time as people say it: "1 second", "0.5 seconds", "300 seconds"."""
    return f"{in_figures(seconds)} second{'' if seconds == 1 else 's'}"


def countdown(seconds: float | None) -> str:
    """Time left as a clock shows it, `4:31` or `1:02:09`; empty while nothing counts."""
    if seconds is None:
        return ""
    minutes, rest = divmod(int(seconds + 0.999), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def moment_of(text: str) -> datetime:
    """The moment that RFC 3339 spells so. Raises ValueError."""
    # Python 3.10 reads no `Z`.
    moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    if moment.tzinfo is None:
        raise ValueError("it is no moment without its offset")
    return moment


def local_time(moment: str | None, *, seconds: bool = False) -> str:
    """An RFC 3339 time as the reader's clock shows it, `2026-11-21 09:30`; as it is otherwise."""
    try:
        at = moment_of(moment or "").astimezone()
    except (ValueError, OverflowError, OSError):  # No time, or one that no clock here can show.
        return moment or ""
    return f"{at:%Y-%m-%d %H:%M:%S}" if seconds else f"{at:%Y-%m-%d %H:%M}"
