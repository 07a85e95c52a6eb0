"""What the console remembers from one run to the next: the look, favourites, what was used last."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Final

from elicit_tui import paths
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation.saved_call import saved_calls
from elicit_tui.errors import ElicitTuiError
from elicit_tui.tui.console.written_later import write_later

LARGEST_FILE: Final = 1_000_000
KEPT_RECENT: Final = 20
KEPT_FOLDERS: Final = 20
KEPT_NAMES: Final = 50
TO_THE_SECOND: Final = len("2026-11-22T09:30:00")
FILE_NAME: Final = "console.json"

Place = tuple[str, str]
"""A server, and the key of what it offers."""

Renaming = tuple[str, str, str]
"""A server's name before, its name after, and when that was, as RFC 3339 in UTC."""


@dataclass
class Remembered:
    """One file of the person's; what cannot be read or written is not remembered, and no more."""

    theme: str = ""
    """The one chosen in the palette; empty: none was."""
    theme_over: str = ""
    """What the configuration named when it was chosen: the choice lasts as long as that."""
    favourites: list[Place] = field(default_factory=list)
    recent: list[Place] = field(default_factory=list)
    """The newest first."""
    folders: list[str] = field(default_factory=list)
    """Where calls were kept in files, the newest first."""
    renamed: list[Renaming] = field(default_factory=list)
    """The newest last."""

    def __post_init__(self) -> None:
        self._changes = 0

    @classmethod
    def load(cls) -> Remembered:
        """What was remembered; nothing where there is no such file."""
        try:
            return cls._read(_file()) or cls()
        except (OSError, ElicitTuiError):
            return cls()

    @classmethod
    def _read(cls, file: Path) -> Remembered | None:
        """What stands in the file; None where there is none, or it is none of ours."""
        try:
            with file.open("rb") as stream:
                written = json.loads(stream.read(LARGEST_FILE))
        except (FileNotFoundError, ValueError, RecursionError):
            return None
        if not isinstance(written, Mapping):
            return None
        return cls(
            str(written.get("theme") or ""),
            str(written.get("theme_over") or ""),
            _places(written.get("favourites")),
            _places(written.get("recent"))[:KEPT_RECENT],
            _texts(written.get("folders"))[:KEPT_FOLDERS],
            [(old, new, at) for old, new, at in _rows(written.get("renamed"), 3)][-KEPT_NAMES:],
        )

    def _change(self, change: Callable[[Remembered], None]) -> None:
        """Change it here at once, and soon in the file."""
        change(self)
        self._changes += 1
        with contextlib.suppress(ElicitTuiError):
            write_later(self._write, _file(), change, self._changes)

    def _write(self, file: Path, change: Callable[[Remembered], None], number: int) -> None:
        """Change it in the file, as that stands by now: other consoles write it too."""
        try:
            with paths.sole_writer(file):
                now = self._read(file)
                if now is None:
                    now = self
                else:
                    change(now)
                paths.replace_file(file, json.dumps(asdict(now)).encode())
        except (OSError, ElicitTuiError):
            return
        # Of several changes at once only the last knows all that was changed here.
        if number == self._changes:
            self.favourites, self.recent, self.folders = now.favourites, now.recent, now.folders
            self.renamed = now.renamed

    def theme_for(self, configured: str) -> str:
        """The theme to wear: the one chosen over this one, else this one."""
        return self.theme if self.theme and self.theme_over == configured else configured

    def choose_theme(self, name: str, configured: str) -> None:
        """Let a choice last."""

        def chosen(those: Remembered) -> None:
            those.theme, those.theme_over = name, configured

        self._change(chosen)

    def used(self, server: str, key: str) -> None:
        """It is what was used last."""
        place = (server, key)

        def used(those: Remembered) -> None:
            others = (recent for recent in those.recent if recent != place)
            those.recent = [place, *others][:KEPT_RECENT]

        self._change(used)

    def keeps_in(self, folder: Path) -> None:
        """A call was kept in this folder."""

        def kept(those: Remembered) -> None:
            others = (other for other in those.folders if other != str(folder))
            those.folders = [str(folder), *others][:KEPT_FOLDERS]

        self._change(kept)

    def kept_files(self) -> list[Path]:
        """The calls kept in files: those of this folder first, then of each where one was kept."""
        return [path for folder in self.all_folders() for path in saved_calls(folder)]

    def all_folders(self) -> list[Path]:
        """Where calls may be kept in files: this folder, and each where one was."""
        here = paths.here()
        return list(dict.fromkeys([*([here] if here else ()), *map(Path, self.folders)]))

    def rename(self, old: str, new: str) -> None:
        """What was a favourite or used last of a server is so under its new name."""
        renaming = (old, new, datetime.now(timezone.utc).isoformat())

        def renamed(those: Remembered) -> None:
            those.renamed = [*those.renamed, renaming][-KEPT_NAMES:]
            for places in (those.favourites, those.recent):
                places[:] = [(new if server == old else server, key) for server, key in places]

        self._change(renamed)

    def called_now(self, server: str, at: str) -> str:
        """What a server is called now that had this name then (`at`: as RFC 3339 in UTC)."""
        for old, new, when in self.renamed:
            if server == old and at[:TO_THE_SECOND] <= when[:TO_THE_SECOND]:
                server = new
        return server

    def toggle_favourite(self, server: str, key: str) -> bool:
        """Make it a favourite, or no longer; whether it is one now."""
        place = (server, key)
        is_one = place not in self.favourites

        def toggled(those: Remembered) -> None:
            others = [other for other in those.favourites if other != place]
            those.favourites = [*others, place] if is_one else others

        self._change(toggled)
        return is_one


def _file() -> Path:
    return paths.state_directory() / FILE_NAME


def _places(written: Any) -> list[Place]:
    return [(server, key) for server, key in _rows(written, 2)]


def _rows(written: Any, count: int) -> list[list[str]]:
    """The lists of so many texts in a list."""
    rows = written if isinstance(written, list) else []
    return [row for row in rows if isinstance(row, list) and len(_texts(row)) == len(row) == count]


def _texts(written: Any) -> list[str]:
    return [text for text in written if isinstance(text, str)] if isinstance(written, list) else []
