"""How the families look for a concept in the places of a request."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from elicit_tui.elicitation import Severity
from elicit_tui.guardian.lexicon import Concept, concept
from elicit_tui.guardian.reading import Place
from elicit_tui.guardian.rule import Sighting, excerpt

_CONTEXT: Final = 70
_POSSESSIVE: Final = re.compile(r"^['’`]s\b")
_BESIDE: Final = 40
_SENTENCE_END: Final = re.compile(r"[.?!;:](?=\s|$)|[。？！；\n]")


def is_about(table: str, text: str, start: int, end: int) -> bool:
    """Whether the words beside `text[start:end]` say that the thing itself is not meant."""
    after = _POSSESSIVE.sub("", text[end : end + _CONTEXT]).lstrip(" _-'\"`")
    if concept(table, "about_after").starts(after):
        return True
    clause = clause_before(text, start)
    bare = len(clause.rstrip(" _-'\"`«“"))
    return any(last >= bare for _, last in concept(table, "about_before").matches(clause))


def clause_before(text: str, start: int, longest: int = _CONTEXT) -> str:
    """What stands before a position in the same clause."""
    before = text[max(0, start - longest) : start]
    for stop in ".?!;:\n。？！；：":
        before = before.rpartition(stop)[2]
    return before


def spotted(wanted: Concept, place: Place, mask: Concept | None = None) -> Sighting | None:
    """A warning about the first occurrence of a concept in a place, or None."""
    for folded in place.views:
        text = folded.text if mask is None else mask.mask(folded.text)
        span = wanted.first(text)
        if span is not None:
            return Sighting(Severity.WARN, place.where, excerpt(folded, *span), None)
    return None


def first_spotted(
    wanted: Concept, places: Iterable[Place], mask: Concept | None = None
) -> Sighting | None:
    """The first place that speaks of a concept."""
    found: Iterator[Sighting | None] = (spotted(wanted, place, mask) for place in places)
    return next((sighting for sighting in found if sighting is not None), None)


@lru_cache(maxsize=64)
def _spans(meant: Concept, text: str) -> tuple[tuple[int, int], ...]:
    return tuple(sorted(meant.matches(text)))


@lru_cache(maxsize=16)
def _sentence_ends(text: str) -> tuple[int, ...]:
    return (0, *(match.start() for match in _SENTENCE_END.finditer(text)), len(text))


def distance(meant: Concept, text: str, start: int, end: int) -> int | None:
    """How far from `text[start:end]` the same sentence speaks of something; None if not at all."""
    ends = _sentence_ends(text)
    first = max(ends[bisect_right(ends, start) - 1], start - _BESIDE)
    last = min(ends[min(bisect_left(ends, end), len(ends) - 1)], end + _BESIDE)
    spans = _spans(meant, text)
    near = spans[bisect_left(spans, (first,)) : bisect_left(spans, (last,))]
    distances = [start - stop for _, stop in near if stop <= start]
    distances += [begin - end for begin, _ in near if begin >= end]
    return min(distances, default=None)
