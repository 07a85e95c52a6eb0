"""A lock on a file for as long as a process lives: the system lets go of it when it dies.

Also after kill -9, at once, and without anybody having to notice. The file carries a name of ours
that nobody else asks about before it is locked.
"""

from __future__ import annotations

import errno
import os
import re
import sys
from pathlib import Path
from typing import Final

from elicit_tui.elicitation import new_id
from elicit_tui.paths import open_to_others, private_directory

_ID: Final = re.compile(r"[0-9a-f]{32}")


class Life:
    """This process's own lock, from when it is made until `end`. Raises OSError."""

    def __init__(self, directory: Path) -> None:
        self.id = new_id()
        self._path = private_directory(directory) / self.id
        if (why := open_to_others(directory)) is not None:
            raise PermissionError(errno.EPERM, f"its directory {directory.name} {why}")
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
        self._file = os.open(self._path, flags, 0o600)
        if not _locked(self._file):
            raise BlockingIOError(f"{self._path} is locked")

    def end(self) -> None:
        """Let go of the lock."""
        self._path.unlink(missing_ok=True)
        os.close(self._file)


def is_over(directory: Path, life: str) -> bool:
    """Whether the process with this lock has ended; its file is removed then."""
    if _ID.fullmatch(life) is None:  # no name of ours: it shall open nothing elsewhere
        return True
    path = directory / life
    try:
        file = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    except FileNotFoundError:
        return True
    except OSError:
        return False
    try:
        if not _locked(file):
            return False
        if sys.platform != "win32":
            path.unlink(missing_ok=True)
        return True
    finally:
        os.close(file)


if sys.platform == "win32":
    import msvcrt

    def _locked(file: int) -> bool:
        """Lock an open file, if nobody else has."""
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _locked(file: int) -> bool:
        """Lock an open file, if nobody else has."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
