"""Acts that are hard to take back. They are allowed, and they should never slip through unread.

Only the effect counts: what goes, whom it touches, whether there is a way back. An act that is
explained, listed, warned of, simulated or already done is none (`Clause.reports`), and only its
own clause says so: a dry run that is mentioned does not make the real run harmless.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from elicit_tui.elicitation import Severity, Weight
from elicit_tui.guardian.clauses import Clause, Standing
from elicit_tui.guardian.frames import THRESHOLD, Frame, held, places_of
from elicit_tui.guardian.reading import FieldReading, Place, Reading
from elicit_tui.guardian.rule import Sighting, excerpt, found, house_rule, weight
from elicit_tui.guardian.words import Hit, is_word

_TOLD: Final = ("message", "schema title", "schema description", "title", "description", "name")
_TELLS: Final = 4
_NEAR: Final = 5
AMOUNT: Final = re.compile(
    r"[$€£¥₹₽₿][\s*_`]{0,3}\d|\d[\d.,\s*_`]{0,14}(?:[$€£¥₹₽₿]|(?:eur|euros?|usd|dollars?|gbp|pounds?|chf|jpy|yen|rub"
    r"|inr|rupees?|brl|reais|cny|rmb|btc|eth|usd[ct]|sol|xrp|sats?|aud|cad|mxn|pln|sek"
    r"|k[rč]|zł|krw|tl|рублей|рубля|руб|元|円|원|人民币)(?![a-z]))"
    r"|\br\$\s?\d|\b(?:usd|eur|gbp|chf)\s?\d",
)
_COMMAND: Final = re.compile(
    r"git\s+(?:push\b.{0,40}\s(?:\+\w|--force|-f\b)|reset\s+--hard|clean\s+-\w*f|branch\s+-D)"
    r"|\bpush\s+(?:--force|-f\b)|\bupdate\s+\S{1,60}\s+set\b|\bdelete\s+from\b"
)

_PRODUCTION: Final = (Frame("acts-on-production", 2, ("act", "production"), 1, acts=True),)
_ACCESS: Final = (
    Frame("grants-rights", 2, ("grants", "rights"), 1, acts=True),
    Frame("lifts-protection", 2, ("lifts", "guards"), 1, acts=True),
    Frame("without-a-check", 2, ("unguarded",), 0),
    Frame("locks-out", 2, ("locks out", "access of"), 1, acts=True),
)
_PUBLISH: Final = (
    Frame("goes-public", 2, ("publishes", "in public"), 1, acts=True),
    Frame("made-public", 2, ("makes", "public word", "weighty"), 1, acts=True),
)
_MASS_SEND: Final = (Frame("sent-to-many", 2, ("sends", "many people"), 1, acts=True),)
_ALSO_SMALL: Final = ("lifts-protection", "locks-out", "sent-to-hundreds")
_TO_PEOPLE: Final = (Frame("sent-to-hundreds", 2, ("sends", "people"), 1, acts=True),)
_HUNDREDS: Final = re.compile(
    r"(?<![\d.,])(?:[1-9]\d{2,6}|[1-9]\d{0,2}(?:[ .,'’]\d{3})+)(?![\d.,]*\d)"
)
_TRADES: Final = (
    Frame("trades", 2, ("trades", "securities"), 0, acts=True),
    Frame("trades-at-the-market", 2, ("trade order",), 0),
    Frame("moves-money", 2, ("moves", "money"), 0, acts=True),
)


# Does the answer let it happen? ---------------------------------------------------------------


def _confirms(reading: Reading) -> bool:
    """Whether the answer lets something happen, rather than describes something."""
    if reading.mode == "url":
        return False
    if not reading.fields:
        return True
    if any(field.kind == "boolean" or _may_be_left(field) for field in reading.fields):
        return True
    if _asks_leave(reading):
        return True
    return any(
        _confirms_by_name(place)
        for field in reading.fields
        if field.kind != "choice"
        for place in field.places
        if place.role in ("name", "title")
    )


def _confirms_by_name(place: Place) -> bool:
    return any(clause.of("confirm") for clause in place.views[0].clauses)


def _may_be_left(field: FieldReading) -> bool:
    """Whether one of a field's choices leaves everything as it is."""
    return any(
        hit.start == 0 and hit.end == len(clause.words)
        for place in field.places
        if place.role == "choice"
        for clause in place.views[0].clauses
        for hit in clause.of("refusal")
    )


def _asks_leave(reading: Reading) -> bool:
    """Whether a message wants leave for an act, though the answer is typed or chosen."""
    clauses = reading.message.views[0].clauses
    if any(clause.of("announces") for clause in clauses):
        return True
    # "Evict entries after how many minutes?" asks for a number.
    if not clauses or any(clause.of("aside", "which") for clause in clauses):
        return False
    return any(
        (clause.is_question and clause.of("asks leave")) or clause.of("confirm")
        for clause in clauses
    ) or any(hit.start == 0 for hit in clauses[0].of("destroys", "takes", "grants", "command"))


