"""What stands in the history: the questions of the ledger, and between them the calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import timezone
from functools import cached_property
from heapq import merge
from typing import TYPE_CHECKING, Final, TypeAlias

from rich.cells import cell_len

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation.finding import MASK, Review
from elicit_tui.elicitation.keeping import kept_arguments
from elicit_tui.elicitation.outcome import SIGNS
from elicit_tui.text import local_time, neutral_line, quoted, readable_json
from elicit_tui.tui.console.call_words import briefly, called_name, search_words, shown_standing
from elicit_tui.tui.console.outcome_words import ROLES, ending
from elicit_tui.tui.console.spans import Role, shortened

if TYPE_CHECKING:
    from elicit_tui.ledger.rows import Row
    from elicit_tui.tui.console.calls import CallRecord

SEARCHED_CHARACTERS: Final = 4_000
"""Of an answer; what is longer is no answer that one searches for."""
TO_THE_SECOND: Final = len("2026-11-22T09:30:00")
TOLD_CELLS: Final = 300
"""Of what a call was made with."""


@dataclass(eq=False)
class AskedEntry:
    """A question, as the ledger has it."""

    row: Row
    server: str
    """Whose it is, by the name that it has now."""

    @property
    def key(self) -> str:
        """Its key in the list."""
        return self.row.id

    @property
    def at(self) -> str | None:
        """When it began, as RFC 3339 in UTC."""
        return self.row.asked_at

    @cached_property
    def words(self) -> str:
        """What it said."""
        return quoted(self.row.message, 300) if self.row.message else ""

    def told(self, room: int) -> str:
        """The same in so many cells."""
        return shortened(self.words, room)

    @property
    def end(self) -> tuple[str, str, Role]:
        """How it ended: its sign, who decided what, and their role."""
        return SIGNS.get(self.row.action, "–"), ending(self.row), ROLES.get(self.row.action, "dim")

    @cached_property
    def searched(self) -> str:
        """What its line says, the words that the ledger has for it, and what was answered."""
        row = self.row
        said = (local_time(row.asked_at), ending(row), _answered(row))
        note = row.details.get("note")
        parts = (
            self.server,
            row.server,
            row.tool,
            row.message,
            row.action,
            row.decided_by,
            note,
            *said,
        )
        return " ".join(str(part) for part in parts if part).casefold()


@dataclass(eq=False)
class CalledEntry:
    """A call of this console, of this run or of one before."""

    record: CallRecord

    @property
    def key(self) -> str:
        """Its key in the list, which is no question's."""
        return f"call:{self.record.call.id}"

    @property
    def server(self) -> str:
        """Who was called."""
        return self.record.server

    @property
    def at(self) -> str | None:
        """When it began, as RFC 3339 in UTC."""
        return self.record.began.astimezone(timezone.utc).isoformat()

    @cached_property
    def words(self) -> str:
        """What was called, and with what."""
        made_with = briefly(self.record.argument_texts, TOLD_CELLS)
        return f"{neutral_line(self.record.call.name, 200)}  {made_with}".rstrip()

    def told(self, room: int) -> str:
        """The same in so many cells: of a path its end has the room."""
        name = called_name(self.record, room)
        made_with = briefly(self.record.argument_texts, room - cell_len(name) - 2)
        return f"{name}  {made_with}".rstrip()

    @property
    def end(self) -> tuple[str, str, Role]:
        """How it stands: its sign, that in words, and their role."""
        return shown_standing(self.record)

    @cached_property
    def searched(self) -> str:
        """What a search of the calls looks at, and when it was."""
        return f"{local_time(self.at)} {search_words(self.record)}"


HistoryEntry: TypeAlias = "AskedEntry | CalledEntry"


def in_turn(asked: Iterable[AskedEntry], calls: Iterable[CallRecord]) -> Iterator[HistoryEntry]:
    """Both, the newest first as each of them comes; a question stands above the call that asked."""
    called: Iterable[HistoryEntry] = map(CalledEntry, calls)
    return merge(asked, called, key=lambda entry: (entry.at or "")[:TO_THE_SECOND], reverse=True)


def _answered(row: Row) -> str:
    """What was sent for a question, or with what a tool was to be called; no secrets of it.

    The record of an owner who keeps all of it has them too.
    """
    found = [*row.findings, *row.details.get("outgoing", ())]
    places = [str(finding.get("where", "")) for finding in found if isinstance(finding, Mapping)]
    told = (
        kept_arguments(given, Review(), "redacted") or {}
        for given in (row.content, row.details.get("arguments"))
        if isinstance(given, Mapping)
    )
    values = [
        value
        for given in told
        for name, value in given.items()
        if value != MASK and not any(name in place.split(".") for place in places)
    ]
    return readable_json(values, indent=None)[:SEARCHED_CHARACTERS] if values else ""
