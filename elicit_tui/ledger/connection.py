"""The ledger's file: made private, opened for several processes at once, its errors in words.

WAL with `synchronous=NORMAL`: a committed record survives the death of the process at any moment
(it is in the kernel's hands), and readers never wait for writers. Only a loss of power could take
the last records along; so an accept, which is rare and what matters most, is committed with
`synchronous=FULL` and is on the disk before it is sent, with everything recorded before it.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from elicit_tui import paths
from elicit_tui.errors import LedgerError
from elicit_tui.text import neutral_line

SCHEMA_VERSION: Final = 1
APPLICATION_ID: Final = 0x656C6974  # "elit", so that `file` and we know a ledger when we see one
BUSY_SECONDS: Final = 2.0
"""How long a write may wait for other processes."""
IMPATIENT_SECONDS: Final = 0.1
"""How long it may wait while the last wait was in vain, so that a stuck lock is paid for once."""

_RETRY_SECONDS: Final = 0.01
_SCHEMA: Final = f"""
CREATE TABLE records (
    number INTEGER PRIMARY KEY,
    event TEXT NOT NULL,
    question TEXT NOT NULL,
    time TEXT NOT NULL,
    body TEXT NOT NULL,
    hash TEXT NOT NULL
);
CREATE INDEX records_by_question ON records (question, number, event, time);
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {SCHEMA_VERSION};
"""

_WORDS: Final = (
    ("locked", "is in use by another program"),
    ("busy", "is in use by another program"),
    ("disk is full", "has no space left on its disk"),
    ("readonly", "cannot be written"),
    ("not a database", "is not a ledger"),
    ("malformed", "is damaged"),
    ("disk I/O error", "cannot be written: the disk is full or failing"),
    ("unable to open", "cannot be opened"),
)


class LedgerMissing(LedgerError):
    """There is no ledger yet, and none was to be made."""


@contextmanager
def plain_errors(path: Path) -> Iterator[None]:
    """Turns what SQLite and the system raise into a LedgerError of one sentence."""
    try:
        yield
    except sqlite3.Error as error:
        said = str(error)
        words = next((words for sign, words in _WORDS if sign in said), f"failed ({said})")
        raise LedgerError(f"The ledger {neutral_line(str(path))} {words}.") from error
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise LedgerError(f"The ledger {neutral_line(str(path))} failed: {why}.") from error


def connect(path: Path, *, create: bool) -> sqlite3.Connection:
    """Open the ledger at `path`, made private first if it is new.

    Raises:
        LedgerMissing: there is none and `create` is false.
        LedgerError: it cannot be opened or trusted, or a newer elicit-tui wrote it.
    """
    with plain_errors(path):
        _make_private(path, create=create)
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            _prepare(connection, path)
        except BaseException:
            connection.close()
            raise
    return connection


def _make_private(path: Path, *, create: bool) -> None:
    """A new file is ours alone from its first moment; an old one is checked.

    SQLite gives its `-wal` and `-shm` files the mode of the database.
    """
    try:
        status = path.lstat()
    except FileNotFoundError:
        if not create:
            raise LedgerMissing(f"There is no ledger at {neutral_line(str(path))}.") from None
        try:
            paths.create_private(path).close()
        except FileExistsError:  # another process was faster, or a link that leads nowhere
            status = path.lstat()
        else:
            return
    shown = neutral_line(str(path))
    if stat.S_ISLNK(status.st_mode):
        raise LedgerError(f"The ledger {shown} is a symbolic link; it is not followed.")
    if not stat.S_ISREG(status.st_mode):
        raise LedgerError(f"The ledger {shown} is not a file.")
    if os.name == "posix":
        if status.st_uid != os.geteuid() != 0:
            raise LedgerError(f"The ledger {shown} belongs to another user.")
        if stat.S_IMODE(status.st_mode) & 0o077:
            path.chmod(0o600)


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("PRAGMA synchronous = NORMAL")
    version = _version(connection, path)
    if version == 0:
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    _use_write_ahead_log(connection)
    if version == 0:
        connection.execute("BEGIN IMMEDIATE")
        try:
            if _version(connection, path) == 0:
                for statement in filter(None, map(str.strip, _SCHEMA.split(";"))):
                    connection.execute(statement)
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise


def _version(connection: sqlite3.Connection, path: Path) -> int:
    """The schema's version, 0 for an empty file; raises LedgerError for what is not ours."""
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    application = int(connection.execute("PRAGMA application_id").fetchone()[0])
    shown = neutral_line(str(path))
    if version == 0 and application == 0:
        if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            raise LedgerError(f"The file {shown} is another program's database, not a ledger.")
        return 0
    if application != APPLICATION_ID:
        raise LedgerError(f"The file {shown} is another program's database, not a ledger.")
    if version > SCHEMA_VERSION:
        raise LedgerError(f"The ledger {shown} was written by a newer version of elicit-tui.")
    return version


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Switch to WAL; SQLite does not wait by itself while another process does the same."""
    give_up = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > give_up:
                raise
            time.sleep(_RETRY_SECONDS)
        else:
            return
