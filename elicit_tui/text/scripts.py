"""Letters of one script inside words of another: honest words have none, look-alikes do."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

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
    """Each word of Latin letters with one of a script whose letters look like them."""
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
    """The text with marks for the letters in mixed words that are none of their Latin ones."""
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
