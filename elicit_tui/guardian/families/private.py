"""What should stay with a person: data about them, and what is in their machine and their session.

Personal data are not forbidden to ask for, but a person should notice that it is; contents of the
machine, the conversation or the organisation are carried out by no honest question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Final

from elicit_tui.elicitation import Severity
from elicit_tui.guardian.clauses import Standing
from elicit_tui.guardian.frames import TOLD, held, summed
from elicit_tui.guardian.pages import pattern
from elicit_tui.guardian.reading import GENERAL, Reading
from elicit_tui.guardian.rule import Sighting, found, house_rule, weight
from elicit_tui.guardian.wanting import Thing, Wanting

_KINDS: Final = ("identity", "bank", "health", "biometric", "pay", "location")
_SET, _FULL_SET = 2, 3


def _asked(name: str, reading: Reading) -> Iterator[Sighting]:
    wanting = Wanting(reading, Thing(name.replace(" ", "-"), name, f"maybe {name}"))
    # Of one's health a choice or a yes tells enough.
    told_by = {"health": ("choice", "boolean", "other"), "pay": ("choice",)}.get(name, ())
    typed = [field for field in reading.fields if field.is_free or field.kind in told_by]
    yield from filter(None, (wanting.sighting(field, Severity.WARN) for field in typed[:50]))
    if typed and name == "health":
        yield from _asks_whether(reading)


def _asks_whether(reading: Reading) -> Iterator[Sighting]:
    """Of one's health a question for a yes or no asks enough: "Are you pregnant?"."""
    for one in found((reading.message,), "health", usual_only=True):
        yours = any(hit.start <= 2 for hit in one.clause.of("your"))
        if one.clause.whether and yours and not one.clause.denies(one.hit):
            yield one.sighting(Severity.WARN, 3, "asks-whether")
            return


def _members(name: str, reading: Reading, unset: frozenset[str]) -> set[str]:
    """The words for something that the form, or a field for more than a yes, asks for."""
    asks = (field.name for field in reading.fields if field.kind != "boolean")
    typed = {None, *asks} - unset
    places = reading.told(*GENERAL, "name", "title", "description")
    return {
        " ".join(one.clause.words[one.hit.start : one.hit.end])
        for one in found(places, name, usual_only=True)
        if one.place.field in typed
        and one.clause.standing(one.hit) >= (Standing.NAMED if one.place.field else Standing.ASKED)
    }


def _identity_set(reading: Reading) -> Iterator[Sighting]:
    if all(field.kind == "boolean" for field in reading.fields):
        return
    seen = _set_of(reading, frozenset())
    if seen is not None:
        # It is none any more without the day of birth, or without all that may be left out.
        born = {
            field.name for field in reading.fields for place in field.places if place.says("birth")
        }
        fields = frozenset(field.name for field in reading.fields)
        told = any(_members(name, reading, fields) for name in ("birth", "set member"))
        left = () if told else (reading.optional & born, reading.optional)
        carried = (unset for unset in left if unset and _set_of(reading, unset) is None)
        yield replace(seen, carried_by=tuple(sorted(next(carried, ()))))


def _set_of(reading: Reading, unset: frozenset[str]) -> Sighting | None:
    """The set that a form asks for whose other fields are filled in."""
    if not _members("birth", reading, unset):
        return None
    members = _members("set member", reading, unset)
    identity = any(one.field not in unset for one in _asked("identity", reading))
    parts = len(members) + identity + bool(_members("full name", reading, unset))
    quiz = any(place.says("quiz") for place in reading.told(*GENERAL, "choice"))
    if parts < _SET and not identity:
        return None
    severity = Severity.BLOCK if quiz and parts >= _FULL_SET else Severity.WARN
    evidence = ", ".join(sorted(members)[:6])
    return Sighting(severity, "requestedSchema", f"date of birth, {evidence}")


_CONTENTS: Final = Thing("contents", "contents")
_EXPANDS: Final = re.compile(pattern("expands"))


def _contents(reading: Reading) -> Iterator[Sighting]:
    # A number or a date cannot carry contents.
    free = tuple(field for field in reading.free_fields if field.kind == "text")
    wanting = Wanting(reading, _CONTENTS)
    yield from filter(None, (wanting.sighting(field, Severity.BLOCK) for field in free))
    for one in held("exfiltration.contents", reading, reading.told(*TOLD) if free else ()):
        yield from (one.sighting(Severity.BLOCK, field.name) for field in free[:50])


def _bulk(reading: Reading) -> Iterator[Sighting]:
    yield from summed("exfiltration.bulk", Severity.WARN, typed=True)(reading)
    for field in reading.called("list of people"):
        if field.kind == "text":
            why = weight(2, "field-is-list-of-people", field.places[0], field.name)
            yield Sighting(Severity.WARN, field.where, field.name[:80], field.name, (why,))


def _expanding_default(reading: Reading) -> Iterator[Sighting]:
    for place in reading.told("default", "example"):
        if _EXPANDS.search(place.text):
            yield Sighting(Severity.BLOCK, place.where, place.text[:120], place.field)


RULES = (
    *(house_rule(f"personal.{name}", partial(_asked, name)) for name in _KINDS),
    house_rule("personal.identity_set", _identity_set),
    house_rule("exfiltration.contents", _contents),
    house_rule("exfiltration.bulk", _bulk),
    house_rule("exfiltration.expanding_default", _expanding_default),
)
