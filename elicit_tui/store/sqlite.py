"""The store in one SQLite file, shared by every process of its person.

A change is noticed by `PRAGMA data_version` while somebody waits; a lock on a file shows that its
owner died. No SQL of it stands outside this module and the others with its
name.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import fields
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from elicit_tui.elicitation import now
from elicit_tui.errors import StoreError
from elicit_tui.store import transitions
from elicit_tui.store.living import PRESENCE_SECONDS, Life, is_over, machine_id
from elicit_tui.store.nouns import whole
from elicit_tui.store.sealed_questions import Creation, SealedQuestions, Transition
from elicit_tui.store.sealing import Sealer, Secrets
from elicit_tui.store.sqlite_calls import SqliteCalls
from elicit_tui.store.sqlite_file import SharedFile
from elicit_tui.store.sqlite_tables import FILE, PRESENT
from elicit_tui.store.store import (
    Asker,
    AskingProcess,
    Changes,
    Grant,
    Role,
    Waiting,
)
from elicit_tui.store.transitions import KEPT_SECONDS, State, StoredQuestion

_Self = TypeVar("_Self", bound="SqliteStore")

POLL_SECONDS: Final = 0.05
"""How often a waiting process looks whether the file changed: about 0.1 % of a core."""
SWEEP_SECONDS: Final = 1.0
"""How often it looks whether another process died or a lease ran out."""
_COLUMNS: Final = tuple(part.name for part in fields(StoredQuestion))


class SqliteStore(SealedQuestions):
    """A `Store` in the file at `path`; the key and the processes' locks stand beside it."""

    tokens = None

    def __init__(
        self, path: Path, role: Role, secret: bytes | None, clock: Callable[[], datetime]
    ) -> None:
        self._role = role
        self._clock = clock
        self._secrets = Secrets(path.with_suffix(".key"), secret)
        self._file = SharedFile(path)
        self._lives = path.with_suffix(".lives")
        self._life: Life
        self.calls: SqliteCalls

    @classmethod
    async def open(
        cls: type[_Self],
        path: Path,
        role: Role,
        *,
        secret: bytes | None = None,
        create: bool = True,
        clock: Callable[[], datetime] = now,
    ) -> _Self:
        """The store at `path`; a new one is 0600, its new folders 0700.

        Args:
            path: the file; a symbolic link is refused.
            role: whether this process asks, or a person answers in it.
            secret: what seals, 32 bytes or more; None: the key file beside the store.
            create: make it when there is none; else StoreMissing is raised.
            clock: the time of day, with its zone.
        """
        store = cls(path, role, secret, clock)
        # What was opened of it is given back if the rest fails, and kept if nothing does.
        with ExitStack() as given_back:
            given_back.callback(store._file.abandon)
            await store._file.run(lambda: store._open(create))
            given_back.pop_all()
        return store

    def _open(self, create: bool) -> None:
        self._file.open(create)
        with FILE.plain_errors(self._lives):
            self._life = Life(self._lives)
        with ExitStack() as given_back:
            given_back.callback(self._life.end)
            # The lock is held already: whoever sweeps takes nobody for dead who has a row here.
            self._file.write_now(lambda: self._beat(None))
            self._sweep()
            given_back.pop_all()
        self.calls = SqliteCalls(
            self._file, self._life.id, self._secrets, self._sealer, self._is_dead, self._now
        )

    async def close(self) -> None:
        """Give everything back; the sessions of this process end."""
        await self._file.close(self._close)

    def _close(self) -> None:
        try:
            self._file.write_now(lambda: self._end_process(self._life.id))
        except StoreError:
            pass  # Others see from the lock that this process is gone.
        finally:
            self._life.end()

    @property
    def _life_id(self) -> str:
        return self._life.id

    def _now(self) -> float:
        return self._clock().timestamp()

    # Questions

    def _sealer(self) -> Sealer:
        return self._secrets.sealer(self._something_is_sealed)

    def _something_is_sealed(self) -> bool:
        # Decides whether a new key may be made: with one, what was sealed with the lost key could
        # never be read again (`Secrets.sealer`).
        sealed = (
            "SELECT 1 FROM questions WHERE asked IS NOT NULL UNION ALL SELECT 1 FROM calls"
            " WHERE coalesce(paused, outcome) IS NOT NULL AND read_at IS NULL LIMIT 1"
        )
        return bool(self._file.rows(sealed))

    async def _create(self, session: str, question_id: str, make: Creation) -> StoredQuestion:
        def work() -> StoredQuestion:
            there = self._record(question_id)
            record = make(there, self._now())
            if there is not None:
                return record
            # A process that was taken for dead may still put a question; its session is gone, and
            # nobody would end it.
            if not self._file.rows("SELECT 1 FROM sessions WHERE session = ?", session):
                raise StoreError("The session that asks has ended.")
            number = self._file.next_number()
            columns = {name: getattr(record, name) for name in _COLUMNS}
            self._insert("questions", columns | {"number": number, "changed": number})
            return record

        return await self._file.write(work)

    async def _change(self, question_id: str, transition: Transition) -> StoredQuestion | None:
        def work() -> StoredQuestion | None:
            record = self._record(question_id)
            return None if record is None else self._carry_out(record, transition)

        return await self._file.write(work)

    def _carry_out(self, record: StoredQuestion, transition: Transition) -> StoredQuestion:
        """Make a question what a transition makes of it; in a transaction."""
        after = transition(record, self._now())
        # Only what became different is written: a row that is equal afterwards makes no change, and
        # wakes nobody.
        columns = {
            name: value
            for name in _COLUMNS
            if (value := getattr(after, name)) != getattr(record, name)
        }
        if columns:
            # The number goes up with each change of any question, so that `changes` can ask for
            # what came after the last one it has seen.
            columns["changed"] = self._file.next_number()
            assignments = ", ".join(f"{name} = ?" for name in columns)
            statement = f"UPDATE questions SET {assignments} WHERE id = ?"
            self._file.do(statement, *columns.values(), record.id)
            # What was asked and answered is gone from the row, and still stands in the journal of
            # the file. The next sweep empties that.
            self._file.erased = self._file.erased or after.state == "settled"
        return after

    def _carry_out_on_all(self, transition: Transition, which: str, *values: Any) -> None:
        """Do it with each question that matches; in a transaction."""
        for record in self._records(which, *values):
            self._carry_out(record, transition)

    async def _read(self, question_id: str) -> StoredQuestion | None:
        return await self._file.read(lambda: self._record(question_id))

    def _record(self, question_id: str) -> StoredQuestion | None:
        return next(iter(self._records("id = ?", question_id)), None)

    def _records(self, which: str, *values: Any) -> tuple[StoredQuestion, ...]:
        columns = ", ".join(_COLUMNS)
        rows = self._file.rows(f"SELECT {columns} FROM questions WHERE {which}", *values)
        return tuple(_question(dict(row), self._now()) for row in rows)

    async def waiting(self) -> tuple[Waiting, ...]:
        """All questions that are not settled, oldest first."""
        which = "state <> 'settled' ORDER BY number"
        return await self._file.read(lambda: tuple(map(self._waiting, self._records(which))))

    async def changes(self, since: int = 0, wait_sec: float = 0) -> Changes:
        """What changed after the number `since`."""
        give_up = time.monotonic() + wait_sec
        swept = time.monotonic()
        while True:
            # The version before the look: what changes while it looks then makes the wait below end
            # at once.
            version = self._file.version()
            changes = await self._file.read(lambda: self._changes(since))
            if changes.waiting or time.monotonic() >= give_up:
                return changes
            # A number that another process changed ends this wait; our own writes count too, as the
            # watcher has a connection of its own.
            while self._file.version() == version and time.monotonic() < give_up:
                await asyncio.sleep(POLL_SECONDS)
                if time.monotonic() - swept >= SWEEP_SECONDS:
                    await self._file.run(self._sweep)
                    swept = time.monotonic()

    def _changes(self, since: int) -> Changes:
        records = self._records("changed > ? ORDER BY changed", since)
        return Changes(self._file.number(), tuple(map(self._waiting, records)))

    # Sessions and processes

    async def begin(self, asker: Asker) -> None:
        """Begin a session in this process."""
        await self._file.write(
            lambda: self._file.do(
                "INSERT OR IGNORE INTO sessions VALUES (?, ?, ?)",
                asker.session,
                self._life.id,
                asker.agent,
            )
        )

    async def end(self, session: str) -> None:
        """End a session."""
        await self._file.write(lambda: self._end_session(session))

    async def heartbeat(self, last_key: datetime | None = None) -> None:
        """Say that this process lives, and end what dead ones left."""
        await self._file.write(lambda: self._beat(last_key))
        await self._file.run(self._sweep)

    def _beat(self, last_key: datetime | None) -> None:
        self._file.do(
            # A process that was taken for dead, and its row with it, puts itself in again.
            "INSERT OR IGNORE INTO processes (life, pid, role, seen_at, machine)"
            " VALUES (?, ?, ?, ?, ?)",
            self._life.id,
            os.getpid(),
            self._role,
            self._now(),
            machine_id(),
        )
        self._file.do(
            "UPDATE processes SET seen_at = ?, last_key_at = coalesce(?, last_key_at)"
            " WHERE life = ?",
            self._now(),
            None if last_key is None else last_key.timestamp(),
            self._life.id,
        )

    async def somebody_is_there(self) -> bool:
        """Whether a key was pressed in a living console or inbox within ten minutes."""
        since = self._now() - PRESENCE_SECONDS

        def work() -> bool:
            # A life without its lock is a process that died: its last key means nobody is there.
            return any(not self._is_dead(life) for (life,) in self._file.rows(PRESENT, since))

        return await self._file.read(work)

    async def asking_processes(self) -> tuple[AskingProcess, ...]:
        """The living processes that ask, of both roles."""

        def work() -> tuple[AskingProcess, ...]:
            rows = self._file.rows(
                "SELECT life, pid, role, machine FROM processes WHERE role <> 'answerer'"
            )
            return tuple(
                AskingProcess(pid, role, machine)
                for life, pid, role, machine in rows
                if not self._is_dead(life)
            )

        return await self._file.read(work)

    # How things end; all but `_sweep` in a transaction

    def _end_session(self, session: str) -> None:
        self._carry_out_on_all(transitions.abandon, "session = ?", session)
        self._file.do("DELETE FROM grants WHERE session = ?", session)
        self._file.do("DELETE FROM sessions WHERE session = ?", session)

    def _end_process(self, life: str) -> None:
        """End the sessions of a process, and open again what it had claimed."""
        for (session,) in self._file.rows("SELECT session FROM sessions WHERE life = ?", life):
            self._end_session(session)
        # What the process had claimed is a question of another session, which lives on.
        let_go = partial(_released_by, life)
        self._carry_out_on_all(let_go, "state = 'claimed' AND holder_life = ?", life)
        self._file.do("DELETE FROM processes WHERE life = ?", life)

    def _is_dead(self, life: str) -> bool:
        """Whether another process has ended, however it did."""
        return life != self._life.id and is_over(self._lives, life)

    def _sweep(self) -> None:
        """End what dead processes left, leases that ran out, and what was kept long enough."""
        over, late = self._file.read_now(self._what_is_over)
        # Looked for without a write lock, as nearly every look finds nothing. It does no harm that
        # another process may have ended by now what was found.
        if over or late:
            self._file.write_now(lambda: self._end_what_is_over(over))
        if self._file.erased:
            self._file.truncate()

    def _what_is_over(self) -> tuple[list[str], bool]:
        lives = [life for (life,) in self._file.rows("SELECT life FROM processes")]
        late = self._file.rows(
            "SELECT 1 FROM questions WHERE state = 'claimed' AND lease_ends_at <= ?1"
            " UNION ALL SELECT 1 FROM questions WHERE settled_at <= ?2 LIMIT 1",
            self._now(),
            self._now() - KEPT_SECONDS,
        )
        return [life for life in lives if self._is_dead(life)], bool(late)

    def _end_what_is_over(self, over: list[str]) -> None:
        for life in over:
            self._end_process(life)
        self._carry_out_on_all(transitions.lapse, "state = 'claimed'")
        self._file.do("DELETE FROM questions WHERE settled_at <= ?", self._now() - KEPT_SECONDS)

    # Grants

    async def grant(self, grant: Grant) -> None:
        """Remember that a tool is allowed for a session that lives."""

        def work() -> None:
            if not self._file.rows("SELECT 1 FROM sessions WHERE session = ?", grant.session):
                raise StoreError("The session that it was allowed for has ended.")
            self._file.do(
                "INSERT OR IGNORE INTO grants VALUES (?, ?, ?, ?, ?, ?)",
                grant.session,
                grant.server,
                grant.tool,
                grant.process,
                grant.definition,
                self._now(),
            )

        await self._file.write(work)

    async def grants(self, session: str | None = None) -> tuple[Grant, ...]:
        """What is allowed, oldest first."""

        def work() -> tuple[Grant, ...]:
            rows = self._file.rows(
                "SELECT grants.*, agent FROM grants JOIN sessions USING (session)"
                " WHERE coalesce(?1, session) = session ORDER BY granted_at, server, tool",
                session,
            )
            return tuple(
                Grant(
                    session=row["session"],
                    server=row["server"],
                    tool=row["tool"],
                    process=row["process"],
                    definition=row["definition"],
                    agent=row["agent"],
                    granted_at=self._moment(row["granted_at"]),
                )
                for row in rows
            )

        return await self._file.read(work)

    async def revoke(
        self, server: str | None = None, tool: str | None = None, session: str | None = None
    ) -> int:
        """Take back what matches each of these that is given."""

        def work() -> int:
            # `coalesce(?, column) = column` is true for whatever is not given.
            return self._file.do(
                "DELETE FROM grants WHERE coalesce(?1, server) = server"
                " AND coalesce(?2, tool) = tool AND coalesce(?3, session) = session",
                server,
                tool,
                session,
            )

        return await self._file.write(work)

    def _insert(self, table: str, columns: dict[str, Any]) -> None:
        marks = ", ".join("?" * len(columns))
        self._file.do(
            f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", *columns.values()
        )


def _question(values: dict[str, Any], now: float) -> StoredQuestion:
    """The question in a row. One with a value of no kind of ours hides none of the others.

    It is one that cannot be read, as what is sealed in it does not open, and can be ended.
    """
    state: State = "settled" if values["state"] == "settled" else "open"
    found = whole(StoredQuestion, **values)
    return found or StoredQuestion(
        id=str(values["id"]),
        session=str(values["session"]),
        attempt=0,
        digest="",
        kind="elicitation",
        agent=None,
        server=str(values["server"]),
        tool=None,
        put_at=now,
        deadline=None,
        key_id=str(values["key_id"]),
        asked=b"",
        state=state,
    )


def _released_by(life: str, record: StoredQuestion, now: float) -> StoredQuestion:
    return transitions.release(record, life)
