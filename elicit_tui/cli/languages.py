"""What the guardian has no words for in a language, for `elicit-tui check --explain` to tell."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import chain

from elicit_tui.elicitation import ElicitationRequest
from elicit_tui.guardian.frames import frames_of
from elicit_tui.guardian.pages import step_concept, table
from elicit_tui.guardian.reading import UNREAD, read
from elicit_tui.guardian.words import NAMES, headings, known_in


@lru_cache(maxsize=1)
def described() -> dict[str, tuple[str, ...]]:
    """Each recipe and frame with the concepts that must stand there."""
    frames = {frame.name: frame.needs for rule in table("sums") for frame in frames_of(rule)}
    return {**table("recipes"), **frames}


@lru_cache(maxsize=64)
def lacking(language: str) -> tuple[str, ...]:
    """The recipes and frames for which a language, by its tag, has not all words."""
    known = headings(language) | headings(NAMES) | {"clock"}
    # A row may be a step of another one.
    for concept, rows in (*table("rows").items(), *table("rows").items()):
        steps = ({step_concept(step) for step in row.split(" > ")} for row in rows)
        known |= {concept} if any(known.issuperset(row) for row in steps) else set()
    return tuple(name for name, needs in described().items() if not known.issuperset(needs))


def language_of(request: ElicitationRequest) -> str | None:
    """The language that knows most of a request's words, by its tag; None where several do."""
    prose = (place for place in read(request).places if place.role not in (*UNREAD, "name"))
    words = (word for place in prose for clause in place.clauses for word in clause.words)
    known = Counter(chain.from_iterable(map(known_in, words)))
    (first, most), (_, next_most) = (*known.most_common(2), ("", 0), ("", 0))[:2]
    return first if most > next_most else None
