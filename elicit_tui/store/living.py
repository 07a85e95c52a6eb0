"""Which machine this is, and which processes live: by a lock on a file, or by their numbers.

The system lets go of a process's lock when it dies, also after kill -9, at once, and without
anybody having to notice. The file carries a name of ours that nobody else asks about before it is
locked. Where processes share no file, one of this machine is known by its number and its start.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import sys
from functools import cache
from pathlib import Path
from typing import Final

from elicit_tui.elicitation import new_id
from elicit_tui.paths import lock_open_file, open_to_others, private_directory

# As `new_id` makes them.
_ID: Final = re.compile(r"[0-9a-f]{32}")
_MACHINE_FILES: Final = ("/etc/machine-id", "/var/lib/dbus/machine-id")
_BOOT_FILE: Final = "/proc/sys/kernel/random/boot_id"
_PID_NAMESPACE: Final = "/proc/self/ns/pid"
PRESENCE_SECONDS: Final = 600.0
"""How long after the last key in a console or an inbox somebody counts as there."""
_START_SECONDS: Final = 2.0
"""A process that began this much before or after is another one with its number."""


@cache
def machine_name() -> str:
    """What this machine calls itself."""
    import platform  # Not loaded by whoever only looks whether somebody is there.

    return platform.node()


@cache
def machine_id() -> str:
    """Tells where the number of a process means the same process, and nothing else of a machine.

    It is made of the machine's id, its boot and the namespace of process numbers: containers share
    ids and use the same numbers, and a machine uses them again after each start.
    """
    import uuid  # As `platform`, which it loads.

    # Without either file, as on other systems, the address of a network card has to do.
    installed = next(filter(None, map(_line_of, _MACHINE_FILES)), f"{uuid.getnode():x}")
    try:
        namespace = os.readlink(_PID_NAMESPACE)  # noqa: PTH115 (it is no path)
    except OSError:
        namespace = ""
    parts = "\n".join(("elicit-tui", installed, _line_of(_BOOT_FILE), namespace))
    return hashlib.sha256(parts.encode()).hexdigest()[:16]


def _line_of(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        return ""


def started_at(number: int) -> float | None:
    """When a process of this machine began, in seconds since 1970; None: there is none."""
    import psutil

    try:
        return float(psutil.Process(number).create_time())
    except psutil.NoSuchProcess:
        return None


def is_same_process(number: int, began: float) -> bool:
    """Whether the process of this machine that began then still lives."""
    import psutil

    try:
        begins = started_at(number)
    except psutil.AccessDenied:
        # There is one, and it is somebody else's: what it is cannot be known, so it counts as
        # alive.
        return True
    return begins is not None and abs(begins - began) <= _START_SECONDS


class Life:
    """This process's own lock, from when it is made until `end`. Raises OSError."""

    def __init__(self, directory: Path) -> None:
        self.id = new_id()
        self._path = private_directory(directory) / self.id
        # In a directory that others can write to, a lock could be theirs.
        if (why := open_to_others(directory)) is not None:
            raise PermissionError(errno.EPERM, f"its directory {directory.name} {why}")
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
        # Made anew, and never opened: a file that lies there already is not ours.
        self._file = os.open(self._path, flags, 0o600)
        if not lock_open_file(self._file):
            os.close(self._file)
            raise BlockingIOError(f"{self._path} is locked")

    def end(self) -> None:
        """Let go of the lock."""
        # The name first: between the two somebody could lock a file that is already let go.
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
        # No file is an end in order: whoever ends takes its file away.
        return True
    except OSError:
        # What cannot be looked at is not taken for dead.
        return False
    try:
        # Whoever can take the lock has proved that its owner is gone; nothing is left to a timeout
        # or to a process number that was given out again.
        if not lock_open_file(file):
            return False
        # Windows removes no file that is open.
        if sys.platform != "win32":
            path.unlink(missing_ok=True)
        return True
    finally:
        os.close(file)
