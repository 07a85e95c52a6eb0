"""Who asks for the value of something: the sum of evidence over a field and what is said of it.

The same for secrets, for contents of the machine and for sensitive personal data. A field is
weighed together with the whole request, and each frame counts once, with its heaviest evidence, as
docs/guardian.md lists it. What the field's own name says is never taken back by other words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import Severity, Weight
from elicit_tui.guardian.clauses import Clause, Standing
from elicit_tui.guardian.reading import GENERAL, SHORT_NAME, FieldReading, Place, Reading
from elicit_tui.guardian.rule import Mention, Sighting, mentions, weight
from elicit_tui.guardian.words import Hit
from elicit_tui.kept import kept

THRESHOLD: Final = 3
"""The sum from which a field wants it."""
_OF_FIELD: Final = ("title", "description", "example", "default")
_OR_ANOTHER: Final = ("entry word", "ticket word")  # A slogan, a number of a queue.
_COUNTED: Final = re.compile(r"number of .*s$|(?:max|min)(?:imum)? ")
_VERSION: Final = re.compile(r"v?\d{1,2}")
_MOST_LOOKED_AT, _ONE_FIGURE, _MOST_COUNTED, _MOST_IN_A_ROW = 50, 9, 100, 998


class Sense(NamedTuple):
    """Words that mean a harmless thing in a field whose own words or values show it."""

    words: str
    shown_by: str
    value: str = ""
    """How such a value looks in a pattern, an example or a description, where that tells."""


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
    senses: tuple[Sense, ...] = ()


class _Piece(NamedTuple):
    """One piece of evidence, and what was really there."""

    why: Weight
    shown: str


_Weighed = tuple[int, str, Mention]


class Demand:
    """One request weighed for one thing."""

    def __init__(self, request: Reading, thing: Thing) -> None:
        self.request = request
        self.thing = thing
        self._weighed_of_form: dict[tuple[bool, ...], list[_Piece]] = {}
        self._words = (thing.sure, thing.maybe, thing.name)

    def sighting(self, field: FieldReading, severity: Severity) -> Sighting | None:
        """A field that wants the thing, with all that was weighed; None where it does not."""
        evidence = sorted(self.of_field(field), key=lambda piece: -piece.why.amount)
        because = tuple(piece.why for piece in evidence)
        counted = counts_on(field)
        if sum(why.amount for why in because) < THRESHOLD or (counted and not field.is_open):
            return None
        if {why.frame for why in because} == {"stands-alone"} or counted:
            severity = Severity.WARN
        # What the form says as a whole is said whatever is left unset.
        carried = () if self._of_form(field) else None
        shown = evidence[0].shown
        return Sighting(severity, because[0].where, shown, field.name, because, carried)

    def of_field(self, field: FieldReading) -> list[_Piece]:
        """What speaks for it that a field wants the thing; the sum decides."""
        if not self._places_for_all and field.concepts.isdisjoint(self._words):
            return []
        own = [*self._labelled(field)]
        sure = any(piece.why.amount >= THRESHOLD for piece in own)
        prose = [*self._described(field)]
        maybe = any(piece.why.frame.startswith("may-be") for piece in own)
        if not (own or field.is_open):
            # Something else is typed there, and the word may mean something else as well.
            prose = [piece for piece in prose if not piece.why.frame.endswith("-maybe")]
        # Of two that weigh the same the surer one counts, wherever it stands.
        prose.sort(key=lambda piece: (-piece.why.amount, piece.why.frame.endswith("-maybe")))
        meant = [piece for piece in prose if not piece.why.frame.endswith("-in-one-sense")]
        own += dict.fromkeys((*prose[:1], *meant[:1]))
        if not sure and maybe:
            own += self._sign_in(field)
        elif not sure and own and field.is_open:
            place = field.places[0] if field.places else self.request.message
            amount = 1 + field.is_called("bare value")
            own.append(_Piece(weight(amount, "open-field", place, field.name), field.name))
        return own

    # The field itself -------------------------------------------------------------------------

    def _labelled(self, field: FieldReading) -> Iterator[_Piece]:
        labels = field.texts("name", "title")
        named = [
            mention
            for mention in mentions(labels, self.thing.sure, self.thing.name, self.thing.maybe)
            if mention.clause.standing(mention.hit) >= Standing.NAMED
            and not self.is_in_other_sense(mention)
            and not (mention.place.role == "name" and self._is_told_by_title(mention, field))
        ]
        for found in named:
            if self._is_name(found) and self._fits(found.clause, found.hit, field):
                yield _piece(found, 4, self._frame(found, f"field-is-{self.thing.called}"))
                return
        for found in named:
            rest = found.clause.words[found.hit.end :]
            ends = all(map(_VERSION.fullmatch, rest)) or "(" in found.clause.gaps[found.hit.end]
            whole = ends and self._fits(found.clause, found.hit, field)
            counted = field.kind == "number" and found.clause.words[found.hit.end - 1].endswith("s")
            if found.hit.concept == self.thing.maybe and whole and not counted:
                amount = 1 + found.clause.is_joined(found.hit)
                yield _piece(found, amount, f"may-be-{self.thing.called}")
                return

    def _is_told_by_title(self, mention: Mention, field: FieldReading) -> bool:
        """Whether a name that means many things has a title that says which: "Degrees"."""
        is_vague_name = any(hit[1:] == mention.hit[1:] for hit in mention.clause.of("many senses"))
        titles = field.texts("title") if is_vague_name else ()
        open_words = ("ask", "please", "anything", self.thing.beside) if field.is_open else ()
        return bool(titles) and not any(title.says(*self._words, *open_words) for title in titles)

    def is_in_other_sense(self, mention: Mention) -> bool:
        """Whether a word is one of those that a field of this form has in a harmless sense."""
        clause, hit = mention.clause, mention.hit
        # What a value alone shows is no matter where the person's own is asked for.
        senses = self._told if _is_theirs(mention) else self.senses
        other = clause.ends_a_name(hit) or _stands_in(mention, [it.words for it in senses])
        return other or mention.place.is_harmless_in_greek(clause.said(hit), mention.span)

    def _frame(self, mention: Mention, frame: str) -> str:
        """What the frame of a word is called, which may mean something else in another form."""
        clause, hit = mention.clause, mention.hit
        differs = any(it[1:] == hit[1:] for it in clause.of(*_OR_ANOTHER))
        differs = differs and frame != "stands-alone" and not _is_meant(mention)
        return f"{frame}-in-one-sense" if differs else frame

    @kept
    def senses(self) -> tuple[Sense, ...]:
        """The harmless things of which the form's fields show that they are meant."""
        return self._shown(self.thing.senses)

    @kept
    def _told(self) -> tuple[Sense, ...]:
        """Those that words show, and no value alone."""
        return self._shown(it._replace(value="") for it in self.senses)

    def _shown(self, senses: Iterable[Sense]) -> tuple[Sense, ...]:
        fields = self.request.free_fields[:_MOST_LOOKED_AT]
        return tuple(it for it in senses if any(shows(field, it) for field in fields))

    def _is_name(self, mention: Mention) -> bool:
        if mention.hit.concept == self.thing.name:
            short = mention.place.role == "name" or len(mention.clause.words) <= SHORT_NAME
            return short and mention.hit.end == len(mention.clause.words)
        return mention.hit.concept == self.thing.sure

    def _fits(self, clause: Clause, hit: Hit, field: FieldReading) -> bool:
        if field.kind != "number" or not self.thing.in_figures:
            return True
        figures = clause.of(self.thing.in_figures)
        return not _is_count(field) and any(hit.start <= other.start < hit.end for other in figures)

    # What is said of it -----------------------------------------------------------------------

    def _described(self, field: FieldReading) -> Iterator[_Piece]:
        for place in field.texts(*_OF_FIELD):
            yield from _first_of_each(self._mentioned(place, field))
        yield from self._of_form(field)

    def _of_form(self, field: FieldReading) -> list[_Piece]:
        """What the form says, the same for all fields that can hold the same: weighed once."""
        is_spare = self.request.is_spare(field)
        holds = (field.is_open, field.kind == "number", _is_count(field), is_spare)
        if holds not in self._weighed_of_form:
            # What is chosen tells nothing, unless it tells the person to type something.
            said = (
                it
                for place in self._places_for_all
                for it in self._mentioned(place, field)
                if place.role in GENERAL or it[2].clause.asks_beside(it[2].hit)
            )
            self._weighed_of_form[holds] = _first_of_each(said)
        return self._weighed_of_form[holds]

    @kept
    def _places_for_all(self) -> tuple[Place, ...]:
        """The form's own words, and those of what is chosen, where the thing stands in them."""
        choosing = {field.name for field in self.request.fields if field.kind == "choice"}
        roles = ("title", "description", "choice")
        return tuple(
            place
            for place in self.request.places
            if place.role in GENERAL or (place.field in choosing and place.role in roles)
            if any(not view.concepts.isdisjoint(self._words) for view in place.views)
        )

    def _mentioned(self, place: Place, field: FieldReading) -> Iterator[_Weighed]:
        shows = place.role in ("title", "description") and not field.is_open
        for mention in mentions((place,), self.thing.sure, self.thing.maybe):
            _, view, clause, hit = mention
            if clause.is_repeated(hit):
                continue
            # What is prepared there is a value, unless it tells the person what to type.
            is_instance = shows and clause in _instances(view.clauses)
            shown = is_instance or place.role in ("default", "example")
            standing = clause.standing(hit)
            handed = standing < Standing.ASKED and _is_handed_over(mention)
            if (
                (shown and (not clause.asks or {*clause.gaps[1:]} == {"_"}))
                or self.is_in_other_sense(mention)
                or (standing < Standing.NAMED and not handed)
                or view.repeats(clause, hit)
                or not self._fits(clause, hit, field)
            ):
                continue
            asked = standing == Standing.ASKED or handed
            in_words = handed or bool(clause.asks or clause.of("please"))
            if hit.concept == self.thing.sure:
                sure = in_words or field.is_open or place.field is not None
                frame = ("asked-for" if sure else "stands-alone") if asked else "spoken-of"
                # A log is spoken of every day, unless a person's or handed over by a key: Ctrl+V.
                told = asked or place.field or self.thing.maybe or clause.holds(hit)
                daily = not (told or any(key[1:] == hit[1:] for key in clause.of("run")))
                told_only = clause.is_cited or not (in_words or asked)
                spare = place.field is None and told_only and self.request.is_spare(field)
                yield 2 + asked - max(daily, 2 * spare), self._frame(mention, frame), mention
                continue
            asked = handed or (asked and in_words)
            whose = _is_somebodys(clause, hit) or (asked and _is_meant(mention))
            whose |= place.says("prefix")
            frame = "asked-for-maybe" if asked else "spoken-of-maybe"
            yield 1 + asked + whose, frame, mention

    def _sign_in(self, field: FieldReading) -> Iterator[_Piece]:
        """What opens something: prose must say so, other fields only be called like it."""
        beside = self.thing.beside
        for place in self.request.texts(*GENERAL, "name", "title", "description"):
            concepts = (beside, f"{beside} field")[: 1 + (place.role in ("name", "title"))]
            for mention in mentions((place,), *concepts, usual_only=True):
                if not mention.clause.denies_something:
                    yield _piece(mention, 2, "sign-in")
                    return


