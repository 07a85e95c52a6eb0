"""What a value of the configuration comes to on this machine: its variables, and its commands.

`${NAME}` in a value becomes the environment's; names it does not have are collected. A managed
command is found in the system's own directories, never in `PATH`.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from elicit_tui.paths import SYSTEM_PATH

REFERENCE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


class Expansion:
    """Expands texts with one environment; what it replaces is not expanded again."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._missing: dict[str, None] = {}

    @property
    def missing(self) -> tuple[str, ...]:
        """The names that were wanted and are not there, each once, in order."""
        return tuple(self._missing)

    def want(self, name: str) -> None:
        """Note a variable that must be there although no text names it."""
        if name not in self._environment:
            self._missing[name] = None

    def text(self, text: str) -> str:
        """`text` with each reference replaced; one to a missing name stays as it is."""

        def value(match: re.Match[str]) -> str:
            name = match.group(1)
            if name in self._environment:
                return self._environment[name]
            self._missing[name] = None
            return match.group()

        # One pass: what a variable holds is not looked at for more references.
        return REFERENCE.sub(value, text)

    def texts(self, texts: list[str]) -> tuple[str, ...]:
        """Each of a list expanded."""
        return tuple(self.text(text) for text in texts)

    def table(self, table: Mapping[str, str]) -> dict[str, str]:
        """Each value of a table expanded; its keys are taken as they are."""
        return {key: self.text(value) for key, value in table.items()}


class NoExpansion(Expansion):
    """Leaves every text as it is."""

    def __init__(self) -> None:
        super().__init__({})

    def text(self, text: str) -> str:
        """`text` itself."""
        return text


# Managed commands

NOT_PLAIN: Final = "a managed command must be absolute, or a bare name of the system path"


def system_directories() -> tuple[Path, ...]:
    """Where the system's own programs are; the same for every user of the machine."""
    if sys.platform == "win32":
        import ctypes

        buffer = ctypes.create_unicode_buffer(1024)
        kernel = getattr(ctypes, "windll").kernel32  # noqa: B009 - the name exists on Windows only
        kernel.GetSystemDirectoryW(buffer, 1024)
        return (Path(buffer.value),)
    return tuple(Path(name) for name in SYSTEM_PATH)


def find(command: str, directories: tuple[Path, ...]) -> str | None:
    """The absolute path of a command, or None when it is not there."""
    # Absolute ones are the administrator's own words.
    if Path(command).is_absolute():
        return command
    suffixes = ("", ".exe") if sys.platform == "win32" else ("",)
    for directory in directories:
        for suffix in suffixes:
            candidate = directory / (command + suffix)
            if candidate.is_file() and os.access(candidate, os.X_OK):
                return str(candidate)
    return None


WANDERS: Final = "must be absolute, or begin with ~: it is never looked for where you stand"


def wanders(path: str) -> bool:
    """Whether a path leads elsewhere from each directory in which we are started."""
    return not Path(path).is_absolute() and not path.startswith("~")


def is_plain(command: str) -> bool:
    """Whether a command is absolute or a bare name: one that a directory could not change."""
    if Path(command).is_absolute():
        return ".." not in Path(command).parts
    separators = {"/", "\\", os.sep}
    return bool(command) and not separators & set(command) and command not in (".", "..")
