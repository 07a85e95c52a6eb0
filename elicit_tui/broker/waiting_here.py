"""What waits in the forms of a console: a private note of each console, for the inbox.

What a console's own call asks is answered there and nowhere else, so the store has nothing of it.
The note says which server asks, for which tool, since when and at which terminal. It holds no
question and no value, and counts for as long as its process lives.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from elicit_tui.broker.answerer import terminal
from elicit_tui.dataclass import dataclass
from elicit_tui.errors import ConfigError
from elicit_tui.store.living import Life, is_over
from elicit_tui.store.note_folder import NoteFolder
from elicit_tui.text import as_name, neutral_line
from elicit_tui.text.duration import moment_of

MOST: Final = 20
"""So many questions are named; the others are counted."""


@dataclass(frozen=True)
class AskedHere:
    """A question that waits in a console."""

    server: str
    tool: str | None
    since: str
    """RFC 3339."""

    def __post_init__(self) -> None:
        moment_of(self.since)  # A note that says no time is none.


@dataclass(frozen=True)
class ConsoleNote:
    """What waits in one console."""

    terminal: str | None
    asked: tuple[AskedHere, ...] = ()
    more: int = 0
    """How many wait beside these."""

    @property
    def sentences(self) -> Iterator[str]:
        """Each question, where it waits and since when."""
        place = f"the console on {neutral_line(self.terminal or 'another terminal', 60)}"
        for asked in self.asked:
            tool = f" {as_name(asked.tool, 60)}" if asked.tool else ""
            since = moment_of(asked.since).astimezone()
            server = neutral_line(asked.server, 60)
            yield f"{server}{tool} waits in {place} since {since:%H:%M}, and is answered there."
        if self.more:
            yield f"{self.more:,} more wait in {place}, and are answered there."


NOTES: Final = NoteFolder(ConsoleNote, "consoles")
"""Each by the life of its console."""


class NoteOfConsole:
    """Keeps the note of this console."""

    def __init__(self) -> None:
        self._life: Life | None = None

    def stands(self, asked: tuple[AskedHere, ...], more: int = 0) -> None:
        """Note what waits now; it is written to disk, which takes a moment."""
        if not asked:
            self.end()
            return
        with suppress(OSError, ConfigError):
            self._life = self._life or Life(NOTES.path)
            NOTES.write(self._life.id, ConsoleNote(terminal(), asked, more))

    def end(self) -> None:
        """Nothing waits here any more."""
        life, self._life = self._life, None
        if life is not None:
            NOTES.remove(life.id)
            with suppress(OSError):
                life.end()


def waiting_in_consoles() -> list[ConsoleNote]:
    """The notes of all consoles that live; those of others are removed."""
    with suppress(OSError, ConfigError):
        for life in NOTES.names():
            if is_over(NOTES.path, life):
                NOTES.remove(life)
    return [note for _, note in NOTES.notes()]
