"""Finds what others could have written: the administrator's file is refused, a person's is told."""

from __future__ import annotations

import os
import shlex
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from elicit_tui.config.documents import LARGEST_FILE, Document, parse
from elicit_tui.config.keys import MANAGED
from elicit_tui.config.validating import Diagnostic
from elicit_tui.errors import ManagedConfigError

ROOT: Final = 0
MOST_LINKS: Final = 40
"""As many as Linux follows."""


def read_managed(path: Path, owner: int = ROOT) -> Document | None:
    """The managed document; None when there is no such file.

    Raises ManagedConfigError when it is there and cannot be trusted or read. What is wrong in its
    text is in the document's problems. `owner` is the user id that must own file and directory.
    """
    try:
        # The link itself and not what it leads to.
        status = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _refusal(path, f"cannot be read: {error.strerror}") from None
    why = distrust(status, owner)
    if why is not None:
        raise _refusal(path, why)
    try:
        directory = distrust(path.parent.lstat(), owner)
        if directory is not None:
            raise _refusal(path, f"its directory {directory}")
        # Looked at before, and once more when it is open: in between it could be exchanged.
        raw = _read_checked(path, owner)
    except OSError as error:
        raise _refusal(path, f"cannot be read: {error.strerror}") from None
    return parse(raw, MANAGED, "managed", str(path))


def _read_checked(path: Path, owner: int) -> bytes:
    """The bytes of the very file that is checked: it is opened first, then looked at."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    with os.fdopen(descriptor, "rb") as stream:
        status = os.fstat(stream.fileno())
        why = distrust(status, owner)
        if why is None and not stat.S_ISREG(status.st_mode):
            why = "is not a regular file"
        if why is not None:
            raise _refusal(path, why)
        return stream.read(LARGEST_FILE + 1)


def distrust(status: os.stat_result, owner: int) -> str | None:
    """Why a file or directory could be somebody else's work, or None.

    Windows has neither owner ids nor mode bits; there only links are refused.
    """
    if stat.S_ISLNK(status.st_mode):
        return "is a symbolic link"
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        return "is neither a file nor a directory"
    if sys.platform == "win32":
        # The bit of a reparse point: a link, or a place that leads elsewhere.
        reparse_point = 0x400
        linked = getattr(status, "st_file_attributes", 0) & reparse_point
        return "is a link" if linked else None
    if status.st_uid != owner:
        return "does not belong to root" if owner == ROOT else "does not belong to its owner"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "can be written by its group or by others"
    return None


def exposed(path: Path, *, named: bool) -> tuple[list[Diagnostic], list[str]]:
    """How others could have written a person's file: problems, and what is only told.

    `named`: on the command line; there root may read what another user owns, such as a checkout.
    What is no file, such as the end of a pipe, is not looked at.
    """
    if os.name != "posix" or not path.is_file():
        return [], []
    problems, notices = [], []
    user = os.geteuid()
    file = path.resolve()
    # Whoever writes where the file lies, or where a link on the way to it lies, puts another one
    # there.
    directories = dict.fromkeys((file.parent, *(link.parent.resolve() for link in _links(path))))
    for place in (file, *directories):
        status = place.stat()
        subject = "" if place == file else "its directory "
        shown = shlex.quote(str(place))
        if _everybody_changes(status):
            sentence = f"{subject}can be written by everybody; `chmod o-w {shown}` mends that"
            problems.append(Diagnostic(sentence, None, str(path), None))
        if status.st_uid not in (user, ROOT):
            sentence = f"{subject}belongs to another user; `chown {user} {shown}` mends that"
            problem = Diagnostic(sentence, None, str(path), None)
            if named and user == ROOT:
                notices.append(str(problem))
            else:
                problems.append(problem)
    return problems, notices


def _everybody_changes(status: os.stat_result) -> bool:
    """Whether everybody can write a file, or exchange the files of a directory."""
    # In a directory with the sticky bit everybody writes, and nobody takes another's file away.
    sticky = stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX
    return bool(status.st_mode & stat.S_IWOTH and not sticky)


def _links(path: Path) -> Iterator[Path]:
    """The links that are followed, one after the other, to a file that is there."""
    for _ in range(MOST_LINKS):
        if not path.is_symlink():
            return
        yield path
        path = path.parent / path.readlink()


def _refusal(path: Path, why: str) -> ManagedConfigError:
    return ManagedConfigError([f"managed configuration {path}: {why}"])
