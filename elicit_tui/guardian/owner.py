"""The owner's own rules from the configuration, each bounded in time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from functools import partial
from typing import Any, Final

from elicit_tui.elicitation import Severity
from elicit_tui.elicitation.settings import OwnerRule
from elicit_tui.guardian.reading import Reading
from elicit_tui.guardian.rule import GuardianRule, Sighting

SECONDS_FOR_A_PATTERN: Final = 0.05


def owner_rules(settings: Iterable[OwnerRule]) -> tuple[GuardianRule, ...]:
    """One rule for each entry of `[[guardian.rules]]`; a broken pattern fails when it is run."""
    return tuple(
        GuardianRule(
            entry.id,
            "What the owner of this configuration wants to see.",
            entry.advice or "A rule of your own configuration matched.",
            partial(_find, entry),
        )
        for entry in settings
    )


def _find(entry: OwnerRule, reading: Reading) -> Iterator[Sighting]:
    import regex

    severity = Severity[entry.severity.upper()]
    pattern: Any = regex.compile(entry.pattern)
    for place in reading.places:
        if fnmatchcase(place.where, entry.where):
            found = pattern.search(place.text, timeout=SECONDS_FOR_A_PATTERN)
            if found is not None:
                start, end = found.span()
                yield Sighting(severity, place.where, place.text[start : max(end, start + 1)])
