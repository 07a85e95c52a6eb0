"""The terminal under the prompt: what stands above a form stays, and a form leaves nothing."""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from collections.abc import Callable
from typing import Final

from textual import events
from textual.drivers.linux_inline_driver import LinuxInlineDriver
from textual.geometry import Size
from textual.message import Message

from elicit_tui.tui.changed_lines import WHERE
from elicit_tui.tui.terminal_answers import ASK_KIND, KindTold
from elicit_tui.tui.textual_terminal import CLEAR_BELOW, CLEAR_SCREEN

MOST_COLUMNS: Final = 100
"""A terminal that is made narrower breaks every line that is wider than it and pushes as many rows
from the top of its screen into its scrollback, some also while rows are free below; no program can
take them back. In one step to no less than half its width each row of a form becomes two: it leaves
nothing where as many rows stand above it as it has. What needs more stands on the terminal's other
screen, whose lines are never broken."""
_FEW_COLUMNS: Final = 60
"""Of a form where the terminal does not say which row it begins on: it meets nothing of that while
the window keeps these, however many columns it loses in one step."""
ANSWER_SECONDS: Final = 0.4
"""How long the first frame waits for the terminal to say that."""
_LEFT_FREE: Final = 2
"""Of a narrower terminal, so that the first step in which it becomes narrower breaks nothing."""
_LEAST_COLUMNS: Final = 50
"""With fewer a form needs them all."""

_OTHER_SCREEN: Final = "\x1b[?1049h\x1b[H"
_OWN_SCREEN: Final = "\x1b[?1049l"
_DOWN_AND_CLEAR: Final = "\x1b[B\x1b[K"
_XTERM_JS: Final = "0;276;"
"""That of VS Code, among others. Where it breaks lines it moves the cursor by what it made below it
too, while the others keep it on its character: nobody knows then where the form begins."""
_VTE: Final = ("61;", "65;")
"""That of GNOME, among others: it pushes nothing out while rows are free below."""


class PlaceTold(Message):
    """The terminal said how many rows stand above the form."""