def _stands_in(mention: Mention, concepts: Sequence[str]) -> bool:
    """Whether a word is, or shares its words with, one of some concepts."""
    _, start, end = mention.hit
    return any(word.start < end and start < word.end for word in mention.clause.of(*concepts))


def _is_theirs(mention: Mention) -> bool:
    """Whether a clause says, in its own language, that it is the person's."""
    return bool(mention.clause.of("your")) and mention.clause.holds(mention.hit)


def _is_meant(mention: Mention) -> bool:
    """Whether it is the person's own, or a text says nothing more of it in its clause."""
    clause, hit = mention.clause, mention.hit
    # "Podaj hasło, które mam opracować": the clause behind it says which one.
    goes_on = clause.after is not None and any(it.start == 0 for it in clause.after.of("relative"))
    bare = mention.place.field is None and not (goes_on or clause.adds_to(hit))
    return _is_theirs(mention) or (bare and bool(clause.asks or not clause.is_question))


def _first_of_each(said: Iterable[_Weighed]) -> list[_Piece]:
    """The first piece of each amount and frame: a repeated word tells nothing new."""
    first: dict[tuple[int, str], Mention] = {}
    for amount, frame, mention in said:
        first.setdefault((amount, frame), mention)
    return [_piece(mention, *weighed) for weighed, mention in first.items()]