def _told(reading: Reading) -> Iterator[Place]:
    free = {field.name for field in reading.free_fields}
    typed = free | {field.name for field in reading.fields if field.kind == "choice"}
    for place in places_of(reading, _TOLD):
        # What is chosen or typed there only describes; a yes or no lets it happen.
        if place.role == "name" and (place.field in typed or _is_one_word(place)):
            continue
        if place.field in free and place.role != "name" and not _confirms_by_name(place):
            continue
        yield place


def _is_one_word(place: Place) -> bool:
    return sum(len(clause.words) for clause in place.views[0].clauses) == 1


def _on_production(reading: Reading) -> Iterator[Sighting]:
    yield from _framed(_PRODUCTION)(reading)
    if not _confirms(reading):
        return
    enums = {field.name: field.schema.get("enum") for field in reading.fields}
    only = {name for name, enum in enums.items() if isinstance(enum, list) and len(enum) == 1}
    aims = next((place for place in reading.places if _is_production(place, only)), None)
    if aims is None:
        return
    for place in _told(reading):
        for clause in place.views[0].clauses:
            for hit in clause.of("act"):
                if clause.standing(hit, is_act=True) == Standing.ASKED:
                    why = weight(2, "aimed-at-production", aims, aims.text)
                    yield Sighting(Severity.WARN, aims.where, aims.text[:80], aims.field, (why,))
                    return


def _is_production(place: Place, only: set[str]) -> bool:
    """Whether production is what is chosen, unless the person chooses something else.

    `only`: the fields with a single choice.
    """
    chosen = place.role == "default" or (place.role == "choice" and place.field in only)
    return chosen and any(clause.of("production") for clause in place.views[0].clauses)


# What goes ------------------------------------------------------------------------------------


def _effect(reading: Reading) -> Iterator[Sighting]:
    if not _confirms(reading):
        return
    places = [*_told(reading), *_telling_choices(reading)]
    ends = _chooses_how_it_ends(reading)
    for place in places:
        for view in place.views:
            for clause in view.clauses:
                gone = _goes(clause, place, told=ends and place.role == "message")
                if gone is not None and not view.repeats(clause, gone[0]):
                    hit, because = gone
                    if place.role in ("name", "title") and _is_said_small(reading, clause):
                        continue
                    evidence = excerpt(view.folded, *clause.span(hit))
                    yield Sighting(Severity.WARN, place.where, evidence, None, because)
                    return
    for place in places:
        forced = _COMMAND.search(place.unsplit.text)
        if forced is not None and not _only_spoken(place, forced.start()):
            why = (weight(2, "command", place, forced[0]),)
            yield Sighting(Severity.WARN, place.where, forced[0], None, why)
            return


def _is_said_small(reading: Reading, clause: Clause) -> bool:
    """Whether a field only repeats the act that the message says to be a small one."""
    if clause.of("weighty", "everything", "irreversible"):
        return False
    return any(
        said.of("small thing")
        and any(
            said.words[one.start] == clause.words[other.start]
            for one in said.of("destroys")
            for other in clause.of("destroys")
        )
        for said in reading.message.views[0].clauses
    )


def _only_spoken(place: Place, at: int) -> bool:
    """Whether the clause around a position only speaks of what stands there."""
    return any(
        hit.start == 0
        for clause in place.views[0].clauses
        if clause.spans[0][0] <= at <= clause.spans[-1][1]
        for hit in clause.of("speaks")
    )


_AMOUNTS: Final = {"destroys": 2, "takes": 0, "alters": -1}


def _goes(clause: Clause, place: Place, *, told: bool) -> tuple[Hit, tuple[Weight, ...]] | None:
    """The act of a clause that takes something away for good, weighed with its object."""
    for hit in clause.of("irreversible", "command"):
        if clause.standing(hit, is_act=True) == Standing.ASKED:
            return hit, (weight(2, hit.concept, place, _text(clause, hit)),)
    for hit in clause.of("brings back"):
        # What cannot be brought back is what is denied here.
        if clause.denies(hit) and not clause.quoted[hit.start]:
            return hit, (weight(2, "no-way-back", place, _text(clause, hit)),)
    for hit in clause.of(*_AMOUNTS):
        standing = clause.standing(hit, is_act=True)
        if standing == Standing.VOID or (standing != Standing.ASKED and not told):
            continue
        if _is_state(clause, hit):
            continue
        because = [weight(_AMOUNTS[hit.concept], hit.concept, place, _text(clause, hit))]
        weighty, small = _nearest(clause, hit, "weighty"), _nearest(clause, hit, "small thing")
        slight = _nearest(clause, hit, "slight")
        if weighty and slight and slight[1].end == weighty[1].start:
            weighty, small = None, slight
        if weighty is not None and (small is None or weighty[0] <= small[0]):
            because.append(weight(2, "weighty-object", place, _text(clause, weighty[1])))
        elif small is not None:
            because.append(weight(-2, "small-object", place, _text(clause, small[1])))
        many = _nearest(clause, hit, "everything")
        if many is not None:
            because.append(weight(1, "many", place, _text(clause, many[1])))
        if sum(one.amount for one in because) >= THRESHOLD:
            return hit, tuple(because)
    return None


