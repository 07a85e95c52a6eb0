"""Frames: concepts that together, in one sentence or two neighbouring ones, are evidence.

A frame names the concepts that must all stand there, each at words of its own, none of them
denied or only reported. Frames of one rule are summed up; from THRESHOLD on the rule holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from elicit_tui.elicitation import Severity, Weight
from elicit_tui.guardian.clauses import Clause, Standing
from elicit_tui.guardian.folding import Folded
from elicit_tui.guardian.reading import Place, Reading
from elicit_tui.guardian.rule import Sighting, excerpt, weight
from elicit_tui.guardian.sentences import sentences
from elicit_tui.guardian.words import Hit

THRESHOLD: Final = 2
TOLD: Final = ("message", "schema title", "schema description", "title", "description", "choice")
_MOST_TRIED: Final = 8


class Frame(NamedTuple):
    """Concepts that together weigh something."""

    name: str
    amount: int
    needs: tuple[str, ...]
    reach: int = 1
    """How many neighbouring sentences it may spread over; 0 for one clause."""
    acts: bool = False
    """Whether its first concept is an act, which counts only where it is proposed."""


class Held(NamedTuple):
    """A frame that holds, and where its first concept stands."""

    frame: Frame
    place: Place
    folded: Folded
    clause: Clause
    hit: Hit

    @property
    def evidence(self) -> str:
        """What was really there around it."""
        return excerpt(self.folded, *self.clause.span(self.hit))

    @property
    def weight(self) -> Weight:
        """The frame's weight with the words that it saw."""
        shown = self.folded.original[slice(*self.folded.span(*self.clause.span(self.hit)))]
        return weight(self.frame.amount, self.frame.name, self.place, shown)


def held(frames: Sequence[Frame], places: Iterable[Place]) -> Iterator[Held]:
    """The frames that hold in some places, the first time each."""
    told = list(places)
    for frame in frames:
        found = next(_held(frame, told), None)
        if found is not None:
            yield found


def _held(frame: Frame, places: Iterable[Place]) -> Iterator[Held]:
    for place in places:
        for view in place.views:
            if not view.concepts.issuperset(frame.needs):
                continue
            for window in _windows(view.clauses, frame.reach):
                hit = _fits(frame, window)
                if hit is not None and not view.repeats(*hit):
                    yield Held(frame, place, view.folded, *hit)


def _windows(clauses: Sequence[Clause], reach: int) -> Iterator[list[Clause]]:
    if reach == 0:
        for clause in clauses:
            yield [clause]
        return
    whole = [list(sentence) for sentence in sentences(list(clauses))]
    for first in range(len(whole)):
        yield [clause for sentence in whole[first : first + reach] for clause in sentence]


def _fits(frame: Frame, window: list[Clause]) -> tuple[Clause, Hit] | None:
    found: list[list[tuple[int, Clause, Hit]]] = []
    for number, concept in enumerate(frame.needs):
        own = [
            (order, clause, hit)
            for order, clause in enumerate(window)
            for hit in clause.of(concept)
            if _counts(clause, hit, is_act=frame.acts and number == 0)
        ]
        if not own:
            return None
        found.append(own[:_MOST_TRIED])
    taken = _apart(found, 0, [])
    return None if taken is None else (taken[0][1], taken[0][2])


def _counts(clause: Clause, hit: Hit, *, is_act: bool) -> bool:
    if is_act:
        return clause.standing(hit, is_act=True) == Standing.ASKED
    return not clause.denies(hit)


def _apart(
    found: list[list[tuple[int, Clause, Hit]]], number: int, taken: list[tuple[int, Clause, Hit]]
) -> list[tuple[int, Clause, Hit]] | None:
    if number == len(found):
        return taken
    for one in found[number]:
        order, _, hit = one
        if all(
            order != other[0] or hit.end <= other[2].start or hit.start >= other[2].end
            for other in taken
        ):
            result = _apart(found, number + 1, [*taken, one])
            if result is not None:
                return result
    return None


def places_of(reading: Reading, roles: Sequence[str] = TOLD) -> list[Place]:
    """The places of a request that say something in words."""
    return [place for place in reading.places if place.role in roles]


def summed(
    severity: Severity,
    frames: Sequence[Frame],
    roles: Sequence[str] = TOLD,
    *,
    when: Callable[[Reading], bool] | None = None,
    threshold: int = THRESHOLD,
) -> Callable[[Reading], Iterator[Sighting]]:
    """A rule whose frames are summed up over what a request says."""

    def find(reading: Reading) -> Iterator[Sighting]:
        if when is not None and not when(reading):
            return
        found = list(held(frames, places_of(reading, roles)))
        if sum(one.frame.amount for one in found) >= threshold:
            heaviest = max(found, key=lambda one: one.frame.amount)
            because = tuple(one.weight for one in found)
            yield Sighting(severity, heaviest.place.where, heaviest.evidence, None, because)

    return find
