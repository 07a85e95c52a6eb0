"""What a text looks like: nothing hidden in it, and the letters that its glyphs may stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from elicit_tui.guardian.folding import fold, fold_character, is_plain
from elicit_tui.guardian.likeness import capital_i, case_of

_TO_LATIN: Final = str.maketrans(dict.fromkeys("βϐᏰꞵ𝛃𝛽𝜷𝝱𝞫", "ß") | {"ſ": "f"})
_TO_CYRILLIC: Final = str.maketrans({"Γ": "Г", "Ꮁ": "Г", "Ⲅ": "Г", "ʍ": "м"})
_TO_GREEK: Final = str.maketrans({"Г": "Γ", "Ꮁ": "Γ", "Ⲅ": "Γ", "ß": "β"})
_LATIN: Final = re.compile("[a-zA-Z]")
_CYRILLIC: Final = re.compile("[\u0400-\u052f]")
_GREEK: Final = re.compile("[\u0370-\u03ff]")
_BETWEEN_SCRIPTS: Final = re.compile(
    "[" + "".join(map(chr, {**_TO_LATIN, **_TO_CYRILLIC, **_TO_GREEK})) + "]"
)
_CAPITAL_I_AS_L: Final = re.compile(
    # Among small letters, where no capital belongs; or first, before a vowel as an l would be.
    "(?<=[a-z])I+|(?<![A-Za-z])I+(?=[Iaeiouy][a-zI])"
)
_L_AS_CAPITAL_I: Final = re.compile("(?<=[A-Z])l+(?![a-z])|(?<![a-z])l+(?=[A-Z])")


@lru_cache(maxsize=1)
def _small_greek() -> tuple[frozenset[str], dict[str, str]]:
    """Folded letters that only Greek has, and the small letters of capitals that look Latin."""
    capitals = "ΒΕΖΗΙΜΝΥΧ"
    only = frozenset(fold(letter) for letter in "δθξπφψω")
    return only, {fold(letter): letter.lower() for letter in capitals}


def plain(text: str) -> str:
    """The text with nothing invisible in it and look-alikes as what they look like, case kept."""
    return text if is_plain(text) else "".join(map(_look, text))


def _look(character: str) -> str:
    if character in " \t\n":
        return character
    letter = fold_character(character)
    return letter.upper() if case_of(character) == "A" else letter


def other_readings(text: str) -> Iterator[str]:
    """The text with each glyph that is two letters at once read as the other one.

    The first reading of `ſ` is `s`, of a capital gamma that of its own script; a capital `I` among
    small letters, or a small `l` among capitals, may stand for the other; and Greek capitals look
    like Latin letters whose small forms are others than theirs. Every reading is as long as the
    text. Nothing comes of a text without such glyphs.
    """
    told = {text}
    in_script = _in_script(text)
    for reading in (
        _replaced(in_script, _CAPITAL_I_AS_L, "l"),
        _replaced(in_script, _L_AS_CAPITAL_I, "I"),
        _in_small_greek(in_script),
    ):
        if reading not in told:
            told.add(reading)
            yield reading


def _in_script(text: str) -> str:
    """Glyphs between two scripts, read in the script of the letters around them."""
    if text.isascii() or not _BETWEEN_SCRIPTS.search(text):
        return text
    if _LATIN.search(text):
        text = text.translate(_TO_LATIN)
    if _CYRILLIC.search(text):
        return text.translate(_TO_CYRILLIC)
    return text.translate(_TO_GREEK) if _GREEK.search(text) else text


def _in_small_greek(text: str) -> str:
    if text.isascii():
        return text
    only, small = _small_greek()
    if not any(fold_character(character) in only for character in text):
        return text
    return "".join(
        small.get(letter, letter) if case_of(one) == "A" and len(letter) == 1 else one
        for one, letter in zip(text, map(fold_character, text), strict=True)
    )


def _replaced(text: str, pattern: re.Pattern[str], letter: str) -> str:
    """The text with one letter in place of what the pattern finds among letters as they look."""
    if is_plain(text):
        return pattern.sub(lambda match: letter * len(match[0]), text)
    places: list[int] = []
    looks: list[str] = []
    for place, character in enumerate(text):
        look = "I" if character in capital_i() else _look(character)[:1]
        if look:
            places.append(place)
            looks.append(look)
    characters = list(text)
    for match in pattern.finditer("".join(looks)):
        for place in places[slice(*match.span())]:
            characters[place] = letter
    return "".join(characters)
