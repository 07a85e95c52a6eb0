"""The terminal under the prompt: what stands above a form stays, and a form leaves nothing."""

from __future__ import annotations

import os
import sys
from typing import Final

from textual.drivers.linux_inline_driver import LinuxInlineDriver
from textual.geometry import Size

MOST_COLUMNS: Final = 78
"""A terminal that is made narrower breaks every line that is wider than it and pushes as many into
its scrollback, where no program can take them back. A form of this width never meets that while
the window has 78 columns."""

_CLEAR_SCREEN: Final = "\x1b[2J"
_CLEAR_BELOW: Final = "\x1b[J"
_DOWN_AND_CLEAR: Final = "\x1b[B\x1b[2K"


class InlineDriver(LinuxInlineDriver):
    """The library's driver, which after a resize clears its own part of the screen alone.

    The library clears all of it: the person's own lines with it, which some terminals then push
    into their scrollback. The cursor stands where the form begins (see `InlineApp`), so everything
    from there on is the form's.
    """

    def write(self, data: str) -> None:
        """Write to the terminal."""
        if data == _CLEAR_BELOW:
            super().write(self._clearing())
        elif data != _CLEAR_SCREEN:
            super().write(data)
        elif Size(*self._get_terminal_size()) != self._app.size:
            super().write(self._clearing())

    def _clearing(self) -> str:
        """Clear line by line from where the cursor stands, which stays there.

        Cleared at once from the first line of the screen on, some terminals push it all into
        their scrollback (tmux: `scroll-on-clear`).
        """
        below = self._get_terminal_size()[1] - 1
        return f"\r\x1b7\x1b[2K{_DOWN_AND_CLEAR * below}\x1b8"

    def _get_terminal_size(self) -> tuple[int, int]:
        """Of the terminal that is drawn on: standard output may lead elsewhere."""
        try:
            width, height = os.get_terminal_size(sys.__stderr__.fileno())  # type: ignore[union-attr]
        except (AttributeError, OSError, ValueError):
            width, height = 80, 24
        return min(width, MOST_COLUMNS), height