def _is_state(clause: Clause, hit: Hit) -> bool:
    """Whether a word for an act says what something is: "expired licences", "the archive"."""
    before = clause.words[hit.start - 1] if hit.start else ""
    if any(secret.end == hit.start for secret in clause.of("sure")):
        return True
    ends = hit.end == len(clause.words)
    word = clause.words[hit.start]
    verbs = (word[:-1], word[:-2])
    if word.endswith("ed") and any(is_word(verb, hit.concept, clause.latin) for verb in verbs):
        passive = is_word(before, "becomes", clause.latin)
        follows = not ends and not is_word(clause.words[hit.end], "small", clause.latin)
        for_good = any(other.start == hit.end for other in clause.of("irreversible", "everything"))
        return follows and not passive and not for_good
    if not is_word(clause.words[hit.start], "act or thing", clause.latin):
        return False
    named = ends and bool(before) and not is_word(before, "small", clause.latin)
    determined = is_word(before, "determiner", clause.latin)
    return named or (determined and (ends or clause.words[hit.end] != "of"))


def _text(clause: Clause, hit: Hit) -> str:
    return " ".join(clause.words[hit.start : hit.end])


def _nearest(clause: Clause, act: Hit, concept: str) -> tuple[int, Hit] | None:
    """The hit of a concept that stands closest to an act, with how far."""
    heads = clause.of("weighty", "small thing")
    near = [
        (max(other.start - act.end, act.start - other.end, 0), other)
        for other in clause.of(concept)
        if (other.end <= act.start or other.start >= act.end)
        # What only qualifies the thing behind it is not the thing: "the comments table".
        and (concept not in ("weighty", "small thing") or not _qualifies(clause, other, heads))
    ]
    return min(near, default=None, key=lambda one: (one[0], one[1].start))


def _qualifies(clause: Clause, hit: Hit, heads: Sequence[Hit]) -> bool:
    return any(other.start == hit.end and clause.gaps[hit.end].isspace() for other in heads)


def _telling_choices(reading: Reading) -> Iterator[Place]:
    """Choices that tell of an end in several words."""
    for place in reading.places:
        if place.role != "choice":
            continue
        words = sum(len(clause.words) for clause in place.views[0].clauses)
        if words >= _TELLS:
            yield place


def _chooses_how_it_ends(reading: Reading) -> bool:
    """Whether deleting stands among the choices, beside leaving everything as it is."""
    return any(
        _may_be_left(field)
        and any(
            place.role == "choice" and any(c.of("destroys") for c in place.views[0].clauses)
            for place in field.places
        )
        for field in reading.fields
    )


def _framed(frames: Sequence[Frame]) -> Callable[[Reading], Iterator[Sighting]]:
    def find(reading: Reading) -> Iterator[Sighting]:
        if not _confirms(reading):
            return
        for one in held(frames, _told(reading)):
            clause, hit = one.found.clause, one.found.hit
            if clause.of("small thing") and one.frame.name in _ALSO_SMALL:
                small = _nearest(clause, hit, "small thing")
                other = _nearest(clause, hit, one.frame.needs[1])
                if small is not None and (other is None or small[0] < other[0]):
                    continue
            yield one.sighting(Severity.WARN)
            return

    return find


def _money(reading: Reading) -> Iterator[Sighting]:
    yield from _paid(reading)
    yield from _framed(_TRADES)(reading)


def _paid(reading: Reading) -> Iterator[Sighting]:
    if not _confirms(reading):
        return
    places = (*_told(reading), *_telling_choices(reading))
    for one in found(places, "transfer", "subscription"):
        _, view, clause, hit = one
        start, end = view.folded.span(clause.spans[0][0], clause.spans[-1][1])
        amount = AMOUNT.search(view.folded.original[max(0, start - 2) : end + 24].lower())
        if amount is not None and clause.standing(hit, is_act=True) == Standing.ASKED:
            said = f"{_text(clause, hit)} {amount[0]}"
            why = weight(2, "pays-an-amount", one.place, said)
            yield Sighting(Severity.WARN, one.place.where, one.evidence, None, (why,))
            return


def _mass_send(reading: Reading) -> Iterator[Sighting]:
    yield from _framed(_MASS_SEND)(reading)
    for sighting in _framed(_TO_PEOPLE)(reading):
        if any(_names_hundreds(place) for place in _told(reading)):
            yield sighting


def _names_hundreds(place: Place) -> bool:
    """Whether it says all of the people, or a number from a hundred on right before them."""
    for one in found((place,), "people", usual_only=True):
        before = one.clause.words[: one.hit.start][-1:]
        if any(is_word(word, "everything", one.clause.latin) for word in before):
            return True
        start = one.span[0]
        if _HUNDREDS.search(one.view.folded.original, max(0, start - 16), start):
            return True
    return False


RULES = (
    house_rule("destructive.effect", _effect),
    house_rule("destructive.production", _on_production),
    house_rule("destructive.money", _money),
    house_rule("destructive.access", _framed(_ACCESS)),
    house_rule("destructive.publish", _framed(_PUBLISH)),
    house_rule("destructive.mass_send", _mass_send),
)
