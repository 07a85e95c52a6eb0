"""What found the ledger in use: files beside it, which its next writer takes in.

What goes out without an accept waits for nobody who holds the ledger, and still has its record; so
has what can only be told once it has happened (`SingleRecords`). Each is a file in a folder beside
the ledger, `LEDGER-late`. A file is there whole or not at all. It goes once what it says is
committed; where a process dies between the two, its records are known already when it is read
again.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from elicit_tui.elicitation import ElicitationRequest, Outcome, Review, new_id, now, rfc3339
from elicit_tui.elicitation.settings import ContentPolicy
from elicit_tui.ledger import bodies
from elicit_tui.paths import new_private_file, private_directory

MOST_AT_ONCE: Final = 1000
"""Files that one transaction takes in."""


class LateRecord(NamedTuple):
    """What one file says."""

    question: str
    at: str
    records: dict[str, bodies.Body]
    """By event, in the order in which they are written."""


class SingleRecords(ABC):
    """What is recorded once it has happened, when nothing can be withheld any more."""

    def sent(self, request_id: str) -> None:
        """Write that the answer left."""
        self._single("sent", request_id, {})

    def withdrawn(self, request_id: str, sentence: str) -> None:
        """Write that the server took the question back after its answer had left."""
        self._single("withdrawn", request_id, bodies.withdrawn(sentence))

    def flood(self, server: str, count: int, outcome: Outcome) -> None:
        """Write `count` outcomes alike of one server's questions, as one record."""
        self._single("flood", new_id(), bodies.flood(server, count, outcome))

    @abstractmethod
    def _single(self, event: str, question: str, body: bodies.Body) -> None:
        """Write this, or leave it beside the ledger while others hold it. Raises LedgerError."""


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
        records = {"asked": asked, "decided": decided | bodies.findings(review)}
        return self._leave(request.id, records, at)

    def leave_single(
        self, event: str, question: str, body: bodies.Body, moment: datetime | None = None
    ) -> bool:
        """Write one of the `SingleRecords` there; False where that cannot be either."""
        return self._leave(question, {event: body}, moment or now())

    def _leave(self, question: str, records: dict[str, bodies.Body], at: datetime) -> bool:
        text = json.dumps(LateRecord(question, rfc3339(at), records))
        with suppress(OSError):
            folder = private_directory(self._folder)
            # By its time, so that the oldest is taken in first.
            name = f"{int(at.timestamp() * 1_000_000):020}"
            new = new_private_file(folder, name, ".new", text.encode("ascii"))
            # Written under another name and then renamed: a reader sees a whole file or none.
            new.replace(new.with_suffix(".json"))
            return True
        return False

    def read(self) -> Iterator[tuple[Path, LateRecord]]:
        """The files that wait, oldest first; what is no such file is left as it is."""
        with suppress(OSError):
            files = sorted(file for file in self._folder.iterdir() if file.suffix == ".json")
            # What cannot be read stays, and must not stand in the way of what came later.
            whole = ((file, record) for file in files if (record := _record(file)) is not None)
            yield from islice(whole, MOST_AT_ONCE)

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
        question, at, records = json.loads(file.read_bytes())
    except (OSError, ValueError, TypeError, RecursionError):
        return None
    if not isinstance(records, dict):
        return None
    # Ours are of ASCII; half a character would end every write of the ledger.
    right = all(isinstance(text, str) and text.isascii() for text in (question, at, *records))
    if not right or not all(isinstance(body, dict) for body in records.values()):
        return None
    return LateRecord(question, at, records)
