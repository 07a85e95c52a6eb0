"""SQLite files of ours: made private, opened by several processes at once, their errors in words.

WAL with `synchronous=NORMAL`: what was committed survives the death of the process at any moment
(it is in the kernel's hands), and readers never wait for writers. Only a loss of power could take
the last commits along.
"""

from __future__ import annotations

import random
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import field
from pathlib import Path
from typing import Final

from elicit_tui import paths
from elicit_tui.dataclass import dataclass
from elicit_tui.errors import ElicitTuiError
from elicit_tui.text import neutral_line

BUSY_SECONDS: Final = 2.0
"""How long a write may wait for other processes."""
IMPATIENT_SECONDS: Final = 0.1
"""How long it may wait while the last wait was in vain, so that a stuck lock is paid for once."""
CACHE_KIB: Final = 256
"""What one connection keeps of its file in memory; SQLite's own is 2000."""

_RETRY_SECONDS: Final = (0.001, 0.005)
"""Between these a writer looks again whether it is its turn."""
_CROWDED_SECONDS: Final = 1.0
"""How long after it had to wait a writer lets others go first."""
_IN_USE: Final = "is in use by another program"
_WORDS: Final = (
    ("locked", _IN_USE),
    ("busy", _IN_USE),
    ("disk is full", "has no space left on its disk"),
    ("readonly", "cannot be written"),
    ("malformed", "is damaged"),
    ("disk I/O error", "cannot be written: the disk is full or failing"),
    ("unable to open", "cannot be opened"),
)


@dataclass(frozen=True)
class DatabaseKind:
    """One kind of file: what it is called, how it is known again, and what is raised about it."""

    name: str
    """As in "The ledger PATH is damaged."."""
    application_id: int
    version: int
    schema: str
    """Statements that make an empty file one of this kind."""
    error: type[ElicitTuiError]
    missing: type[ElicitTuiError]
    """There is none yet, and none was to be made."""
    too_new: type[ElicitTuiError]
    in_use: type[ElicitTuiError]
    """Other processes held it for longer than was waited."""
    upgrades: Mapping[int, str] = field(default_factory=dict)
    """By an older version: the statements that make a file of it one of the next version."""

    @contextmanager
    def plain_errors(self, path: Path) -> Iterator[None]:
        """Turns what SQLite and the system raise into one error of one sentence."""
        try:
            with self._in_words(path):
                yield
        except ElicitTuiError as error:
            error.place = neutral_line(str(path))
            raise

    @contextmanager
    def _in_words(self, path: Path) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            reason = str(error)
            if "not a database" in reason:
                complaint = f"is not a {self.name}"
            else:
                complaint = next(
                    (complaint for sign, complaint in _WORDS if sign in reason),
                    f"failed ({reason})",
                )
            kind = self.in_use if complaint == _IN_USE else self.error
            raise kind(f"{self._the(path)} {complaint}.") from error
        except OSError as error:
            why = error.strerror or type(error).__name__
            raise self.error(f"{self._the(path)} failed: {why}.") from error

    def _the(self, path: Path) -> str:
        return f"The {self.name} {neutral_line(str(path))}"

    def connect(
        self,
        path: Path,
        *,
        create: bool,
        any_thread: bool = False,
        patience: float = BUSY_SECONDS,
    ) -> sqlite3.Connection:
        """Open the file at `path`, made private first if it is new.

        `any_thread`: another thread than this one may use the connection, one at a time.
        `patience`: how many seconds a step of it may wait for other processes.
        Raises `missing`, `too_new`, or `error` when it cannot be opened or trusted.
        """
        with self.plain_errors(path):
            try:
                self.make_private(path, create=create)
            except OSError as error:
                why = error.strerror or type(error).__name__
                reason = f"{self._the(path)} cannot be opened: {why}; {paths.ELSEWHERE}."
                raise self.error(reason) from error
            with ExitStack() as given_back:
                connection = sqlite3.connect(
                    path, timeout=0, isolation_level=None, check_same_thread=not any_thread
                )
                given_back.callback(connection.close)
                _patiently(lambda: self._prepare(connection, path), patience)
                wait_at_most(connection, patience)
                given_back.pop_all()
        return connection

    def make_private(self, path: Path, *, create: bool) -> None:
        """A new file is ours alone from its first moment; an old one is checked.

        SQLite gives its `-wal` and `-shm` files the mode of the database.
        """
        if path.parent.is_dir() and (why := paths.open_to_others(path.parent)) is not None:
            folder = neutral_line(str(path.parent))
            raise self.error(f"{self._the(path)} is not used: its directory {folder} {why}.")
        try:
            why = paths.keep_private(path)
        except FileNotFoundError:
            if not create:
                file = neutral_line(str(path))
                raise self.missing(f"There is no {self.name} at {file}.") from None
            try:
                paths.create_private(path).close()
            except FileExistsError:  # another process was faster, or a link that leads nowhere
                why = paths.keep_private(path)
            else:
                return
        if why is not None:
            raise self.error(f"{self._the(path)} {why}.")

    def _prepare(self, connection: sqlite3.Connection, path: Path) -> None:
        """Make it one of this kind, or see that it is one."""
        connection.execute("PRAGMA synchronous = NORMAL")
        # A gateway has a connection for each session, and what it writes it rarely reads again.
        connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        connection.execute("BEGIN")
        with _committed(connection):
            version = self._version(connection, path)
        if version == 0:
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        connection.execute("PRAGMA journal_mode = WAL")
        if version == 0:
            connection.execute("BEGIN IMMEDIATE")
            with _committed(connection):
                if self._version(connection, path) == 0:
                    _execute_all(connection, self.schema)
                    connection.execute(f"PRAGMA application_id = {self.application_id}")
                    connection.execute(f"PRAGMA user_version = {self.version}")
        elif version < self.version:
            self._upgrade(connection, path)

    def _upgrade(self, connection: sqlite3.Connection, path: Path) -> None:
        """Bring a file of an older version to this one, if no other process was faster."""
        connection.execute("BEGIN IMMEDIATE")
        with _committed(connection):
            for version in range(self._version(connection, path), self.version):
                _execute_all(connection, self.upgrades[version])
            connection.execute(f"PRAGMA user_version = {self.version}")

    def _version(self, connection: sqlite3.Connection, path: Path) -> int:
        """The schema's version, 0 for an empty file; raises `error` for what is not ours.

        The caller has begun a transaction: between two looks another process may fill the file.
        """
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        application = int(connection.execute("PRAGMA application_id").fetchone()[0])
        empty = version == 0 and application == 0
        if empty and not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            return 0
        if application != self.application_id:
            shown = neutral_line(str(path))
            raise self.error(f"The file {shown} is another program's database, not a {self.name}.")
        if version > self.version:
            raise self.too_new(f"{self._the(path)} was written by a newer version of elicit-tui.")
        acting = "SELECT 1 FROM sqlite_master WHERE type IN ('trigger', 'view') LIMIT 1"
        if connection.execute(acting).fetchone():
            raise self.error(
                f"{self._the(path)} has a trigger or a view, which elicit-tui never makes; it is"
                " not used."
            )
        return version


