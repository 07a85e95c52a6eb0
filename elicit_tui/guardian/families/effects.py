"""Acts that no verb names: what a yes leads to, told by who is left with nothing, and for how long.

"Afterwards nobody will find them any more": what has no end, touches many, or leaves nothing there
adds up, sentence by sentence, as `tables/effects.txt` weighs it. What only looks, makes or can be
undone takes away from the sum.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from elicit_tui.elicitation import Severity
from elicit_tui.guardian.clauses import Clause
from elicit_tui.guardian.families import destructive as acts
from elicit_tui.guardian.pages import pattern
from elicit_tui.guardian.reading import FieldReading, Place, Reading
from elicit_tui.guardian.rule import Sighting, house_rule
from elicit_tui.guardian.sums import Signs, neighbouring, signs_in, weighed, weights_of
from elicit_tui.guardian.words import Hit
from elicit_tui.text.letters import is_unspaced

_ENOUGH, _MANY_FIELDS, _SIGNS_THAT_TELL = 8, 3, 10
_TOUCHED: Final = ("many people", "people", "access of")
_GONE: Final = ("gone", "no more", "nobody")
_DENYING: Final = ("not", "nobody")
_LARGE: Final = ("thousands", "device", "data_path")
_WRITTEN: Final = {
    "hundreds": acts.HUNDREDS,
    "amount": acts.AMOUNT,
    **{name: re.compile(pattern(name)) for name in _LARGE},
}
"""What is written the same in every language."""


def _told(request: Reading) -> Iterator[Sighting]:
    """An act told by its effect: what adds up in what a yes, or a choice of a few, lets happen."""
    decided = [it for it in request.fields if it.kind in ("boolean", "number") or it.few]
    if request.mode == "url" or (request.fields and not decided) or acts.can_be_undone(request):
        return
    weights = weights_of("effects")
    shape = (
        weights["yes or no"] * any(field.kind == "boolean" for field in request.fields)
        + weights["no field"] * (not request.fields)
        + weights["many fields"] * (len(request.fields) > _MANY_FIELDS)
        # Beside a choice that leaves all as it is the others change something.
        + weights["may be left"] * any(field.may_be_left for field in decided)
    )
    strict = not request.fields or _only_decision(request)
    for place in _told_by(request, decided):
        at_stake = strict and not place.says("way back")
        for signs in neighbouring(place, 3, _effects):
            if at_stake and "thousands" in signs:
                signs["at stake"] = signs["hundreds"] = signs["thousands"]
            if shape + sum(map(weights.__getitem__, signs)) >= _ENOUGH:
                if any(next(iter(rule.find(request)), None) for rule in acts.RULES):
                    return  # What is done is named, and so found already.
                because = weighed(signs, weights)
                yield Sighting(Severity.WARN, place.where, place.text[:120], None, because)
                return


def _only_decision(request: Reading) -> FieldReading | None:
    """The one yes, or one choice of a few, that an answer is; what else there is may stay empty."""
    must = [field for field in request.fields if field.name not in request.optional]
    must = must or [*request.fields][: len(request.fields) == 1]
    is_one = len(must) == 1 and (must[0].kind == "boolean" or must[0].few)
    return must[0] if is_one else None


def _told_by(request: Reading, decided: Sequence[FieldReading]) -> Iterator[Place]:
    """Where it is told what an answer leads to: in words enough, and not of what is only typed."""
    settled = {field.name for field in decided} | request.optional
    must = [it for it in request.fields if it.name not in settled and "default" not in it.drawn]
    clauses, only = request.message.clauses, _only_decision(request)
    looks = any(clause.is_question and clause.of("only looks") for clause in clauses)
    # A yes says neither which nor how, whatever words for it there are ("谁看过就不再留下痕迹").
    is_yes = only is not None and only.kind == "boolean"
    if not (must or looks) and (is_yes or not _asks_for_one(request.message)):
        yield request.message
    yield from request.texts("schema title", "schema description")
    for field in decided:
        yield from field.texts("description")
        if field.kind != "number":
            yield from filter(_tells, field.texts("title"))
    # Of what is picked from a list each is a thing, and no end.
    lists = {field.name for field in request.fields if field.drawn.get("type") == "array"}
    told = (it for it in request.texts("choice", "default") if it.field not in lists)
    yield from filter(_tells, told)


def _tells(place: Place) -> bool:
    """Whether a label has words enough to tell of an effect, or signs where no blanks part them."""
    few = place.word_count < acts.TELLS
    return not few and (len(place.text.split()) > 1 or place.word_count >= _SIGNS_THAT_TELL)


def _asks_for_one(message: Place) -> bool:
    """Whether a message asks which or how, so that what it tells is chosen and not let happen."""
    wh = [(it, clause) for clause in message.clauses for it in clause.of("which", "aside")]
    asked = any(clause.is_question and not clause.whether for _, clause in wh)
    leave = any(clause.of("asks leave") for clause in message.clauses)
    # Nobody and nowhere ask for nothing ("谁也找不回来"), nor does "whoever has what sits there":
    # what is asked for begins with the word.
    wanted = any(
        clause is message.clauses[-1]
        and not any(gone.start <= it.start < gone.end for gone in clause.of(*_GONE))
        and (not it.start or clause.asks or is_unspaced(clause.words[0]))
        for it, clause in wh
    )
    return asked or (wanted and not leave)


def _effects(place: Place, sentence: Sequence[Clause]) -> Signs:
    """The signs of an effect in a sentence, numbers and sums of money among them."""
    weights = weights_of("effects")
    if sentence[0].is_example:
        return {}
    found = signs_in(place, sentence, weights, _lets_happen)
    folded = place.views[0].folded
    start, end = folded.span(sentence[0].spans[0][0], sentence[-1].spans[-1][1])
    first = max(0, start - 2)  # "€40 for …", "/dev/sdb …"
    told = folded.original[first:end].lower() + " "
    spoken_from = _spoken_from(place, sentence)
    for sign, written in _WRITTEN.items():
        number = written.search(told)
        if number and (sign not in _LARGE or first + number.start() < spoken_from):
            found[sign] = place, sentence[0], Hit(sign, 0, len(sentence[0].words))
    if found.keys() >= {"people", "thousands"}:
        found["thousands of people"] = found["people"]
    # "We never ask for it", "Nobody else gains access": what is only denied tells of no end.
    if not any(weights[sign] > 0 for sign in found if sign not in _DENYING):
        return {sign: where for sign, where in found.items() if sign not in _DENYING}
    return found


def _spoken_from(place: Place, sentence: Sequence[Clause]) -> int:
    """From where on what is told is only spoken of, asked to be so, or can be brought back."""
    folded = place.views[0].folded
    backs = ((clause, hit) for clause in place.clauses for hit in clause.of("brings back"))
    is_so = any(hit.start == 0 for it in sentence if it.whether for hit in it.of("becomes"))
    said = (folded.span(*it.span(hit))[0] for it in sentence for hit in it.of("spoken"))
    if is_so or any(not clause.denies(hit) for clause, hit in backs):
        return 0
    return min(said, default=len(folded.original))


def _lets_happen(clause: Clause, hit: Hit) -> bool:
    # "No message is sent to customers": nobody is touched by what is denied.
    touched = any(it[1:] == hit[1:] for it in clause.of(*_TOUCHED))
    spared = touched and clause.denies_something
    return not (
        spared or (hit.concept in acts.ACTS and (clause.reports(hit) or acts.is_state(clause, hit)))
    )


RULES = (house_rule("destructive.told", _told),)
