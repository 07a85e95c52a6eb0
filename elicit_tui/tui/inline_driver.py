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
_CLEAR_BELOW: Final = "\r\x1b[J"


class InlineDriver(LinuxInlineDriver):
    """The library's driver, which after a resize clears its own part of the screen alone.

    The library clears all of it: the person's own lines with it, which some terminals then push
    into their scrollback. The cursor stands where the form begins (see `InlineApp`), so everything
    from there on is the form's.
    """

    def write(self, data: str) -> None:
        """Write to the terminal."""
        if data != _CLEAR_SCREEN:
            super().write(data)
        elif Size(*self._get_terminal_size()) != self._app.size:
            super().write(_CLEAR_BELOW)

    def _get_terminal_size(self) -> tuple[int, int]:
        """Of the terminal that is drawn on: standard output may lead elsewhere."""
        try:
            width, height = os.get_terminal_size(sys.__stderr__.fileno())  # type: ignore[union-attr]
        except (AttributeError, OSError, ValueError):
            width, height = 80, 24
        return min(width, MOST_COLUMNS), height
