"""The terminal under the prompt: what stands above a form stays, and a form leaves nothing."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Final

from textual import events
from textual.drivers.linux_inline_driver import LinuxInlineDriver
from textual.geometry import Size

from elicit_tui.tui.textual_terminal import CLEAR_BELOW, CLEAR_SCREEN

MOST_COLUMNS: Final = 60
"""A terminal that is made narrower breaks every line that is wider than it and pushes as many rows
from the top of its screen into its scrollback, where no program can take them back. A form of this
width never meets that while the window keeps 60 columns, however many it loses in one step. In one
step to fewer each row of the form becomes two: it leaves nothing while as many rows stand above it
as it has."""
_LEFT_FREE: Final = 2
"""Of a narrower terminal, so that the first step in which it becomes narrower breaks nothing."""
_LEAST_COLUMNS: Final = 50
"""With fewer a form needs them all."""

_OTHER_SCREEN: Final = "\x1b[?1049h\x1b[H"
_OWN_SCREEN: Final = "\x1b[?1049l"
_DOWN_AND_CLEAR: Final = "\x1b[B\x1b[2K"


class InlineDriver(LinuxInlineDriver):
    """The library's driver, which after a resize clears its own part of the screen alone.

    The library clears all of it: the person's own lines with it, which some terminals then push
    into their scrollback. The cursor stands where the form begins (see `InlineApp`), so everything
    from there on is the form's.

    A window that becomes narrower will most likely become narrower still, step by step, and each
    step would break the lines of the form anew. So from the first one on the form stands on the
    terminal's other screen, whose lines are never broken, and goes from there. What needs more
    columns than a form stands there too.
    """

    _columns: int | None = None
    """Of the terminal, when that was looked at last."""
    _elsewhere = False
    """Whether the form stands on the other screen."""
    _whole = False
    """Whether it has all of the terminal there, for as long as it needs that."""

    cleared: Callable[[], None]
    """Told when something else than the form stands there: it is to be drawn as a whole."""

    def start_application_mode(self) -> None:
        """Begin, or go on behind another program."""
        self.cleared()
        self._columns = self.window()[0]
        super().start_application_mode()

    def write(self, data: str) -> None:
        """Write to the terminal."""
        # The library writes two sequences that would touch more than the form, each alone. At its
        # end it clears what is below: the form goes line by line, and the other screen with it.
        # After a resize it clears everything: only the form is cleared, and where the window became
        # narrower the form moves to the other screen, once, before its lines can be broken again.
        # Where the form's own size stayed, its lines stand as they were: nothing is cleared.
        if data == CLEAR_BELOW:
            super().write(self._clearing() + (_OWN_SCREEN if self._elsewhere else ""))
            self._elsewhere = self._whole = False
        elif data != CLEAR_SCREEN:
            super().write(data)
        else:
            before, self._columns = self._columns, self.window()[0]
            narrower = before is not None and self._columns < before
            if narrower and not self._elsewhere:
                self._elsewhere = True
                super().write(self._clearing() + _OTHER_SCREEN)
            elif Size(*self._get_terminal_size()) != self._app.size:
                super().write(self._clearing())

    def take_whole(self, wanted: bool) -> None:
        """Have all of the terminal, on its other screen, or no more than a form again."""
        if wanted == self._whole:
            return
        self._whole = wanted
        to_other = wanted and not self._elsewhere
        super().write(self._clearing() + (_OTHER_SCREEN if to_other else ""))
        self._elsewhere = wanted
        if not wanted:
            super().write(_OWN_SCREEN)
        size = Size(*self._get_terminal_size())
        self._app.post_message(events.Resize(size, size))

    def _clearing(self) -> str:
        """Clear line by line from where the cursor stands, which stays there.

        Cleared at once from the first line of the screen on, some terminals push it all into
        their scrollback (tmux: `scroll-on-clear`).
        """
        self.cleared()
        below = self.window()[1] - 1
        return f"\r\x1b7\x1b[2K{_DOWN_AND_CLEAR * below}\x1b8"

    def _get_terminal_size(self) -> tuple[int, int]:
        """How much of the terminal a form may take."""
        width, height = self.window()
        if self._whole:
            return width, height
        return min(width - _LEFT_FREE * (width >= _LEAST_COLUMNS), MOST_COLUMNS), height

    @staticmethod
    def window() -> tuple[int, int]:
        """Columns and rows of the terminal that is drawn on: standard output may lead elsewhere."""
        try:
            width, height = os.get_terminal_size(sys.__stderr__.fileno())  # type: ignore[union-attr]
        except (AttributeError, OSError, ValueError):
            width, height = 80, 24
        return width, height
