"""What a rule is, the house's or the owner's, and how a finding is made from what it saw."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatchcase
from functools import partial
from typing import Any, NamedTuple

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import Finding, Severity, Weight
from elicit_tui.elicitation.settings import OwnerRule
from elicit_tui.guardian.clauses import Clause
from elicit_tui.guardian.pages import blocks
from elicit_tui.guardian.reading import Place, Reading, View
from elicit_tui.guardian.words import Hit
from elicit_tui.text import neutral_line
from elicit_tui.text.folding import Folded

SECONDS_FOR_A_PATTERN, _MOST_LATE = 0.05, 3
"""What a pattern of the owner's may take on one text, and on how many it may be late."""
EVIDENCE_LENGTH, EVIDENCE_AROUND = 160, 24


@dataclass(frozen=True)
class Sighting:
    """What a rule saw: how grave, where, and the hostile text itself."""

    severity: Severity
    where: str
    evidence: str
    field: str | None = None
    """The property whose value must be masked, where there is one."""
    because: tuple[Weight, ...] = ()
    """What was weighed, where a sum decides."""
    carried_by: tuple[str, ...] | None = None
    """The optional fields that alone carry it; None where its places tell."""


@dataclass(frozen=True)
class GuardianRule:
    """One kind of risk. `find` looks at one request and must not change it."""

    id: str
    protects_from: str
    advice: str
    find: Callable[[Reading], Iterable[Sighting]]
    to_author: bool = False
    """Whether it speaks to the server's author of a mistake, not to the person of a danger."""
    about_host: bool = False
    """Whether a trusted domain quiets it: look-alike and host findings only."""
    once: bool = False
    """Whether the first place that it sees tells enough."""
    last: bool = False
    """Whether it looks only at what no rule before it has found."""
    if_it_fails: Severity = Severity.WARN
    """How grave it is that it could not look."""

    def finding(self, sighting: Sighting, request: Reading) -> Finding:
        """The finding as everybody else sees it; its evidence is harmless to show."""
        return Finding(
            self.id,
            sighting.severity,
            neutral_line(sighting.where, 120),
            neutral_line(sighting.evidence, EVIDENCE_LENGTH),
            self.advice,
            tuple(sighting.because),
            self.to_author,
            _carriers(sighting, request) if sighting.carried_by is None else sighting.carried_by,
        )


def _carriers(sighting: Sighting, request: Reading) -> tuple[str, ...]:
    """The optional fields in which alone stands all that was weighed; none where in doubt.

    Only where what is handed over is the danger: a text that acts does so whatever is answered.
    """
    if sighting.field is None:
        return ()
    weighed = {neutral_line(sighting.where, 120), *(why.where for why in sighting.because)}
    # Two names may share a place, as a long one is shortened: then both of them carry it.
    at = [(neutral_line(place.where, 120), place.field) for place in request.places]
    owners = {field for where, field in at if where in weighed}
    is_known = weighed <= {where for where, _ in at} and owners <= request.optional
    return tuple(sorted(map(str, owners))) if is_known else ()


def house_rule(
    name: str, find: Callable[[Reading], Iterable[Sighting]], **about: Any
) -> GuardianRule:
    """A rule of the house; what it protects from and advises stands in `tables/rules.txt`."""
    protects_from, advice = blocks("rules")[name]
    return GuardianRule(name, protects_from, advice, find, **about)


def owner_rules(settings: Iterable[OwnerRule]) -> tuple[GuardianRule, ...]:
    """One rule for each entry of `[[guardian.rules]]`; a broken pattern fails when it is run."""
    return tuple(
        GuardianRule(
            entry.id,
            "What the owner of this configuration wants to see.",
            entry.advice or "A rule of your own configuration matched.",
            partial(_find, entry),
            if_it_fails=max(Severity.WARN, Severity[entry.severity.upper()]),
        )
        for entry in settings
    )


def _find(entry: OwnerRule, request: Reading) -> Iterator[Sighting]:
    import regex

    severity = Severity[entry.severity.upper()]
    pattern: Any = regex.compile(entry.pattern)
    late = 0
    for place in request.places:
        if late < _MOST_LATE and fnmatchcase(place.where, entry.where):
            try:
                found = pattern.search(place.text, timeout=SECONDS_FOR_A_PATTERN)
            except TimeoutError:  # as grave as what it may have hidden there
                late += 1
                yield Sighting(severity, place.where, "could not be searched in time")
                continue
            if found is not None:
                start, end = found.span()
                yield Sighting(severity, place.where, place.text[start : max(end, start + 1)])


def excerpt(folded: Folded, start: int, end: int) -> str:
    """What was really there around a part of a folded text."""
    return around(folded.original, *folded.span(start, end))


def around(text: str, start: int, end: int) -> str:
    """A part of a text with a little of what stands beside it, untouched and hostile."""
    before, after = max(0, start - EVIDENCE_AROUND), end + EVIDENCE_AROUND
    cut = text[before : min(after, start + EVIDENCE_LENGTH)]
    return ("…" if before else "") + cut + ("…" if after < len(text) else "")


def searching(pattern: str, needs: str) -> Callable[[str], re.Match[str] | None]:
    """How to search for a pattern that is compiled beside signs it needs, which few texts have."""
    signs = re.compile(needs)
    return lambda text: re.search(pattern, text) if signs.search(text) else None


def weight(amount: int, frame: str, place: Place, text: str) -> Weight:
    """One piece of evidence, harmless to show."""
    return Weight(amount, frame, neutral_line(place.where, 120), neutral_line(text, 60))


def sighting_at(
    severity: Severity, place: Place, start: int = 0, end: int = EVIDENCE_LENGTH
) -> Sighting:
    """A sighting in a place's original text."""
    return Sighting(severity, place.where, around(place.text, start, end))


class Mention(NamedTuple):
    """A concept, and where it stands."""

    place: Place
    view: View
    clause: Clause
    hit: Hit

    @property
    def is_denied(self) -> bool:
        """Whether its clause says that it is not so."""
        return self.clause.denies(self.hit)

    @property
    def original(self) -> str:
        """The whole text in which it stands, unfolded."""
        return self.view.folded.original

    @property
    def span(self) -> tuple[int, int]:
        """Where it stands in the original."""
        return self.view.folded.span(*self.clause.span(self.hit))

    @property
    def evidence(self) -> str:
        """What was really there around it."""
        return excerpt(self.view.folded, *self.clause.span(self.hit))

    def weight(self, amount: int, frame: str) -> Weight:
        """What it weighs as a piece of evidence."""
        return weight(amount, frame, self.place, self.original[slice(*self.span)])

    def sighting(
        self, severity: Severity, amount: int, frame: str, field: str | None = None
    ) -> Sighting:
        """It as a sighting, weighed alone."""
        why = self.weight(amount, frame)
        return Sighting(severity, self.place.where, self.evidence, field, (why,))


def mentions(
    places: Iterable[Place], *concepts: str, usual_only: bool = False
) -> Iterator[Mention]:
    """Where some concepts stand in some places.

    `usual_only`: other ways to read a text are left out.
    """
    for place in places:
        for view in place.views[: 1 if usual_only else None]:
            if not view.concepts.isdisjoint(concepts):
                for clause in view.clauses:
                    for hit in clause.of(*concepts):
                        yield Mention(place, view, clause, hit)
