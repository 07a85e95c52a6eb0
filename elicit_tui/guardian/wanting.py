"""Who asks for the value of something: the sum of evidence over a field and what is said of it.

The same for secrets, for contents of the machine and for sensitive personal data. A field is
weighed together with the whole request, and each frame counts once, with its heaviest evidence:

- `field-is-…` +4: its own name or title says so, and that is never taken back by other words;
- `may-be-…` +1: it is called by a word that also means harmless things (token, PIN, secret),
  one more where another thing is typed with it ("team and token");
- `open-field` +1: its name does not say that something else is typed there;
- `asked-for` +3: a clause asks for it; `spoken-of` +2: a clause names it;
- `asked-for-maybe` +2, `spoken-of-maybe` +1: the same for a word with harmless senses;
  one more where it is the person's ("your PIN") or the text says how it begins;
- `sign-in` +2: such a word names a field of a form that connects or signs in.

From THRESHOLD on it is wanted. So "Enter your password" blocks any form to type into, "the
password of the server" one with an open field, and neither does where the clause speaks of
something else (`Standing.ABOUT`) or denies it (`Standing.VOID`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from elicit_tui.elicitation import Weight
from elicit_tui.guardian.clauses import Clause, Standing
from elicit_tui.guardian.folding import Folded
from elicit_tui.guardian.reading import FieldReading, Place, Reading
from elicit_tui.guardian.rule import excerpt, weight
from elicit_tui.guardian.words import Hit

THRESHOLD: Final = 3
"""The sum from which a field wants it."""
_GENERAL: Final = ("message", "schema title", "schema description")
_OF_FIELD: Final = ("title", "description", "example", "default")
_SHORT_NAME: Final = 2


@dataclass(frozen=True)
class Thing:
    """What a family looks for, by its concepts."""

    called: str
    """How frames call it: `secret`."""
    sure: str
    maybe: str = ""
    name: str = ""
    """Words that count only as the name of a field."""
    in_figures: str = ""
    """Words of those that a number can be; all can where empty."""
    beside: str = ""
    """What stands beside a `maybe` word that opens something."""


class Seen(NamedTuple):
    """The evidence of one frame and where it stood."""

    weight: Weight
    place: Place
    evidence: str


class Wanting:
    """One request weighed for one thing."""

    def __init__(self, reading: Reading, thing: Thing) -> None:
        self.reading = reading
        self.thing = thing

    def of_field(self, field: FieldReading) -> list[Seen]:
        """What speaks for it that a field wants the thing; the sum decides."""
        found = [*self._own(field)]
        sure = any(seen.weight.amount >= THRESHOLD for seen in found)
        prose = [seen for place in field.places for seen in self._told(place, field)]
        prose += self._said(field)
        maybe = any(seen.weight.frame.startswith("may-be") for seen in found)
        if not (found or self.is_open(field)):
            # Something else is typed there, and the word may mean something else as well.
            prose = [seen for seen in prose if not seen.weight.frame.endswith("-maybe")]
        best = max(prose, key=lambda seen: seen.weight.amount, default=None)
        if best is not None:
            found.append(best)
        if not sure and maybe:
            found += self._sign_in(field)
        elif not sure and found and self.is_open(field):
            place = field.places[0] if field.places else self.reading.message
            found.append(Seen(weight(1, "open-field", place, field.name), place, field.name))
        return found

    def total(self, field: FieldReading) -> int:
        """The sum of it."""
        return sum(seen.weight.amount for seen in self.of_field(field))

    # The field itself -------------------------------------------------------------------------

    def _own(self, field: FieldReading) -> Iterator[Seen]:
        sure: Seen | None = None
        maybe: Seen | None = None
        for place in field.places:
            if place.role not in ("name", "title"):
                continue
            explained = place.role == "name" and _is_explained(field)
            for view in place.views:
                for clause in view.clauses:
                    if explained and clause.of("titled"):
                        continue
                    for hit in self._names(clause, place, field):
                        seen = self._seen(
                            4, f"field-is-{self.thing.called}", place, view.folded, clause, hit
                        )
                        sure = sure or seen
                    for hit in clause.of(self.thing.maybe):
                        if hit.end == len(clause.words) and clause.standing(hit) >= Standing.NAMED:
                            amount = 2 if clause.is_joined(hit) else 1
                            frame = f"may-be-{self.thing.called}"
                            seen = self._seen(amount, frame, place, view.folded, clause, hit)
                            maybe = maybe or seen
        if sure is not None:
            yield sure
        elif maybe is not None:
            yield maybe

    def _names(self, clause: Clause, place: Place, field: FieldReading) -> Iterator[Hit]:
        for hit in clause.of(self.thing.sure):
            if clause.standing(hit) >= Standing.NAMED and self._fits(clause, hit, field):
                yield hit
        if self.thing.name and (place.role == "name" or len(clause.words) <= _SHORT_NAME):
            for hit in clause.of(self.thing.name):
                named = hit.end == len(clause.words) and clause.standing(hit) >= Standing.NAMED
                if named and self._fits(clause, hit, field):
                    yield hit

    def _fits(self, clause: Clause, hit: Hit, field: FieldReading) -> bool:
        """Whether a field for numbers can hold it."""
        return (
            field.kind != "number"
            or not self.thing.in_figures
            or any(hit.start <= other.start < hit.end for other in clause.of(self.thing.in_figures))
        )

    def is_open(self, field: FieldReading) -> bool:
        """Whether neither name nor title of a field says that something harmless is typed."""
        if field.kind == "date" or field.schema.get("format") in (
            "email",
            "date",
            "date-time",
            "uri",
        ):
            return False
        for role in ("title", "name"):
            for place in field.places:
                if place.role == role:
                    opened = _is_open(place)
                    if opened is not None:
                        return opened
        return True

    # What is said of it -----------------------------------------------------------------------

    def _told(self, place: Place, field: FieldReading) -> Iterator[Seen]:
        if place.role in _OF_FIELD:
            yield from self._spoken(place, field)

    def _said(self, field: FieldReading) -> Iterator[Seen]:
        for place in self._said_of_all:
            if place.role in _GENERAL:
                yield from self._spoken(place, field)
            else:
                # What is chosen tells nothing, unless it tells the person to type something.
                for seen, clause, hit in self._spoken_in(place, field):
                    if any(ask.end <= hit.start or ask.start >= hit.end for ask in clause.asks):
                        yield seen

    @cached_property
    def _said_of_all(self) -> tuple[Place, ...]:
        """The form's own words, and those of what is chosen, where the thing stands in them."""
        choosing = {field.name for field in self.reading.fields if field.kind == "choice"}
        roles = ("title", "description", "choice")
        return tuple(
            place
            for place in self.reading.places
            if place.role in _GENERAL or (place.field in choosing and place.role in roles)
            if any(
                self.thing.sure in view.concepts or self.thing.maybe in view.concepts
                for view in place.views
            )
        )

    def _spoken(self, place: Place, field: FieldReading) -> Iterator[Seen]:
        for seen, _, _ in self._spoken_in(place, field):
            yield seen

    def _spoken_in(self, place: Place, field: FieldReading) -> Iterator[tuple[Seen, Clause, Hit]]:
        shows = place.role in ("title", "description") and not self.is_open(field)
        for view in place.views:
            instances = _instances(view.clauses) if shows else ()
            for clause in view.clauses:
                # What is prepared there is a value, unless it tells the person what to type.
                if (place.role in ("default", "example") or clause in instances) and (
                    not clause.asks
                ):
                    continue
                for hit in clause.of(self.thing.sure):
                    standing = clause.standing(hit)
                    if view.repeats(clause, hit):
                        continue
                    if standing >= Standing.NAMED and self._fits(clause, hit, field):
                        asked = standing == Standing.ASKED
                        frame = "asked-for" if asked else "spoken-of"
                        seen = self._seen(3 if asked else 2, frame, place, view.folded, clause, hit)
                        yield seen, clause, hit
                for hit in clause.of(self.thing.maybe) if self.thing.maybe else ():
                    standing = clause.standing(hit)
                    if view.repeats(clause, hit):
                        continue
                    if standing >= Standing.NAMED and self._fits(clause, hit, field):
                        asked = clause.lacks(hit) or (
                            standing == Standing.ASKED and bool(clause.asks or clause.of("please"))
                        )
                        whose = _is_somebodys(clause, hit) or self._has_prefix(place)
                        frame = "asked-for-maybe" if asked else "spoken-of-maybe"
                        seen = self._seen(1 + asked + whose, frame, place, view.folded, clause, hit)
                        yield seen, clause, hit

    def _has_prefix(self, place: Place) -> bool:
        """Whether the text says how the value begins, as issued keys do."""
        return any(clause.of("prefix") for clause in place.views[0].clauses)

    def _beside(self, place: Place) -> tuple[str, ...]:
        """What opens something: prose must say so, other fields only be called like it."""
        if not self.thing.beside:
            return ()
        fields = (f"{self.thing.beside} field",) if place.role in ("name", "title") else ()
        return (self.thing.beside, *fields)

    def _sign_in(self, field: FieldReading) -> Iterator[Seen]:
        for place in self.reading.places:
            if place.role not in (*_GENERAL, "name", "title", "description"):
                continue
            for view in place.views[:1]:
                for clause in view.clauses:
                    for hit in clause.of(*self._beside(place)):
                        if not clause.denies_something:
                            yield self._seen(2, "sign-in", place, view.folded, clause, hit)
                            return

    def _seen(
        self, amount: int, frame: str, place: Place, folded: Folded, clause: Clause, hit: Hit
    ) -> Seen:
        span = clause.span(hit)
        shown = folded.original[slice(*folded.span(*span))]
        return Seen(weight(amount, frame, place, shown), place, excerpt(folded, *span))


