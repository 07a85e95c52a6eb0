"""Reads a whole list of a server, page by page (spec: server/utilities/pagination)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from elicit_tui.errors import ServerError
from elicit_tui.text import ascii_json

if TYPE_CHECKING:
    from elicit_tui.host.session import Session

MOST_PAGES: Final = 200
MOST_ENTRIES: Final = 10_000
MOST_CHARACTERS: Final = 64 * 1024 * 1024
"""Of all pages together, as JSON; one page alone is bounded by the size of a message."""


@dataclass(frozen=True)
class Listed:
    """What a server listed, as it came; what is no object is left out."""

    entries: list[dict[str, Any]]
    left_out: str | None = None
    """Why the list is not whole, in a sentence; None when it is."""


async def all_pages(session: Session, kind: str) -> Listed:
    """The entries of tools, prompts or resources, as many as a person could ever look at."""
    entries: list[dict[str, Any]] = []
    cursor: str | None = None
    seen: set[str] = set()
    characters = 0
    for number in range(1, MOST_PAGES + 1):
        page, kept = await session.page(kind, cursor)
        listed = page.get(kind)
        if not isinstance(listed, list):
            raise ServerError(f"The server's list of {kind} is no list.", code="invalid_answer")
        entries.extend(
            entry
            for entry in listed
            if isinstance(entry, dict) and (kept is None or entry.get("name") in kept)
        )
        if len(entries) > MOST_ENTRIES:
            return Listed(entries[:MOST_ENTRIES], _left_out(kind, MOST_ENTRIES))
        cursor = page.get("nextCursor")
        if not isinstance(cursor, str):
            return Listed(entries)
        if cursor in seen:
            return Listed(entries, f"Its list of {kind} led back to a page that was read already.")
        seen.add(cursor)
        characters += len(cursor) + len(ascii_json(listed))
        if characters > MOST_CHARACTERS or number == MOST_PAGES:
            break
    return Listed(entries, _left_out(kind, len(entries)))


def _left_out(kind: str, count: int) -> str:
    return f"It lists {kind} without an end in sight; what follows the first {count:,} is left out."
