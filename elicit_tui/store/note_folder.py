"""What processes tell each other of themselves, in private notes: a file each, no more than a note.

A list or `status` is made of them, and no answer: one that cannot be written, read or removed costs
nobody anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Generic

from elicit_tui.errors import ConfigError, StoreError
from elicit_tui.paths import replace_file, state_directory
from elicit_tui.store.nouns import Noun, read, written


class NoteFolder(Generic[Noun]):
    """The notes of one kind, each known by a name, in a folder of our state."""

    def __init__(self, kind: type[Noun], *folder: str) -> None:
        self._kind = kind
        self._folder = folder

    @property
    def path(self) -> Path:
        """Where they are; not there before the first one. Raises ConfigError."""
        return state_directory().joinpath(*self._folder)

    def write(self, name: str, note: Noun) -> None:
        """Put a note in the place of the one before; writing to disk takes a moment."""
        with suppress(OSError, ConfigError, StoreError):
            replace_file(self._file(name), written(note))

    def remove(self, name: str) -> None:
        """Take a note away, if it is there."""
        with suppress(OSError, ConfigError):
            self._file(name).unlink(missing_ok=True)

    def names(self) -> list[str]:
        """The names of all notes, also of those that nobody can read."""
        with suppress(OSError, ConfigError):
            return sorted(file.stem for file in self.path.glob("*.json"))
        return []

    def notes(self) -> Iterator[tuple[str, Noun]]:
        """Each note with its name; without those that are gone by now or cannot be read."""
        for name in self.names():
            with suppress(OSError, ConfigError, StoreError):
                yield name, read(self._kind, self._file(name).read_bytes())

    def _file(self, name: str) -> Path:
        return self.path / f"{name}.json"
