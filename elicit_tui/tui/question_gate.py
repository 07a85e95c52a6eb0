"""A question's gate: which key may decide it.

Input passes three watches on its way into a question. Before a widget sees it, `Guarded` asks the
question (an `InputGuard`). `Debounce` turns away what was made before the question was painted,
with the rest of that burst of typing, and keeps its keys deaf for a moment after each painting.
`MeantElsewhere` doubts a key that was meant for the question before it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ClassVar, Final, Literal

from textual import events
from textual.message import Message
from textual.widget import Widget

from elicit_tui.elicitation import Draft

# Input that may be turned away before a widget sees it, and keys that decide in their turn.

_GUARDED = (events.Key, events.Paste, events.MouseDown, events.MouseUp, events.Click)


class InputGuard(Widget):
    """An ancestor that decides which input its guarded descendants get to see."""

    def admits(self, event: events.Event) -> bool:
        """Whether this input may pass; asked once for each event, when it comes in."""
        return True

    @property
    def listens(self) -> bool:
        """Whether input still counts when its turn comes: not behind a key that decided."""
        return True

    def turned_away(self, event: events.Event) -> None:
        """This input went nowhere."""

    def acts_on(self, event: events.Key) -> bool:
        """Run one of the guard's own actions, whatever key it is bound to; asked in its turn."""
        active = self.screen.active_bindings.get(event.key)
        if active is None or active.node is not self or not active.enabled:
            return False
        method = getattr(self, f"action_{active.binding.action}", None)
        if method is None:
            return False
        method()
        return True


class Guarded(Widget):
    """A widget whose input passes its nearest `InputGuard` first.

    A key that decides is acted on here, in the order of the keys: left to bubble up, it would be
    overtaken by letters typed behind it.
    """

    @property
    def _guard(self) -> InputGuard | None:
        for ancestor in self.ancestors:
            if isinstance(ancestor, InputGuard):
                return ancestor
        return None

    def check_message_enabled(self, message: Message) -> bool:
        """Turn input away that the guard does not admit."""
        if isinstance(message, _GUARDED):
            guard = self._guard
            if guard is not None and not guard.admits(message):
                return False
        return super().check_message_enabled(message)

    async def on_event(self, event: events.Event) -> None:
        """Let the guard act on its keys, and drop what was typed behind them."""
        if isinstance(event, _GUARDED):
            guard = self._guard
            if guard is not None:
                if not guard.listens:
                    guard.turned_away(event)
                    return
                if (
                    isinstance(event, events.Key)
                    and not event.is_printable
                    and guard.acts_on(event)
                ):
                    return
        await super().on_event(event)


# The first moments of a question: nothing meant for something else may reach it.
#
# Two rules. Input made before the question was painted is thrown away, and with it the rest of a
# burst of typing that had begun before (a person who types on blindly). And Send, Decline and
# Cancel, which answer for good, are deaf for a moment after each painting.

DEAF_SECONDS: Final = 0.3
"""How long Send, Decline and Cancel stay deaf after a painting."""

ENTER_SECONDS: Final = 0.7
"""Behind an Enter that went on to a button, the next one presses it after so long: a key that is
held down, or pressed twice, begins to repeat sooner."""

PAINTINGS: Final = 20
"""How many paintings the focus may take to arrive."""

BOUNCE_SECONDS: Final = 0.2
"""Behind that, one that comes sooner is the same press, for whoever wrote into the form too."""

HELD_SECONDS: Final = 0.1
"""A key that is held down has repeated once more by then."""

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

    def painted(self, *, known: bool = False) -> None:
        """Something that can be decided was painted just now.

        `known`: the person comes back to what they saw before, so that nothing is deaf.
        """
        now = self._clock()
        self._painted = now - self._deaf_seconds if known else now
        if self._first_painted is None:
            self._first_painted = now
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


TOO_SOON: Final = "That Enter came too soon to be meant. Press it again."


class NextEnter:
    """Knows whether an Enter behind one that went on to a button is meant for that button.

    It may be the same press: one that bounces, or is held down. Whoever wrote into the form is kept
    waiting only for the moment in which a key that is held down would repeat.
    """

    def __init__(self) -> None:
        self.at = float("-inf")
        """When Enter was pressed last."""
        self._went_on_at: float | None = None
        self._typed = False

    def heard(self, event: events.Event) -> None:
        """Note a key of the person: another one than Enter ends the doubt."""
        if isinstance(event, events.Key) and event.key == "enter":
            self.at = event.time
        else:
            self.forget()
        self._typed = self._typed or (isinstance(event, events.Key) and event.is_printable)

    def went_on(self, *, typed: bool = False) -> None:
        """Enter was pressed in the last field, and brought the focus to a button.

        `typed`: the person is known to have written into the form.
        """
        self._went_on_at = self.at
        self._typed = self._typed or typed

    def forget(self) -> None:
        """The person did something else meanwhile."""
        self._went_on_at = None

    def presses(self) -> Literal["meant", "unawares", "unless it repeats"]:
        """What to make of a button that was just pressed."""
        if self._went_on_at is None:
            return "meant"
        since, self._went_on_at = self.at - self._went_on_at, None
        if since >= ENTER_SECONDS:
            return "meant"
        self._went_on_at = self.at
        hasty = since < BOUNCE_SECONDS or not self._typed
        return "unawares" if hasty else "unless it repeats"


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

    @property
    def comes_back(self) -> bool:
        """Whether what was painted is what the person left for another page of it."""
        return False

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
            self._debounce.painted(known=self.comes_back)

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


# Keys that were meant for something else than the question which gets them.
#
# A question may come where another one was, or lay under a page: a key that was on its way then,
# or
# habit, would answer what nobody has read. The first such key only says so; the next one counts.

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