def _piece(mention: Mention, amount: int, frame: str) -> _Piece:
    return _Piece(mention.weight(amount, frame), mention.evidence)


def shows(field: FieldReading, sense: Sense) -> bool:
    """Whether a field is called by one of the words and shows that it means the harmless thing."""
    labels = field.texts("name", "title")
    named = sense.words in field.concepts and mentions(labels, sense.words, usual_only=True)
    if not named or next(named, None) is None:
        return False
    own = field.texts(*_OF_FIELD, "pattern")
    if sense.value and any(re.search(sense.value, place.text) for place in own):
        return True
    return any(not it.is_denied for it in mentions(own, sense.shown_by, usual_only=True))


def _is_count(field: FieldReading) -> bool:
    """Whether its numbers are too small for a secret; but a figure of one can be a 9."""
    least, largest = (0, _MOST_IN_A_ROW) if counts_on(field) else (_ONE_FIGURE, _MOST_COUNTED)
    most = field.drawn.get("maximum", _ONE_FIGURE)
    return (isinstance(most, int) and least < most <= largest and most != _ONE_FIGURE) or any(
        it.says("aside") or _COUNTED.match(it.text.lower()) for it in field.texts("title")
    )


def counts_on(field: FieldReading) -> bool:
    """Whether its numbers begin at a small one, as those of things in a row do."""
    begins = (field.drawn.get("minimum"), field.drawn.get("default"))
    return field.kind == "number" and any(begin in range(1, _MOST_COUNTED) for begin in begins)