class InlineDriver(LinuxInlineDriver):
    """The library's driver, which after a resize clears its own part of the screen alone.

    The library clears all of it: the person's own lines with it, which some terminals then push
    into their scrollback. The cursor stands where the form begins (see `InlineApp`), so everything
    from there on is the form's.

    A window that becomes narrower will most likely become narrower still, step by step, and each
    step would break the lines of the form anew. So from the first one on the form stands on the
    terminal's other screen, whose lines are never broken, and goes from there.
    """

    _columns: int | None = None
    """Of the terminal, when that was looked at last."""
    _elsewhere = False
    """Whether the form stands on the other screen."""
    _stays = False
    """Whether the window changed so that it goes from there."""
    _whole = False
    """Whether it has all of the terminal there, for as long as it needs that."""
    _is_wide = True
    """Whether it has as many columns as there are: the terminal answers."""
    _above: int | None = None
    """Rows above the form on its own screen; None: the terminal has not said."""
    _asked_at = 0.0
    _origin: tuple[int, int] | None = None

    _kind = ""
    """Which terminal it is, as that says."""

    cleared: Callable[[], None]
    """Told when something else than the form stands there: it is to be drawn as a whole."""

    def start_application_mode(self) -> None:
        """Begin, or go on behind another program."""
        self.cleared()
        self._columns = self.window()[0]
        self._asked: deque[bool] = deque(maxlen=64)
        super().start_application_mode()
        self._asked_at = time.monotonic()
        self._asked.append(False)
        super().write(f"\r{ASK_KIND}{WHERE}" + (_OTHER_SCREEN if self._elsewhere else ""))
        self.flush()  # type: ignore[no-untyped-call]

    def write(self, data: str) -> None:
        """Write to the terminal."""
        # The library writes two sequences that would touch more than the form, each alone. At its
        # end it clears what is below: the form goes line by line, and the other screen with it.
        # After a resize it clears everything: only the form is cleared, and where the window became
        # narrower the form moves to the other screen, once, before its lines can be broken again.
        # Where the form's own size stayed, its lines stand as they were: nothing is cleared.
        if data == CLEAR_BELOW:
            super().write(self._clearing() + (_OWN_SCREEN if self._elsewhere else ""))
        elif data != CLEAR_SCREEN:
            self._asked.extend([self._elsewhere] * data.count(WHERE))
            super().write(data)
        else:
            self._follow_window()

    def _follow_window(self) -> None:
        before, self._columns = self._columns, self.window()[0]
        narrower = before is not None and self._columns < before
        self._stays = self._stays or narrower or self._elsewhere
        if narrower and not self._elsewhere:
            self._elsewhere = True
            super().write(self._clearing() + _OTHER_SCREEN)
        elif Size(*self._get_terminal_size()) != self._app.size:
            super().write(self._clearing())
        if not self._elsewhere:
            self.write(WHERE)

    def process_message(self, message: Message) -> None:
        """Hand on what came of the terminal, but for what it says of itself."""
        if isinstance(message, KindTold):
            self._kind = self._kind or message.kind
        else:
            super().process_message(message)

    @property
    def cursor_origin(self) -> tuple[int, int] | None:
        """Where the cursor stood when the terminal was asked last, column and row."""
        return self._origin

    @cursor_origin.setter
    def cursor_origin(self, place: tuple[int, int] | None) -> None:
        # A form begins in the first column: an answer from another one is a key that looks alike.
        if place is None or place[0]:
            return
        self._origin = place
        if self._asked and not self._asked.popleft():
            self._above = place[1]
            self._app.post_message(PlaceTold())

    @property
    def may_answer(self) -> bool:
        """Whether the terminal still has time to say where the form begins."""
        return self._above is None and time.monotonic() - self._asked_at < ANSWER_SECONDS

    @property
    def most_rows(self) -> int | None:
        """How many rows leave nothing where it stands; None: as many as anybody likes."""
        width, height = self.window()
        if self._elsewhere:
            return height
        if not self._is_wide or width <= _FEW_COLUMNS + _LEFT_FREE:
            return None
        if self._kind.startswith(_XTERM_JS):
            return 0
        above = height if self._kind.startswith(_VTE) else self._above or 0
        return min(above, height // 2)

    def stand(self, rows: int, *, whole: bool) -> bool:
        """Stand under the prompt with that many rows, or on the other screen.

        `whole`: with all of the terminal there. Returns whether a resize follows.
        """
        size = self._get_terminal_size()
        self._is_wide = self._is_wide and self._above is not None
        was_elsewhere, self._elsewhere = self._elsewhere, False
        most = self.most_rows
        elsewhere = whole or self._stays or (most is not None and rows > most)
        is_as_it_was = whole == self._whole and elsewhere == was_elsewhere
        self._elsewhere, self._whole = elsewhere, whole
        if is_as_it_was and size == self._get_terminal_size():
            return False
        screen = _OTHER_SCREEN if elsewhere else _OWN_SCREEN
        super().write(self._clearing() + (screen if elsewhere != was_elsewhere else ""))
        now = Size(*self._get_terminal_size())
        self._app.post_message(events.Resize(now, now))
        return True

    def _clearing(self) -> str:
        """Clear line by line from where the cursor stands, which stays there.

        Cleared at once from the first line of the screen on, some terminals push it all into
        their scrollback (tmux: `scroll-on-clear`).
        """
        self.cleared()
        below = self.window()[1] - 1
        return f"\r\x1b7\x1b[K{_DOWN_AND_CLEAR * below}\x1b8"

    def _get_terminal_size(self) -> tuple[int, int]:
        """How much of the terminal a form may take."""
        width, height = self.window()
        if self._whole:
            return width, height
        most = MOST_COLUMNS if self._is_wide else _FEW_COLUMNS
        return min(width - _LEFT_FREE * (width >= _LEAST_COLUMNS), most), height

    @staticmethod
    def window() -> tuple[int, int]:
        """Columns and rows of the terminal that is drawn on: standard output may lead elsewhere."""
        try:
            width, height = os.get_terminal_size(sys.__stderr__.fileno())  # type: ignore[union-attr]
        except (AttributeError, OSError, ValueError):
            width, height = 80, 24
        return width, height
