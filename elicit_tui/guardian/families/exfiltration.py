"""Questions that carry out what is in your machine, your session or your organisation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from elicit_tui.elicitation import Severity
from elicit_tui.guardian.frames import Frame, held, places_of, summed
from elicit_tui.guardian.reading import Reading
from elicit_tui.guardian.rule import Sighting, house_rule, weight
from elicit_tui.guardian.wanting import Thing, Wanting

_CONTENTS: Final = Thing("contents", "contents")
_SPOKEN_OF: Final = (
    Frame("other-tools-answers", 3, ("tools", "answered", "handed"), 2),
    Frame("own-text-of-the-model", 3, ("model", "own text", "given"), 1),
    Frame("talk-with-the-model", 3, ("model", "talk", "earlier"), 0),
    Frame("open-pages", 3, ("pages", "looked at", "handed"), 1),
)
_BULK: Final = (
    Frame("whole-of-many", 2, ("sources", "whole"), 1),
    Frame("many-people", 2, ("people", "details", "in bulk"), 1),
    Frame("details-of-many", 2, ("sources", "details"), 1),
)
_EXPANDS: Final = re.compile(
    r"\$\{[^}\n]{1,200}\}|\$\([^)\n]{1,300}\)|(?<![\w$])\$[A-Z_][A-Z0-9_]{2,}|%[A-Z_][A-Z0-9_]{2,}%"
    r"|\{\{[^}\n]{1,200}\}\}|\{%[^%\n]{1,200}%\}|<%[^%\n]{1,200}%>|`[^`\n]{2,200}`|#\{[^}\n]{1,200}\}"
    r"|\$env:\w+|process\.env\.?\w*|os\.environ\w*|getenv\(|(?<![\w}])@\{[^}\n]{1,100}\}|<\?(?:php|=)|\$\[\["
    r"|<\([^)]{1,200}\)|!!python/"
)


def _contents(reading: Reading) -> Iterator[Sighting]:
    # A number or a date cannot carry contents.
    free = tuple(field for field in reading.free_fields if field.kind == "text")
    if reading.mode == "url" or not free:
        return
    wanting = Wanting(reading, _CONTENTS)
    for field in free:
        asked = wanting.sighting(field, Severity.BLOCK)
        if asked is not None:
            yield asked
    for one in held(_SPOKEN_OF, places_of(reading)):
        for field in free[:50]:
            yield one.sighting(Severity.BLOCK, field.name)


def _bulk(reading: Reading) -> Iterator[Sighting]:
    if not _can_carry(reading):
        return
    yield from summed(Severity.WARN, _BULK)(reading)
    for field in reading.called("list of people"):
        if field.kind == "text":
            why = weight(2, "field-is-list-of-people", field.places[0], field.name)
            yield Sighting(Severity.WARN, field.where, field.name[:80], field.name, (why,))


def _can_carry(reading: Reading) -> bool:
    return reading.mode != "url" and bool(reading.free_fields)


def _expanding_default(reading: Reading) -> Iterator[Sighting]:
    for place in reading.places:
        if place.role in ("default", "example"):
            match = _EXPANDS.search(place.text)
            if match is not None:
                yield Sighting(Severity.BLOCK, place.where, place.text[:120], place.field)


RULES = (
    house_rule("exfiltration.contents", _contents),
    house_rule("exfiltration.bulk", _bulk),
    house_rule("exfiltration.expanding_default", _expanding_default),
)
