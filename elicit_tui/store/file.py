"""The store's file: its tables, and how one row of them is sealed and read.

In clear stand ids, kinds, states, the names of agent, server and tool, times and digests; what is
asked, by whom, from where, what was typed and what was answered is a blob.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import Any, Final, TypeVar

from elicit_tui.database import DatabaseKind
from elicit_tui.elicitation import Answerer, Question
from elicit_tui.elicitation.question import Draft
from elicit_tui.errors import SealError, StoreError, StoreTooNew
from elicit_tui.store.nouns import read, written
from elicit_tui.store.sealing import BlobPlace, Sealer
from elicit_tui.store.secret import Secrets
from elicit_tui.store.store import Answer, Asker, Waiting

Noun = TypeVar("Noun")


class StoreMissing(StoreError):
    """There is no store yet, and none was to be made."""


FILE: Final = DatabaseKind(
    "store",
    application_id=0x656C6973,  # "elis"
    version=2,
    schema="""
CREATE TABLE counter (number INTEGER NOT NULL);
INSERT INTO counter VALUES (0);
CREATE TABLE processes (
    life TEXT PRIMARY KEY,
    pid INTEGER NOT NULL,
    role TEXT NOT NULL,
    seen_at REAL NOT NULL,
    last_key_at REAL
);
CREATE TABLE sessions (
    session TEXT PRIMARY KEY,
    life TEXT NOT NULL,
    agent TEXT
);
CREATE TABLE questions (
    id TEXT PRIMARY KEY,
    number INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    session TEXT NOT NULL,
    state TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    digest TEXT NOT NULL,
    kind TEXT NOT NULL,
    agent TEXT,
    server TEXT NOT NULL,
    tool TEXT,
    put_at REAL NOT NULL,
    deadline REAL,
    agent_state TEXT NOT NULL DEFAULT 'waiting',
    last_key_at REAL,
    lease_ends_at REAL,
    holder_life TEXT,
    answer_id TEXT,
    action TEXT,
    decided_by TEXT,
    settled_at REAL,
    key_id TEXT NOT NULL,
    asked BLOB,
    draft BLOB,
    holder BLOB,
    answer BLOB,
    answerer BLOB
);
CREATE INDEX questions_by_change ON questions (changed);
CREATE TABLE grants (
    session TEXT NOT NULL,
    server TEXT NOT NULL,
    tool TEXT NOT NULL,
    process TEXT NOT NULL,
    definition TEXT NOT NULL,
    granted_at REAL NOT NULL,
    PRIMARY KEY (session, server, tool, process, definition)
);
""",
    error=StoreError,
    missing=StoreMissing,
    too_new=StoreTooNew,
    upgrades={
        1: "ALTER TABLE questions ADD COLUMN agent_state TEXT NOT NULL DEFAULT 'waiting'",
    },
)


@dataclass(frozen=True)
class Asked:
    """What is sealed as one blob: the question with its findings, and who asks."""

    question: Question
    asker: Asker


def seconds(moment: datetime | None) -> float | None:
    """A time as it stands in a column."""
    return None if moment is None else moment.timestamp()


def moment(seconds: float | None) -> datetime | None:
    """A column as a time."""
    return None if seconds is None else datetime.fromtimestamp(seconds, timezone.utc)


def place(row: sqlite3.Row, field: str, attempt: int | None = None) -> BlobPlace:
    """Where a blob of this row belongs."""
    attempt = row["attempt"] if attempt is None else attempt
    return BlobPlace(row["session"], row["id"], attempt, field, row["digest"])


def sealed(sealer: Sealer, row: sqlite3.Row, field: str, value: Any) -> bytes | None:
    """A noun as the blob of one field; None stays None."""
    return None if value is None else sealer.seal(place(row, field), written(value))


def opened(secrets: Secrets, row: sqlite3.Row, field: str, kind: type[Noun]) -> Noun | None:
    """The noun in a field's blob, None where there is none; raises SealError."""
    blob = row[field]
    if blob is None:
        return None
    return read(kind, secrets.with_id(row["key_id"]).open(place(row, field), blob))


def answer_in(secrets: Secrets, row: sqlite3.Row) -> Answer | None:
    """The answer that won; raises SealError, also for one that was given to something else."""
    answer = opened(secrets, row, "answer", Answer)
    if answer is None:
        return None
    if (answer.id, answer.attempt, answer.digest) != (
        row["answer_id"],
        row["attempt"],
        row["digest"],
    ):
        raise SealError("The answer that is kept there was given to another question.")
    return answer


def waiting_in(secrets: Secrets, row: sqlite3.Row) -> Waiting:
    """One question as it stands; what does not open is said in `unreadable`."""
    asked, draft, holder, answerer, unreadable = None, None, None, None, None
    try:
        answerer = opened(secrets, row, "answerer", Answerer)
        holder = opened(secrets, row, "holder", Answerer)
        draft = opened(secrets, row, "draft", Draft)
        asked = opened(secrets, row, "asked", Asked)
    except StoreError as error:
        unreadable = str(error)
    question = None if asked is None else replace(asked.question, draft=draft or Draft())
    put_at = moment(row["put_at"])
    assert put_at is not None
    return Waiting(
        id=row["id"],
        session=row["session"],
        state=row["state"],
        attempt=row["attempt"],
        digest=row["digest"],
        kind=row["kind"],
        agent=row["agent"],
        server=row["server"],
        tool=row["tool"],
        put_at=put_at,
        deadline=moment(row["deadline"]),
        last_key_at=moment(row["last_key_at"]),
        question=question,
        asker=None if asked is None else asked.asker,
        agent_state=row["agent_state"],
        held_by=holder,
        answer_id=row["answer_id"],
        answered_by=answerer,
        action=row["action"],
        decided_by=row["decided_by"],
        unreadable=unreadable,
    )
