"""Sensitive personal data: not forbidden to ask for, but a person should notice that it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from elicit_tui.elicitation import Severity
from elicit_tui.guardian.clauses import Standing
from elicit_tui.guardian.reading import FieldReading, Place, Reading
from elicit_tui.guardian.rule import Sighting, found, house_rule
from elicit_tui.guardian.wanting import Thing, Wanting

_SET: Final = 2
_FULL_SET: Final = 3
_ROLES: Final = ("message", "schema title", "schema description", "name", "title", "description")


def _asks(name: str, reading: Reading) -> Iterator[Sighting]:
    wanting = Wanting(reading, Thing(name.replace(" ", "-"), name, f"maybe {name}"))
    typed = [field for field in reading.fields if _can_tell(field, name)]
    for field in typed[:50]:
        asked = wanting.sighting(field, Severity.WARN)
        if asked is not None:
            yield asked
    if typed and name == "health":
        yield from _asks_whether(reading)


def _asks_whether(reading: Reading) -> Iterator[Sighting]:
    """Of one's health a question for a yes or no asks enough: "Are you pregnant?"."""
    for one in found((reading.message,), "health", usual_only=True):
        yours = any(hit.start <= 2 for hit in one.clause.of("your"))
        if one.clause.whether and yours and not one.clause.denies(one.hit):
            yield one.sighting(Severity.WARN, 3, "asks-whether")
            return


def _can_tell(field: FieldReading, name: str) -> bool:
    """Whether an answer to a field tells it: of one's health a choice or a yes tells enough."""
    return field.is_free or name == "health" or (field.kind == "choice" and name == "pay")


def _finder(name: str) -> Callable[[Reading], Iterator[Sighting]]:
    def find(reading: Reading) -> Iterator[Sighting]:
        yield from _asks(name, reading)

    return find


def _asked_places(reading: Reading) -> Iterator[Place]:
    typed = {field.name for field in reading.fields if field.kind != "boolean"}
    for place in reading.told(*_ROLES):
        if typed and (place.field is None or place.field in typed):
            yield place


def _members(name: str, reading: Reading) -> set[str]:
    return {
        " ".join(clause.words[hit.start : hit.end])
        for place in _asked_places(reading)
        for clause in place.clauses
        for hit in clause.of(name)
        if clause.standing(hit) >= Standing.NAMED
    }


def _identity_set(reading: Reading) -> Iterator[Sighting]:
    if not _members("birth", reading):
        return
    members = _members("set member", reading)
    named = bool(_members("full name", reading))
    identity = any(True for _ in _asks("identity", reading))
    parts = len(members) + identity
    quiz = any(place.says("quiz") for place in reading.general_places)
    if quiz and parts + named >= _FULL_SET:
        severity = Severity.BLOCK
    elif parts + named >= _SET or identity:
        severity = Severity.WARN
    else:
        return
    evidence = ", ".join(sorted(members)[:6])
    yield Sighting(severity, "requestedSchema", f"date of birth, {evidence}")


RULES = (
    house_rule("personal.identity", _finder("identity")),
    house_rule("personal.bank", _finder("bank")),
    house_rule("personal.health", _finder("health")),
    house_rule("personal.biometric", _finder("biometric")),
    house_rule("personal.pay", _finder("pay")),
    house_rule("personal.location", _finder("location")),
    house_rule("personal.identity_set", _identity_set),
)
