"""Spans of time in words."""

from __future__ import annotations


def in_seconds(seconds: float) -> str:
    """A span of time as people say it: "1 second", "0.5 seconds", "300 seconds"."""
    return f"{seconds:g} second{'' if seconds == 1 else 's'}"
