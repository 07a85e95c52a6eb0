"""Frames: concepts that together, in one sentence or two neighbouring ones, are evidence.

A frame names the concepts that must all stand there, each at words of its own, none of them
denied or only reported. Frames of one rule are summed up; from THRESHOLD on the rule holds, and one
that would block warns of less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, islice
from typing import Final, NamedTuple, TypeVar

from elicit_tui.elicitation import Severity, Weight
from elicit_tui.guardian.clauses import Clause, sentences
from elicit_tui.guardian.pages import table
from elicit_tui.guardian.reading import GENERAL, Place, Reading
from elicit_tui.guardian.rule import Mention, Sighting, weight
from elicit_tui.guardian.words import Hit

THRESHOLD: Final = 2
NEAR: Final = 3  # sentences are read together
PROSE_OF_FIELDS: Final = (*GENERAL, "title", "description")
PROSE: Final = (*PROSE_OF_FIELDS, "choice")
"""The roles of texts that tell a person something."""
_MOST_TRIED: Final = 8
_Told = TypeVar("_Told")
_Stands = tuple[Clause, Hit]


class Frame(NamedTuple):
    """Concepts that together weigh something."""

    name: str
    amount: int
    needs: tuple[str, ...]
    reach: int = 1
    """How many neighbouring sentences it may spread over; 0 for one clause."""
    acts: bool = False
    """Whether its first concept is an act, which counts only where it is proposed."""


@lru_cache(maxsize=64)
def frames_of(rule: str) -> tuple[Frame, ...]:
    """The frames of a rule, as `tables/sums.txt` lists them."""
    return tuple(map(_read, table("sums")[rule]))


@lru_cache(maxsize=64)
def _needed(rule: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(frame.needs) for frame in frames_of(rule))


def _read(line: str) -> Frame:
    head, _, concepts = line.partition(": ")
    name, amount, _, reach = head.split()
    needs = tuple(concept.strip("()") for concept in concepts.split(" + "))
    return Frame(name, int(amount), needs, int(reach), acts=concepts.startswith("("))


class FrameMatch(NamedTuple):
    """A frame that holds, and where its first concept stands."""

    frame: Frame
    mention: Mention
    weight: Weight
    """What the frame weighs, with the words that it saw."""

    def sighting(
        self, severity: Severity, field: str | None = None, because: tuple[Weight, ...] = ()
    ) -> Sighting:
        """It as a sighting, weighed alone or with others."""
        where, evidence = self.mention.place.where, self.mention.evidence
        return Sighting(severity, where, evidence, field, because or (self.weight,))


def matching(rule: str, request: Reading, places: Iterable[Place]) -> Iterator[FrameMatch]:
    """The frames of a rule that hold in some places of a request, the first time each."""
    possible = [frame for frame in frames_of(rule) if request.concepts.issuperset(frame.needs)]
    searched = list(places) if possible else ()
    for frame in possible:
        yield from islice(_matching(frame, searched), 1)


def _matching(frame: Frame, places: Iterable[Place]) -> Iterator[FrameMatch]:
    for place in places:
        # Most readings of a text lack a concept; what the usual one has too is found once.
        for view in place.views:
            if not view.concepts.issuperset(frame.needs):
                continue
            for window in windows_of(view.clauses, frame.reach):
                hits = fits(frame.needs, window, acts=frame.acts)
                if hits is not None and not view.repeats(*hits[0]):
                    words = " + ".join(clause.said(hit) for clause, hit in hits)
                    why = weight(frame.amount, frame.name, place, words)
                    yield FrameMatch(frame, Mention(place, view, *hits[0]), why)


def windows_of(clauses: Sequence[Clause], reach: int) -> Iterator[list[Clause]]:
    """Every so many neighbouring sentences together; each clause alone where that is 0."""
    whole = sentences(clauses) if reach else [[clause] for clause in clauses]
    for first in range(len(whole)):
        yield [*chain(*whole[first : first + (reach or 1)])]


def neighbouring(lent: Sequence[dict[str, _Told]]) -> Iterator[dict[str, _Told]]:
    """What each sentence, and those before it that are near, lend together."""
    for first in range(len(lent)):
        together: dict[str, _Told] = {}
        for signs in lent[first : first + NEAR]:
            yield (together := signs | together)


def fits(
    needs: Sequence[str], window: Sequence[Clause], *, acts: bool = False, overlapping: bool = False
) -> Sequence[_Stands] | None:
    """Where some concepts stand that all do, each at words of its own.

    `overlapping`: they may share some of these words.
    """
    # An act counts only as an order; the others must not be denied, nor only bear such a name.
    found: list[list[_Stands]] = []
    for number, concept in enumerate(needs):
        own = [
            (clause, hit)
            for clause in window
            for hit in clause.of(concept)
            if not (clause.is_denied(hit) if acts else clause.denies(hit))
            and not (concept == "handed" and clause.is_thing(hit))
            and not (acts and (clause.is_name(hit) if number else clause.reports(hit)))
        ]
        if not own:
            return None
        found.append(own[:_MOST_TRIED])
    return _apart(found, [], overlapping=overlapping)


def _apart(
    found: Sequence[Sequence[_Stands]], taken: Sequence[_Stands], *, overlapping: bool
) -> Sequence[_Stands] | None:
    # As few places are tried of each concept, a word repeated a thousand times costs no more.
    if len(taken) == len(found):
        return taken
    free = (
        [*taken, stands]
        for stands in found[len(taken)]
        if not any(_share(stands, other, overlapping=overlapping) for other in taken)
    )
    tried = (_apart(found, more, overlapping=overlapping) for more in free)
    return next(filter(None, tried), None)


def _share(stands: _Stands, other: _Stands, *, overlapping: bool) -> bool:
    (clause, first), (beside, second) = stands, other
    if overlapping:
        return clause is beside and first[1:] == second[1:]
    if first.concept in table("rows") or second.concept in table("rows"):
        # A row leaves room: in "what does THE PAGE show" another concept stands between its steps.
        first, second = sorted((first, second), key=lambda hit: hit.start - hit.end)
        if first.start < second.start and second.end < first.end:
            return False
    return clause is beside and first.start < second.end and second.start < first.end


def summed(
    rule: str, severity: Severity, roles: Sequence[str] = PROSE, *, typed: bool = False
) -> Callable[[Reading], Iterator[Sighting]]:
    """A rule whose frames are summed up over what a request says.

    `typed`: only where there is a field to type into.
    """

    def find(request: Reading) -> Iterator[Sighting]:
        if not any(map(request.concepts.issuperset, _needed(rule))):
            return
        if typed and not request.free_fields:
            return
        found = list(matching(rule, request, request.texts(*roles)))
        enough = sum(mention.frame.amount for mention in found) >= THRESHOLD
        if enough or (found and severity is Severity.BLOCK):
            heaviest = max(found, key=lambda match: match.frame.amount)
            because = tuple(mention.weight for mention in found)
            yield heaviest.sighting(severity if enough else Severity.WARN, None, because)

    return find
