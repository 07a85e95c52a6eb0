"""Text that is not what it seems: controls, invisible characters, markup, padding, false frames."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from html import unescape
from itertools import chain, islice
from typing import Final

from elicit_tui.elicitation import Severity
from elicit_tui.guardian import hosts
from elicit_tui.guardian.families.url import deceptive_url
from elicit_tui.guardian.frames import PROSE_OF_FIELDS
from elicit_tui.guardian.pages import blocks, compiled, pattern
from elicit_tui.guardian.reading import GENERAL, Place, Reading
from elicit_tui.guardian.rule import Sighting, house_rule, searching, sighting_at
from elicit_tui.text.active import active_pattern, is_plain, natural_length, piled_marks_pattern
from elicit_tui.text.deceptive import mixed_words, turned
from elicit_tui.text.urls import cut

_BLOCK, _WARN = Severity.BLOCK, Severity.WARN
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
_MARKUP: Final = pattern("markup")
_LINKS: Final = blocks("patterns")["links"]
"""Each notation; those of Markdown and HTML before bare addresses."""
_LINK_SIGN: Final = re.compile(r"[\[<]|:/")  # No link does without one.
_IMAGE: Final = re.compile(r"!\[[^\]]{0,300}\]\(\s*<?(?:https?:)?//")
_FILLER: Final = re.compile(r"([^\w\s])\1{150,}|(?:([^\w\s]) ){100,}|(\w)\3{1000,}")
_search_markup: Final = searching(_MARKUP, r"[<\[=:]")
_search_frame: Final = searching(pattern("frame"), r"[-=_─═━┄╌▄▀█>]{2}|\[")
_search_padding: Final = searching(pattern("padding"), r"[\s\u2800\u3164]{10}")
_LONG_MESSAGE, _HIDING_LENGTH, _MOST_LINKS = 5_000, 12_000, 50


def _first(
    search: Callable[[str], re.Match[str] | None],
    request: Reading,
    *,
    besides: str = "pattern",
    severity: Severity = _BLOCK,
    in_plain: bool = True,
) -> Iterator[Sighting]:
    """The first match in each text; `in_plain`: also where nothing but what is harmless stands."""
    if not in_plain and _is_plain(request):
        return
    for place in _texts(request, besides):
        if match := search(place.text):
            yield sighting_at(severity, place, *match.span())


def _texts(request: Reading, besides: str = "pattern") -> Iterator[Place]:
    """Every place but the URL, which has rules of its own, and patterns, which are not prose."""
    return (place for place in request.places if place.role not in ("url", besides))


@lru_cache(maxsize=1)
def _is_plain(request: Reading) -> bool:
    return is_plain("\n".join(place.text for place in request.places))


def _invisible(text: str) -> re.Match[str] | None:
    if is_plain(text):
        return None
    # Beside what `elicit_tui.text.active` knows to be natural.
    natural = {sign.start() for sign in compiled("natural").finditer(text)}
    hidden = (
        sign
        for active in active_pattern().finditer(text)
        if active["natural"] is None
        for sign in compiled("invisible").finditer(text, *active.span())
    )
    return next((sign for sign in hidden if sign.start() not in natural), None)


def _stacked(text: str) -> re.Match[str] | None:
    runs = () if is_plain(text) else piled_marks_pattern().finditer(text)
    return next((run for run in runs if natural_length(run[0]) < len(run[0])), None)


def _markup(request: Reading) -> Iterator[Sighting]:
    for place in _texts(request):
        match = _search_markup(place.text)
        if match is not None or ("&" in place.text and re.search(_MARKUP, unescape(place.text))):
            yield sighting_at(_BLOCK, place, *match.span() if match is not None else ())
    yield from _first(_IMAGE.search, request, severity=_WARN)


def _links(request: Reading) -> Iterator[Sighting]:
    """The first link of each text that deceives, else the first that could be followed."""
    for place in _texts(request):
        notations = _LINKS if _LINK_SIGN.search(place.text) else ()
        found = (islice(re.finditer(it, place.text), _MOST_LINKS) for it in notations)
        links = [*chain.from_iterable(found)]
        deceiving = next((link for link in links if _deceives(link, request)), None)
        plain = next((link for link in links if link.re.pattern == _LINKS[-1]), None)
        if deceiving is not None:
            yield sighting_at(_BLOCK, place, *deceiving.span())
        elif plain is not None and place.role in PROSE_OF_FIELDS and request.mode != "url":
            marked = "](" in place.text or "link=" in place.text
            yield sighting_at(_WARN if marked else Severity.NOTE, place, *plain.span())


def _deceives(link: re.Match[str], request: Reading) -> bool:
    """Whether a link leads to a place that is hidden, or another than its words show."""
    target, shown = cut(link["url"]).host, compiled("host in a text").search(link["text"])
    domain = hosts.registrable(target)
    is_other = shown is not None and hosts.registrable(shown[1].lower()) != domain
    return (is_other and target != "") or deceptive_url(link["url"].rstrip(".,;:!?"), request)


def _padding(request: Reading) -> Iterator[Sighting]:
    for place in _texts(request):
        match = _search_padding(place.text) or _FILLER.search(place.text)
        if match is not None and _hides_more(place, match):
            yield sighting_at(_BLOCK, place, *match.span())
        elif place.role in GENERAL and place.length > _LONG_MESSAGE:
            severity = _BLOCK if place.length > _HIDING_LENGTH else _WARN
            yield Sighting(severity, place.where, f"{place.length} characters")


def _hides_more(place: Place, match: re.Match[str]) -> bool:
    """Whether something stands behind the filling; one letter thousands of times is but long."""
    letters = match.re is _FILLER and match[3] is not None
    return not letters or place.role == "message" or place.text[match.end() :].strip() != ""


RULES = (
    house_rule("hidden.control", partial(_first, _CONTROLS.search, besides="", in_plain=False)),
    house_rule("hidden.direction", partial(_first, turned, in_plain=False)),
    house_rule("hidden.invisible", partial(_first, _invisible, besides="", in_plain=False)),
    house_rule("hidden.stacked_marks", partial(_first, _stacked, besides="", in_plain=False)),
    house_rule("hidden.markup", _markup),
    house_rule("hidden.link", _links),
    house_rule("hidden.frame", partial(_first, _search_frame)),
    house_rule("hidden.padding", _padding),
    house_rule(
        "hidden.mixed_letters",
        partial(_first, lambda text: next(mixed_words(text), None), severity=Severity.NOTE),
    ),
)
