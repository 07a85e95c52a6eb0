"""The ledger's file, as `elicit_tui.database` makes and opens it.

An accept, which is rare and what matters most, is committed so that a loss of power does not take
it back, and is on the disk before it is sent, with everything recorded before it.
"""

from __future__ import annotations

from typing import Final

from elicit_tui.database import DatabaseKind
from elicit_tui.errors import LedgerError


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
)
