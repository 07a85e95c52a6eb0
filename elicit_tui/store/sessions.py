"""Processes, sessions and grants in the store's file: who is there, and what ends with whom."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from elicit_tui.elicitation import now
from elicit_tui.errors import StoreError
from elicit_tui.store.endings import Endings
from elicit_tui.store.file import FILE, moment, seconds
from elicit_tui.store.life import Life
from elicit_tui.store.secret import Secrets
from elicit_tui.store.shared_file import SharedFile
from elicit_tui.store.store import PRESENCE_SECONDS, Asker, AskingProcess, Grant, Role

_Self = TypeVar("_Self", bound="SqliteSessions")


class SqliteSessions:
    """This process in the store's file, the sessions in it, and what was allowed for them."""

    def __init__(
        self, path: Path, role: Role, secret: bytes | None, clock: Callable[[], datetime]
    ) -> None:
        self._role = role
        self._clock = clock
        self._secrets = Secrets(path.with_suffix(".key"), secret)
        self._file = SharedFile(path)
        self._lives = path.with_suffix(".lives")
        self._life: Life
        self._endings = Endings(self._file, self._lives, lambda: self._life, self._now)

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
            self._file.write_now(lambda: self._beat(None))
            self._endings.sweep()
            given_back.pop_all()

    async def close(self) -> None:
        """Give everything back; the sessions of this process end."""
        await self._file.close(self._close)

    def _close(self) -> None:
        try:
            self._file.write_now(lambda: self._endings.process(self._life.id))
        except StoreError:
            pass  # Others see from the lock that this process is gone.
        finally:
            self._life.end()

    def _now(self) -> float:
        return self._clock().timestamp()

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
        await self._file.write(lambda: self._endings.session(session))

    async def heartbeat(self, last_key: datetime | None = None) -> None:
        """Say that this process lives, and end what dead ones left."""
        await self._file.write(lambda: self._beat(last_key))
        await self._file.run(self._endings.sweep)

    def _beat(self, last_key: datetime | None) -> None:
        self._file.do(
            "INSERT OR IGNORE INTO processes VALUES (?, ?, ?, ?, NULL)",
            self._life.id,
            os.getpid(),
            self._role,
            self._now(),
        )
        self._file.do(
            "UPDATE processes SET seen_at = ?, last_key_at = coalesce(?, last_key_at)"
            " WHERE life = ?",
            self._now(),
            seconds(last_key),
            self._life.id,
        )

    async def somebody_is_there(self) -> bool:
        """Whether a key was pressed in a living console or inbox within ten minutes."""
        since = self._now() - PRESENCE_SECONDS

        def work() -> bool:
            there = self._file.rows(
                "SELECT life FROM processes WHERE role = 'answerer' AND last_key_at >= ?", since
            )
            return any(not self._endings.is_dead(life) for (life,) in there)

        return await self._file.read(work)

    async def asking_processes(self) -> tuple[AskingProcess, ...]:
        """The living processes that ask, of both roles."""

        def work() -> tuple[AskingProcess, ...]:
            rows = self._file.rows("SELECT life, pid, role FROM processes WHERE role <> 'answerer'")
            return tuple(
                AskingProcess(pid, role)
                for life, pid, role in rows
                if not self._endings.is_dead(life)
            )

        return await self._file.read(work)

    # Grants

    async def grant(self, grant: Grant) -> None:
        """Remember that a tool is allowed for a session that lives."""

        def work() -> None:
            if not self._file.rows("SELECT 1 FROM sessions WHERE session = ?", grant.session):
                raise StoreError("The session that it was allowed for has ended.")
            self._file.next_number()
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
                    granted_at=moment(row["granted_at"]),
                )
                for row in rows
            )

        return await self._file.read(work)

    async def revoke(
        self, server: str | None = None, tool: str | None = None, session: str | None = None
    ) -> int:
        """Take back what matches each of these that is given."""

        def work() -> int:
            self._file.next_number()
            return self._file.do(
                "DELETE FROM grants WHERE coalesce(?1, server) = server"
                " AND coalesce(?2, tool) = tool AND coalesce(?3, session) = session",
                server,
                tool,
                session,
            )

        return await self._file.write(work)
