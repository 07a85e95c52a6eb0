"""The chain: each record's hash covers its number, its body and the hash before it."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from typing import Any, Final, NamedTuple

BEGINNING: Final = "0" * 64
"""What stands before the first record."""


def compact(value: Any) -> str:
    """A record's body: ASCII on one line, in the order given (the server's own, for a form)."""
    return json.dumps(value, separators=(",", ":"))


def chained(number: int, previous: str, body: str) -> str:
    """The hash of record `number` with this body, after the record with the hash `previous`."""
    return hashlib.sha256(f"{number}\n{previous}\n{body}".encode()).hexdigest()


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


def walk(connection: sqlite3.Connection, head: str | None = None) -> Verification:
    """Check every record, in one consistent view of the ledger.

    Args:
        connection: an open ledger; the walk holds a read transaction, writers go on.
        head: a hash that an earlier walk printed, which the chain must still hold.
    """
    connection.execute("BEGIN")
    try:
        return _walk(connection, head.strip().lower() if head else None)
    finally:
        connection.execute("ROLLBACK")


def _walk(connection: sqlite3.Connection, wanted: str | None) -> Verification:
    first, previous, problem = _start(connection)
    if problem is not None:
        return Verification(0, None, first, problem, first)
    seen = wanted is None or (wanted == previous and previous != BEGINNING)
    expected = first
    records = connection.execute(
        "SELECT number, event, question, time, body, hash FROM records ORDER BY number"
    )
    for number, event, question, time, body, stored in records:
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
        seen = seen or stored == wanted
        expected += 1
    count = expected - first
    end = previous if count else None
    if not seen:
        problem = (
            "No record has the given hash: the end of the ledger was cut off, "
            "or what came before was pruned."
        )
        return Verification(count, end, None, problem, first)
    return Verification(count, end, first=first)


def _start(connection: sqlite3.Connection) -> tuple[int, str, str | None]:
    """The first record's number, the hash before it, and what is wrong with that."""
    first = connection.execute("SELECT min(number) FROM records").fetchone()[0]
    if first is None or first == 1:
        return 1, BEGINNING, None
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
    told = _parsed(body)
    return (told.get("event"), told.get("id"), told.get("at")) == (event, question, time)


def _parsed(body: str) -> dict[str, Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
