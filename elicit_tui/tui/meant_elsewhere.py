"""Keys that were meant for something else than the question which gets them.

A question may come where another one was, or lay under a page: a key that was on its way then, or
habit, would answer what nobody has read. The first such key only says so; the next one counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from elicit_tui.elicitation import Draft

ANOTHER_SECONDS: Final = 5.0
"""Behind another that vanished by itself, a question is known as another one after so long."""

STRAY_SECONDS: Final = 3.0
"""For so long after letters that a question has no use for, an answer may be one of their burst."""

UNCOVERED_SECONDS: Final = 1.0
"""For so long after a question was uncovered, the key that cancels may be meant for what lay over
it: it asks first."""


class LastVanished:
    """The last question that went from a place by itself, for the one that comes there."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._draft: Draft | None = None
        self._at = float("-inf")

    def vanished(self, draft: Draft) -> None:
        """Note that a question went from the screen which nobody had answered there."""
        self._draft, self._at = draft, self._clock()

    def comes_behind(self, draft: Draft) -> bool:
        """Whether one has just gone, and this is not the same once more; asked once."""
        gone, self._draft = self._draft, None
        return gone is not None and gone is not draft and self._clock() - self._at < ANOTHER_SECONDS


class MeantElsewhere:
    """What happened around one question that makes its next key doubtful."""

    def __init__(
        self, *, typed_into: bool, vanished: bool, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`typed_into`: another question vanished under somebody's typing just before.

        `vanished`: another one went by itself just before, from the place that this one has.
        """
        self._clock = clock
        self._typed_into = typed_into
        self._vanished = vanished
        self._strayed_at = self._uncovered_at = float("-inf")
        self._first_key: float | None = None
        self._acted = False

    def key_heard(self, made_at: float) -> None:
        """Note a key of the person here: after a second one they know what they look at."""
        self._acted = self._acted or self._first_key not in (None, made_at)
        self._first_key = made_at

    def letter_lost(self) -> None:
        """Note a letter that the question has no use for."""
        self._strayed_at = self._clock()

    def uncovered(self) -> None:
        """Note that what lay over the question is gone."""
        self._uncovered_at = self._clock()

    def was_typed_elsewhere(self, seconds_shown: float) -> bool:
        """Whether an accept was for the question that was typed into; asked once."""
        typed_into = self._typed_into and seconds_shown < ANOTHER_SECONDS
        self._typed_into = False
        self._vanished = self._vanished and not typed_into
        return typed_into

    def is_taken_for_another(self, seconds_shown: float) -> bool:
        """Whether an accept was for the question that was here before; asked once."""
        vanished, self._vanished = self._vanished, False
        return vanished and not self._acted and seconds_shown < ANOTHER_SECONDS

    def is_of_a_burst(self) -> bool:
        """Whether an answer comes right behind letters without a place; asked once."""
        strayed_at, self._strayed_at = self._strayed_at, float("-inf")
        return self._clock() - strayed_at < STRAY_SECONDS

    @property
    def closes_what_lay_over(self) -> bool:
        """Whether the key that cancels may be meant for what lay over the question."""
        return self._clock() - self._uncovered_at < UNCOVERED_SECONDS