def _execute_all(connection: sqlite3.Connection, statements: str) -> None:
    """Execute statements in the transaction that has begun, which `executescript` would end first.

    None of them holds a semicolon of its own.
    """
    for statement in filter(None, map(str.strip, statements.split(";"))):
        connection.execute(statement)


class Writer:
    """Transactions of one connection that no other writer can be in.

    SQLite goes on writing to a file that was removed or replaced, and nobody would ever read what
    it wrote: that is an error here.
    """

    def __init__(
        self,
        kind: DatabaseKind,
        path: Path,
        connection: sqlite3.Connection,
        *,
        patient: bool = True,
    ) -> None:
        """`patient`: wait for others as long as is usual, also the first time."""
        self._kind = kind
        self._path = path
        self._connection = connection
        self._opened = self._on_disk()
        self._impatient = not patient
        self._crowded_until = 0.0

    def _on_disk(self) -> tuple[tuple[int, int] | None, ...]:
        return tuple(_identity(self._path.with_name(self._path.name + end)) for end in ("", "-wal"))

    @contextmanager
    def writing(self, to_disk: bool = False) -> Iterator[None]:
        """One transaction; `to_disk`: a loss of power does not take it back either."""
        with self._kind.plain_errors(self._path), self._transaction(to_disk):
            if self._on_disk() != self._opened:
                raise self._kind.error(
                    f"The {self._kind.name} {neutral_line(str(self._path))} was removed or"
                    " replaced while it was open; nothing more is written to it until elicit-tui"
                    " is started again."
                )
            yield

    @contextmanager
    def _transaction(self, to_disk: bool) -> Iterator[None]:
        if to_disk:
            self._connection.execute("PRAGMA synchronous = FULL")
        try:
            self._begin()
            with _committed(self._connection):
                yield
        finally:
            if to_disk:
                self._connection.execute("PRAGMA synchronous = NORMAL")

    def _begin(self) -> None:
        """Wait for other writers: long the first time, shortly while that was in vain."""
        seconds = IMPATIENT_SECONDS if self._impatient else BUSY_SECONDS
        self._impatient = True
        if time.monotonic() < self._crowded_until:  # Who has just written is awake first.
            time.sleep(random.uniform(*_RETRY_SECONDS))
        wait_at_most(self._connection, 0)
        try:
            if _patiently(lambda: self._connection.execute("BEGIN IMMEDIATE"), seconds):
                self._crowded_until = time.monotonic() + _CROWDED_SECONDS
        finally:
            wait_at_most(self._connection, BUSY_SECONDS)
        self._impatient = False


@contextmanager
def _committed(connection: sqlite3.Connection) -> Iterator[None]:
    """The transaction that has begun: committed at the end, else taken back."""
    try:
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _patiently(work: Callable[[], object], seconds: float) -> bool:
    """Do it once no other process is in the way; raises sqlite3.OperationalError after `seconds`.

    Says whether it had to wait.

    SQLite's own wait is not fair: it looks ever more seldom, so that among many writers whoever
    has waited longest loses to whoever comes.
    """
    give_up = time.monotonic() + seconds
    waited = False
    while True:
        try:
            work()
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > give_up:
                raise
            time.sleep(random.uniform(*_RETRY_SECONDS))
            waited = True
        else:
            return waited


def wait_at_most(connection: sqlite3.Connection, seconds: float) -> None:
    """How long SQLite itself waits for other processes in its next steps."""
    connection.execute(f"PRAGMA busy_timeout = {round(seconds * 1000)}")


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.lstat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
