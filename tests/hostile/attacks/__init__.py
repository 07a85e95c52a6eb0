"""The attacks by kind, each under the name by which `attacker.py` plays it."""

from __future__ import annotations

from collections.abc import Callable

from . import endings, floods, messages, pages, questions, results, rounds
from .lists import LISTS, TOOL, listed
from .messages import done
from .starts import STARTS
from .wire import Call

MODERN = "2026-07-28"
IN_ROUNDS = tuple(rounds.ATTACKS)
"""They need the revision that has rounds."""

CALLS: dict[str, Callable[[Call], None]] = {
    **results.ATTACKS,
    **questions.ATTACKS,
    **pages.ATTACKS,
    **messages.ATTACKS,
    **floods.ATTACKS,
    **rounds.ATTACKS,
    **endings.ATTACKS,
}

__all__ = ["CALLS", "IN_ROUNDS", "LISTS", "MODERN", "STARTS", "TOOL", "done", "listed"]
