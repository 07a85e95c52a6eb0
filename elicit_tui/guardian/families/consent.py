"""Whether an answer lets something happen, and where a request tells what that is."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from elicit_tui.guardian.clauses import Clause
from elicit_tui.guardian.reading import GENERAL, FieldReading, Place, Reading

_TELLS: Final = 3


@lru_cache(maxsize=1)
def confirms(reading: Reading) -> bool:
    """Whether the answer lets something happen, rather than describes something."""
    if not reading.fields:
        return reading.mode != "url"
    return _asks_leave(reading) or any(
        field.kind == "boolean"
        or may_be_left(field)
        or (field.kind != "choice" and any(p.says("confirm") for p in field.told("name", "title")))
        for field in reading.fields
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
    for place in reading.told(*GENERAL, "name", "title", "description"):
        # What is chosen or typed there only describes; a yes or no lets it happen.
        is_typed, is_one_word = place.field in typed, _length(place) == 1
        is_label = {"name": is_typed or is_one_word, "title": is_typed and is_one_word}
        if not is_label.get(place.role, False):
            yield place


def _length(place: Place) -> int:
    return sum(len(clause.words) for clause in place.clauses)


def telling_choices(reading: Reading) -> Iterator[Place]:
    """Choices, and what is prepared, that tell of an end in several words."""
    for place in reading.told("choice", "default"):
        if _length(place) >= _TELLS or (place.says("destroys") and place.says("irreversible")):
            yield place
