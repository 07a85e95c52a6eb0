"""The words of a text, and the characters of scripts that put no blanks between words."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)


@lru_cache(maxsize=2)
def word_pattern(is_ascii: bool) -> re.Pattern[str]:
    """A word, or one character of a script that puts no blanks between words."""
    # The many letters of those scripts take longer to compile than most requests to judge.
    return re.compile(r"[^\W_]+" if is_ascii else rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")


def words_of(text: str) -> list[str]:
    """The words of a text."""
    return word_pattern(text.isascii()).findall(text)


def is_unspaced(word: str) -> bool:
    """Whether a word is one character of a script that puts no blanks between words."""
    return not word.isascii() and len(words_of("a" + word)) > 1


def without_one(word: str) -> set[str]:
    """A word, and what it is with each one of its letters left out."""
    return {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}


def within_one_slip(first: str, second: str) -> bool:
    """Whether two words are the same but for one letter more, less, other or moved."""
    # The lengths first: of a word as long as a page the rest takes seconds.
    near = abs(len(first) - len(second)) < 2
    return near and not without_one(first).isdisjoint(without_one(second))
