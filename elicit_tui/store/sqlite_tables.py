"""The tables of the store's SQLite file, and the one look at them that needs nothing else.

A hook that an agent waits for asks only whether somebody is there: it loads no more of the store.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Final

from elicit_tui.database import DatabaseKind
from elicit_tui.elicitation import now
from elicit_tui.errors import StoreError, StoreMissing, StoreTooNew
from elicit_tui.store.living import PRESENCE_SECONDS, is_over

_CALLS: Final = """
CREATE TABLE calls (
    owner TEXT NOT NULL,
    id TEXT NOT NULL,
    key TEXT NOT NULL,
    process TEXT NOT NULL,
    begun_at REAL NOT NULL,
    key_id TEXT NOT NULL,
    private INTEGER NOT NULL,
    state TEXT NOT NULL,
    has_id INTEGER NOT NULL,
    is_left INTEGER NOT NULL,
    is_task INTEGER NOT NULL DEFAULT 0,
    size INTEGER NOT NULL,
    ended_at REAL,
    read_at REAL,
    paused BLOB,
    outcome BLOB,
    PRIMARY KEY (owner, id)
);
CREATE TABLE call_notes (
    owner TEXT NOT NULL,
    id TEXT NOT NULL,
    note BLOB NOT NULL
);
"""
_INDEXES: Final = """
CREATE INDEX questions_by_end ON questions (settled_at) WHERE settled_at IS NOT NULL;
CREATE INDEX questions_held ON questions (lease_ends_at) WHERE state = 'claimed';
"""
"""For what is looked for every second: it costs the same however much is kept."""
# In a new file too it is added: as part of `_CALLS`, the third upgrade would make it and the fifth
# fail over it.
_ATTENDED: Final = "ALTER TABLE calls ADD COLUMN attended INTEGER NOT NULL DEFAULT 0;\n"
FILE: Final = DatabaseKind(
    "store",
    application_id=0x656C6973,  # "elis"
    version=6,
    schema="""
CREATE TABLE counter (number INTEGER NOT NULL);
INSERT INTO counter VALUES (0);
CREATE TABLE processes (
    life TEXT PRIMARY KEY,
    pid INTEGER NOT NULL,
    role TEXT NOT NULL,
    seen_at REAL NOT NULL,
    last_key_at REAL,
    machine TEXT NOT NULL DEFAULT ''
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
"""
    + _CALLS
    + _INDEXES
    + _ATTENDED,
    error=StoreError,
    missing=StoreMissing,
    too_new=StoreTooNew,
    in_use=StoreError,
    upgrades={
        1: "ALTER TABLE questions ADD COLUMN agent_state TEXT NOT NULL DEFAULT 'waiting'",
        2: "ALTER TABLE processes ADD COLUMN machine TEXT NOT NULL DEFAULT ''",
        3: _CALLS,
        4: _INDEXES,
        5: _ATTENDED,
    },
)


# Only that somebody pressed a key counts: a console that was left open is nobody.
PRESENT: Final = "SELECT life FROM processes WHERE role = 'answerer' AND last_key_at >= ?"
"""The consoles and inboxes, living or dead, in which a key was pressed since."""


def somebody_is_there(path: Path, patience: float, *, clock: Callable[[], datetime] = now) -> bool:
    """Whether a key was pressed in a living console or inbox within ten minutes.

    `patience`: how many seconds it may wait for other processes. Raises StoreError, StoreMissing.
    """
    with (
        closing(FILE.connect(path, create=False, patience=patience)) as connection,
        FILE.plain_errors(path),
    ):
        since = clock().timestamp() - PRESENCE_SECONDS
        found = connection.execute(PRESENT, (since,)).fetchall()
    return any(not is_over(path.with_suffix(".lives"), life) for (life,) in found)
