"""What gives a secret away by its look: how it begins, how long it is, what stands around it.

What the values themselves look like stands in `elicit_tui.elicitation.shapes`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from elicit_tui.elicitation.shapes import card_number
from elicit_tui.guardian.pages import pattern
from elicit_tui.guardian.reading import Place
from elicit_tui.guardian.rule import searching

_BEGINNING: Final = 200
BEGINS: Final = pattern("beginnings of keys")
OPENS: Final = pattern("beginnings of addresses")
_ELIDED: Final = (
    rf"(?<![\w-])(?:{BEGINS}[\w-]{{0,16}}|{OPENS}(?:\w+/)?)"
    r"(?:\.{2,}|…|x{3,}|X{3,}|\*{3,}|$|[)\s\"'`])"
)
_BEGUN: Final = re.compile(pattern("begun"))
_MASKED: Final = r"(?:^|[\w.@-]\s?[/:|]\s?)[•●]{3,}$|[\w.@-]\s?[/:|]\s?\*{4,}$|^\*{6,}$"
"""A value that nobody is to see, alone or behind a user's name: `admin/****`."""
_BEHIND: Final = r"(?i)\b(?:after|behind|begin[\s*_]{1,4}with|follows)[\s*_`'\"]{1,6}authorization:"
_ENV: Final = r"^\W?\.env\b\W*(?:contents?|file|dump)?$"
_FORMAT: Final = r"^(?:password|secret)$"
_ONE_OF: Final = re.compile(r"\((?:\?:)?(\w+)\|[^()]*\)|\[(.)[^\]]*\]|\\(\W)")
_SIGNS: Final = re.compile(r"\(\?:|[()^]|\\b")


def _is_of_secret(place: Place) -> bool:
    """Whether a pattern describes a seed phrase, a card number or a key of a known shape."""
    text = place.text
    one_way = _ONE_OF.sub(lambda match: match[1] or match[2] or match[3], text[:_BEGINNING])
    begins = re.match(BEGINS, _SIGNS.sub("", one_way)) is not None
    return begins or re.search(pattern("pattern of a secret"), text) is not None


class _Look(NamedTuple):
    """What a text of some roles shows where a secret belongs."""

    frame: str
    roles: Sequence[str]
    shows: Callable[[Place], object]
    in_open: bool = True
    """Whether it counts only where anything can be typed."""


def _like(shape: str, needs: str = "") -> Callable[[Place], object]:
    search = searching(shape, needs)
    return lambda place: search(place.plain)


def _is_begun(place: Place) -> bool:
    """Whether a secret's value is what is left to write: "user=lena; pw="."""
    begun = _BEGUN.search(place.plain)
    named = (hit for clause in place.clauses[-1:] for hit in clause.of("sure", "maybe", "name"))
    ends = any(hit.end == len(place.clauses[-1].words) for hit in named)
    return begun is not None and (begun[1] is not None or ends)


_VALUES: Final = ("default", "example")
_HEADED: Final = ("description", *_VALUES)
_TOLD: Final = ("message", "title", *_HEADED)
_LONG_TOLD: Final = ("message", "title", "description")
_CARD_TOLD: Final = ("title", "description", "example")
_LOOKS: Final = (
    _Look("cut-short", _TOLD, _like(_ELIDED)),
    _Look("masked", _HEADED, _like(_MASKED, "[•●*]")),
    _Look("begun", _VALUES, _is_begun),
    _Look("env-file", ("title",), _like(_ENV), in_open=False),
    _Look("unfilled", _TOLD, _like(pattern("unfilled"), "[=_:]")),
    _Look("unfilled", _TOLD, _like(_BEHIND, ":"), in_open=False),
    _Look("long-value", _LONG_TOLD, _like(pattern("long value"), r"\d|[xX]{4}")),
    _Look("login-inside", _TOLD, _like(pattern("logs in"), "[=<@]"), in_open=False),
    _Look("login-inside", _TOLD, lambda place: place.shape == "password_in_url", in_open=False),
    _Look("login-inside", _HEADED, _like(pattern("header"), ":"), in_open=False),
    _Look("format-of-secret", ("format",), _like(_FORMAT), in_open=False),
    _Look("card-number", _CARD_TOLD, lambda place: card_number(place.plain), in_open=False),
    _Look("pattern-of-secret", ("pattern",), _is_of_secret, in_open=False),
)


def looks(places: Sequence[Place], *, is_open: bool) -> Iterator[tuple[str, Place]]:
    """The frames of what a field's texts show, each with the first place that does."""
    harmless = any(place.says("unless") for place in places if place.role != "message")
    told_roles = {place.role for place in places}
    for frame, roles, shows, in_open in _LOOKS:
        counts = not (in_open and not is_open) and not (harmless and frame == "long-value")
        if counts and not told_roles.isdisjoint(roles):
            shown = (place for place in places if place.role in roles and shows(place))
            yield from ((frame, place) for place in [*shown][:1])
