"""Outcomes that found the ledger in use: files beside it, which its next writer takes in.

What goes out without an accept waits for nobody who holds the ledger, and still has its record: one
file for each question in a folder beside the ledger, `LEDGER-late`. A file is there whole or not at
all. It goes once what it says is committed; where a process dies between the two, its question is
known already when it is read again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from elicit_tui.elicitation import ElicitationRequest, Outcome, Review, now, rfc3339
from elicit_tui.elicitation.settings import ContentPolicy
from elicit_tui.ledger import bodies
from elicit_tui.paths import new_private_file, private_directory

MOST_AT_ONCE: Final = 1000
"""Files that one transaction takes in."""


class LateRecord(NamedTuple):
    """What one file says."""

    question: str
    at: str
    asked: bodies.Body
    decided: bodies.Body


class LateRecords:
    """The folder of one ledger; nobody has to be the only one who writes or reads there."""

    def __init__(self, ledger: Path, content: ContentPolicy = "redacted") -> None:
        self._folder = ledger.with_name(f"{ledger.name}-late")
        self._content: ContentPolicy = content

    def leave(
        self,
        request: ElicitationRequest,
        outcome: Outcome,
        review: Review,
        moment: datetime | None = None,
    ) -> bool:
        """Write an outcome there; False where that cannot be either, or for an accept."""
        # An accept is recorded in the ledger before it goes out, or it does not go out. Only what
        # gives nothing away may leave its record for later.
        if outcome.action == "accept":
            return False
        at = moment or now()
        asked = bodies.asked(request, review)
        decided = bodies.decided(request, outcome, review, self._content, at)
        record = LateRecord(request.id, rfc3339(at), asked, decided | bodies.findings(review))
        with suppress(OSError):
            folder = private_directory(self._folder)
            # By its time, so that the oldest is taken in first.
            name = f"{int(at.timestamp() * 1_000_000):020}"
            new = new_private_file(folder, name, ".new", json.dumps(record).encode("ascii"))
            # Written under another name and then renamed: a reader sees a whole file or none.
            new.replace(new.with_suffix(".json"))
            return True
        return False

    def read(self) -> Iterator[tuple[Path, LateRecord]]:
        """The files that wait, oldest first; what is no such file is left as it is."""
        with suppress(OSError):
            names = sorted(file for file in self._folder.iterdir() if file.suffix == ".json")
            for file in islice(names, MOST_AT_ONCE):
                if (record := _record(file)) is not None:
                    yield file, record

    def forget(self, files: Iterable[Path]) -> None:
        """Remove what is in the ledger by now."""
        for file in files:
            with suppress(OSError):
                file.unlink()

    @property
    def waits(self) -> bool:
        """Whether anything is there."""
        return next(self.read(), None) is not None


def _record(file: Path) -> LateRecord | None:
    try:
        question, at, asked, decided = json.loads(file.read_bytes())
    except (OSError, ValueError, TypeError, RecursionError):
        return None
    right = isinstance(question, str) and isinstance(at, str)
    if not right or not isinstance(asked, dict) or not isinstance(decided, dict):
        return None
    return LateRecord(question, at, asked, decided)
