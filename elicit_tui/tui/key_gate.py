"""The application's gate: which input reaches a widget at all, and in what order.

Three things are turned away: what was typed before its screen could be seen, keys that came with a
paste, and (held, not dropped) what was typed behind a key that is not seen to its end. The only
exception is text for the first question under the prompt: it waits for its line. And a question
that nobody chose waits for the end of a run of keys.

What of the rest a question believes is `question_gate`'s.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

from textual import events
from textual.message import Message
from textual.widget import Widget

if TYPE_CHECKING:
    from textual.app import App
    from textual.dom import DOMNode

    from elicit_tui.tui.question_gate import InputGuard


# Throws away what was typed before the person could see what it would hit.

LEAVE: Final = frozenset({"ctrl+q", "ctrl+c"})
"""Never dropped: they answer nothing, and somebody may want to get out at any time."""

UNPAINTED_SECONDS: Final = 2.0
"""A painting that has not come by then is not waited for: its screen may have been replaced first,
and nothing may keep the keyboard from the person. A question that is not painted is deaf anyway."""

ORDER_STEPS: Final = 10
ORDER_STEP_SECONDS: Final = 0.1
OPENING_STEPS: Final = 50
"""A key that is not seen to its end in so many steps holds nothing back any longer. Each step gives
its widgets their turn: a machine that is busy for a second changes no order."""


class TypedAhead:
    """Between two paintings of a question nothing typed, pasted or clicked reaches a widget.

    `discard` begins when a question comes on or leaves the screen and ends with the next painting:
    every input that was made until then is dropped, also what arrives later but was made before.
    """

    def __init__(self, after_painting: Callable[[Callable[[], None]], Any]) -> None:
        self._after_painting = after_painting
        self._until = 0.0
        self._open: dict[int, float] = {}
        self._count = 0
        self._dropped = False

    def discard(self) -> None:
        """Drop what is typed until the screen is painted again."""
        self._count += 1
        self._open[self._count] = Message().time
        self._after_painting(partial(self._painted, self._count))

    def _painted(self, number: int) -> None:
        self._until = Message().time
        # What began before is painted too, or was replaced before anybody could see it.
        self._open = {later: begun for later, begun in self._open.items() if later > number}

    def drops(self, event: events.Event) -> bool:
        """Whether this input was made too early."""
        if not isinstance(event, (events.Key, events.Paste, events.MouseDown, events.MouseUp)):
            return False
        if isinstance(event, events.Key) and event.key in LEAVE:
            return False
        drops = event.time <= self._until or self.waits
        self._dropped = self._dropped or drops
        return drops

    def has_dropped(self) -> bool:
        """Whether anything was dropped since this was asked last."""
        dropped, self._dropped = self._dropped, False
        return dropped

    @property
    def waits(self) -> bool:
        """Whether a painting is still waited for."""
        return any(not self._given_up(begun) for begun in self._open.values())

    @staticmethod
    def _given_up(begun: float) -> bool:
        return Message().time - begun > UNPAINTED_SECONDS


def is_field(widget: Widget) -> bool:
    """Whether this widget takes letters as text."""
    # By name: importing an editor that nobody uses costs more than the key.
    return any(kind.__name__ in ("Input", "TextArea") for kind in type(widget).__mro__)


class KeyOrder:
    """Sees a key that may act to its end before the next input is looked at.

    Textual hands keys to the focused widget and lets those it does not want rise from queue to
    queue, while the widget goes on with what was typed after them: letters typed after Ctrl+S
    would be in what Ctrl+S sends, and those after a search key would not be searched for. Held
    input keeps its order.
    """

    def __init__(self, app: App[Any], hand_on: Callable[[events.Event], Awaitable[None]]) -> None:
        """`hand_on`: takes what was held, when its turn has come."""
        self._app = app
        self._hand_on = hand_on
        self._held: deque[events.Event] = deque()
        self._turn = 0
        self._waiting = False
        self._written: Widget | None = None
        """The field that the last letter went to."""

    def holds(self, event: events.Event) -> bool:
        """Whether this input has to wait for what came before it.

        An action may look at a field, and a binding with priority acts before any widget: a key
        behind letters waits until these stand in theirs.
        """
        if not isinstance(event, (events.Key, events.Paste)):
            return False
        if not self._waiting and self._written is not None and not self._is_letter(event):
            written, self._written = self._written, None
            self.follow(written)
        if self._waiting:
            self._held.append(event)
        return self._waiting

    def _is_letter(self, event: events.Event) -> bool:
        focused = self._app.focused
        is_letter = isinstance(event, events.Key) and event.is_printable
        return is_letter and focused is not None and is_field(focused)

    def passed(self, event: events.Event) -> None:
        """This input was handed on; hold the next ones until it has risen to the screen."""
        focused = self._app.focused
        if focused is None or not isinstance(event, (events.Key, events.Paste)):
            return
        if self._is_letter(event):
            self._written = focused
        else:
            self.follow(focused)

    def follow(self, widget: Widget) -> None:
        """Hold what comes next until all that this widget has, or sent, rose to the screen."""
        self._waiting = True
        self._turn += 1
        wait = partial(self._wait, self._turn, ORDER_STEPS - 1)
        self._app.set_timer(ORDER_STEP_SECONDS, wait)
        self._rise(tuple(widget.ancestors_with_self), self._turn)

    async def _wait(self, turn: int, steps: int) -> None:
        if steps == 0:
            await self._release(turn)
        elif turn == self._turn and self._waiting:
            self._app.set_timer(ORDER_STEP_SECONDS, partial(self._wait, turn, steps - 1))

    def hold(self) -> None:
        """Hold what is typed from now on until `go_on`: what it is meant for is about to open."""
        self._waiting = True
        self._turn += 1
        wait = partial(self._wait, self._turn, OPENING_STEPS)
        self._app.set_timer(ORDER_STEP_SECONDS, wait)

    def go_on(self) -> None:
        """What was held has its place now."""
        self._app.call_later(self._release, self._turn)

    def _rise(self, nodes: Sequence[DOMNode], turn: int) -> None:
        if turn != self._turn or not self._waiting:
            return
        following = next((node for node in nodes if isinstance(node, Widget)), None)
        if following is None:
            # Twice: what the key's action asked of the application comes in between.
            self._app.call_later(self._app.call_later, self._release, turn)
        else:
            following.call_later(self._rise, nodes[nodes.index(following) + 1 :], turn)

    async def _release(self, turn: int) -> None:
        if turn != self._turn or not self._waiting:
            return
        self._waiting = False
        while self._held and not self._waiting:
            await self._hand_on(self._held.popleft())


# A question opens by itself only where nobody is in the midst of pressing keys: the next of them
# would be in it before it could be read, however slowly they are pressed.

RUN_SECONDS: Final = 1.0
"""Keys that come so soon behind one another are one run, which ends with so long a pause."""


LONGEST_RUN_SECONDS: Final = 10.0
"""No question is kept back for longer: who types on without end would never be asked."""


class KeyRun:
    """The letters that the person presses one behind another, whatever they are for."""

    def __init__(self) -> None:
        self._before = self._last = self._begun = float("-inf")

    def heard(self, event: events.Event) -> None:
        """Note a letter of the person; what answers by another key has its own deaf moment."""
        if isinstance(event, events.Key) and event.is_printable and not event.is_forwarded:
            if event.time - self._last > RUN_SECONDS:
                self._begun = event.time
            self._before, self._last = self._last, event.time

    def over(self) -> None:
        """It has come to its end: its last key did what all of it was for."""
        self._last = float("-inf")

    def lasts(self, since: float = float("-inf")) -> float:
        """For how many seconds a next key would belong to it; 0 where it is over.

        `since`: what is about to open was asked for then, with all keys before it (seconds, of the
        monotonic clock).
        """
        if self._last <= since or self._last - self._before > RUN_SECONDS:
            return 0.0
        if self._last - self._begun > LONGEST_RUN_SECONDS:
            return 0.0
        return max(0.0, self._last + RUN_SECONDS - Message().time)


# What a paste may do: it is text, whatever is in it, and no key that comes with it is obeyed.

PASTE_SECONDS: Final = 0.15
"""Keys that come so soon after a paste, or after one another behind it, came with it: no hand is as
fast."""

NOT_OBEYED: Final = "A key that came with the paste was not obeyed. Press it again."


GO_ON: Final = frozenset({"tab", "shift+tab"})


class PasteBurst:
    """The moment after a paste, in which a key is not the person's."""

    def __init__(self) -> None:
        self._until = float("-inf")
        self._was_told = True

    def drops(self, event: events.Event, is_text: bool) -> bool:
        """Whether this input came with a paste. `is_text`: the key writes a letter in a field.

        One that only goes from field to field answers nothing, and may be the person's.
        """
        if isinstance(event, events.Paste):
            self._until, self._was_told = event.time + PASTE_SECONDS, False
            return False
        if not isinstance(event, (events.Key, events.MouseDown, events.MouseUp)):
            return False
        if event.time > self._until:
            return False
        self._until = max(self._until, event.time + PASTE_SECONDS)
        return not is_text and not (isinstance(event, events.Key) and event.key in GO_ON)

    @property
    def is_news(self) -> bool:
        """Whether the person was not told yet that something came with this paste; True once."""
        was_told, self._was_told = self._was_told, True
        return not was_told


