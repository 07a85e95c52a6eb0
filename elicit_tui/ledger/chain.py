"""The ledger's file, and the chain of its records.

Each record's hash covers its number, its body and the hash before it. A chain whose end was cut off
is whole; so its head is kept in a file of its own beside the ledger too (`Head`), and a ledger that
no longer holds what stands there is shorter than it was.

An accept, which is rare and what matters most, is committed so that a loss of power does not take
it back, and is on the disk before it is sent, with everything recorded before it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from elicit_tui.database import DatabaseKind
from elicit_tui.errors import LedgerError, LedgerInUse
from elicit_tui.text import neutral_line


class LedgerMissing(LedgerError):
    """There is no ledger yet, and none was to be made."""


FILE: Final = DatabaseKind(
    "ledger",
    application_id=0x656C6974,  # "elit", so that `file` and we know a ledger when we see one
    version=1,
    schema="""
CREATE TABLE records (
    number INTEGER PRIMARY KEY,
    event TEXT NOT NULL,
    question TEXT NOT NULL,
    time TEXT NOT NULL,
    body TEXT NOT NULL,
    hash TEXT NOT NULL
);
CREATE INDEX records_by_question ON records (question, number, event, time);
""",
    error=LedgerError,
    missing=LedgerMissing,
    too_new=LedgerError,
    in_use=LedgerInUse,
)


BEGINNING: Final = "0" * 64
"""What stands before the first record."""


def compact(value: Any) -> str:
    """A record's body: ASCII on one line, in the order given (the server's own, for a form)."""
    return json.dumps(value, separators=(",", ":"))


def chained(number: int, previous: str, body: str) -> str:
    """The hash of record `number` with this body, after the record with the hash `previous`."""
    return hashlib.sha256(f"{number}\n{previous}\n{body}".encode()).hexdigest()


class LastRecord(NamedTuple):
    """One record of the chain, by its number and its hash."""

    number: int
    hash: str


class Head:
    """The last record, kept where the ledger is not: a file beside it, `LEDGER-head`.

    It is written after each commit and by no lock: a process that is late leaves an older record
    there, which the ledger must hold as well. A head that the ledger does not hold is left as it
    is, so that what was cut off is still known after many more records.
    """

    _LINE: Final = re.compile(rb"([0-9]{1,18}) ([0-9a-f]{64})\n")

    def __init__(self, ledger: Path) -> None:
        self.path = ledger.with_name(f"{ledger.name}-head")

    def read(self) -> LastRecord | None:
        """The record that stands there; None where there is none, or what stands there is none."""
        with suppress(OSError):
            match = self._LINE.match(self.path.read_bytes()[:100])
            if match is not None:
                return LastRecord(int(match[1]), match[2].decode("ascii"))
        return None

    def keep(self, record: LastRecord) -> None:
        """Write this record there. Where that fails an older one stays, and shows less."""
        flags = os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        # Of a fixed width, and nothing is cut off before: a process that dies in between leaves no
        # empty head.
        line = f"{record.number:018} {record.hash}\n".encode("ascii")
        with suppress(OSError):
            file = os.open(self.path, flags, 0o600)
            try:
                os.write(file, line)
            finally:
                os.close(file)


def holds(connection: sqlite3.Connection, record: LastRecord) -> bool:
    """Whether the ledger holds this record, or the owner pruned it."""
    found = connection.execute(
        "SELECT hash FROM records WHERE number = ?", (record.number,)
    ).fetchone()
    if found is not None:
        # A ledger that was put in its place has this number too, and another hash.
        return bool(found[0] == record.hash)
    first = connection.execute("SELECT min(number) FROM records").fetchone()[0]
    return first is not None and record.number < first


class Verification(NamedTuple):
    """What a walk along the chain found."""

    records: int
    """How many records were found whole, from the beginning on."""
    head: str | None
    """The hash of the last whole record; keep it elsewhere to find a cut tail later."""
    broken_at: int | None = None
    """The number of the first record that is wrong or missing."""
    problem: str | None = None
    """What is wrong, in a sentence; None when the chain is whole."""
    first: int = 1
    """The number of the first record; above 1 after a prune."""

    @property
    def ok(self) -> bool:
        """Whether the chain is whole (and holds the head that was asked for)."""
        return self.problem is None


def walk(
    connection: sqlite3.Connection, stored_head: Head, head: str | None = None
) -> Verification:
    """Check every record, in one consistent view of the ledger.

    Args:
        connection: an open ledger; the walk holds a read transaction, writers go on.
        stored_head: the last record as it was kept beside the ledger.
        head: a hash that an earlier walk printed, which the chain must still hold.
    """
    last = stored_head.read()
    connection.execute("BEGIN")
    try:
        found = _walk(connection, head.strip().lower() if head else None)
        if found.ok and last is not None and not holds(connection, last):
            return found._replace(problem=_shorter(last, stored_head.path))
        return found
    finally:
        connection.execute("ROLLBACK")


def _shorter(last: LastRecord, path: Path) -> str:
    return (
        f"The ledger is shorter than it was: record {last.number}, its last one once, is not there"
        f" any more. Where you removed its end yourself, remove {neutral_line(str(path))} too."
    )


_NO_SUCH_HASH: Final = (
    "No record has the given hash: the end of the ledger was cut off, or what came before was "
    "pruned."
)


def _walk(connection: sqlite3.Connection, head: str | None) -> Verification:
    first, previous, problem = _start(connection)
    if problem is not None:
        return Verification(0, None, first, problem, first)
    # After a prune the hash before the first record is that of the last one removed, which an
    # earlier walk may have printed as the head.
    seen = head is None or (head == previous and previous != BEGINNING)
    expected = first
    records = connection.execute(
        "SELECT number, event, question, time, body, hash FROM records ORDER BY number"
    )
    for number, event, question, time, body, stored in records:
        # The hash covers the body alone. The columns beside it are what searches use, and a changed
        # one would hide a record from them while its chain stays whole.
        if number != expected:
            problem = f"Record {expected} is missing."
        elif not _tells_the_same(body, event, question, time):
            problem = f"Record {number} was changed."
        elif chained(number, previous, body) != stored:
            problem = f"Record {number} was changed, or does not follow the one before it."
        if problem is not None:
            last = previous if expected > first else None
            return Verification(expected - first, last, expected, problem, first)
        previous = stored
        seen = seen or stored == head
        expected += 1
    count = expected - first
    end = previous if count else None
    if not seen:
        return Verification(count, end, None, _NO_SUCH_HASH, first)
    return Verification(count, end, first=first)


def _start(connection: sqlite3.Connection) -> tuple[int, str, str | None]:
    """The first record's number, the hash before it, and what is wrong with that."""
    first = connection.execute("SELECT min(number) FROM records").fetchone()[0]
    if first is None or first == 1:
        return 1, BEGINNING, None
    # The chain then begins with the hash that the prune itself wrote down, in a record that is
    # chained like any other: a cut at the front without one is told as missing records.
    marker = connection.execute(
        "SELECT body FROM records WHERE event = 'pruned' ORDER BY number DESC LIMIT 1"
    ).fetchone()
    removed = _parsed(marker[0]) if marker else {}
    through, before = removed.get("through"), removed.get("hash")
    if through == first - 1 and isinstance(before, str):
        return first, before, None
    begins = through + 1 if isinstance(through, int) else 1
    return begins, BEGINNING, f"Record {begins} is missing."


def _tells_the_same(body: str, event: str, question: str, time: str) -> bool:
    """Whether the columns that searches use agree with the hashed body."""
    parsed = _parsed(body)
    return (parsed.get("event"), parsed.get("id"), parsed.get("at")) == (event, question, time)


def _parsed(body: str) -> dict[str, Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
