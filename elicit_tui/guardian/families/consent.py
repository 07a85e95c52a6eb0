"""Whether an answer lets something happen, and where a request tells what that is."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from elicit_tui.guardian.clauses import Clause
from elicit_tui.guardian.reading import FieldReading, Place, Reading

_TOLD: Final = ("message", "schema title", "schema description", "title", "description", "name")
_TELLS: Final = 3


@lru_cache(maxsize=1)
def confirms(reading: Reading) -> bool:
    """Whether the answer lets something happen, rather than describes something."""
    if reading.mode == "url":
        return False
    if not reading.fields:
        return True
    if any(field.kind == "boolean" or may_be_left(field) for field in reading.fields):
        return True
    if _asks_leave(reading):
        return True
    return any(
        place.says("confirm")
        for field in reading.fields
        if field.kind != "choice"
        for place in field.told("name", "title")
    )


def may_be_left(field: FieldReading) -> bool:
    """Whether one of a field's choices leaves everything as it is, or puts it off."""
    return any(
        hit.start == 0 and (hit.concept == "leaves" or hit.end == len(clause.words))
        for place in field.told("choice")
        for clause in place.clauses
        for hit in clause.of("refusal", "leaves")
    )


def _asks_leave(reading: Reading) -> bool:
    """Whether a message wants leave for an act, though the answer is typed or chosen."""
    clauses = reading.message.clauses
    if any(not clause.denies(hit) for clause in clauses for hit in clause.of("announces")):
        return True
    # "Evict entries after how many minutes?" asks for a number.
    if not clauses or any(clause.of("aside", "which") for clause in clauses):
        return False
    return any(
        (clause.is_question and (clause.of("asks leave") or _begins_with(clause, "sends", "act")))
        or clause.of("confirm")
        for clause in clauses
    ) or _begins_with(clauses[0], "destroys", "takes", "grants", "command")


def _begins_with(clause: Clause, *acts: str) -> bool:
    return clause.opens and any(hit.start == 0 for hit in clause.of(*acts))


def told(reading: Reading) -> Iterator[Place]:
    """The places that tell what the answer lets happen."""
    typed = {field.name for field in reading.fields if field.is_free or field.kind == "choice"}
    for place in reading.told(*_TOLD):
        # What is chosen or typed there only describes; a yes or no lets it happen.
        if place.role == "name" and (place.field in typed or _is_one_word(place)):
            continue
        if place.role == "title" and place.field in typed and _is_one_word(place):
            continue
        yield place


def _is_one_word(place: Place) -> bool:
    return sum(len(clause.words) for clause in place.clauses) == 1


def telling_choices(reading: Reading) -> Iterator[Place]:
    """Choices, and what is prepared, that tell of an end in several words."""
    for place in reading.told("choice", "default"):
        words = sum(len(clause.words) for clause in place.clauses)
        if words >= _TELLS:
            yield place
