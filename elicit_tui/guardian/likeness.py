"""Letters that can be taken for one another, by Unicode's table of confusables (UTS 39).

Every letter has one *representative*, the ASCII letter wherever there is one to be taken for, so
that two texts which a person cannot tell apart are compared as the same text. A few glyphs stand
between two letters; `elicit_tui.guardian.folding` gives the second one.
"""

from __future__ import annotations

import json
import re
import unicodedata
from functools import lru_cache
from pathlib import Path
from typing import Final

from elicit_tui.guardian.pages import table
from elicit_tui.text.unseen import is_invisible


def _pairs(heading: str) -> dict[str, str]:
    return {entry[0]: entry[1:] for entry in table("letters")[heading]}


EXTRA: Final = _pairs("taken for") | {"\u2800": " "}
"""What Unicode's table lacks."""
WHOLE: Final = _pairs("whole")
"""Letters that are read before anything is taken apart in them."""
SIMPLIFIED: Final = _pairs("simplified")
"""A traditional Chinese character's simplified form."""
_VOICING: Final = "\u3099\u309a"
_LETTER_NAME: Final = re.compile(
    r"(?:NEGATIVE )?(?:LATIN|REGIONAL INDICATOR|SQUARED|CIRCLED).* LETTER "
    r"(?:SMALL CAPITAL |TURNED |REVERSED )*"
    r"([A-Z])(?: WITH .*)?$"
)


@lru_cache(maxsize=1)
def _glyphs() -> dict[str, list[str]]:
    """What can be taken for each letter or row of letters."""
    import confusable_homoglyphs

    # The module that would read it imports an HTTP client first.
    table = Path(confusable_homoglyphs.__file__).with_name("confusables.json").read_bytes()
    return {
        letter: [entry["c"] for entry in entries] for letter, entries in json.loads(table).items()
    }


@lru_cache(maxsize=1)
def lookalikes() -> dict[str, str]:
    """Non-ASCII letters that can be taken for an ASCII letter."""
    # Later letters win where a glyph is taken for several: `i` rather than `l`.
    table = {
        glyph: letter.lower()
        for letter in "lIABCDEFGHJKLMNOPQRSTUVWXYZabcdefghjkmnopqrstuvwxyzi"
        for glyph in _glyphs()[letter]
        if len(glyph) == 1 and glyph > "\x7f"
    }
    for glyph in capital_i() & table.keys():
        # A capital iota looks like an l and is an i, as its small form is.
        if table.get(glyph.lower()) == "i":
            table[glyph] = "i"
    return table | EXTRA


@lru_cache(maxsize=1)
def capital_i() -> frozenset[str]:
    """Everything that is, or looks like, a capital I, and so like a small l."""
    return frozenset(one for one in _glyphs()["l"] if len(one) == 1 and one.isupper()) | {"I"}


@lru_cache(maxsize=1)
def _cases() -> dict[str, str]:
    """The case of each glyph that is taken for letters of one case only, and has none or theirs."""
    cases: dict[str, str] = {}
    for letter, glyphs in _glyphs().items():
        case = _own_case(letter) if len(letter) == 1 and letter.isalpha() else "-"
        for glyph in glyphs if case != "-" else ():
            if letter.isascii() or (len(glyph) == 1 and _own_case(glyph) == "-"):
                cases[glyph] = case if cases.get(glyph, case) == case else "-"
    return {glyph: case for glyph, case in cases.items() if case != "-" and not glyph.isascii()}


def _own_case(character: str) -> str:
    if character.isupper():
        return "A"
    return "a" if character.islower() or character.isdigit() else "-"


def case_of(character: str) -> str:
    """`A` for what looks like a capital, `a` for a small letter or digit, else `-`."""
    return _cases().get(character) or _own_case(character)


def nearest_letter(letter: str) -> str:
    """The ASCII letter that one letter is taken for or named after; else its small form."""
    small = letter.lower()
    is_syllable = "\u3400" <= letter <= "\u9fff" or "\uac00" <= letter <= "\ud7a3"
    # Most texts have no other letters, and need not wait for Unicode's table.
    if is_syllable or letter.isascii() or small in EXTRA:
        return EXTRA.get(small, small)
    table = lookalikes()
    named = _LETTER_NAME.match(unicodedata.name(letter, ""))
    return table.get(letter) or table.get(small) or (named[1].lower() if named else small)


@lru_cache(maxsize=1)
def representatives() -> dict[str, str]:
    """For each letter, as `nearest_letter` gives it, the one it is compared as, where another.

    Two ASCII letters stay apart, also where a glyph is taken for both.
    """
    head: dict[str, str] = {}

    def find(letter: str) -> str:
        while letter in head:
            letter = head[letter]
        return letter

    for one, other in sorted(_likenesses(), key=lambda pair: (pair[0].isascii(), pair)):
        first, second = find(one), find(other)
        if first == second or (first.isascii() and second.isascii()):
            continue
        if second.isascii() or (not first.isascii() and second < first):
            first, second = second, first
        head[second] = first
    return {letter: find(letter) for letter in head}


def _likenesses() -> set[tuple[str, str]]:
    """Pairs of single letters that can be taken for one another, an ASCII letter first."""
    pairs = set()
    for letter, glyphs in _glyphs().items():
        for glyph in glyphs if len(letter) == 1 and letter.isalpha() else ():
            if len(glyph) == 1 and glyph.isalpha() and not letter.isascii():
                one, other = taken_apart(letter), taken_apart(glyph)
                if one != other and len(one) == len(other) == 1 and " " not in (one, other):
                    pairs.add((other, one) if other.isascii() else (one, other))
    return pairs


def taken_apart(character: str) -> str:
    """A character in letters of its own, each the nearest one; accents are left out."""
    if character in WHOLE:
        return WHOLE[character]
    return "".join(
        part if part in _VOICING else nearest_letter(part)
        for part in unicodedata.normalize("NFKD", character)
        if part in _VOICING or (unicodedata.category(part) != "Mn" and not is_invisible(part))
    )
