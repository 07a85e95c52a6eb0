"""The calls of agents in the SQLite file of the store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeVar

from elicit_tui.store.calls import BLOBS, PLAIN, KeptCall, MakerState
from elicit_tui.store.sealed_calls import Book, BookChange, MakerSince, Noted, SealedCalls
from elicit_tui.store.sealing import Sealer, Secrets
from elicit_tui.store.sqlite_file import SharedFile

Result = TypeVar("Result")

_FLAGS: Final = ("private", "has_id", "is_left", "attended", "is_task")


class SqliteCalls(SealedCalls):
    """`SealedCalls` in a file that is shared with what waits."""

    def __init__(
        self,
        file: SharedFile,
        process: str,
        secrets: Secrets,
        sealer: Callable[[], Sealer],
        is_dead: Callable[[str], bool],
        now: Callable[[], float],
    ) -> None:
        """`now`: the time of day; `sealer`: seals what is new, in a transaction."""
        super().__init__()
        self._file = file
        self.process = process
        self._secrets = secrets
        self._sealer_now = sealer
        self._is_dead = is_dead
        self._now = now

    def _sealer(self) -> Sealer:
        return self._sealer_now()

    # One machine: a lock tells for certain, so that here nobody is ever `unsure`.
    def _maker(self, call: KeptCall, since: float) -> MakerState:
        return "dead" if self._is_dead(call.process) else "lives"

    async def _change(self, owner: str, work: Callable[[Book, BookChange], Result]) -> Result:
        def carry_out() -> Result:
            rows = self._rows(PLAIN, "owner = ? ORDER BY begun_at, rowid", owner)
            there = {row["id"]: _call(row) for row in rows}
            change = BookChange()
            result = work(Book(owner, self._now(), there, self._maker), change)
            self._put(change.puts)
            for call_id in change.drops:
                self._drop(owner, call_id)
            return result

        return await self._file.write(carry_out)

    def _put(self, puts: Iterable[KeptCall]) -> None:
        for call in puts:
            # A blob that is None was not looked at (`KeptCall`): the column keeps what it has.
            names = [*PLAIN, *(name for name in BLOBS if getattr(call, name) is not None)]
            sets = ", ".join(f"{name} = excluded.{name}" for name in names)
            # What its agent was answered meanwhile is of no use beside the outcome.
            if call.state == "ended":
                sets += ", paused = NULL"
            self._file.do(
                f"INSERT INTO calls ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
                f" ON CONFLICT (owner, id) DO UPDATE SET {sets}",
                *(getattr(call, name) for name in names),
            )

    def _drop(self, owner: str, call_id: str) -> None:
        self._file.do("DELETE FROM call_notes WHERE owner = ? AND id = ?", owner, call_id)
        self._file.do("DELETE FROM calls WHERE owner = ? AND id = ?", owner, call_id)
        # Its blobs are gone from the table, and still in SQLite's log.
        self._file.erased = True

    async def _look(self, owner: str, call_id: str) -> tuple[KeptCall, MakerSince] | None:
        def work() -> KeptCall | None:
            rows = self._rows((*PLAIN, *BLOBS), "owner = ? AND id = ?", owner, call_id)
            return _call(rows[0]) if rows else None

        found = await self._file.read(work)
        return None if found is None else (found, self._maker)

    def _rows(self, columns: Sequence[str], which: str, *values: Any) -> list[Any]:
        return self._file.rows(f"SELECT {', '.join(columns)} FROM calls WHERE {which}", *values)

    async def _put_note(self, owner: str, call_id: str, seal: Callable[[str], bytes]) -> None:
        def work() -> None:
            # What comes after its call was dropped would be dropped by nobody.
            for row in self._rows(["key_id"], "owner = ? AND id = ?", owner, call_id):
                statement = "INSERT INTO call_notes (owner, id, note) VALUES (?, ?, ?)"
                self._file.do(statement, owner, call_id, seal(row["key_id"]))

        await self._file.write(work)

    async def _take_notes(
        self, owner: str, ids: Sequence[str], opened: Callable[[str, str, bytes], Noted]
    ) -> list[Noted]:
        places = f"owner = ? AND id IN ({', '.join('?' * len(ids))})"

        def look() -> list[Any]:
            statement = (
                "SELECT id, key_id, note FROM call_notes JOIN calls USING (owner, id)"
                f" WHERE {places} ORDER BY call_notes.rowid"
            )
            return self._file.rows(statement, owner, *ids)

        def take() -> list[Noted]:
            found = [opened(row["id"], row["key_id"], row["note"]) for row in look()]
            self._file.do(f"DELETE FROM call_notes WHERE {places}", owner, *ids)
            return found

        # Looked at first without a write lock: twice a second there is nearly always nothing.
        return await self._file.write(take) if await self._file.read(look) else []


def _call(row: Any) -> KeptCall:
    values: dict[str, Any] = dict(row)
    flags = {name: bool(values[name]) for name in _FLAGS}
    return KeptCall(**values | flags)
