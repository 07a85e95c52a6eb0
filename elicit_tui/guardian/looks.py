"""What gives a secret away by its look: how it begins, how long it is, what stands around it.

What the values themselves look like stands in `elicit_tui.elicitation.shapes`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from elicit_tui.elicitation.shapes import card_number
from elicit_tui.guardian.pages import compiled, pattern, table
from elicit_tui.guardian.reading import Place

_BEGINNING: Final = 200
BEGINS: Final = pattern("beginnings of keys")
OPENS: Final = pattern("beginnings of addresses")
_ELIDED: Final = (
    rf"(?<![\w-])(?:{BEGINS}[\w-]{{0,16}}|{OPENS}(?:\w+/)?)"
    r"(?:\.{2,}|…|x{3,}|X{3,}|\*{3,}|$|[)\s\"'`])"
)
_ONE_OF: Final = re.compile(r"\((?:\?:)?(\w+)\|[^()]*\)|\[(.)[^][]*\]|\\(\W)")
_SIGNS: Final = re.compile(r"\(\?:|[()^]|\\b")


def _is_of_secret(place: Place) -> bool:
    """Whether a pattern describes a seed phrase, a card number or a key of a known shape."""
    text = place.text
    one_way = _ONE_OF.sub(lambda match: match[1] or match[2] or match[3], text[:_BEGINNING])
    begins = re.match(BEGINS, _SIGNS.sub("", one_way))
    return bool(begins or re.search(pattern("pattern of a secret"), text))


def _is_begun(place: Place) -> bool:
    """Whether a secret's value is what is left to write: "user=lena; pw="."""
    begun = compiled("begun").search(place.plain)
    named = (hit for clause in place.clauses[-1:] for hit in clause.of("sure", "maybe", "name"))
    ends = any(hit.end == len(place.clauses[-1].words) for hit in named)
    return begun is not None and (begun[1] is not None or ends)


_TESTS: Final[Mapping[str, Callable[[Place], object]]] = {
    "is_begun": _is_begun,
    "is_of_secret": _is_of_secret,
    "is_card_number": lambda place: card_number(place.plain),
    "is_address_with_password": lambda place: place.shape == "password_in_url",
    "elided": lambda place: re.search(_ELIDED, place.plain),
}


def looks(places: Sequence[Place], *, is_open: bool) -> Iterator[tuple[str, Place]]:
    """The frames of what a field's texts show, each with the first place that does."""
    seen = {place.role for place in places}
    harmless = any(place.says("unless") for place in places if place.role != "message")
    for frame, where, shape, needs, roles in _looks():
        is_spared = (where == "open" and not is_open) or (harmless and frame == "long-value")
        if is_spared or seen.isdisjoint(roles):
            continue
        test = _TESTS.get(shape)
        for place in (place for place in places if place.role in roles):
            may_hold = all(re.search(sign, place.plain) for sign in needs)
            if may_hold and (test(place) if test else re.search(pattern(shape), place.plain)):
                yield frame, place
                break


@lru_cache(maxsize=1)
def _looks() -> Sequence[tuple[str, str, str, Sequence[str], frozenset[str]]]:
    """Each look: its frame, where it counts, its shape, signs that it needs, and in which roles."""
    read = ((heading.split(), frozenset(roles)) for heading, roles in table("looks").items())
    return [(frame, where, shape, needs, roles) for (frame, where, shape, *needs), roles in read]
