"""Acts that are hard to take back. They are allowed, and they should never slip through unread.

Only the effect counts: what goes, whom it touches, whether there is a way back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from elicit_tui.elicitation import Severity
from elicit_tui.guardian.lexicon import concept
from elicit_tui.guardian.reading import Place, Reading
from elicit_tui.guardian.rule import Rule, Sighting, excerpt
from elicit_tui.guardian.spotting import first_spotted

_TABLE: Final = "destructive"
_NEAR: Final = 70


def _told(reading: Reading) -> list[Place]:
    """Where an act is told; choices are left to the person, and a URL page asks for itself."""
    if reading.mode == "url":
        return []
    roles = ("message", "schema title", "schema description", "title", "description", "name")
    choosing = {field.name for field in reading.fields if field.kind == "choice"}
    return [
        place
        for place in reading.places
        if place.role in roles and not (place.role == "name" and place.field in choosing)
    ]


def _confirms(reading: Reading) -> bool:
    """Whether the answer lets something happen, rather than describes something."""
    if not reading.fields:
        return True
    if any(field.kind == "boolean" for field in reading.fields):
        return True
    confirm = concept(_TABLE, "confirm_field")
    return any(
        place.folded.text in confirm
        for field in reading.fields
        for place in field.places
        if place.role in ("name", "title", "description")
    )


def _softened(reading: Reading) -> bool:
    return any(place.folded.text in concept(_TABLE, "softened") for place in _told(reading))


def _finder(name: str, *, strict: bool) -> Callable[[Reading], Iterator[Sighting]]:
    def find(reading: Reading) -> Iterator[Sighting]:
        if strict and (not _confirms(reading) or _softened(reading)):
            return
        found = first_spotted(concept(_TABLE, name), _told(reading), concept(_TABLE, "mild"))
        if found is not None:
            yield found

    return find


def _production(reading: Reading) -> Iterator[Sighting]:
    if not _confirms(reading) or _softened(reading):
        return
    for place in _told(reading):
        if place.role == "name":
            continue
        for folded in place.views:
            text = concept(_TABLE, "mild").mask(folded.text)
            for start, end in concept(_TABLE, "production").matches(text):
                before = re.split(r"[.?!\n]\s", text[max(0, start - _NEAR) : start])[-1]
                after = re.split(r"[.?!\n]\s", text[end : end + _NEAR])[0]
                if before in concept(_TABLE, "act") or after in concept(_TABLE, "act"):
                    yield Sighting(Severity.WARN, place.where, excerpt(folded, start, end))
                    return


RULES = (
    Rule(
        "destructive.effect",
        "Something is deleted, overwritten or cannot be undone.",
        "Check what exactly goes, and whether there is a way back.",
        _finder("effect", strict=True),
    ),
    Rule(
        "destructive.production",
        "An act on what others are using right now.",
        "This acts on production; make sure that it is meant to, now.",
        _production,
    ),
    Rule(
        "destructive.money",
        "Money moves, or goes on being spent.",
        "Check the amount, who gets it and whether it comes again.",
        _finder("money", strict=True),
    ),
    Rule(
        "destructive.access",
        "More people may do more, or a protection goes.",
        "Check who gains access, or which protection is lost.",
        _finder("access", strict=True),
    ),
    Rule(
        "destructive.publish",
        "Something becomes public and cannot be called back.",
        "What is published stays known; check it first.",
        _finder("publish", strict=True),
    ),
    Rule(
        "destructive.mass_send",
        "A message goes to very many people.",
        "It cannot be called back; check text and recipients.",
        _finder("mass_send", strict=True),
    ),
)
