"""Acts that are hard to take back. They are allowed, and they should never slip through unread.

Only the effect counts: what goes, whom it touches, whether there is a way back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final

from elicit_tui.elicitation import Severity
from elicit_tui.guardian.lexicon import concept
from elicit_tui.guardian.reading import FieldReading, Place, Reading
from elicit_tui.guardian.rule import Rule, Sighting, excerpt
from elicit_tui.guardian.spotting import distance

_TABLE: Final = "destructive"
_NEAR: Final = 70
_SENTENCE: Final = re.compile(r"([^.?!\n。？！]+)([?？]?)")
_TELLS: Final = 4
_STEM: Final = 4
_FIRST_OF_HAN: Final = "\u2e80"
_CLAUSE: Final = re.compile(
    r"((?:^|[.?!;:\n。？！]|\b(?:and|then|und|dann|et|puis|y|luego|e|depois|и|затем)\s)[\s¿¡\"'`*_-]*)"
    r"((?:(?!\b(?:and|then|und|dann|et|puis|y|luego|e|depois|и|затем)\s)[^.?!;:\n。？！])+)([?？]?)"
)


def _told(reading: Reading) -> list[Place]:
    """Where an act is told; choices are left to the person, and a URL page asks for itself."""
    if reading.mode == "url":
        return []
    roles = ("message", "schema title", "schema description", "title", "description", "name")
    choosing = {field.name for field in reading.fields if field.kind == "choice"}
    return [
        place
        for place in reading.places
        if place.role in roles
        and not (place.role == "name" and place.field in choosing)
        and not (place.role in ("name", "title") and _echoes(place, reading.message))
    ]


def _echoes(place: Place, message: Place) -> bool:
    """Whether a field is called by one word of the message, which tells what is meant by it."""
    word = place.folded.text.strip(" _-:*?")
    stem = word[: max(_STEM, len(word) - 2)] if word[:1] < _FIRST_OF_HAN else word[:1]
    return word.isalpha() and stem in message.folded.text


def _confirms(reading: Reading) -> bool:
    """Whether the answer lets something happen, rather than describes something."""
    if not reading.fields:
        return True
    if any(field.kind == "boolean" or _may_be_left(field) for field in reading.fields):
        return True
    if len(reading.fields) == 1 and _asks_for_a_yes(reading.message.folded.text):
        return True
    confirm = concept(_TABLE, "confirm_field")
    return any(
        place.folded.text in confirm
        for field in reading.fields
        for place in field.places
        if place.role in ("name", "title", "description")
    )


def _may_be_left(field: FieldReading) -> bool:
    """Whether one of a field's choices leaves everything as it is."""
    refuses = concept(_TABLE, "refuses")
    return any(
        place.role == "choice" and refuses.covers(place.folded.text) for place in field.places
    )


def _chooses_how_it_ends(reading: Reading) -> bool:
    """Whether deleting stands among the choices, beside leaving everything as it is."""
    deletes = concept(_TABLE, "deletes")
    return any(
        _may_be_left(field)
        and any(p.role == "choice" and deletes.covers(p.folded.text) for p in field.places)
        for field in reading.fields
    )


def _asks_for_a_yes(message: str) -> bool:
    """Whether a message wants leave for an act, though the answer is typed."""
    deletes = concept(_TABLE, "deletes")
    asked = any(mark and deletes.starts(said.strip()) for said, mark in _SENTENCE.findall(message))
    return asked or message in concept(_TABLE, "asked")


def _softened(reading: Reading) -> bool:
    return any(place.folded.text in concept(_TABLE, "softened") for place in _told(reading))


@lru_cache(maxsize=2048)
def _done(text: str) -> str:
    """The text without what is small and without sentences that only tell or ask of an act."""
    speaks, asks = concept(_TABLE, "speaks"), concept(_TABLE, "asks")

    def silenced(match: re.Match[str]) -> str:
        opening, told, mark = match.groups()
        only_told = speaks.starts(told) or (mark and asks.starts(told))
        return opening + "\0" * len(told) + mark if only_told else match[0]

    return _CLAUSE.sub(silenced, concept(_TABLE, "mild").mask(text))


