"""Sensitive personal data: not forbidden to ask for, but a person should notice that it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from elicit_tui.elicitation import Severity
from elicit_tui.guardian.lexicon import concept
from elicit_tui.guardian.reading import Place, Reading
from elicit_tui.guardian.rule import Rule, Sighting, excerpt
from elicit_tui.guardian.spotting import is_about

_TABLE: Final = "personal"
_SET: Final = 2
_FULL_SET: Final = 3


def _asked_places(reading: Reading) -> Iterator[Place]:
    if reading.mode == "url" or not reading.fields:
        return
    typed = [field for field in reading.fields if field.kind != "boolean"]
    if not typed:
        return
    wanted = {field.name for field in typed}
    for place in reading.places:
        if place.role in ("pattern", "format", "server", "default", "example"):
            continue
        if place.role == "choice":
            continue
        if place.field is None or place.field in wanted:
            yield place


def _asks(name: str, reading: Reading) -> Iterator[Sighting]:
    # "Symptoms of the bug" says of a field `symptoms`, too, that a thing has them.
    of_things: set[str] = set()
    for place in _asked_places(reading):
        for folded in place.views:
            for start, end in concept(_TABLE, name).matches(folded.text):
                word = folded.text[start:end]
                if is_about(_TABLE, folded.text, start, end):
                    of_things.add(word)
                elif place.field is None or word not in of_things:
                    typed: list[str | None] = [f.name for f in reading.free_fields]
                    fields = [place.field] if place.field else (typed or [None])
                    for field in fields[:20]:
                        evidence = excerpt(folded, start, end)
                        yield Sighting(Severity.WARN, place.where, evidence, field)
                    return


def _members(name: str, reading: Reading) -> set[str]:
    found: set[str] = set()
    for place in _asked_places(reading):
        text = place.folded.text
        for start, end in concept(_TABLE, name).matches(text):
            found.add(text[start:end])
    return found


def _identity_set(reading: Reading) -> Iterator[Sighting]:
    if not _members("birth", reading):
        return
    members = _members("set_member", reading)
    named = bool(_members("full_name", reading))
    identity = any(True for _ in _asks("identity", reading))
    parts = len(members) + identity
    quiz = any(place.folded.text in concept(_TABLE, "quiz") for place in reading.general_places)
    if quiz and parts + named >= _FULL_SET:
        severity = Severity.BLOCK
    elif parts + named >= _SET or identity:
        severity = Severity.WARN
    else:
        return
    evidence = ", ".join(sorted(members)[:6])
    yield Sighting(severity, "requestedSchema", f"date of birth, {evidence}")


def _finder(*names: str) -> Callable[[Reading], Iterator[Sighting]]:
    def find(reading: Reading) -> Iterator[Sighting]:
        for name in names:
            yield from _asks(name, reading)

    return find


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
