"""Sensitive personal data: not forbidden to ask for, but a person should notice that it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from elicit_tui.elicitation import Severity
from elicit_tui.guardian.clauses import Standing
from elicit_tui.guardian.reading import Place, Reading
from elicit_tui.guardian.rule import Rule, Sighting
from elicit_tui.guardian.wanting import THRESHOLD, Thing, Wanting, sighted

_SET: Final = 2
_FULL_SET: Final = 3
_ROLES: Final = ("message", "schema title", "schema description", "name", "title", "description")


def _asks(name: str, reading: Reading) -> Iterator[Sighting]:
    if reading.mode == "url":
        return
    wanting = Wanting(reading, Thing(name.replace(" ", "-"), name, f"maybe {name}"))
    typed = [field for field in reading.fields if field.kind != "boolean"]
    for field in typed[:50]:
        found = wanting.of_field(field)
        if sum(seen.weight.amount for seen in found) >= THRESHOLD:
            heaviest, because = sighted(found)
            yield Sighting(
                Severity.WARN, heaviest.place.where, heaviest.evidence, field.name, because
            )


def _finder(name: str) -> Callable[[Reading], Iterator[Sighting]]:
    def find(reading: Reading) -> Iterator[Sighting]:
        yield from _asks(name, reading)

    return find


def _asked_places(reading: Reading) -> Iterator[Place]:
    if reading.mode == "url":
        return
    typed = {field.name for field in reading.fields if field.kind != "boolean"}
    for place in reading.places:
        if place.role in _ROLES and typed and (place.field is None or place.field in typed):
            yield place


def _members(name: str, reading: Reading) -> set[str]:
    return {
        " ".join(clause.words[hit.start : hit.end])
        for place in _asked_places(reading)
        for clause in place.views[0].clauses
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
    quiz = any(
        clause.of("quiz") for place in reading.general_places for clause in place.views[0].clauses
    )
    if quiz and parts + named >= _FULL_SET:
        severity = Severity.BLOCK
    elif parts + named >= _SET or identity:
        severity = Severity.WARN
    else:
        return
    evidence = ", ".join(sorted(members)[:6])
    yield Sighting(severity, "requestedSchema", f"date of birth, {evidence}")


RULES = (
    Rule(
        "personal.identity",
        "Numbers of papers that prove who you are.",
        "Give an identity number only to somebody who must have it.",
        _finder("identity"),
    ),
    Rule(
        "personal.bank",
        "Your bank account and what is on it.",
        "Check who gets your bank data, and what for.",
        _finder("bank"),
    ),
    Rule(
        "personal.health",
        "Your health and other things that are nobody's business.",
        "This is sensitive; leave it out unless you want it to be known there.",
        _finder("health"),
    ),
    Rule(
        "personal.biometric",
        "Features of your body that you can never change.",
        "A face or fingerprint cannot be replaced once it is known.",
        _finder("biometric"),
    ),
    Rule(
        "personal.pay",
        "What you earn.",
        "Say what you earn only where it is needed.",
        _finder("pay"),
    ),
    Rule(
        "personal.location",
        "Where you are, moment by moment.",
        "Share where you are only with those who need it now.",
        _finder("location"),
    ),
    Rule(
        "personal.identity_set",
        "All that another needs to pass for you.",
        "Together these are enough to pass for you; be sparing.",
        _identity_set,
    ),
)
