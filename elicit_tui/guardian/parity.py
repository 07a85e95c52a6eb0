"""What the guardian cannot see in a language: frames and recipes that lack a word there.

A language starts with what a few words give; `check --explain` and docs/guardian.md say what is
missing, and `tests/data/parity.txt` holds a sentence for what must be there in all of them.
"""

from __future__ import annotations

from functools import lru_cache

from elicit_tui.elicitation import ElicitationRequest
from elicit_tui.guardian.frames import frames_of
from elicit_tui.guardian.pages import table
from elicit_tui.guardian.reading import UNREAD, read
from elicit_tui.guardian.words import NAMES, headings, most_known


@lru_cache(maxsize=1)
def described() -> dict[str, tuple[str, ...]]:
    """Each recipe and frame with the concepts that must stand there."""
    frames = {one.name: one.needs for rule in table("sums") for one in frames_of(rule)}
    return {**table("recipes"), **frames}


@lru_cache(maxsize=64)
def lacking(language: str) -> tuple[str, ...]:
    """The recipes and frames for which a language, by its tag, has not all words."""
    known = headings(language) | headings(NAMES) | {"clock"}
    for concept, rows in (*table("rows").items(), *table("rows").items()):
        steps = ({step.removeprefix("… ") for step in row.split(" > ")} for row in rows)
        known |= {concept} if any(known.issuperset(row) for row in steps) else set()
    return tuple(name for name, needs in described().items() if not known.issuperset(needs))


def language_of(request: ElicitationRequest) -> str | None:
    """The language that knows most of a request's words, by its tag; None where several do."""
    told = (place for place in read(request).places if place.role not in (*UNREAD, "name"))
    return most_known([word for place in told for one in place.clauses for word in one.words])
