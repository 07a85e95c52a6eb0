"""The words of a text, which quotation they are in, and what a number among them is worth.

In scripts that put no blanks between words each character is one.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
_QUOTES: Final = dict(zip("'\"“„«「『‘»", "'\"”“»」』’«", strict=True))
"""What opens a quotation, and what closes it."""


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


def quote_after(quote: str, gap: str) -> str:
    """The mark that closes the quotation which is open behind a gap between two words."""
    for at, character in enumerate(gap):
        if quote and character == quote:
            if character != "'" or len(gap) > 1:
                quote = ""
        elif (
            not quote
            and character in _QUOTES
            and (character != "'" or (at == len(gap) - 1 and at > 0 and gap[at - 1] in " (:"))
        ):
            quote = _QUOTES[character]
    return quote


def value_of(digits: str) -> float:
    """A sum as it is written anywhere: only a separator before one or two last digits counts.

    What has several of those is a date, a version or an address: no sum, so worth nothing.
    """
    whole, _, part = re.sub(r"[.,](?=\d{3})", "", digits).replace(",", ".").partition(".")
    return 0.0 if "." in part else float(f"{whole}.{part or 0}")
