"""Lines that take a while: they are made beside the screen, which goes on meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from textual import work

from elicit_tui.tui.console.found_lines import FoundLines
from elicit_tui.tui.console.spans import Line
from elicit_tui.tui.console.views import Source


class MadeBeside(FoundLines):
    """A text to search whose lines are made in a thread, for each width anew."""

    def __init__(self, source: Source, meanwhile: str, *, id: str | None = None) -> None:
        """`source` is asked in a thread, so what it reads must not change; `meanwhile`: is told."""
        super().__init__(id=id)
        self._slow, self._meanwhile = source, meanwhile
        self._made: tuple[int, Sequence[Line]] = (0, ())
        """For how many cells, and the lines."""
        self._makes = False
        self.show(self._as_made)

    @property
    def unfinished(self) -> bool:
        """Whether the lines are being made: what is looked for may stand in them."""
        return self._makes or super().unfinished

    def _as_made(self, width: int) -> Sequence[Line]:
        made_for, lines = self._made
        if made_for == width:
            return lines
        self._makes = True
        self._make(width)
        return [((self._meanwhile, "dim"),)]

    @work(exclusive=True)
    async def _make(self, width: int) -> None:
        self._made = width, await asyncio.to_thread(self._slow, width)
        self._makes = False
        self.show(self._as_made, keep_place=True)
