"""What the console remembers from one run to the next: the look, favourites, what was used last."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Final

from elicit_tui import paths
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation.saved_call import saved_calls
from elicit_tui.errors import ElicitTuiError

LARGEST_FILE: Final = 1_000_000
KEPT_RECENT: Final = 20
KEPT_FOLDERS: Final = 20
FILE_NAME: Final = "console.json"

Place = tuple[str, str]
"""A server, and the key of what it offers."""


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

    @classmethod
    def load(cls) -> Remembered:
        """What was remembered; nothing where there is no such file."""
        try:
            with _file().open("rb") as stream:
                written = json.loads(stream.read(LARGEST_FILE))
        except (OSError, ValueError, RecursionError, ElicitTuiError):
            return cls()
        if not isinstance(written, Mapping):
            return cls()
        return cls(
            str(written.get("theme") or ""),
            str(written.get("theme_over") or ""),
            _places(written.get("favourites")),
            _places(written.get("recent"))[:KEPT_RECENT],
            _texts(written.get("folders"))[:KEPT_FOLDERS],
        )

    def save(self) -> None:
        """Write it down."""
        written = json.dumps(vars(self))
        try:
            paths.private_directory(_file().parent)
            paths.replace_file(_file(), written.encode())
        except (OSError, ElicitTuiError):
            return

    def theme_for(self, configured: str) -> str:
        """The theme to wear: the one chosen over this one, else this one."""
        return self.theme if self.theme and self.theme_over == configured else configured

    def choose_theme(self, name: str, configured: str) -> None:
        """Let a choice last."""
        self.theme, self.theme_over = name, configured
        self.save()

    def used(self, server: str, key: str) -> None:
        """It is what was used last."""
        place = (server, key)
        self.recent = [place, *(recent for recent in self.recent if recent != place)][:KEPT_RECENT]
        self.save()

    def keeps_in(self, folder: Path) -> None:
        """A call was kept in this folder."""
        others = (other for other in self.folders if other != str(folder))
        self.folders = [str(folder), *others][:KEPT_FOLDERS]
        self.save()

    def kept_files(self) -> list[Path]:
        """The calls kept in files: those of this folder first, then of each where one was kept."""
        return [path for folder in self.all_folders() for path in saved_calls(folder)]

    def all_folders(self) -> list[Path]:
        """Where calls may be kept in files: this folder, and each where one was."""
        here = paths.here()
        return list(dict.fromkeys([*([here] if here else ()), *map(Path, self.folders)]))

    def rename(self, old: str, new: str) -> None:
        """What was a favourite or used last of a server is so under its new name."""
        for places in (self.favourites, self.recent):
            places[:] = [(new if server == old else server, key) for server, key in places]
        self.save()

    def toggle_favourite(self, server: str, key: str) -> bool:
        """Make it a favourite, or no longer; whether it is one now."""
        place = (server, key)
        if place in self.favourites:
            self.favourites.remove(place)
        else:
            self.favourites.append(place)
        self.save()
        return place in self.favourites


def _file() -> Path:
    return paths.state_directory() / FILE_NAME


def _places(written: Any) -> list[Place]:
    pairs = written if isinstance(written, list) else []
    return [
        (pair[0], pair[1])
        for pair in pairs
        if isinstance(pair, list) and len(pair) == 2 and all(isinstance(part, str) for part in pair)
    ]


def _texts(written: Any) -> list[str]:
    return [text for text in written if isinstance(text, str)] if isinstance(written, list) else []
