"""Letters that can be taken for others, by Unicode's table of confusable characters (UTS 39)."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path


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


def case_of(character: str) -> str:
    """`A` for what looks like a capital, `a` for a small letter or digit, else `-`."""
    return _cases().get(character) or _own_case(character)