def _is_handed_over(mention: Mention) -> bool:
    """Whether what is named is asked for a little later: "click Create token and paste it"."""
    _, view, clause, hit = mention
    at = view.clauses.index(clause)
    last = clause.sentence + (not clause.denies(hit))
    near = (other for other in view.clauses[at:] if other.sentence <= last)
    handed = any(other.last_handing >= (hit.end if other is clause else 0) for other in near)
    return handed and (clause.is_itself(hit) or clause.is_acted_on(hit))


def _is_somebodys(clause: Clause, hit: Hit) -> bool:
    """Whether it is said whose it is, what it opens, or of which kind: "Lichess token"."""
    if clause.holds(hit) or clause.leads_on:
        return True
    # "Host, user, pass": one of a list in which an account stands.
    if len(clause.words) == 1 and clause.account_beside:
        return True
    is_one_of_them = clause.is_qualified(hit) or clause.is_joined(hit)
    return is_one_of_them and clause.ends_with(hit) and clause.ends_at(hit.end, "mostly")


def _instances(clauses: Sequence[Clause]) -> list[Clause]:
    """The clauses that only give examples: "names only, e.g. API_KEY, DB_PASSWORD"."""
    given = []
    until = -1
    for clause in clauses:
        shown = clause.of("for instance")
        if clause.sentence <= until or (shown and shown[0].start == 0):
            given.append(clause)
        if shown:
            until = clause.sentence + (shown[-1].end == len(clause.words))
    return given
