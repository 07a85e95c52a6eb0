"""Characters that deceive: what cannot be seen, as one list, and letters that look like others.

Of what cannot be seen some leaves no mark at all (`is_invisible`), some leaves a gap (`BLANKS`);
`looks_blank` tells a text of nothing else. `elicit_tui.text.active` decides which of the first kind
are natural where they stand. Letters that look like those of another script stand in no honest word
of that script (`mixed_words`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final

EMPTY_LETTERS: Final = "\u2800\U0001d159\U00013441\U00013442"
"""Letters and signs by their category, and drawn as nothing but room: Braille without a dot, a
note without a head, the blanks of Egyptian writing."""

BLANKS: Final = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
    f"{EMPTY_LETTERS}"
)
"""Everything that is drawn as room between others, for a class of a regular expression too."""

_BLANK_RUN: Final = re.compile(f"[{re.escape(BLANKS)}]+")
CONTROLS: Final = re.compile(r"[\x00-\x08\x0e-\x1b\x7f]")
"""The invisible ones of ASCII."""
_CONTROLS_OF_TEXT: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""The category Cc without what every text may hold: tab and newline."""

_INVISIBLE_RANGES: Final = (
    (0x034F, 0x034F),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x2065, 0x2065),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),
    (0x13430, 0x1343F),
    (0xE0000, 0xE0FFF),
)
"""Unicode's Default_Ignorable_Code_Point as far as it is not the category Cf, in whole ranges; and
the format signs of Egyptian writing, of which an older Python knows only some as Cf."""


@lru_cache(maxsize=8192)
def is_invisible(character: str) -> bool:
    """Whether a character leaves no mark of its own: controls, formats, fillers, selectors."""
    if character < "\x80":
        return CONTROLS.match(character) is not None
    # The ranges first: some fillers are letters by their category.
    point = ord(character)
    if any(low <= point <= high for low, high in _INVISIBLE_RANGES):
        return True
    category = unicodedata.category(character)
    return category == "Cf" or (category == "Cc" and not character.isspace())


def without_controls(text: str) -> tuple[str, int]:
    """A text without its control characters, and how many they were.

    Tabs and line ends stay; each line end becomes one newline.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    kept = _CONTROLS_OF_TEXT.sub("", text)
    return kept, len(text) - len(kept)


def controls_left_out(count: int) -> str:
    """The sentence that tells of what `without_controls` took out."""
    if count == 1:
        return "One control character was left out of what you entered."
    return f"{count} control characters were left out of what you entered."


def looks_blank(text: str) -> bool:
    """Whether nothing in a text can be seen; so for the empty one."""
    return all(character in BLANKS or is_invisible(character) for character in text)


def with_single_blanks(text: str) -> str:
    """The text with each run of blanks, however they are spelt, as one plain blank."""
    return _BLANK_RUN.sub(" ", text)


# Letters of one script inside words of another

_WORD: Final = re.compile(r"[^\W\d_]{3,60}")
LOOKING_LATIN: Final = frozenset(("CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC"))
"""Scripts of which whole words can be taken for Latin ones."""


def scripts_of(word: str) -> frozenset[str]:
    """The scripts of a word's letters, as far as they tell an honest name from a mixed one."""
    scripts = set()
    for character in word:
        if not character.isalpha():
            continue
        first = _script(character)
        # Han letters have two beginnings of their names.
        scripts.add({"CJK": "HAN", "IDEOGRAPHIC": "HAN"}.get(first, first))
    # East Asian writing mixes its scripts, and Latin letters with them, in honest words.
    if scripts & {"HIRAGANA", "KATAKANA", "HANGUL", "HAN", "BOPOMOFO"}:
        scripts -= {"HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "LATIN"}
        scripts.add("HAN")
    return frozenset(scripts)


def mixed_words(text: str) -> Iterator[re.Match[str]]:
    """Each word of Latin letters that holds one of another script, of those that look Latin."""
    if text.isascii():
        return
    for match in _WORD.finditer(text):
        word = match[0]
        if word.isascii() or re.search("[a-z]", word) is None:
            continue
        scripts = scripts_of(word)
        if "LATIN" in scripts and scripts & LOOKING_LATIN:
            yield match


def with_marked_letters(text: str) -> str:
    """The text with a mark in the place of each letter in a mixed word that only looks Latin."""
    # From behind, so that the places of what comes before stay right.
    for match in reversed(list(mixed_words(text))):
        marked = "".join(
            f"⟨U+{ord(letter):04X}⟩" if _script(letter) in LOOKING_LATIN else letter
            for letter in match[0]
        )
        text = text[: match.start()] + marked + text[match.end() :]
    return text


def _script(letter: str) -> str:
    return unicodedata.name(letter, "UNKNOWN").split(" ", 1)[0]


def translated(text: str, look: Callable[[str], str]) -> str:
    """The text with each character replaced; each sort of them is looked at once."""
    return text.translate({ord(character): look(character) for character in set(text)})


def without_invisible(text: str) -> str:
    """The text without what leaves no mark of its own."""
    return translated(text, lambda character: "" if is_invisible(character) else character)


_TURNING: Final = re.compile(r"[\u202a-\u202e\u2066-\u2069\u206a-\u206f]")
_DIRECTIONS: Final = re.compile(rf"{_TURNING.pattern}|[\u200e\u200f\u061c]")
"""The same and the marks of direction, which belong into texts that are read from right to left."""


def turned(text: str) -> re.Match[str] | None:
    """The first sign that turns the direction of a text and does not belong there."""
    if text.isascii():
        return None
    letters = filter(str.isalpha, text)
    leftward = any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in letters)
    return (_TURNING if leftward else _DIRECTIONS).search(text)
