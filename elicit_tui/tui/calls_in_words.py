"""The calls that a question may belong to: up to 2025-11-25 a server does not say which it is."""

from __future__ import annotations

from collections.abc import Sequence


def joined_by_or(calls: Sequence[str]) -> str:
    """The one call; of several `a, b or c`; empty for a question outside of calls."""
    *others, last = calls or ("",)
    return f"{', '.join(others)} or {last}" if others else last
