"""Signs that add up: what a sentence, or neighbouring ones, lend to something that nobody names.

A page of `tables` says what each sign weighs, for it or against it; `not` before one means where it
is denied. Of signs at the same words the heaviest counts, and each counts once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from elicit_tui.elicitation import Weight
from elicit_tui.guardian.clauses import Clause, sentences
from elicit_tui.guardian.pages import table
from elicit_tui.guardian.reading import Place
from elicit_tui.guardian.rule import weight
from elicit_tui.guardian.words import Hit

Signs = dict[str, tuple[Place, Clause, Hit]]
"""Each sign with where it stands."""
Counts = Callable[[Clause, Hit], bool]
_AMOUNTS: Final = frozenset("+-")
_MOST_TRIED: Final = 60
_IDENTIFIER: Final = re.compile(r"[^\W\d_]\w*(?:[-_.]\w+){0,12}[-_]\d+\b")
"""A name that ends with its number, such as `inbox-open-7`: its words are no sentence."""


@lru_cache(maxsize=4)
def weights_of(page: str) -> Mapping[str, int]:
    """What each sign of a page weighs: those below `+3` weigh 3."""
    amounts = ((name, signs) for name, signs in table(page).items() if name[0] in _AMOUNTS)
    return {sign: int(amount) for amount, signs in amounts for sign in signs}


def most_of(page: str, known: Iterable[str]) -> int:
    """What some concepts can weigh together at most, so that few texts are weighed in full."""
    weights = weights_of(page)
    return sum(max(weights.get(it, 0), weights.get(f"not {it}", 0), 0) for it in known)


def signs_in(
    place: Place, sentence: Sequence[Clause], weights: Mapping[str, int], counts: Counts
) -> Signs:
    """The signs of a sentence, where they count; what asks whether something is so lends none."""
    found: Signs = {}
    text = place.views[0].folded.text
    ids = [it.span() for it in _IDENTIFIER.finditer(text)] if "-" in text or "_" in text else ()
    for clause in sentence:
        may_deny = clause.denies_something or True in clause.quoted
        heaviest: dict[tuple[int, int], str] = {}
        # In a fixed order: of two that weigh the same at a place one counts, always the same one.
        known = (it for it in clause.by_concept if it in weights or f"not {it}" in weights)
        for concept in () if clause.whether else sorted(known):
            for hit in clause.of(concept)[:_MOST_TRIED]:
                at = clause.spans[hit.start][0]
                if ids and any(start <= at < end for start, end in ids):
                    continue
                sign = f"not {concept}" if may_deny and clause.denies(hit) else concept
                amount = weights.get(sign, 0)
                if amount < 0:
                    found[sign] = place, clause, hit
                elif amount > weights.get(heaviest.get(hit[1:], ""), 0) and counts(clause, hit):
                    heaviest[hit[1:]] = sign
        found |= {sign: (place, clause, Hit(sign, *span)) for span, sign in heaviest.items()}
    return found


def neighbouring(
    place: Place, most: int, read: Callable[[Place, Sequence[Clause]], Signs]
) -> Iterable[Signs]:
    """What up to so many neighbouring sentences of a place lend together."""
    own = [read(place, sentence) for sentence in sentences(place.clauses)]
    for first in range(len(own)):
        together: Signs = {}
        for signs in own[first : first + most]:
            together = together | signs
            yield together


def weighed(signs: Signs, weights: Mapping[str, int]) -> tuple[Weight, ...]:
    """The evidence of some signs, the heaviest first."""
    found = (
        weight(weights[sign], sign, place, clause.said(hit))
        for sign, (place, clause, hit) in signs.items()
    )
    return tuple(sorted(found, key=lambda why: -why.amount))
