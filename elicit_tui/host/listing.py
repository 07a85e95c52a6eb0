"""Reads a whole list of a server, page by page (spec: server/utilities/pagination)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from elicit_tui.errors import ServerError

if TYPE_CHECKING:
    from elicit_tui.host.session import Session

MOST_PAGES: Final = 200


async def all_pages(session: Session, kind: str) -> list[dict[str, Any]]:
    """The entries of tools, prompts or resources as they came; what is no object is left out."""
    entries: list[dict[str, Any]] = []
    cursor: str | None = None
    seen: set[str] = set()
    for _ in range(MOST_PAGES):
        page, kept = await session.page(kind, cursor)
        listed = page.get(kind)
        if not isinstance(listed, list):
            raise ServerError(f"The server's list of {kind} is no list.", code="invalid_answer")
        entries.extend(
            entry
            for entry in listed
            if isinstance(entry, dict) and (kept is None or entry.get("name") in kept)
        )
        cursor = page.get("nextCursor")
        if not isinstance(cursor, str) or cursor in seen:
            break
        seen.add(cursor)
    return entries
