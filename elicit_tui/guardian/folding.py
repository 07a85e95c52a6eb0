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
from functools import cached_property, lru_cache
from typing import Final

_INVISIBLE_RANGES: Final = (
    (0x034F, 0x034F),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFFA0, 0xFFA0),
    (0xFFF9, 0xFFFB),
    (0xE0000, 0xE0FFF),
)
_VOICING: Final = "\u3099\u309a"
_EXTRA_LOOKALIKES: Final = {
    # Lowercase forms whose capitals are look-alikes: a word folds the same in either case.
    "в": "b",
    "н": "h",
    "т": "t",
    "м": "m",
    "к": "k",
    "ß": "ss",
    "ı": "i",
    "æ": "ae",
    "œ": "oe",
    "þ": "p",
    # Katakana and the ideographs or marks they are taken for.
    "口": "ロ",
    "二": "ニ",
    "一": "ー",
    "カ": "力",
    "エ": "工",
    "タ": "夕",
    "ト": "卜",
    "ハ": "八",
    "\u2800": " ",
}
_LETTER_NAME: Final = re.compile(
    r"(?:NEGATIVE )?(?:LATIN|REGIONAL INDICATOR|SQUARED|CIRCLED).* LETTER "
    r"(?:SMALL CAPITAL |TURNED |REVERSED )*"
    r"([A-Z])(?: WITH .*)?$"
)
_IDEOGRAPHIC: Final = "\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_SPACE_BETWEEN_IDEOGRAPHS: Final = re.compile(
    rf"(?<=[{_IDEOGRAPHIC}])[\s._\-*·・|/]{{1,3}}(?=[{_IDEOGRAPHIC}])"
)
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def is_invisible(character: str) -> bool:
    """Whether a character leaves no mark of its own: formats, fillers, variation selectors."""
    if character < "\x80":
        return False
    point = ord(character)
    if any(low <= point <= high for low, high in _INVISIBLE_RANGES):
        return True
    return unicodedata.category(character) == "Cf"


@lru_cache(maxsize=1)
def lookalikes() -> dict[str, str]:
    """Non-ASCII letters that can be taken for an ASCII letter, by Unicode's table (UTS 39)."""
    from confusable_homoglyphs.confusables import confusables_data

    table: dict[str, str] = {}
    # Later letters win where a glyph is taken for several: `i` rather than `l`.
    for letter in "lIABCDEFGHJKLMNOPQRSTUVWXYZabcdefghjkmnopqrstuvwxyzi":
        for entry in confusables_data.get(letter, ()):
            glyph = entry["c"]
            if len(glyph) == 1 and glyph > "\x7f":
                table[glyph] = letter.lower()
    table.update(_EXTRA_LOOKALIKES)
    return table


@lru_cache(maxsize=8192)
def fold_character(character: str) -> str:
    """One character as it is compared: nothing, one letter, or a few."""
    if character < "\x80":
        return character.lower()
    if is_invisible(character):
        return ""
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
    if "\u3400" <= letter <= "\u9fff" or "\uac00" <= letter <= "\ud7a3":
        return _EXTRA_LOOKALIKES.get(letter, letter)
    table = lookalikes()
    if letter in table:
        return table[letter]
    if letter.lower() in table:
        return table[letter.lower()]
    named = _LETTER_NAME.match(unicodedata.name(letter, ""))
    return named[1].lower() if named else letter.lower()


def fold(text: str) -> str:
    """The text as it is compared, without camelCase or spacing undone."""
    return text.lower() if text.isascii() else "".join(map(fold_character, text))


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

    @cached_property
    def tokens(self) -> tuple[tuple[int, int], ...]:
        """Spans of the runs that are not blank."""
        return tuple(match.span() for match in re.finditer(r"\S+", self.text))


def fold_text(text: str, *, split_camel: bool = True) -> Folded:
    """Fold a text for comparison; the work is linear in its length."""
    camel = split_camel and _CAMEL.search(text) is not None
    if text.isascii() and not camel:
        return Folded(text, text.lower(), None)
    cuts = {match.start() for match in _CAMEL.finditer(text)} if camel else frozenset()
    characters: list[str] = []
    origin: list[int] = []
    for index, character in enumerate(text):
        if index in cuts:
            characters.append(" ")
            origin.append(index)
        for part in fold_character(character):
            characters.append(part)
            origin.append(index)
    folded = "".join(characters)
    if folded.isascii():
        return Folded(text, folded, tuple(origin))
    return _without_inner_spaces(text, folded, origin)


def _without_inner_spaces(text: str, folded: str, origin: list[int]) -> Folded:
    kept: list[str] = []
    places: list[int] = []
    position = 0
    for gap in _SPACE_BETWEEN_IDEOGRAPHS.finditer(folded):
        kept.append(folded[position : gap.start()])
        places.extend(origin[position : gap.start()])
        position = gap.end()
    kept.append(folded[position:])
    places.extend(origin[position:])
    return Folded(text, "".join(kept), tuple(places))
