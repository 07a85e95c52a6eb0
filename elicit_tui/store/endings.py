"""How questions, claims, sessions and processes end in the store's file; content goes at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from elicit_tui.store.life import Life, is_over
from elicit_tui.store.shared_file import SharedFile
from elicit_tui.store.store import KEPT_SECONDS


class Endings:
    """The ends, each to be called on the file's thread; all but `sweep` in a transaction."""

    def __init__(
        self, file: SharedFile, lives: Path, own: Callable[[], Life], now: Callable[[], float]
    ) -> None:
        self._file = file
        self._lives = lives
        self._own = own
        self._now = now

    def settle(
        self, which: str, values: Iterable[Any], action: str | None, decided_by: str | None
    ) -> None:
        """End the questions that match; who answered is kept for those who were slower."""
        changed = self._file.do(
            "UPDATE questions SET state = 'settled', action = ?, decided_by = ?, settled_at = ?,"
            " changed = ?, holder_life = NULL, lease_ends_at = NULL,"
            f" asked = NULL, draft = NULL, holder = NULL, answer = NULL WHERE {which}",
            action,
            decided_by,
            self._now(),
            self._file.next_number(),
            *values,
        )
        self._file.erased = self._file.erased or changed > 0

    def free(self, which: str, *values: Any) -> None:
        """Open claimed questions that match again, with what was typed."""
        self._file.do(
            "UPDATE questions SET state = 'open', changed = ?, holder = NULL, holder_life = NULL,"
            f" lease_ends_at = NULL WHERE state = 'claimed' AND {which}",
            self._file.next_number(),
            *values,
        )

    def session(self, session: str) -> None:
        """End what waits of a session, and erase its grants."""
        without_end = "session = ? AND (state <> 'settled' OR decided_by IS NULL)"
        self.settle(without_end, [session], None, "store")
        self._file.do("DELETE FROM grants WHERE session = ?", session)
        self._file.do("DELETE FROM sessions WHERE session = ?", session)

    def process(self, life: str) -> None:
        """End the sessions of a process, and open again what it had claimed."""
        for (session,) in self._file.rows("SELECT session FROM sessions WHERE life = ?", life):
            self.session(session)
        self.free("holder_life = ?", life)
        self._file.do("DELETE FROM processes WHERE life = ?", life)

    def is_dead(self, life: str) -> bool:
        """Whether another process has ended, however it did."""
        return life != self._own().id and is_over(self._lives, life)

    def sweep(self) -> None:
        """End what dead processes left, leases that ran out, and what was kept long enough."""
        over, late = self._file.read_now(self._what_is_over)
        if over or late:
            self._file.write_now(lambda: self._end(over))
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
        return [life for life in lives if self.is_dead(life)], bool(late)

    def _end(self, over: list[str]) -> None:
        for life in over:
            self.process(life)
        self.free("lease_ends_at <= ?", self._now())
        self._file.do(
            "DELETE FROM questions WHERE settled_at <= ?",
            self._now() - KEPT_SECONDS,
        )
