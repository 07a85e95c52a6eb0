"""Text folded for comparison, with a way back to what was really there.

Disguise is undone here once, for every rule: compatibility forms, accents, invisible characters,
look-alike letters of other scripts, camelCase, spaces inside words of scripts that have none.
A vocabulary is folded by the same function, so both sides meet in the same spelling (the idea of
the skeleton in Unicode UTS 39).
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
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


def without_invisible(text: str) -> str:
    """The text without what leaves no mark of its own."""
    hidden = {character for character in set(text) if is_invisible(character)}
    return text.translate({ord(character): None for character in hidden}) if hidden else text


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
    folded = text.translate({ord(character): fold_character(character) for character in set(text)})
    return (
        "".join(_with_syllables(list(folded), list(range(len(folded))))[0])
        if _INNER_JAMO.search(folded)
        else folded
    )


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
    cuts = _camel_cuts(text) if split_camel else frozenset()
    if not cuts and is_plain(text):
        return Folded(text, text.lower(), None)
    characters: list[str] = []
    origin: list[int] = []
    for index, character in enumerate(text):
        if index in cuts:
            characters.append(" ")
            origin.append(index)
        for part in fold_character(character):
            characters.append(part)
            origin.append(index)
    characters, origin = _with_syllables(characters, origin)
    folded = "".join(characters)
    if folded.isascii():
        return Folded(text, folded, tuple(origin))
    return _without_inner_spaces(text, folded, origin)


def is_plain(text: str) -> bool:
    """Whether there is nothing in the text that could look like something else."""
    return text.isascii() and not CONTROLS.search(text)


def _camel_cuts(text: str) -> frozenset[int]:
    """Where a capital begins a new word, whatever is hidden between it and the small letter."""
    if is_plain(text):
        return frozenset(match.start() for match in _CAMEL.finditer(text))
    places = [index for index, character in enumerate(text) if not is_invisible(character)]
    cases = "".join(case_of(text[index]) for index in places)
    return frozenset(places[match.start()] for match in _CAMEL.finditer(cases))


def _with_syllables(characters: list[str], origin: list[int]) -> tuple[list[str], list[int]]:
    """Korean letters that came one by one, put together as they are read."""
    if not any(map(_INNER_JAMO.match, characters)):
        return characters, origin
    kept: list[str] = []
    places: list[int] = []
    for character, place in zip(characters, origin, strict=True):
        if kept and _INNER_JAMO.match(character):
            joined = unicodedata.normalize("NFC", kept[-1] + character)
            if len(joined) == 1:
                kept[-1] = joined
                continue
        if character:
            kept.append(character)
            places.append(place)
    return kept, places


def _without_inner_spaces(text: str, folded: str, origin: list[int]) -> Folded:
    kept: list[str] = []
    places: list[int] = []
    position = 0
    for gap in _space_between_ideographs().finditer(folded):
        kept.append(folded[position : gap.start()])
        places.extend(origin[position : gap.start()])
        position = gap.end()
    kept.append(folded[position:])
    places.extend(origin[position:])
    return Folded(text, "".join(kept), tuple(places))