# Text typed for the first question before it could be seen: none of it is lost.
#
# Text in a line answers nothing by itself, so it may wait for the line. A key that could accept
# or
# choose something may not: with the first one that is no text this ends, and it and all behind it
# are thrown away as ever.


@runtime_checkable
class TakesText(Protocol):
    """A field's widget into which text can be typed."""

    @property
    def typed(self) -> str:
        """The text as it stands there."""
        ...

    def write(self, text: str) -> None:
        """Type a text where the cursor stands, in place of what is selected."""
        ...


class TextAhead:
    """Keeps letters until the question is painted, and writes them into the field that it opens."""

    def __init__(self, *, keeps: bool) -> None:
        """`keeps`: no other question was there for which they could have been meant."""
        self._keeps = keeps
        self._ended = False
        """Whether another key came behind the text."""
        self._letters: list[events.Key] = []

    def takes(self, event: events.Event) -> bool:
        """Whether this input is kept."""
        if not self._keeps or not isinstance(event, (events.InputEvent, events.Paste)):
            return False
        if isinstance(event, events.Key) and event.key in LEAVE:
            return False
        if not isinstance(event, events.Key) or not event.is_printable:
            self._keeps, self._ended = False, True
            return False
        self._letters.append(event)
        return True

    def write_into(self, view: InputGuard) -> None:
        """It is painted: put what was kept where the person would type; else it was not heard."""
        self._keeps = False
        letters, self._letters = self._letters, []
        line: object = view.screen.focused
        if letters and isinstance(line, TakesText):
            line.write("".join(letter.character or "" for letter in letters))
            if self._ended:
                # What was written hushes what is said.
                view.set_timer(PASTE_SECONDS, partial(view.turned_away, letters[-1]))
        elif letters and view.admits(letters[-1]):
            view.turned_away(letters[-1])
