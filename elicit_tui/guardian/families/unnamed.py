"""Secrets described without their name: by what they open, where they stand, when they change.

No single word gives such a question away, and no order of words either; a few signs that stand
together do: figures, a phone, just now. Each recipe names the signs that must all be there, in
one sentence or two neighbouring ones, each at a word of its own. A sentence that speaks of
something harmless (`unless`: a scale, a shirt, an error) lends no signs.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from elicit_tui.elicitation import Weight
from elicit_tui.guardian.clauses import Clause
from elicit_tui.guardian.frames import fits
from elicit_tui.guardian.pages import table
from elicit_tui.guardian.reading import Place
from elicit_tui.guardian.rule import weight
from elicit_tui.guardian.sentences import sentences

_NOT_FOR_PLAIN: Final = (
    "types-to-get-in",
    "opens-what-is-guarded",
    "beside-a-user-name",
    "figures-we-sent",
    "chosen-for-what-is-guarded",
    "figures-of-a-lock",
)
FOR_OPEN_FIELDS: Final = ("link-that-lets-in", "way-into-a-network")
"""What is told rather than asked where every field says that something harmless is typed."""
_LONGEST: Final = 120
_FEWEST_JOINED: Final = 3
_ASIDE: Final = 4


class Described(NamedTuple):
    """A recipe that holds, with the text that it was read from."""

    weight: Weight
    evidence: str


@lru_cache(maxsize=1)
def _any_sign() -> frozenset[str]:
    return frozenset().union(*table("recipes").values())


def described(place: Place, message: Place | None) -> Described | None:
    """The recipe that a place, or the message together with it, fulfils."""
    signs = place.views[0].concepts
    if message is not None:
        signs |= message.views[0].concepts
    if signs.isdisjoint(_any_sign()) or not any(map(signs.issuperset, table("recipes").values())):
        return None
    own = list(sentences(list(place.clauses)))
    windows = [*own, *([*first, *second] for first, second in pairwise(own))]
    windows += [[*own[at - 1], *own[at + 1]] for at in range(1, len(own) - 1) if _is_aside(own[at])]
    if message is not None:
        told = sentences(list(message.clauses))
        windows = [[*said, *sentence] for said in told for sentence in own]
    for window in windows:
        if sum(len(clause.words) for clause in window) > _LONGEST:
            continue
        name = _fulfilled(window, joined=message is not None)
        if name is not None:
            return Described(weight(4, name, place, place.text[:60]), place.text[:120])
    return None


def _is_aside(sentence: list[Clause]) -> bool:
    """Whether a sentence is too short to part the ones around it: "That is normal!"."""
    return sum(len(clause.words) for clause in sentence) <= _ASIDE


def _fulfilled(window: list[Clause], *, joined: bool) -> str | None:
    harmless = {clause.sentence for clause in window if clause.of("unless")}
    used = [clause for clause in window if clause.sentence not in harmless]
    signing = [clause for clause in used if not clause.whether]
    signs = {concept for clause in signing for concept in clause.by_concept}
    for name, recipe in table("recipes").items():
        if (
            not (joined and len(recipe) < _FEWEST_JOINED)
            and signs.issuperset(recipe)
            and fits(recipe, signing, overlapping=True)
            and not (
                name in _NOT_FOR_PLAIN and any(_asks_for_plain(clause, recipe) for clause in used)
            )
        ):
            return name
    return None


def _asks_for_plain(clause: Clause, recipe: tuple[str, ...]) -> bool:
    """Whether something harmless is asked for: an address to log in with."""
    others = clause.of("entry", "typed", "lock screen", *recipe)
    return any(
        not any(other.start <= hit.start < other.end for other in others)
        and not any(joint.start == hit.end for joint in clause.of("joint"))
        for hit in clause.of("plain")
    )
