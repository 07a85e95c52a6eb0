"""Pauses before one tries again."""

from __future__ import annotations

from collections.abc import Iterator


def doubling_pauses(first: float, longest: float) -> Iterator[float]:
    """Seconds to pause, without end: each twice the one before, up to the longest."""
    seconds = first
    while True:
        yield seconds
        seconds = min(seconds * 2, longest)
