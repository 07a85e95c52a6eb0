"""What is written to the terminal under the prompt: the lines that changed, and no others."""

from __future__ import annotations

from typing import Final

from rich.console import Console

from elicit_tui.tui.textual_terminal import CLEAR_BELOW, CompositorUpdate, InlineUpdate

_CLEAR_LINE: Final = "\x1b[K"
WHERE: Final = "\x1b[6n"
"""Has the terminal tell where the form begins: what the mouse hits is counted from there."""
_CUT: Final = "\x1b[?7l"
_WRAP: Final = "\x1b[?7h"
"""A window may have become narrower since the form was laid out: its lines are cut then, for one
that runs on into the next would move all that stands below."""


class DrawnLines:
    """The lines that the terminal shows, from where the form begins; None: nobody knows."""

    def __init__(self) -> None:
        self.lines: list[str] | None = None

    def forget(self) -> None:
        """Something else was written there: the next update draws all of it."""
        self.lines = None


class ChangedLines(CompositorUpdate):
    """An update that writes a line only where it is another one than the terminal shows.

    The library writes the whole form for each second of its clock: 4 KB over a slow line. The
    cursor stands where the form begins, before and after.
    """

    def __init__(self, update: InlineUpdate, drawn: DrawnLines) -> None:
        self._update = update
        self._drawn = drawn

    def render_segments(self, console: Console) -> str:
        """The update as it is written to the terminal."""
        before = self._drawn.lines
        lines = [strip.render(console) for strip in self._update.strips]
        self._drawn.lines = lines
        if before is None or len(before) != len(lines):
            return self._whole(lines, clears=before is not None and len(before) > len(lines))
        written, at = "", 0
        for number, line in enumerate(lines):
            if line != before[number]:
                down = f"\x1b[{number - at}B" if number > at else ""
                written += f"{down}{_CLEAR_LINE}{line}\r"
                at = number
        return f"{_CUT}{written}{_up(at)}{_WRAP}" if written else ""

    def _whole(self, lines: list[str], *, clears: bool) -> str:
        written = "\n".join(f"\r{_CLEAR_LINE}{line}" for line in lines)
        rows = len(lines) - 1
        if clears:
            written += f"\n{CLEAR_BELOW}"
            rows += 1
        return f"{_CUT}{written}\r{_up(rows)}{_WRAP}{WHERE}"


def _up(rows: int) -> str:
    return f"\x1b[{rows}A" if rows else ""
