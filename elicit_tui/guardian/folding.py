"""Text folded for comparison, with a way back to what was really there.

Disguise is undone here once, for every rule: compatibility forms, accents, invisible characters,
look-alike letters of other scripts, camelCase, spaces inside words of scripts that have none.
A vocabulary is folded by the same function, so both sides meet in the same spelling (the idea of
the skeleton in Unicode UTS 39).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

from elicit_tui.guardian.likeness import SIMPLIFIED, WHOLE, case_of, nearest_letter, representatives
from elicit_tui.text.unseen import CONTROLS, is_invisible

_VOICING: Final = "\u3099\u309a"
_IDEOGRAPHIC: Final = "\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_INNER_JAMO: Final = re.compile("[\u1161-\u1175\u11a8-\u11c2]")


@lru_cache(maxsize=1)
def _space_between_ideographs() -> re.Pattern[str]:
    # So many letters take long to compile, and few texts have them.
    return re.compile(
        rf"(?<=[{_IDEOGRAPHIC}])[\s._\-*·・|/]{{1,3}}(?=[{_IDEOGRAPHIC}])"
        # Blanks around a number are a matter of typesetting.
        rf"|(?<=[{_IDEOGRAPHIC}])[ \u3000](?=\d)|(?<=\d)[ \u3000](?=[{_IDEOGRAPHIC}])"
    )


def translated(text: str, look: Callable[[str], str]) -> str:
    """The text with each character replaced; each sort of them is looked at once."""
    return text.translate({ord(character): look(character) for character in set(text)})


def without_invisible(text: str) -> str:
    """The text without what leaves no mark of its own."""
    return translated(text, lambda character: "" if is_invisible(character) else character)


@lru_cache(maxsize=8192)
def fold_character(character: str) -> str:
    """One character as it is compared: nothing, one letter, or a few."""
    if is_invisible(character):
        return ""
    if character < "\x80":
        return character.lower()
    if character in WHOLE:
        return WHOLE[character]
    folded = []
    for part in unicodedata.normalize("NFKD", character):
        if part < "\x80":
            folded.append(part.lower())
        elif part in _VOICING:
            folded.append(part)
        elif unicodedata.category(part) != "Mn" and not is_invisible(part):
            folded.append(_fold_letter(part))
    return unicodedata.normalize("NFC", "".join(folded))


def _fold_letter(letter: str) -> str:
    nearest = nearest_letter(letter)
    # Only what is beyond ASCII has another representative; the table takes time to load.
    plain = nearest if nearest.isascii() else representatives().get(nearest, nearest)
    return SIMPLIFIED.get(plain, plain)


def fold(text: str) -> str:
    """The text as it is compared, without camelCase or spacing undone."""
    if is_plain(text):
        return text.lower()
    folded = translated(text, fold_character)
    return _with_syllables(folded, range(len(folded)))[0]


@dataclass(frozen=True)
class Folded:
    """Folded text in which each character knows its place in the original."""

    original: str
    text: str
    origin: tuple[int, ...] | None
    """For each character of `text` its index in `original`; None where they are the same."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where `text[start:end]` stood in the original."""
        if self.origin is None:
            return start, end
        if not self.origin:
            return 0, 0
        last = len(self.origin) - 1
        return self.origin[min(start, last)], self.origin[min(max(end - 1, 0), last)] + 1


def fold_text(text: str, *, split_camel: bool = True) -> Folded:
    """Fold a text for comparison; the work is linear in its length."""
    cuts = _camel_cuts(text) if split_camel else ()
    if not cuts and is_plain(text):
        return Folded(text, text.lower(), None)
    folds = {character: fold_character(character) for character in set(text)}
    pieces = [folds[character] for character in text]
    for cut in cuts:
        pieces[cut] = " " + pieces[cut]
    origin = [place for place, piece in enumerate(pieces) for _ in piece]
    folded, places = _with_syllables("".join(pieces), origin)
    if not folded.isascii():
        folded, places = _without_inner_spaces(folded, places)
    return Folded(text, folded, tuple(places))


def is_plain(text: str) -> bool:
    """Whether there is nothing in the text that could look like something else."""
    return text.isascii() and not CONTROLS.search(text)


def _camel_cuts(text: str) -> Iterable[int]:
    """Where a capital begins a new word, whatever is hidden between it and the small letter."""
    if is_plain(text):
        return [match.start() for match in _CAMEL.finditer(text)]
    cases = {one: "" if is_invisible(one) else case_of(one) for one in set(text)}
    places = [place for place, one in enumerate(text) if cases[one]]
    seen = "".join(cases[one] for one in text)
    return [places[match.start()] for match in _CAMEL.finditer(seen)]


def _with_syllables(text: str, origin: Sequence[int]) -> tuple[str, Sequence[int]]:
    """Korean letters that came one by one, put together as they are read."""
    if not _INNER_JAMO.search(text):
        return text, origin
    kept: list[str] = []
    places: list[int] = []
    for character, place in zip(text, origin, strict=True):
        if kept and _INNER_JAMO.match(character):
            joined = unicodedata.normalize("NFC", kept[-1] + character)
            if len(joined) == 1:
                kept[-1] = joined
                continue
        kept.append(character)
        places.append(place)
    return "".join(kept), places


def _without_inner_spaces(text: str, origin: Sequence[int]) -> tuple[str, Sequence[int]]:
    gaps = [match.span() for match in _space_between_ideographs().finditer(text)]
    kept = [slice(start, end) for (_, start), (end, _) in pairwise([(0, 0), *gaps, (len(text), 0)])]
    return "".join(text[part] for part in kept), [place for part in kept for place in origin[part]]