def _is_explained(field: FieldReading) -> bool:
    """Whether a field's own words say in which harmless sense its name is meant."""
    return any(
        clause.of("harmless")
        for place in field.places
        if place.role in ("title", "description")
        for clause in place.views[0].clauses
    )


def _is_somebodys(clause: Clause, hit: Hit) -> bool:
    """Whether it is said whose it is, what it opens, or of which kind: "Lichess token"."""
    if clause.holds(hit) or clause.of("own"):
        return True
    if any(lock.start > hit.start for lock in clause.of("lock")):
        return True
    mostly = any(other.end == hit.end for other in clause.of("mostly"))
    told = clause.is_qualified(hit) or clause.is_joined(hit)
    return mostly and clause.ends_with(hit) and told


def _instances(clauses: Sequence[Clause]) -> list[Clause]:
    """The clauses that only give examples: "names only, e.g. API_KEY, DB_PASSWORD"."""
    found = []
    until = -1
    for clause in clauses:
        shown = clause.of("for instance")
        if clause.sentence <= until or (shown and shown[0].start == 0):
            found.append(clause)
        if shown:
            until = clause.sentence + (shown[-1].end == len(clause.words))
    return found


def _is_open(place: Place) -> bool | None:
    """Whether a name or title leaves open what is typed; None where it says nothing at all."""
    clauses = place.views[0].clauses
    if not clauses:
        return None
    clause = clauses[0]
    if len(clause.words) == 1 and len(clause.words[0]) <= _SHORT_NAME and clause.words[0].isascii():
        return True
    plain = clause.of("plain")
    last = len(clause.words)
    says = any(hit.end == last or hit.start == 0 for hit in plain)
    return not (says or clause.of("harmless"))


def sighted(seen: Iterable[Seen]) -> tuple[Seen, tuple[Weight, ...]]:
    """The heaviest evidence, and all of it as it is explained."""
    ordered = sorted(seen, key=lambda one: -one.weight.amount)
    return ordered[0], tuple(one.weight for one in ordered)
