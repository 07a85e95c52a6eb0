"""Acts that are hard to take back. They are allowed, and they should never slip through unread.

Only the effect counts: what goes, whom it touches, whether there is a way back. An act that is
explained, listed, warned of, simulated or already done is none (`Clause.reports`), and only its
own clause says so: a dry run that is mentioned does not make the real run harmless.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from elicit_tui.elicitation import Severity, Weight
from elicit_tui.guardian.clauses import Clause, sentences
from elicit_tui.guardian.frames import THRESHOLD, matching
from elicit_tui.guardian.pages import compiled, pattern, table
from elicit_tui.guardian.reading import GENERAL, Place, Reading
from elicit_tui.guardian.rule import Sighting, excerpt, house_rule, mentions, weight
from elicit_tui.guardian.words import Hit, is_word
from elicit_tui.text.folding import fold

TELLS, _NEAR = 3, 3
ACTS: Final = table("acts")["acts that an answer lets happen"]


@lru_cache(maxsize=1)
def confirms(request: Reading) -> bool:
    """Whether the answer lets something happen, rather than describes something."""
    if not request.fields:
        return request.mode != "url"
    if any(field.kind == "boolean" or field.may_be_left for field in request.fields):
        return True
    named = (it.texts("name", "title") for it in request.fields if it.kind != "choice")
    is_called_so = any(label.says("confirm") for labels in named for label in labels)
    return is_called_so or _is_shaped_so(request) or _asks_leave(request)


def _is_shaped_so(request: Reading) -> bool:
    """Whether all that must be answered is one choice of a few, and an act is told beside it."""
    closed = [field for field in request.fields if field.few]
    must = [field for field in request.fields if field.name not in request.optional]
    if not closed or len(must) > 1 or any(field not in closed for field in must):
        return False
    labels = [fold(choice.label) for choice in (must or closed)[0].few]
    return any(
        # "An e-mail says …": what begins no sentence may be a thing.
        clause.means(act)
        and not clause.quoted[act.start]
        and (act.concept != "sends" or not act.start)
        for place in request.texts(*GENERAL)
        for sentence in sentences(place.clauses)
        if not _asks_which(sentence, labels)
        for clause in sentence
        for act in clause.of(*ACTS)
    )


def _asks_which(sentence: list[Clause], labels: list[str]) -> bool:
    """Whether a sentence asks for one of several things, or names all that can be chosen."""
    words = " ".join(word for clause in sentence for word in clause.words)
    wanted = any(clause.of("aside", "which", "what is") for clause in sentence)
    return sentence[-1].is_question and (wanted or all(label in words for label in labels))


def _asks_leave(request: Reading) -> bool:
    """Whether a message wants leave for an act, though the answer is typed or chosen."""
    clauses = request.message.clauses
    if any(not clause.denies(hit) for clause in clauses for hit in clause.of("announces")):
        return True
    # "Evict entries after how many minutes?" asks for a number.
    if not clauses or any(clause.of("aside", "which") for clause in clauses):
        return False
    return any(
        (clause.is_question and (clause.of("asks leave") or _begins_with(clause, "sends", "act")))
        or clause.of("confirm")
        for clause in clauses
    ) or _begins_with(clauses[0], "destroys", "takes", "grants", "command")


def _begins_with(clause: Clause, *acts: str) -> bool:
    return clause.opens and any(hit.start == 0 for hit in clause.of(*acts))


@lru_cache(maxsize=1)
def consequences(request: Reading) -> tuple[Place, ...]:
    """The places that tell what the answer lets happen."""
    typed = {field.name for field in request.fields if field.is_free or field.kind == "choice"}
    counted = [field.name for field in request.fields if field.kind == "number"]
    return tuple(
        place
        for place in request.texts(*GENERAL, "name", "title", "description")
        if place.role not in ("name", "title")
        or not (place.field in counted or _is_label(place, is_typed=place.field in typed))
    )


def _is_label(place: Place, *, is_typed: bool) -> bool:
    """Whether it only describes what is typed or chosen there; a yes or no lets it happen."""
    is_one_word = place.word_count == 1
    if place.role == "name" or not place.clauses:
        return is_typed or (place.role == "name" and is_one_word)
    # "Deleted branch" says which one it is.
    return is_typed and (is_one_word or place.clauses[0].words[0].endswith("ed"))


@lru_cache(maxsize=1)
def telling_choices(request: Reading) -> tuple[Place, ...]:
    """Choices, and what is prepared, that tell of an end in several words."""
    return tuple(
        place
        for place in request.texts("choice", "default")
        if place.word_count >= TELLS or (place.says("destroys") and place.says("irreversible"))
    )


@lru_cache(maxsize=1)
def can_be_undone(request: Reading) -> bool:
    """Whether it is told that an act is undone, or can be: "you can put them back for 30 days"."""
    places = request.texts(*GENERAL, "title", "description")
    aims = (it for it in mentions(places, "production") if not it.is_denied)
    grave = {it.place.where for it in aims}
    told = (it for it in places if not (it.says("irreversible") or it.where in grave))
    return any(
        not (clause.denies_something or clause.of(*_NEVER))
        and not any(0 <= undone.start - act.end < _NEAR for act in clause.of("destroys"))
        for _, _, clause, undone in mentions(told, "undoes", usual_only=True)
    )


_NEVER: Final = ("if", "no", "nobody", "nothing", "not", "omit", "lack", "lost", "gone")
_NOUGHT: Final = ("0", "zero")
_UNMARKED: Final = str.maketrans("*`", "  ")
_SUM: Final = rf"{pattern('amount')}|\d[.,]\d{{3}}[.,]\d\d(?!\d)"
"""An amount, with its currency or as only money is written: `4,800.00`."""


def _on_production(request: Reading) -> Iterator[Sighting]:
    yield from _framed("destructive.production")(request)
    only = [it.name for it in request.fields if len(it.few) - it.may_be_left == 1]
    ready = any(place.says("ready") for place in consequences(request))
    told = mentions(consequences(request), "act", usual_only=True)
    acts = any(act.clause.means(act.hit) for act in told)
    aims = request.texts("message", "default", "choice")
    for aim in mentions(aims, "production", usual_only=True):
        # What is chosen is prepared, or all that one can choose: "api 2.3 -> prod" is an act.
        is_only = aim.place.field in only
        chosen = (aim.place.role != "choice" or is_only) and not aim.is_denied
        leads = aim.clause.between(aim.hit.start).endswith(("->", "=>", "→", "⇒"))
        if chosen and (is_only or confirms(request)) and (leads or acts or (is_only and ready)):
            yield aim.sighting(Severity.WARN, 2, "aimed-at-production", aim.place.field)


def _effect(request: Reading) -> Iterator[Sighting]:
    if can_be_undone(request):
        return
    leave = consequences(request) if confirms(request) else ()
    choices = telling_choices(request)
    # Deleting stands among the choices, beside leaving everything as it is.
    left = (choice for it in request.fields if it.may_be_left for choice in it.texts("choice"))
    ends = any(choice.says("destroys") for choice in left)
    # What is chosen or typed there is an answer; only what cannot be undone is worth a word.
    last = (place for place in (*request.texts("description"), *choices) if place.says(*_FOR_GOOD))
    for place in (*leave, *choices) if leave else last:
        for view in place.views:
            for clause in view.clauses:
                gone = _goes(clause, place, listed=ends and place.role == "message")
                if gone is None or view.repeats(clause, gone[0]):
                    continue
                evidence = excerpt(view.folded, *clause.span(gone[0]))
                yield Sighting(Severity.WARN, place.where, evidence, None, gone[1])
    for place in (*leave, *choices):
        forced = compiled("forcing command").search(place.unsplit.text.translate(_UNMARKED))
        at = forced.start() if forced else -1
        around = (c for c in place.clauses if c.spans[0][0] <= at <= c.spans[-1][1])
        # "Explain: git push --force" only speaks of it.
        if forced and not any(hit.start == 0 for place in around for hit in place.of("speaks")):
            why = (weight(2, "command", place, forced[0]),)
            yield Sighting(Severity.WARN, place.where, forced[0], None, why)


_FOR_GOOD: Final = ("irreversible", "brings back", "announces")
_WEIGHTS: Final = {"destroys": 2, "takes": 0, "alters": -1}


def _goes(clause: Clause, place: Place, *, listed: bool) -> tuple[Hit, tuple[Weight, ...]] | None:
    """The act of a clause that takes something away for good, weighed with its object."""
    told = bool(clause.of("tale"))  # "It is irreversible in the story."
    for hit in clause.of("irreversible", "command"):
        # "The drop table for the galley" is called so.
        named = hit.concept == "command" and is_state(clause, hit)
        if clause.means(hit) and not (told or named):
            return hit, (weight(2, hit.concept, place, clause.said(hit)),)
    for hit in clause.of("brings back"):
        # What cannot be brought back is what is denied here.
        if clause.denies(hit) and not clause.quoted[hit.start] and not clause.of("omit"):
            return hit, (weight(2, "no-way-back", place, clause.said(hit)),)
    for hit in clause.of(*_WEIGHTS):
        is_reported = clause.reports(hit) and (clause.whether or not listed)
        if clause.is_denied(hit) or is_reported or is_state(clause, hit):
            continue
        because = [weight(_WEIGHTS[hit.concept], hit.concept, place, clause.said(hit))]
        weighty, small = _nearest(clause, hit, "weighty"), _nearest(clause, hit, "small thing")
        slight = _nearest(clause, hit, "slight")
        if weighty and slight and slight[1].end == weighty[1].start:
            weighty, small = None, slight
        if weighty is not None and (small is None or weighty[0] <= small[0]):
            because.append(weight(2, "weighty-object", place, clause.said(weighty[1])))
        elif small is not None:
            because.append(weight(-2, "small-object", place, clause.said(small[1])))
        many = _nearest(clause, hit, "everything")
        if many is not None and not clause.quoted[many[1].start]:
            because.append(weight(1, "many", place, clause.said(many[1])))
        if sum(why.amount for why in because) - 2 * (told and weighty is None) >= THRESHOLD:
            return hit, tuple(because)
    return None


def is_state(clause: Clause, hit: Hit) -> bool:
    """Whether it says what something is, stores it or takes none: "0 to destroy"."""
    is_either = is_word(clause.words[hit.start], "act or thing", clause.latin)
    if is_either and any(mark.start == hit.end for mark in clause.of("which", "of")):
        return True
    near = clause.words[: hit.start + 1][-3:]
    ends = hit.end == len(clause.words)
    if not {*near[:-1]}.isdisjoint(_NOUGHT) and (ends or "to" in near or near[-1].endswith("ed")):
        return True
    if not (hit.start and is_word(clause.words[hit.start], "act or thing", clause.latin)):
        return False
    before = clause.words[hit.start - 1]
    named = ends and not any(is_word(before, it, clause.latin) for it in ("small", "becomes"))
    determined = is_word(before, "determiner", clause.latin)
    return named or (determined and (ends or clause.words[hit.end] != "of"))


def _nearest(clause: Clause, act: Hit, concept: str) -> tuple[int, Hit] | None:
    """The hit of a concept that stands closest to an act, with how far."""
    heads = clause.of("weighty", "small thing")
    near = [
        (max(other.start - act.end, act.start - other.end, 0), other)
        for other in clause.of(concept)
        # Between a verb and its particle: "shut the database down".
        if (other.end <= act.start or other.start >= act.end or act.start < other.start < act.end)
        # What something is taken from stays: "remove the frame from the photo".
        and not (act.concept == "takes" and "from" in clause.words[act.end : other.start])
        # What only qualifies is not the thing: "comments table", "the red eyes from the photos".
        and not (
            concept in ("weighty", "small thing")
            and any(
                (head.start == other.end and not clause.between(other.end))
                or not {"的", "の"}.isdisjoint(clause.words[other.end : head.start])
                for head in heads
            )
        )
    ]
    return min(near, default=None, key=lambda pair: (pair[0], pair[1].start))


def _framed(rule: str) -> Callable[[Reading], Iterator[Sighting]]:
    def find(request: Reading) -> Iterator[Sighting]:
        leave = consequences(request) if confirms(request) else ()
        for places in (leave, telling_choices(request)):
            for match in matching(rule, request, places):
                frame, (place, _, clause, hit) = match.frame.name, match.mention
                # A choice that begins with the verb lets it happen, whatever the others are.
                begins = hit.start <= 1 and frame == "lifts-protection"
                opens = place.role == "default" and frame == "open-to-anyone"
                # `NPM_PUBLISH_TOKEN` is what something is called.
                in_a_name = {*clause.gaps[hit.start : hit.end + 1]} & {"_"}
                if (leave or begins or opens) and not in_a_name:
                    yield match.sighting(Severity.WARN)

    return find


def _access(request: Reading) -> Iterator[Sighting]:
    yield from _framed("destructive.access")(request)
    for mention in mentions(request.texts("choice", "default"), "all hosts"):
        yield mention.sighting(Severity.WARN, 2, "open-to-all-hosts")


def _mass_send(request: Reading) -> Iterator[Sighting]:
    yield from _framed("destructive.mass_send")(request)
    clauses = (clause for place in consequences(request) for clause in place.clauses)
    told = [clause for clause in clauses if clause.of("people")]
    if any(it.of("everything") or compiled("hundreds").search(" ".join(it.words)) for it in told):
        yield from _framed("destructive.mass_send by number")(request)


def _money(request: Reading) -> Iterator[Sighting]:
    # "Refund 40 EUR to Ana?" asks leave, whatever is chosen with it; "Pay by card or cash?" not.
    moved = mentions((request.message,), "moves", usual_only=True)
    places = (*consequences(request), *telling_choices(request))
    if confirms(request) or any(move.clause.is_question and not move.hit.start for move in moved):
        yield from _paid(places)
    if not confirms(request):
        return
    for match in matching("destructive.money", request, places):
        yield match.sighting(Severity.WARN)


def _paid(places: Sequence[Place]) -> Iterator[Sighting]:
    """The first sum that is to be paid, once or again and again."""
    for mention in mentions(places, "transfer", "subscription", "moves", "path of money"):
        folded, clause, hit = mention.view.folded, mention.clause, mention.hit
        start, end = folded.span(clause.spans[0][0], clause.spans[-1][1])
        # "€1,250 for Marta. Shall I make the transfer?"
        is_all = clause.ends_with(hit) and any(two[1:] == hit[1:] for two in clause.of("pays out"))
        start = 0 if is_all else max(0, start - 2)
        near = slice(max(start, mention.span[0] - 240), min(end + 60, mention.span[1] + 240))
        # "4,800.00 from savings to …" needs no currency: the path tells that it is money.
        written = _SUM if hit.concept == "path of money" else pattern("amount")
        amount = re.search(written, folded.original[near].lower())
        if amount is not None and clause.means(hit):
            why = weight(2, "pays-an-amount", mention.place, f"{clause.said(hit)} {amount[0]}")
            yield Sighting(Severity.WARN, mention.place.where, mention.evidence, None, (why,))


_RULES: Final = {
    "destructive.effect": _effect,
    "destructive.production": _on_production,
    "destructive.access": _access,
    "destructive.publish": _framed("destructive.publish"),
    "destructive.mass_send": _mass_send,
    "destructive.money": _money,
}
RULES = tuple(house_rule(name, find, once=True) for name, find in _RULES.items())
