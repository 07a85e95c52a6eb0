"""Letters that can be taken for others, by Unicode's table of confusable characters (UTS 39)."""

from __future__ import annotations

import json
import re
import unicodedata
from functools import lru_cache
from pathlib import Path
from typing import Final

from elicit_tui.text.deceptive import CONTROLS, is_invisible

_LOWERCASE: Final = "вb нh тt мm кk ьb ςo ßss ıi æae œoe þp øo łl đd"
"""Letters whose capitals are look-alikes, and what those are taken for, in small letters."""
_KATAKANA: Final = "口ロ 二ニ 一ー カ力 エ工 タ夕 ト卜 ハ八"
"""These, the ideographs and the marks that are taken for one another."""
EXTRA: Final = {pair[0]: pair[1:] for pair in f"{_LOWERCASE} {_KATAKANA}".split()} | {"\u2800": " "}
"""What Unicode's table lacks."""
WHOLE: Final = {"ẚ": "a", "ͺ": "i", "Ϲ": "c", "ϲ": "c"}
"""Letters that are read before anything is taken apart in them."""
_VOICING: Final = "\u3099\u309a"
_LETTER_NAME: Final = re.compile(
    r"(?:NEGATIVE )?(?:LATIN|REGIONAL INDICATOR|SQUARED|CIRCLED).* LETTER "
    r"(?:SMALL CAPITAL |TURNED |REVERSED )*"
    r"([A-Z])(?: WITH .*)?$"
)
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@lru_cache(maxsize=1)
def likenesses() -> dict[str, list[str]]:
    """What can be taken for each letter or row of letters."""
    import confusable_homoglyphs

    # The module that would read it imports an HTTP client first.
    table = Path(confusable_homoglyphs.__file__).with_name("confusables.json").read_bytes()
    entries = json.loads(table).items()
    return {letter: [one["c"] for one in glyphs] for letter, glyphs in entries}


@lru_cache(maxsize=1)
def lookalikes() -> dict[str, str]:
    """Non-ASCII letters that can be taken for an ASCII letter."""
    # Later letters win where a glyph is taken for several: `i` rather than `l`.
    table = {
        glyph: letter.lower()
        for letter in "lIABCDEFGHJKLMNOPQRSTUVWXYZabcdefghjkmnopqrstuvwxyzi"
        for glyph in likenesses()[letter]
        if len(glyph) == 1 and glyph > "\x7f"
    }
    for glyph in capital_i() & table.keys():
        # A capital iota looks like an l and is an i, as its small form is.
        if table.get(glyph.lower()) == "i":
            table[glyph] = "i"
    return table


@lru_cache(maxsize=1)
def capital_i() -> frozenset[str]:
    """Everything that is, or looks like, a capital I, and so like a small l."""
    glyphs = likenesses()["l"]
    return frozenset(sign for sign in glyphs if len(sign) == 1 and sign.isupper()) | {"I"}


@lru_cache(maxsize=1)
def _cases() -> dict[str, str]:
    """The case of each glyph that is taken for letters of one case only, and has none or theirs."""
    cases: dict[str, str] = {}
    for letter, glyphs in likenesses().items():
        case = _own_case(letter) if len(letter) == 1 and letter.isalpha() else "-"
        for glyph in glyphs if case != "-" else ():
            if letter.isascii() or (len(glyph) == 1 and _own_case(glyph) == "-"):
                cases[glyph] = case if cases.get(glyph, case) == case else "-"
    return {glyph: case for glyph, case in cases.items() if case != "-" and not glyph.isascii()}


def _own_case(character: str) -> str:
    if character.isupper():
        return "A"
    return "a" if character.islower() or character.isdigit() else "-"


@lru_cache(maxsize=8192)
def case_of(character: str) -> str:
    """`A` for what looks like a capital, `a` for a small letter or digit, else `-`."""
    return _cases().get(character) or _own_case(character)


def camel_cuts(text: str) -> list[int]:
    """Where a capital begins a new word, whatever is hidden between it and the small letter."""
    if text.isascii() and not CONTROLS.search(text):
        return [match.start() for match in _CAMEL.finditer(text)]
    cases = {sign: "" if is_invisible(sign) else case_of(sign) for sign in set(text)}
    places = [place for place, sign in enumerate(text) if cases[sign]]
    shape = "".join(cases[sign] for sign in text)
    return [places[match.start()] for match in _CAMEL.finditer(shape)]


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

    for sign, other in sorted(_likenesses(), key=lambda pair: (pair[0].isascii(), pair)):
        first, second = find(sign), find(other)
        if first == second or (first.isascii() and second.isascii()):
            continue
        if second.isascii() or (not first.isascii() and second < first):
            first, second = second, first
        head[second] = first
    return {letter: find(letter) for letter in head}


def _likenesses() -> set[tuple[str, str]]:
    """Pairs of single letters that can be taken for one another, an ASCII letter first."""
    pairs = set()
    for letter, glyphs in likenesses().items():
        for glyph in glyphs if len(letter) == 1 and letter.isalpha() else ():
            if len(glyph) == 1 and glyph.isalpha() and not letter.isascii():
                pair = taken_apart(letter), taken_apart(glyph)
                if pair[0] != pair[1] and {*map(len, pair)} == {1} and " " not in pair:
                    pairs.add(pair[::-1] if pair[1].isascii() else pair)
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
