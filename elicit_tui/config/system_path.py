"""Finds a managed command in the system's own directories, never in `PATH`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from elicit_tui.paths import SYSTEM_PATH

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


def is_plain(command: str) -> bool:
    """Whether a command is absolute or a bare name: one that a directory could not change."""
    if Path(command).is_absolute():
        return ".." not in Path(command).parts
    separators = {"/", "\\", os.sep}
    return bool(command) and not separators & set(command) and command not in (".", "..")
