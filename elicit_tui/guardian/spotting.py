"""How the families look for a concept in the places of a request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from elicit_tui.elicitation import Severity
from elicit_tui.guardian.lexicon import Concept, concept
from elicit_tui.guardian.reading import Place
from elicit_tui.guardian.rule import Sighting, excerpt

_CONTEXT: Final = 70
_POSSESSIVE: Final = re.compile(r"^['’`]s\b")
_BESIDE = 40
_SENTENCE_END = re.compile(r"[.?!;:\n](?=\s|$)|[。？！；]|\n")


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


def distance(meant: Concept, text: str, start: int, end: int) -> int | None:
    """How far from `text[start:end]` the same sentence speaks of something; None if not at all."""
    before = _SENTENCE_END.split(text[max(0, start - _BESIDE) : start])[-1]
    after = _SENTENCE_END.split(text[end : end + _BESIDE])[0]
    distances = [len(before) - last for _, last in meant.matches(before)]
    distances += [first for first, _ in meant.matches(after)]
    return min(distances, default=None)
