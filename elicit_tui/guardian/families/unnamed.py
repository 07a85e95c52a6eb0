"""Secrets described without their name: by what they open, where they stand, when they change.

No single word gives such a question away, and no order of words either; a few signs that stand
together do: figures, a phone, just now. Each recipe names the signs that must all be there, in
one sentence or two neighbouring ones, each at a word of its own. A sentence that speaks of
something harmless (`unless`: a scale, a shirt, an error) lends no signs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from elicit_tui.elicitation import Weight
from elicit_tui.guardian.clauses import Clause
from elicit_tui.guardian.reading import Place
from elicit_tui.guardian.rule import weight
from elicit_tui.guardian.sentences import sentences

RECIPES: Final = {
    "types-to-get-in": ("typed", "entry"),
    "opens-what-is-guarded": ("opener", "opens", "guarded"),
    "beside-a-user-name": ("second thing", "beside", "account name"),
    "chosen-at-the-beginning": ("chosen word", "you chose", "beginning"),
    "figures-just-sent": ("figures", "carrier", "moment"),
    "figures-from-a-carrier": ("figures", "from carrier"),
    "thing-just-sent": ("thing", "carrier", "we sent"),
    "figures-we-sent": ("opener", "we sent"),
    "link-that-lets-in": ("link", "mail", "lets in"),
    "linked-by-a-code": ("copied", "picture code", "linked"),
    "under-a-strip": ("figures", "strip"),
    "remote-control": ("remote id", "remote tool"),
    "figures-that-change": ("figures", "renewing"),
    "figures-of-a-device": ("figures", "generator"),
    "read-from-a-device": ("reads out", "generator"),
    "tested-for-strength": ("own one", "strength"),
    "figures-on-a-card": ("card figures", "card", "card side"),
    "figures-at-the-till": ("typed", "till", "paying"),
    "words-of-a-wallet": ("wallet words",),
    "words-that-bring-back": ("words", "wallet"),
    "issued-value": ("string", "issuer", "issued"),
    "shown-once": ("value once", "shown once"),
    "long-string": ("long string", "issuer"),
    "moves-coins": ("string", "moves coins"),
    "half-of-a-pair": ("half", "key pair"),
    "key-file": ("half", "key file"),
    "browser-data": ("copied", "browser data"),
    "whole-address-after-consent": ("copied", "whole address", "consented"),
    "address-after-consent": ("copied", "consented", "landed"),
    "way-into-a-network": ("joined", "network", "typed"),
    "shown-after-consent": ("figures", "shows", "approved", "copied"),
    "label-that-lets-in": ("label", "typed", "entry"),
    "label-of-a-router": ("label", "network", "copied"),
    "opens-a-lock": ("typed", "lock", "unlocked"),
    "drawn-on-a-screen": ("drawn", "lock screen"),
    "second-step-figures": ("few figures", "second step"),
    "kept-second-step": ("figures", "kept", "second step"),
    "memory-of-an-account": ("memory", "account help"),
    "on-your-behalf": ("behalf thing", "on behalf"),
    "only-you-know": ("typed", "only you know"),
}
_NOT_FOR_PLAIN: Final = (
    "types-to-get-in",
    "opens-what-is-guarded",
    "beside-a-user-name",
    "figures-we-sent",
)
_LONGEST: Final = 120
_MOST_TRIED: Final = 6


class Described(NamedTuple):
    """A recipe that holds, with the text that it was read from."""

    weight: Weight
    evidence: str


def described(place: Place, message: Place | None) -> Described | None:
    """The recipe that a place, or the message together with it, fulfils."""
    signs = place.views[0].concepts
    if message is not None:
        signs |= message.views[0].concepts
    if not any(signs.issuperset(recipe) for recipe in RECIPES.values()):
        return None
    own = [list(sentence) for sentence in sentences(list(place.views[0].clauses))]
    windows: Iterator[list[Clause]] = _windows(own)
    if message is not None:
        told = [list(sentence) for sentence in sentences(list(message.views[0].clauses))]
        windows = ([*said, *sentence] for said in told for sentence in own)
    for window in windows:
        if sum(len(clause.words) for clause in window) > _LONGEST:
            continue
        name = _fulfilled(window, joined=message is not None)
        if name is not None:
            return Described(weight(4, name, place, place.text[:60]), place.text[:120])
    return None


def _windows(own: Sequence[list[Clause]]) -> Iterator[list[Clause]]:
    yield from own
    for first, second in pairwise(own):
        yield [*first, *second]


def _fulfilled(window: list[Clause], *, joined: bool) -> str | None:
    harmless = {clause.sentence for clause in window if clause.of("unless")}
    used = [clause for clause in window if clause.sentence not in harmless]
    if not used:
        return None
    signs: dict[str, list[tuple[int, int]]] = {}
    for number, clause in enumerate(used):
        for hit in clause.hits:
            if not clause.denies(hit) and not clause.whether:
                signs.setdefault(hit.concept, []).append(
                    (number * 1000 + hit.start, number * 1000 + hit.end)
                )
    for name, recipe in RECIPES.items():
        if joined and len(recipe) < 3:
            continue
        if all(sign in signs for sign in recipe) and _apart(recipe, signs):
            if name in _NOT_FOR_PLAIN and any(_asks_for_plain(one, recipe) for one in used):
                continue
            return name
    return None


def _asks_for_plain(clause: Clause, recipe: tuple[str, ...]) -> bool:
    """Whether something harmless is asked for: an address to log in with."""
    others = clause.of("entry", "typed", "lock screen", *recipe)
    return any(
        not any(other.start <= hit.start < other.end for other in others)
        and not clause.follows_link(hit)
        for hit in clause.of("plain")
    )


def _apart(recipe: tuple[str, ...], signs: dict[str, list[tuple[int, int]]]) -> bool:
    """Whether each sign stands at a word of its own."""

    def place(number: int, taken: list[tuple[int, int]]) -> bool:
        if number == len(recipe):
            return True
        for start, end in signs[recipe[number]][:_MOST_TRIED]:
            if (start, end) not in taken and place(number + 1, [*taken, (start, end)]):
                return True
        return False

    return place(0, [])
