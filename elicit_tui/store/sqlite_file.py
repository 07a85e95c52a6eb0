"""One SQLite file as processes share it: its transactions, and the sight of a change.

All work is done on one thread of its own, so that a file that is slow or locked never holds the
event loop up. Only the look for a change is not: it reads a few bytes of shared memory.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final, TypeVar

from elicit_tui.database import BUSY_SECONDS, Writer, wait_at_most
from elicit_tui.errors import StoreError
from elicit_tui.store.sqlite_tables import FILE

Result = TypeVar("Result")

_CHECKPOINT_SECONDS: Final = 0.1
"""How long the log of SQLite waits for readers before it is cut; it is tried again later."""


class SharedFile:
    """The file at `path`; everything raises StoreError when it cannot be done."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.erased = False
        """Whether something was erased that may still stand in SQLite's log."""
        self._thread = ThreadPoolExecutor(1, "elicit-tui-store")
        self._closed = False
        self._given_back = ExitStack()
        self._connection: sqlite3.Connection
        self._watcher: sqlite3.Connection
        self._writer: Writer

    # On the thread

    def open(self, create: bool) -> None:
        """Open it; StoreMissing when there is none and it shall not be made."""
        self._connection = FILE.connect(self.path, create=create, any_thread=True)
        self._given_back.callback(self._connection.close)
        with FILE.plain_errors(self.path):
            self._connection.row_factory = sqlite3.Row
            # What is deleted is overwritten with zeros, so that no answer is left in free pages.
            self._connection.execute("PRAGMA secure_delete = ON")
            # Sorting may put rows into a temporary file, which nobody would erase.
            self._connection.execute("PRAGMA temp_store = MEMORY")
            self._writer = Writer(FILE, self.path, self._connection)
            # Its own connection, as `data_version` tells of the writes of all others, ours
            # included. With no patience it is never in anybody's way.
            self._watcher = sqlite3.connect(
                self.path, timeout=0, isolation_level=None, check_same_thread=False
            )
            self._given_back.callback(self._watcher.close)

    def write_now(self, work: Callable[[], Result]) -> Result:
        """Do it in one transaction that no other writer can be in."""
        with self._writer.writing():
            result = work()
        if self.erased:
            self.truncate()
        return result

    def read_now(self, work: Callable[[], Result]) -> Result:
        """Do it with one unchanging sight of the file."""
        with FILE.plain_errors(self.path):
            # A read that is one transaction sees one state of the file, whoever writes meanwhile.
            self._connection.execute("BEGIN")
            try:
                return work()
            finally:
                self._connection.execute("COMMIT")

    def do(self, statement: str, *values: Any) -> int:
        """Change something; how many rows that were."""
        return self._connection.execute(statement, values).rowcount

    def rows(self, statement: str, *values: Any) -> list[Any]:
        """What a query finds."""
        return self._connection.execute(statement, values).fetchall()

    def next_number(self) -> int:
        """The number of the change that this transaction makes."""
        self.do("UPDATE counter SET number = number + 1")
        return self.number()

    def number(self) -> int:
        """The number of the last change."""
        return int(self.rows("SELECT number FROM counter")[0][0])

    def truncate(self) -> None:
        """Take what was erased out of SQLite's log too; a reader may put that off until later."""
        with FILE.plain_errors(self.path):
            wait_at_most(self._connection, _CHECKPOINT_SECONDS)
            try:
                # The first column says whether somebody was still reading: then the log stays as it
                # is.
                self.erased = bool(self.rows("PRAGMA wal_checkpoint(TRUNCATE)")[0][0])
            finally:
                wait_at_most(self._connection, BUSY_SECONDS)

    # On the event loop

    async def run(self, work: Callable[[], Result]) -> Result:
        """Do it on the thread. It goes on to its end when the caller is cancelled."""
        if self._closed:
            raise StoreError("The store is closed.")
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def write(self, work: Callable[[], Result]) -> Result:
        """`write_now` on the thread."""
        return await self.run(lambda: self.write_now(work))

    async def read(self, work: Callable[[], Result]) -> Result:
        """`read_now` on the thread."""
        return await self.run(lambda: self.read_now(work))

    def version(self) -> int:
        """SQLite's number of the file's state; another one means that somebody wrote."""
        if self._closed:
            raise StoreError("The store is closed.")
        with FILE.plain_errors(self.path):
            return int(self._watcher.execute("PRAGMA data_version").fetchone()[0])

    async def close(self, last: Callable[[], None]) -> None:
        """Do one last thing and give the file back; later calls do nothing."""
        if self._closed:
            return
        self._closed = True

        def work() -> None:
            try:
                # The last work and the end of the connections are one job of the thread: nothing
                # comes between.
                last()
            finally:
                self._given_back.close()

        await asyncio.get_running_loop().run_in_executor(self._thread, work)
        self._thread.shutdown(wait=False)

    def abandon(self) -> None:
        """Let go of what there is of a file that could not be opened."""
        self._closed = True
        # On the thread that opened it, and waited for here: there is no event loop to return to.
        self._thread.submit(self._given_back.close).result()
        self._thread.shutdown(wait=False)
