"""What a console's own calls ask is answered there alone: other terminals are told where."""

from __future__ import annotations

import asyncio
import time
from itertools import islice
from typing import TYPE_CHECKING, Final

from elicit_tui.elicitation import rfc3339

if TYPE_CHECKING:
    from elicit_tui.broker.waiting_here import AskedHere, NoteOfConsole
    from elicit_tui.tui.console.controller import Controller

LOOK_AGAIN_SECONDS: Final = 2.0
"""How often an inbox looks what waits in consoles."""


class WaitingInConsoles:
    """Notes, for inboxes, what waits here; in an inbox, knows what waits in consoles.

    Files are written and read beside the loop, one after the other.
    """

    def __init__(self, app: Controller) -> None:
        self._app = app
        self._note: NoteOfConsole | None = None
        self._noted: tuple[tuple[AskedHere, ...], int] = ((), 0)
        self._work: asyncio.Task[None] | None = None
        self._looked_at = float("-inf")

    def tick(self) -> None:
        """Write, or look, where it is time to."""
        if self._work is not None and not self._work.done():
            return
        if self._app.has_pane("servers"):
            if (waits := self._own()) != self._noted:
                self._work = asyncio.ensure_future(self._write(*waits))
        elif time.monotonic() - self._looked_at >= LOOK_AGAIN_SECONDS:
            self._work = asyncio.ensure_future(self._look())

    def _own(self) -> tuple[tuple[AskedHere, ...], int]:
        questions = self._app.state.questions
        if not len(questions):
            return (), 0
        from elicit_tui.broker.waiting_here import MOST, AskedHere

        first = (each.question for each in islice(questions, MOST))
        own = (each.request for each in first if not self._app.origin_of(each))
        asked = (
            AskedHere(
                request.server.name,
                request.call.name if request.call else None,
                rfc3339(request.arrived_at),
            )
            for request in own
        )
        return tuple(asked), max(0, len(questions) - MOST)

    async def _write(self, asked: tuple[AskedHere, ...], more: int) -> None:
        from elicit_tui.broker.waiting_here import NoteOfConsole

        self._note = note = self._note or NoteOfConsole()
        await asyncio.to_thread(note.stands, asked, more)
        self._noted = asked, more

    async def _look(self) -> None:
        from elicit_tui.broker.waiting_here import waiting_in_consoles

        notes = await asyncio.to_thread(waiting_in_consoles)
        self._looked_at = time.monotonic()
        found = tuple(sentence for note in notes for sentence in note.sentences)
        if found != self._app.state.in_consoles:
            self._app.state.in_consoles = found
            self._app.state.changed()

    def end(self) -> None:
        """Nothing waits here any more."""
        if self._note is not None:
            self._note.end()
