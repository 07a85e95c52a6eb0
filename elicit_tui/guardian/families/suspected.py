"""Requests that no other rule sees, and that say what is mostly said where something is wrong.

What a form's own words, up to three neighbouring sentences of its message, and the way it is made
add up to tells a secret, an act or a lure, by the weights of `tables/like_….txt`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from typing import Final

from elicit_tui.elicitation import Severity
from elicit_tui.guardian.clauses import Clause, sentences
from elicit_tui.guardian.demand import shows
from elicit_tui.guardian.families.credentials import SECRET
from elicit_tui.guardian.families.destructive import ACTS, can_be_undone, is_state
from elicit_tui.guardian.frames import neighbouring
from elicit_tui.guardian.pages import compiled, most_of, table, weights_of
from elicit_tui.guardian.reading import GENERAL, UNREAD, Place, Reading
from elicit_tui.guardian.rule import Sighting, house_rule, weight
from elicit_tui.text.letters import is_unspaced

_MOST_FIELDS, _MOST_SENTENCES, _MOST_TRIED, _SHORT, _SEVERAL = 30, 60, 8, 16, 3
_LONG, _TELLS = 15, 12  # Words of a long sentence, and of the shortest form that can describe.
_OF_FIELDS: Final = ("title", "description", "choice", "default")
_KEYS: Final = ("pattern", "maxLength", "minimum", "description", "default", "format")
_LARGE: Final = ("thousands", "device", "data_path")
_WRITTEN: Final = ("hundreds", "amount", *_LARGE)
_FIGURE: Final = re.compile(r"[\d/]")  # One stands in all of these, and what is told by them:
_FIGURED: Final = {"many touched", *map("written {}".format, _WRITTEN)}
_TOUCHED: Final = {"people", "many people", "money", "moves", "mail", "carrier", "written amount"}
_SPARED: Final = {"handle", "keeps", "only looks", "small thing", "way back"}
_ACTS: Final = frozenset(ACTS)
_DENIED: Final = {"undoes", "remains", "who one is"}
_ENDS: Final = {"gone", "no more", "lost", "irreversible", "unguarded", *_DENIED}
"""What tells of an end with a "no"; else a denial tells only that it speaks of a thing."""
Lent = dict[str, tuple[Place, Sequence[str]]]  # each sign, with where it stands and its words


@lru_cache(maxsize=1)
def made(request: Reading) -> frozenset[str]:
    """How a form is made, whatever it says: what must be answered, and what stands beside it."""
    fields = request.fields[:_MOST_FIELDS]
    must = [it for it in fields if it.name not in request.optional] or fields[: len(fields) == 1]
    opened = [it for it in must if it.is_open and it.kind == "text"]
    only = must[0] if len(must) == 1 else None
    others = {field.kind for field in fields if field is not only}
    is_open = any(field.is_open and field.is_free for field in fields)
    told = [[w for it in one for w in it.words] for one in sentences(request.message.clauses)]
    senses = [sense for sense in SECRET.senses if sense.words in request.concepts]
    own = [w for it in opened[:1] for at in it.texts("title") for c in at.clauses for w in c.words]
    most = opened[0].drawn.get("maxLength") if opened else None
    decided = any(it.kind in ("boolean", "number") or it.few for it in fields)
    signs = {
        "no field": not fields,
        "one field": len(fields) == 1,
        "one open field": len(opened) == 1,
        "nothing open": not is_open,
        "open to be left": is_open and not opened,
        "only a yes": only is not None and only.kind == "boolean",
        "only a few choices": only is not None and bool(only.few),
        "yes beside": "boolean" in others,
        "choice beside": "choice" in others,
        "must be typed": any(it.is_free and "default" not in it.drawn for it in must),
        "choice of two": only is not None and len(only.few) == 2,
        "choice of three": only is not None and len(only.few) == 3,
        "all must be answered": bool(fields) and not request.optional,
        "long sentence": any(len(it) >= _LONG <= _length(it) for it in told),
        "question": any(clause.is_question for clause in request.message.clauses),
        "nothing decided": bool(fields) and not decided,
        "can be undone": can_be_undone(request),
        "in another sense": any(shows(it, sense) for sense in senses for it in fields),
        "long answer": isinstance(most, int) and most > _SHORT,
        "told in a title": len(own) >= _SEVERAL,
        "untitled": any(not it.texts("title") for it in opened[:1]),
        **{f"has {key}": any(key in it.drawn for it in fields) for key in _KEYS},
    }
    return frozenset(sign for sign, holds in signs.items() if holds)


def _said(place: Place) -> Iterator[Lent]:
    """The signs of each sentence of a place; what is denied lends only that a denial holds it."""
    for sentence in sentences(place.clauses)[:_MOST_SENTENCES]:
        lent: Lent = {}
        for clause in sentence:
            found, words, denies = clause.by_concept, clause.words, clause.denies_something
            told, may_deny = found.keys() - lent.keys(), denies or True in clause.quoted
            for concept in told & _ENDS if denies else told:
                for hit in found[concept][:_MOST_TRIED]:
                    gap = clause.gaps[hit.start]
                    # A part of a name or of an address is no word.
                    if "_" in gap or "/" in gap:
                        continue
                    is_told = concept in _ACTS and (clause.reports(hit) or is_state(clause, hit))
                    denied = may_deny and clause.denies(hit)
                    if not is_told and (not denied or concept in _DENIED):
                        sign = f"not {concept}" if denied else concept
                        lent[sign] = place, words[hit.start : hit.end]
                        break
            for concept, hits in found.items() if denies else ():
                lent[f"denying {concept}"] = place, words[hits[0].start : hits[0].end]
            told = found.keys() & lent.keys()
            if clause.is_question or clause.of("ask", "announces"):
                lent |= {f"asked {it}": lent[it] for it in told}
            if place.role in _OF_FIELDS:
                lent |= {f"field {it}": lent[it] for it in told}
        lent |= {f"written {sign}": (place, (it,)) for sign, it in _written_in(place, sentence)}
        if "written thousands" in lent and _TOUCHED & lent.keys() and not _SPARED & lent.keys():
            lent["many touched"] = lent["written thousands"]
        yield lent


def _written_in(place: Place, sentence: Sequence[Clause]) -> Iterator[tuple[str, str]]:
    """Numbers, sums and paths of a sentence that are no mere report, and how they are written."""
    folded = place.views[0].folded
    start, end = folded.span(sentence[0].spans[0][0], sentence[-1].spans[-1][1])
    first = max(0, start - 2)  # "€40 for …", "/dev/sdb …"
    told = folded.original[first:end].lower() + " "
    if not _FIGURE.search(told):
        return
    # Behind what is only spoken of, or where something comes back, they tell of nothing new.
    spoken = (folded.span(*it.span(hit))[0] for it in sentence for hit in it.of("spoken"))
    back = any(not it.denies(hit) for it in place.clauses for hit in it.of("brings back"))
    last = first if back else min(spoken, default=len(folded.original))
    for sign in _WRITTEN:
        number = compiled(sign).search(told)
        if number and (sign not in _LARGE or first + number.start() < last):
            yield sign, number[0]


@lru_cache(maxsize=1)
def lent_by(request: Reading) -> tuple[Lent, list[Lent]]:
    """What the fields say together, and what each sentence of the form does."""
    own: Lent = {}
    fields = request.fields[:_MOST_FIELDS]
    told = [at for it in fields for at in it.texts(*_OF_FIELDS)]
    # What comes first counts, and of choices only what nothing else says.
    every = [lent for at in sorted(told, key=lambda at: at.role == "choice") for lent in _said(at)]
    for lent in reversed(every):
        own |= lent
    for at in (name for it in fields for name in it.texts("name")):
        own |= {f"named {it}": (at, (at.text,)) for it in at.views[0].concepts}
    return own, [lent for place in request.texts(*GENERAL) for lent in _said(place)]


def may_be(page: str, request: Reading) -> bool:
    """Whether it can be one of a kind: all but acts take some words, an act is not asked after."""
    if page == "like_act":
        asked = (it for it in request.message.clauses if it.is_question and it.whether)
        return not any(it.of("becomes") for it in asked)
    told = (clause for it in request.places if it.role not in UNREAD for clause in it.clauses)
    # A thank-you tells nothing, nor does what is denied.
    telling = (it for it in told if not (it.denies_something or it.is_courtesy))
    says = sum(_length(clause.words) for clause in telling)
    return says >= _TELLS and (page != "like_secret" or bool(_handed(request)))


def _length(words: Sequence[str]) -> float:
    """How many words they are as long as, where a character is one."""
    is_spaced = "".join(words).isascii()
    return len(words) if is_spaced else sum(1 - 0.6 * is_unspaced(word) for word in words)


def _handed(request: Reading) -> list[str]:
    """The fields in which what is asked for would be typed."""
    free = request.free_fields[:_MOST_FIELDS]
    typed = [field for field in free if field.kind == "text" or "sign" in field.concepts]
    return [field.name for field in typed if field.is_open] or [field.name for field in typed]


@lru_cache(maxsize=3)
def _weighed(page: str, request: Reading) -> tuple[int, Lent]:
    """What a request adds up to at most, and the signs that its words lend to that."""
    weights, (own, every) = weights_of(page), lent_by(request)
    if page == "like_secret":  # What can be chosen from a list is none.
        own = {it: at for it, at in own.items() if at[0].role != "choice"}
    own = {it: at for it, at in own.items() if it in weights}
    known = weights.keys() - own.keys()
    near = [{}, *neighbouring([{it: lent[it] for it in lent if it in known} for lent in every])]
    sums = [sum(map(weights.__getitem__, lent)) for lent in near]
    amount = sum(weights[it] for it in (*(made(request) & weights.keys()), *own)) + max(sums)
    return amount, near[sums.index(max(sums))] | own


@lru_cache(maxsize=1)
def _furthest(request: Reading) -> tuple[int, str]:
    """How far above the sum from which its page warns a request is at most, and that page."""
    known, above = request.concepts, [(-1, "")]
    if any(_FIGURE.search(it.read) for it in request.places if it.role not in UNREAD):
        known |= _FIGURED
    for page in PAGES.values() if request.mode != "url" else ():
        warns, weights = _bound(page, "warns from"), weights_of(page)
        most = sum(weights.get(sign, 0) for sign in made(request)) + most_of(page, known)
        if most >= warns and may_be(page, request):
            above.append((_weighed(page, request)[0] - warns, page))
    return max(above)


def _suspected(page: str, request: Reading) -> Iterator[Sighting]:
    above, furthest = _furthest(request)
    if above >= 0 and page == furthest:
        weights, (amount, lent) = weights_of(page), _weighed(page, request)
        weighed = [weight(weights[it], it, at, " ".join(w)) for it, (at, w) in lent.items()]
        because = tuple(sorted(weighed, key=lambda why: (-why.amount, why.frame)))
        severity = Severity.BLOCK if amount >= _bound(page, "blocks from") else Severity.WARN
        shown = lent[because[0].frame][0] if because else request.message
        for field in _handed(request) if page == "like_secret" else (None,):
            yield Sighting(severity, shown.where, shown.text[:120], field, because, ())


def _bound(page: str, name: str) -> int:
    return int(next(iter(table(page).get(name, ())), sys.maxsize))


def is_spared(rule: str, sighting: Sighting, request: Reading) -> bool:
    """Whether all that a form says is so unlike what a rule saw that it must be another thing."""
    page, bound = spared_below(rule, sighting, request)
    return bool(page) and _weighed(page, request)[0] < _bound(page, bound)


def spared_below(rule: str, sighting: Sighting, request: Reading) -> tuple[str, str]:
    """The page, and its bound, below which a finding is spared; neither where it never is."""
    if rule not in table("spared"):
        return "", ""
    page, *unsure = table("spared")[rule]
    told = {why.frame for why in sighting.because} - weights_of("described").keys()
    sure = told.difference(unsure, table("recipes"))
    # Where no field says a word, none says that it is another thing; nor does "Value".
    own = [it for it in request.fields if it.name == sighting.field]
    is_silent = not any(it.texts(*_OF_FIELDS) for it in own or request.fields) or (
        bool(told.difference(table("recipes")))
        and any(it.is_called(word) for it in own for word in ("anything", "bare value"))
    )
    is_theirs = any(it.frame == "asked-for-maybe" and it.amount > 2 for it in sighting.because)
    # A bare yes lets happen whatever is told; beside a choice it may be a game, by one frame.
    is_bare = not made(request).isdisjoint(("only a yes", "no field"))
    never = {"like_secret": is_silent or is_theirs or sure, "like_act": is_bare, "like_lure": False}
    if never[page] or len(sure) > 1 or not (sure or unsure):
        return "", ""
    bound = "spares sure below" if sure else "spares below"
    return page, bound if told else "spares described below"


PAGES: Final = {
    "credentials.suspected": "like_secret",
    "deception.suspected": "like_lure",
    "destructive.told": "like_act",
}
RULES = tuple(house_rule(it, partial(_suspected, page), last=True) for it, page in PAGES.items())
