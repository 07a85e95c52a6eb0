"""Secrets asked for in a form: the spec sends them to URL mode, so here they are stopped.

What counts is who asks for the *value* of a secret. A field a person types into, named after a
secret, asks for it; so does a message about one, when there is any field to type into. Naming,
choosing, counting or configuring one does not: that shows in the words beside it
(`about_before`, `about_after`), in the sense of the word, or in a form with nothing to type.
"""

from __future__ import annotations

from collections.abc import Iterator

from elicit_tui.elicitation import Severity
from elicit_tui.guardian.disguise import disguised_secret
from elicit_tui.guardian.folding import Folded
from elicit_tui.guardian.lexicon import Concept, concept
from elicit_tui.guardian.reading import FieldReading, Place, Reading
from elicit_tui.guardian.rule import Rule, Sighting, excerpt
from elicit_tui.guardian.spotting import is_about, views

_TABLE = "credentials"


def secret_in(place: Place) -> tuple[Folded, int, int] | None:
    """The first value of a secret that a text speaks of as wanted, with where it stands."""
    for folded in views(place):
        text = concept(_TABLE, "other_sense").mask(folded.text)
        for name in ("secret", "misspelt"):
            for start, end in concept(_TABLE, name).matches(text):
                if not is_about(_TABLE, text, start, end):
                    return folded, start, end
    return None


def _described_in(place: Place) -> tuple[Folded, int, int] | None:
    wanted: Concept = concept(_TABLE, "described")
    for folded in views(place):
        span = wanted.first(concept(_TABLE, "other_sense").mask(folded.text))
        if span is not None:
            return folded, *span
    return None


def _sighting(
    place: Place, found: tuple[Folded, int, int], field: str | None, severity: Severity
) -> Sighting:
    return Sighting(severity, place.where, excerpt(*found), field or place.field)


def _asked_in_field(field: FieldReading) -> Iterator[Sighting]:
    for place in field.places:
        if place.role in ("pattern", "format"):
            continue
        found = secret_in(place) or _described_in(place) or disguised_secret(place)
        if found is not None:
            yield _sighting(place, found, field.name, Severity.BLOCK)
            return
    if field.schema.get("format") == "password" or field.schema.get("writeOnly") is True:
        yield Sighting(Severity.BLOCK, f"{field.where}.format", "password", field.name)


def _asked(reading: Reading) -> Iterator[Sighting]:
    if reading.mode == "url":
        return
    free = reading.free_fields
    for field in free:
        yield from _asked_in_field(field)
    if not free:
        return
    for place in reading.general_places:
        found = secret_in(place) or _described_in(place) or disguised_secret(place)
        if found is not None:
            for field in free:
                yield _sighting(place, found, field.name, Severity.BLOCK)
            return


RULES = (
    Rule(
        "credentials.secret",
        "A form that asks for a password, key, token, code or card number.",
        "Do not type it here. A trustworthy server asks for secrets on its own web page, never in "
        "a form.",
        _asked,
    ),
)