def _distance(name: str, text: str, start: int, end: int) -> int | None:
    return distance(concept(_TABLE, name), text, start, end)


def _takes_away(text: str) -> tuple[int, int] | None:
    """A verb that takes away what matters: what stands beside it decides, in either order."""
    for start, end in concept(_TABLE, "deletes").matches(text):
        small = _distance("small", text, start, end)
        weighty = _distance("weighty", text, start, end)
        if small is None or (weighty is not None and weighty < small):
            return start, end
    for start, end in concept(_TABLE, "cuts").matches(text):
        small = _distance("small", text, start, end)
        weighty = _distance("weighty", text, start, end)
        much = small is None and _distance("many", text, start, end) is not None
        if much or (weighty is not None and (small is None or weighty < small)):
            return start, end
    return None


def _unguards(text: str) -> tuple[int, int] | None:
    """A protection and a word that takes it away."""
    for start, end in concept(_TABLE, "guards").matches(text):
        lifted = _distance("lifts", text, start, end)
        small = _distance("small", text, start, end)
        if lifted is not None and (small is None or lifted < small):
            return start, end
    return None


def _spends(text: str) -> tuple[int, int] | None:
    """A verb of payment with an amount beside it."""
    for start, end in concept(_TABLE, "spends").matches(text):
        if _distance("amount", text, start, end) is not None:
            return start, end
    return None


def _finder(
    name: str, beside: Callable[[str], tuple[int, int] | None] | None = None
) -> Callable[[Reading], Iterator[Sighting]]:
    """A rule about a concept, or about words that only together say what happens."""

    def find(reading: Reading) -> Iterator[Sighting]:
        if not _confirms(reading) or _softened(reading):
            return
        for place in _told(reading):
            for folded in place.views:
                text = _done(folded.text)
                span = concept(_TABLE, name).first(text) or (beside(text) if beside else None)
                if span is not None:
                    yield Sighting(Severity.WARN, place.where, excerpt(folded, *span))
                    return

    return find


def _production(reading: Reading) -> Iterator[Sighting]:
    if not _confirms(reading) or _softened(reading):
        return
    for place in _told(reading):
        if place.role == "name":
            continue
        for folded in place.views:
            text = _done(folded.text)
            for start, end in concept(_TABLE, "production").matches(text):
                before = re.split(r"[.?!\n]\s", text[max(0, start - _NEAR) : start])[-1]
                after = re.split(r"[.?!\n]\s", text[end : end + _NEAR])[0]
                if before in concept(_TABLE, "act") or after in concept(_TABLE, "act"):
                    yield Sighting(Severity.WARN, place.where, excerpt(folded, start, end))
                    return


_act = _finder("effect", _takes_away)


def _effect(reading: Reading) -> Iterator[Sighting]:
    yield from _act(reading)
    if _softened(reading):
        return
    if _chooses_how_it_ends(reading):
        message = reading.message.folded
        span = _takes_away(message.text)
        if span is not None:
            yield Sighting(Severity.WARN, reading.message.where, excerpt(message, *span))
    for place in reading.places:
        # A choice that is a name is the person's own; one that tells of an end must be read.
        if place.role == "choice" and len(place.text.split()) >= _TELLS:
            span = concept(_TABLE, "effect").first(_done(place.folded.text))
            if span is not None:
                yield Sighting(Severity.WARN, place.where, excerpt(place.folded, *span))
                return


RULES = (
    Rule(
        "destructive.effect",
        "Something is deleted, overwritten or cannot be undone.",
        "Check what exactly goes, and whether there is a way back.",
        _effect,
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
        _finder("money", _spends),
    ),
    Rule(
        "destructive.access",
        "More people may do more, or a protection goes.",
        "Check who gains access, or which protection is lost.",
        _finder("access", _unguards),
    ),
    Rule(
        "destructive.publish",
        "Something becomes public and cannot be called back.",
        "What is published stays known; check it first.",
        _finder("publish"),
    ),
    Rule(
        "destructive.mass_send",
        "A message goes to very many people.",
        "It cannot be called back; check text and recipients.",
        _finder("mass_send"),
    ),
)
