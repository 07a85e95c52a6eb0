"""Questions that carry out what is in your machine, your session or your organisation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from elicit_tui.elicitation import Severity
from elicit_tui.guardian.frames import TOLD, held, summed
from elicit_tui.guardian.reading import Reading
from elicit_tui.guardian.rule import Sighting, house_rule, weight
from elicit_tui.guardian.wanting import Thing, Wanting

_CONTENTS: Final = Thing("contents", "contents")
_EXPANDS: Final = re.compile(
    r"\$\{[^}\n]{1,200}\}|\$\([^)\n]{1,300}\)|(?<![\w$])\$[A-Z_][A-Z0-9_]{2,}|%[A-Z_][A-Z0-9_]{2,}%"
    r"|\{\{[^}\n]{1,200}\}\}|\{%[^%\n]{1,200}%\}|<%[^%\n]{1,200}%>|`[^`\n]{2,200}`|#\{[^}\n]{1,200}\}"
    r"|\$env:\w+|process\.env\.?\w*|os\.environ\w*|getenv\(|(?<![\w}])@\{[^}\n]{1,100}\}|<\?(?:php|=)|\$\[\["
    r"|<\([^)]{1,200}\)|!!python/"
)


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
    house_rule("exfiltration.contents", _contents),
    house_rule("exfiltration.bulk", _bulk),
    house_rule("exfiltration.expanding_default", _expanding_default),
)
