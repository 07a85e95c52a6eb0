"""Secrets described without their name: by what they open, where they stand, when they change.

No single word gives such a question away; a few signs that stand together do: figures, a phone,
just now. Each recipe names the signs that must all be there, in neighbouring sentences, each at a
word of its own; `rows` name those that stand in an order. A sentence that speaks of something
harmless (`unless`: a scale, a shirt, an error) lends no signs, but "for the parcel" speaks of none.
`hints` are fewer signs, or weaker ones: they only warn.
"""

from __future__ import annotations

from itertools import chain
from typing import Final

from elicit_tui.guardian.clauses import Clause
from elicit_tui.guardian.frames import fits
from elicit_tui.guardian.pages import table
from elicit_tui.guardian.reading import Place
from elicit_tui.guardian.sentences import sentences

FOR_OPEN_FIELDS: Final = ("link-that-lets-in", "figures-just-sent", "label-that-lets-in")
"""What is told rather than asked where every field says that something harmless is typed."""
_NEAR: Final = 3
"""How many sentences are read together."""
_LONGEST: Final = 120
_FEWEST_JOINED: Final = {"recipes": 3, "hints": 2}


def described(place: Place, message: Place | None, recipes: str = "recipes") -> str | None:
    """The recipe that a place, or the message together with it, fulfils."""
    signs = place.views[0].concepts
    if message is not None:
        signs |= message.views[0].concepts
    if not any(map(signs.issuperset, table(recipes).values())):
        return None
    own = sentences(place.clauses)
    if message is None:
        windows = [[*chain(*own[at : at + _NEAR])] for at in range(len(own))]
    else:
        windows = [said + sentence for said in sentences(message.clauses) for sentence in own]
    short = (one for one in windows if sum(len(clause.words) for clause in one) <= _LONGEST)
    fewest = 0 if message is None else _FEWEST_JOINED[recipes]
    return next(filter(None, (_fulfilled(one, recipes, fewest) for one in short)), None)


def _fulfilled(window: list[Clause], recipes: str, fewest: int) -> str | None:
    harmless = {clause.sentence for clause in window if _is_harmless(clause)}
    signing = [
        clause for clause in window if clause.sentence not in harmless and not clause.whether
    ]
    signs = {concept for clause in signing for concept in clause.by_concept}
    for name, recipe in table(recipes).items():
        told = len(recipe) >= fewest and signs.issuperset(recipe)
        if told and fits(recipe, signing, overlapping=True):
            return name
    return None


def _is_harmless(clause: Clause) -> bool:
    """Whether it speaks of something harmless, and not beside a sign nor as what that is for."""
    spoken = () if clause.of("joint") else clause.of("unless")
    return any(all(hit.start < link.start for link in clause.of("until")) for hit in spoken)
