"""What a text looks like: nothing hidden in it, and the letters that its glyphs may stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from elicit_tui.guardian.folding import fold, fold_character, is_plain, translated
from elicit_tui.guardian.likeness import capital_i, case_of

_BETWEEN_SCRIPTS: Final = (
    ("[a-zA-Z]", str.maketrans("ſβϐᏰꞵ𝛃𝛽𝜷𝝱𝞫", "fßßßßßßßßß")),
    ("[\u0370-\u03ff]", str.maketrans("ГᎱⲄß", "ΓΓΓβ")),
    ("[\u0400-\u052f]", str.maketrans("ΓᎱⲄʍ", "ГГГм")),
)
"""The letters of a script, and what glyphs that may belong to it as well are read as among them."""
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
    return text if is_plain(text) else translated(text, _look)


def _look(character: str) -> str:
    if character in " \t\n":
        return character
    letter = fold_character(character)
    return letter.upper() if case_of(character) == "A" else letter


def other_readings(text: str) -> list[str]:
    """The text with each glyph that is two letters at once read as the other one.

    The first reading of `ſ` is `s`, of a capital gamma that of its own script; a capital `I` among
    small letters, or a small `l` among capitals, may stand for the other; and Greek capitals look
    like Latin letters whose small forms are others than theirs. Every reading is as long as the
    text. Nothing comes of a text without such glyphs.
    """
    in_script = _in_script(text)
    readings = (*_with_i_as_l(in_script), _in_small_greek(in_script))
    return [reading for reading in dict.fromkeys(readings) if reading != text]


def _in_script(text: str) -> str:
    """Glyphs between two scripts, read in the script of the letters around them."""
    for letters, read_as in () if text.isascii() else _BETWEEN_SCRIPTS:
        if re.search(letters, text):
            text = text.translate(read_as)
    return text


def _in_small_greek(text: str) -> str:
    if text.isascii():
        return text
    only, small = _small_greek()
    if only.isdisjoint(map(fold_character, set(text))):
        return text

    def as_greek(one: str) -> str:
        letter = fold_character(one)
        return small.get(letter, letter) if case_of(one) == "A" and len(letter) == 1 else one

    return translated(text, as_greek)


def _with_i_as_l(text: str) -> Iterator[str]:
    """The text with an l for what looks like a capital I, and the other way around."""
    seen, places = text, [*range(len(text))]
    if not is_plain(text):
        looks = {one: "I" if one in capital_i() else _look(one)[:1] for one in set(text)}
        seen = "".join(looks[one] for one in text)
        places = [place for place in places if looks[text[place]]]
    for pattern, letter in ((_CAPITAL_I_AS_L, "l"), (_L_AS_CAPITAL_I, "I")):
        if not pattern.search(seen):
            continue
        characters = list(text)
        for match in pattern.finditer(seen):
            for place in places[slice(*match.span())]:
                characters[place] = letter
        yield "".join(characters)
