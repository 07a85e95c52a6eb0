"""The ledger's public face: events in, rows out, the chain walked and pruned."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from elicit_tui.database import BUSY_SECONDS, IMPATIENT_SECONDS, Writer
from elicit_tui.elicitation import ElicitationRequest, Outcome, Review, new_id, now, rfc3339
from elicit_tui.elicitation.settings import ContentPolicy
from elicit_tui.errors import LedgerError, LedgerInUse
from elicit_tui.ledger import bodies
from elicit_tui.ledger.chain import (
    BEGINNING,
    FILE,
    Head,
    LastRecord,
    Verification,
    chained,
    compact,
    holds,
    walk,
)
from elicit_tui.ledger.late import LateRecord, LateRecords, SingleRecords
from elicit_tui.text import neutral_line

if TYPE_CHECKING:
    from elicit_tui.ledger.rows import Row


class Pruned(NamedTuple):
    """What a prune removed."""

    records: int
    through: int | None
    """The number of the last record removed; None when there was nothing to remove."""
    kept_by: tuple[str, ...] = ()
    """The questions without an outcome that kept older records, oldest first."""


class Ledger(SingleRecords):
    """One process's connection to the ledger; to be used from the thread that opened it.

    Every method raises LedgerError, of one plain sentence, when the ledger cannot do it.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: Path,
        content: ContentPolicy = "redacted",
        clock: Callable[[], datetime] = now,
        patient: bool = True,
    ) -> None:
        self._connection = connection
        self._path = path
        self._writer = Writer(FILE, path, connection, patient=patient)
        self._content: ContentPolicy = content
        self._clock = clock
        self._head = Head(path)
        self._late = LateRecords(path, content)
        self._reviews: dict[str, Review] = {}

    @classmethod
    def open(
        cls,
        path: Path,
        content: ContentPolicy = "redacted",
        create: bool = True,
        clock: Callable[[], datetime] = now,
        patient: bool = True,
    ) -> Ledger:
        """The ledger at `path`; a new one is 0600, its new folders 0700.

        Args:
            path: the file; a symbolic link is refused.
            content: what is kept of accepted answers (`history.content`).
            create: make it when there is none; else LedgerMissing is raised.
            clock: the time of day, with its zone.
            patient: wait for other processes as long as is usual, else hardly at all.

        Raises LedgerInUse where they hold it for longer.
        """
        patience = BUSY_SECONDS if patient else IMPATIENT_SECONDS
        connection = FILE.connect(path, create=create, patience=patience)
        return cls(connection, path, content, clock, patient)

    @property
    def path(self) -> Path:
        """The ledger's file."""
        return self._path

    def close(self) -> None:
        """Give the file back; the object is of no use afterwards."""
        with FILE.plain_errors(self._path):
            self._connection.close()

    # Writing

    @contextmanager
    def _recording(self, to_disk: bool = False) -> Iterator[None]:
        """One transaction; the record that it ends with is kept beside the ledger too.

        It begins with what others had to leave beside the ledger.
        """
        with self._writer.writing(to_disk):
            # What stood there before this transaction, to know whether it wrote anything.
            before = self._tail()
            kept = self._head.read()
            # The head is of more records than there are: it is left as it is, and told by `verify`.
            is_shorter = kept is not None and not holds(self._connection, kept)
            # In the same transaction as what is written now, and before it: in order of time.
            left = dict(self._late.read())
            for late in left.values():
                self._take_in(late)
            yield
            last = self._tail()
        # Only now that they are committed.
        self._late.forget(left)
        if last != before and not is_shorter:
            self._head.keep(last)

    def _take_in(self, late: LateRecord) -> None:
        """Write what was left beside the ledger, once."""
        # By its time too: a question may have two ends, such as an accept that its server took back
        # before it left. What was asked stands there once.
        known = set(
            self._connection.execute(
                "SELECT event, CASE event WHEN 'asked' THEN ?2 ELSE time END FROM records"
                " WHERE question = ?1",
                (late.question, late.at),
            )
        )
        for event, body in late.records.items():
            if (event, late.at) not in known:
                self._append(event, late.question, body, late.at)

    def _take_in_all(self) -> None:
        """Before anybody reads, write what was left beside the ledger, if that can be now."""
        if self._late.waits:
            with suppress(LedgerError), self._recording():
                pass

    def asked(self, request: ElicitationRequest, review: Review) -> None:
        """Write that a question came, and what the guardian found."""
        with self._recording():
            self._append("asked", request.id, bodies.asked(request, review))
        self._reviews[request.id] = review

    def decided(self, request: ElicitationRequest, outcome: Outcome, review: Review) -> None:
        """Write a question's outcome; when this returns, an accept is there to stay.

        What was asked is written again where it was pruned while the question waited: an outcome
        never stands alone. While others hold the ledger, what is no accept is left beside it, for
        its next writer.
        """
        moment = self._clock()
        body = bodies.decided(request, outcome, review, self._content, moment)
        # Written with the question already, unless the answer brought more to light.
        if self._reviews.pop(request.id, None) != review:
            body |= bodies.findings(review)
        try:
            with self._recording(to_disk=outcome.action == "accept"):
                if "asked" not in self._events(request.id):
                    self._append("asked", request.id, bodies.asked(request, review))
                self._append("decided", request.id, body)
        # Held by others for longer than is usual. No accept waits here; its answer is withheld.
        except LedgerInUse:
            if not self._late.leave(request, outcome, review, moment):
                raise

    def abandoned(self, request_id: str, outcome: Outcome) -> bool:
        """Write the outcome of a question whose process is gone; False when it has one already."""
        with self._recording():
            known = self._events(request_id)
            if "asked" not in known or "decided" in known:
                return False
            self._append("decided", request_id, bodies.abandoned(outcome))
        return True

    def _single(self, event: str, question: str, body: bodies.Body) -> None:
        moment = self._clock()
        try:
            with self._recording():
                self._append(event, question, body)
        except LedgerInUse:
            if not self._late.leave_single(event, question, body, moment):
                raise

    def prune(self, before: datetime, *, also_open: bool = False) -> Pruned:
        """Remove what was recorded before a moment, and leave a marker in the chain.

        Questions are kept or removed whole, and what remains is one unbroken run: one without an
        outcome (or ended later) keeps everything that was recorded after it began. `also_open`:
        one without an outcome keeps nothing; the ledger cannot tell whether it still waits or its
        process died.
        """
        with self._recording(to_disk=True):
            # What is pruned is overwritten, and not only taken off the list.
            self._connection.execute("PRAGMA secure_delete = ON")
            still_open = [] if also_open else self._open(rfc3339(before))
            kept_by = tuple(question for _, question in still_open)
            through = self._last_to_prune(rfc3339(before), still_open[0][0] if still_open else None)
            if through is None:
                return Pruned(0, None, kept_by)
            last = self._connection.execute(
                "SELECT hash FROM records WHERE number = ?", (through,)
            ).fetchone()[0]
            removed = self._connection.execute(
                "SELECT count(*) FROM records WHERE number <= ?", (through,)
            ).fetchone()[0]
            # Before they are deleted: the marker is chained to the last one, and is itself kept.
            self._append("pruned", new_id(), bodies.pruned(through, last, removed, before))
            self._connection.execute("DELETE FROM records WHERE number <= ?", (through,))
        with FILE.plain_errors(self._path):
            # What was removed shall also leave the file; another reader may hold this up.
            self._connection.execute("PRAGMA incremental_vacuum").fetchall()
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return Pruned(removed, through, kept_by)

    def _open(self, before: str) -> list[tuple[int, str]]:
        """The questions asked before then that have no outcome: first record and id."""
        return self._connection.execute(
            "SELECT number, question FROM records AS asked WHERE event = 'asked' AND time < ?"
            " AND NOT EXISTS (SELECT 1 FROM records WHERE question = asked.question"
            " AND event <> 'asked') ORDER BY number",
            (before,),
        ).fetchall()

    def _last_to_prune(self, before: str, still_open: int | None) -> int | None:
        """The end of the longest beginning that is older and cuts no question in two.

        It ends before record `still_open`.
        """
        first, last = self._connection.execute(
            "SELECT min(number), max(number) FROM records"
        ).fetchone()
        if first is None:
            return None
        first_kept: int | None = self._connection.execute(
            "SELECT min(number) FROM records WHERE time >= ?", (before,)
        ).fetchone()[0]
        if first_kept is None:
            first_kept = last + 1
        if still_open is not None:
            first_kept = min(first_kept, still_open)
        # Back until no question lies on both sides of the cut.
        while True:
            earlier = self._connection.execute(
                "SELECT min(number) FROM records WHERE number < ?1 AND question IN"
                " (SELECT question FROM records WHERE number >= ?1)",
                (first_kept,),
            ).fetchone()[0]
            if earlier is None:
                return first_kept - 1 if first_kept > first else None
            first_kept = earlier

    def _events(self, question: str) -> set[str]:
        """What was recorded of a question."""
        found = self._connection.execute(
            "SELECT event FROM records WHERE question = ?", (question,)
        )
        return {event for (event,) in found}

    def _append(self, event: str, question: str, body: bodies.Body, at: str | None = None) -> None:
        number, previous = self._tail()
        time = at or rfc3339(self._clock())
        text = compact({"event": event, "id": question, "at": time, **body})
        number += 1
        self._connection.execute(
            "INSERT INTO records (number, event, question, time, body, hash)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (number, event, question, time, text, chained(number, previous, text)),
        )

    def _tail(self) -> LastRecord:
        """The last record, or what stands before the first."""
        found = self._connection.execute(
            "SELECT number, hash FROM records ORDER BY number DESC LIMIT 1"
        ).fetchone()
        return LastRecord(*found) if found else LastRecord(0, BEGINNING)

    # Reading

    def rows(
        self,
        server: str | None = None,
        action: str | None = None,
        decided_by: str | None = None,
        since: datetime | None = None,
    ) -> Iterator[Row]:
        """The questions, oldest first, those that match every filter given."""
        self._take_in_all()
        with FILE.plain_errors(self._path):
            found = self._connection.execute(
                "SELECT question FROM records WHERE event <> 'pruned'"
                " GROUP BY question HAVING min(time) >= ? ORDER BY min(number)",
                (rfc3339(since) if since else "",),
            )
            for (question,) in found:
                row = self._row(question)
                if (
                    server in (None, row.server)
                    and action in (None, row.action)
                    and decided_by in (None, row.decided_by)
                ):
                    yield row

    def decided_last(self, most: int) -> Iterator[Row]:
        """So many of the questions that were decided, the last one first."""
        self._take_in_all()
        with FILE.plain_errors(self._path):
            found = self._connection.execute(
                "SELECT question FROM records WHERE event = 'decided' ORDER BY number DESC"
            )
            # A question may have two ends, where two processes told one.
            last: dict[str, None] = {}
            for (question,) in found:
                last[question] = None
                if len(last) == most:
                    break
            for question in last:
                yield self._row(question)

    def row(self, question: str) -> Row:
        """One question by its id, or by the beginning of it that no other has."""
        self._take_in_all()
        with FILE.plain_errors(self._path):
            found = self._connection.execute(
                "SELECT DISTINCT question FROM records WHERE event <> 'pruned'"
                # `substr` and no LIKE, in which `%` and `_` mean something.
                " AND substr(question, 1, ?) = ? LIMIT 2",
                (len(question), question),
            ).fetchall()
            if len(found) == 1 and question:
                return self._row(found[0][0])
            shown = neutral_line(question, 80)
            if found and question:
                raise LedgerError(f"Several questions begin with {shown!r}; give more of the id.")
            raise LedgerError(f"No question {shown!r} was recorded (see elicit-tui history list).")

    def _row(self, question: str) -> Row:
        # Loaded by whoever reads: most runs only write.
        from elicit_tui.ledger.rows import fold

        try:
            return fold(
                question,
                self._connection.execute(
                    "SELECT event, body, hash FROM records WHERE question = ? ORDER BY number",
                    (question,),
                ),
            )
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise LedgerError(
                "A record is damaged; `elicit-tui history verify` says which."
            ) from error

    def head(self) -> str | None:
        """The hash of the last record; None while there is none."""
        with FILE.plain_errors(self._path):
            number, last = self._tail()
        return last if number else None

    def verify(self, head: str | None = None) -> Verification:
        """Walk the chain; see that it still holds its last head, and `head` where that is given."""
        self._take_in_all()
        with FILE.plain_errors(self._path):
            return walk(self._connection, self._head, head)
