"""The calls that a question may belong to: up to 2025-11-25 a server does not say which it is."""

from __future__ import annotations

from collections.abc import Sequence


def one_of(calls: Sequence[str]) -> str:
    """The one call; of several `one of: a, b`; empty for a question outside of calls."""
    return calls[0] if len(calls) == 1 else f"one of: {', '.join(calls)}" if calls else ""
