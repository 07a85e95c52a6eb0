"""The first moments of a question: nothing meant for something else may reach it.

Two rules. Input made before the question was painted is thrown away, and with it the rest of a
burst of typing that had begun before (a person who types on blindly). And Send, Decline, Cancel
and Later are deaf for a moment after each painting.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ClassVar, Final

from textual import events

from elicit_tui.tui.widgets.guarded import InputGuard

DEAF_SECONDS: Final = 0.3
"""How long Send, Decline, Cancel and Later stay deaf after a painting."""

ENTER_SECONDS: Final = 0.7
"""Behind an Enter that went on to a button, the next one presses it after so long: a key that is
held down, or pressed twice, begins to repeat sooner."""

PAINTINGS: Final = 20
"""How many paintings the focus may take to arrive."""

BURST_SECONDS: Final = 2.0
"""No burst is thrown away for longer than this."""


class Debounce:
    """Keeps the times of one question; seconds of the monotonic clock that events carry.

    Keys closer together than half the deaf time belong to one burst of typing.
    """

    last_input: ClassVar[float] = float("-inf")
    """When anything was last typed or clicked: there is one keyboard for all questions."""

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        deaf_seconds: float = DEAF_SECONDS,
    ) -> None:
        self._clock = clock
        self._deaf_seconds = deaf_seconds
        self._gap = deaf_seconds / 2
        self._first_painted: float | None = None
        self._painted: float | None = None
        self._last_dropped = float("-inf")

    @classmethod
    def heard(cls, made_at: float) -> None:
        """Something was typed or clicked, whoever got it."""
        cls.last_input = max(cls.last_input, made_at)

    def painted(self) -> None:
        """Something that can be decided was painted just now."""
        self._painted = self._clock()
        if self._first_painted is None:
            self._first_painted = self._painted
            self._last_dropped = max(self._last_dropped, Debounce.last_input)

    @property
    def never_painted(self) -> bool:
        """Whether nothing was painted yet."""
        return self._first_painted is None

    @property
    def age(self) -> float:
        """Seconds since the first painting."""
        return 0.0 if self._first_painted is None else self._clock() - self._first_painted

    def hidden(self) -> None:
        """A new page is about to be painted; until then nothing can be decided."""
        self._painted = None

    @property
    def deaf(self) -> bool:
        """Whether it is too early to decide anything."""
        return self._painted is None or self._clock() - self._painted < self._deaf_seconds

    def drops(self, made_at: float) -> bool:
        """Whether input made at this time was meant for something else."""
        self.heard(made_at)
        painted = self._first_painted
        early = painted is None or made_at < painted
        if not early and painted is not None:
            in_burst = made_at - self._last_dropped < self._gap
            early = in_burst and made_at - painted < BURST_SECONDS
        if early:
            self._last_dropped = max(self._last_dropped, made_at)
        return early


class PaintedGuard(InputGuard):
    """An input guard that listens only once its screen is painted and the focus is in place."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._debounce = Debounce(deaf_seconds=DEAF_SECONDS)
        self._turning = False

    @property
    def focus_settled(self) -> bool:
        """Whether the focus is where it should be."""
        return True

    def painted(self) -> None:
        """It was painted; called each time, before it listens."""

    def heard(self, event: events.Event) -> None:
        """This input is let in."""

    def await_painting(self, tries: int = PAINTINGS) -> None:
        """Listen once it is painted and something in it has the focus."""
        self.call_after_refresh(self._when_painted, tries)

    def _when_painted(self, tries: int) -> None:
        if not self.is_attached:
            return  # It was taken down before it was painted.
        if tries and not self.focus_settled:
            self.await_painting(tries - 1)
        else:
            self.call_after_refresh(self._painted)

    def _painted(self) -> None:
        if self.is_attached:
            self._turning = False
            self.painted()
            self._debounce.painted()

    @property
    def never_painted(self) -> bool:
        """Whether nobody can have seen it yet."""
        return self._debounce.never_painted

    @property
    def seconds_shown(self) -> float:
        """How long it has been on the screen."""
        return self._debounce.age

    def turn(self) -> None:
        """Something else is about to be painted; until then nothing is heard."""
        self._debounce.hidden()
        self._turning = True

    @property
    def deaf(self) -> bool:
        """Whether it is too early to decide anything: not painted, or only just."""
        return self._debounce.deaf

    @property
    def listens(self) -> bool:
        """Nothing is heard while another page is being painted."""
        return not self._turning

    def admits(self, event: events.Event) -> bool:
        """Turn away what was meant for something else."""
        if self._debounce.drops(event.time):
            self.turned_away(event)
            return False
        self.heard(event)
        return True
