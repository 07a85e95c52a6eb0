"""Questions that carry out what is in your machine, your session or your organisation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from elicit_tui.elicitation import Severity
from elicit_tui.guardian.lexicon import concept
from elicit_tui.guardian.reading import Place, Reading
from elicit_tui.guardian.rule import Rule, Sighting, excerpt
from elicit_tui.guardian.spotting import distance, first_spotted, spotted

_TABLE: Final = "exfiltration"
_EXPANDS: Final = re.compile(
    r"\$\{[^}\n]{1,200}\}|\$\([^)\n]{1,300}\)|(?<![\w$])\$[A-Z_][A-Z0-9_]{2,}|%[A-Z_][A-Z0-9_]{2,}%|\{\{[^}\n]{1,200}\}\}"
    r"|\{%[^%\n]{1,200}%\}|<%[^%\n]{1,200}%>|`[^`\n]{2,200}`|#\{[^}\n]{1,200}\}|\$env:\w+|process\.env\.?\w*"
    r"|os\.environ\w*|getenv\(|@\{[^}\n]{1,100}\}|<\?(?:php|=)|\$\[\[|<\([^)]{1,200}\)|!!python/"
)


def _contents(reading: Reading) -> Iterator[Sighting]:
    # A number or a date cannot carry contents.
    free = tuple(field for field in reading.free_fields if field.kind == "text")
    if reading.mode == "url" or not free:
        return
    mask = concept(_TABLE, "other_sense")
    for field in free:
        for place in field.places:
            if place.role in ("pattern", "format"):
                continue
            found = spotted(concept(_TABLE, "block"), place, mask)
            if found is not None:
                yield Sighting(Severity.BLOCK, found.where, found.evidence, field.name)
    found = first_spotted(concept(_TABLE, "block"), reading.general_places, mask)
    found = found or _both(("tools", "answered", "handed"), reading.general_places)
    if found is not None:
        for field in free[:50]:
            yield Sighting(Severity.BLOCK, found.where, found.evidence, field.name)


def _both(names: tuple[str, ...], places: Iterable[Place]) -> Sighting | None:
    """Several things in one sentence, such as other tools and what they answered."""
    first, *others = names
    for place in places:
        for folded in place.views:
            text = concept(_TABLE, "other_sense").mask(folded.text)
            for start, end in concept(_TABLE, first).matches(text):
                beside = (distance(concept(_TABLE, name), text, start, end) for name in others)
                if all(found is not None for found in beside):
                    return Sighting(Severity.WARN, place.where, excerpt(folded, start, end))
    return None


def _bulk(reading: Reading) -> Iterator[Sighting]:
    free = reading.free_fields
    if reading.mode == "url" or not free:
        return
    places = [
        place for place in reading.words if place.role not in ("server", "default", "example")
    ]
    found = first_spotted(concept(_TABLE, "bulk"), places, concept(_TABLE, "other_sense"))
    found = found or _both(("people", "details"), places)
    if found is not None:
        yield found


def _expanding_default(reading: Reading) -> Iterator[Sighting]:
    for place in reading.places:
        if place.role in ("default", "example"):
            match = _EXPANDS.search(place.text)
            if match is not None:
                yield Sighting(Severity.BLOCK, place.where, place.text[:120], place.field)


RULES = (
    Rule(
        "exfiltration.contents",
        "Files, history, conversation or variables that should stay here.",
        "Do not paste it: this belongs to you and to your machine.",
        _contents,
    ),
    Rule(
        "exfiltration.bulk",
        "Data about many people, or a map of your systems.",
        "Give away other people's data or inner workings only if you may.",
        _bulk,
    ),
    Rule(
        "exfiltration.expanding_default",
        "A prepared answer that would turn into secrets of yours.",
        "Do not send the prepared answer: it may be replaced by data of your machine.",
        _expanding_default,
    ),
)
