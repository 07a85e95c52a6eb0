"""Words that are not written as the lexicon has them: glued together, misspelt, shortened."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from elicit_tui.guardian.words import is_known, is_part, is_word, listed

_SHORTEST_PART: Final = 3
_SHORTEST_GLUED: Final = 6
_SURE_PART: Final = 5
_LONGEST_PART: Final = 40
_LONGEST_GLUED: Final = 2 * _LONGEST_PART
_LONG_ENOUGH: Final = 7
_LONGEST_MISSPELT: Final = 16
_ABBREVIATED: Final = re.compile("pa?[sz]{0,2}wo?r?d")
"""How "password" is shortened: pswrd, passwd, pwrd."""
_UMLAUT: Final = re.compile("([aou])e")
"""How an umlaut is written where there is none: schluessel."""


@lru_cache(maxsize=20_000)
def parts(word: str, latin_only: bool) -> tuple[str, ...]:
    """The words that are glued together in one that the lexicon does not know; itself if none."""
    if is_known(word, latin_only):
        return (word,)
    if _ABBREVIATED.fullmatch(word):
        return ("password",)
    umlauts = _UMLAUT.sub(r"\1", word)
    if umlauts != word and is_known(umlauts, latin_only):
        return (umlauts,)
    if len(word) < _SHORTEST_GLUED:
        return (word,)
    bare = word.strip("0123456789")
    if bare != word and bare and is_known(bare, latin_only):
        return (bare,)
    meant = _misspelt(word)
    if meant is not None:
        return (meant,)
    is_short = len(word) <= _LONGEST_GLUED
    for cut in range(max(1, len(word) - _LONGEST_PART), len(word) - _SURE_PART + 1):
        right = word[cut:]
        if is_word(right, "sure", latin_only) or is_word(right, "mostly", latin_only):
            # Of a word without end the last part is enough: it is a secret.
            return (*(parts(word[:cut], latin_only) if is_short else (word[:cut],)), word[cut:])
    for cut in range(1, len(word) - _SHORTEST_PART + 2) if is_short else ():
        left, right = word[:cut], word[cut:]
        if cut >= _SHORTEST_PART and is_part(right, latin_only):
            joined = next((one for one in _unlinked(left) if is_part(one, latin_only)), None)
            if joined is not None:
                return (joined, right)
    for cut in range(min(len(word) - _SHORTEST_PART + 1, _LONGEST_PART), _SURE_PART - 1, -1):
        if is_word(word[:cut], "sure", latin_only):
            rest = word[cut:]
            # An ending that the language does not list is no word of its own.
            is_ending = len(rest) <= 2 and rest.isalpha()
            if is_ending and not is_word(rest, "attribute", latin_only):
                return (word[:cut],)
            return (word[:cut], rest)
    return (word,)


@lru_cache(maxsize=1)
def _near_sure() -> dict[str, set[str]]:
    """Long words for secrets by what they are with one letter left out, and as they are."""
    near: dict[str, set[str]] = {}
    for entry in listed("sure", latin_only=True):
        if len(entry) >= _LONG_ENOUGH and entry.isascii() and entry.isalpha():
            for spelt in _without_one(entry):
                near.setdefault(spelt, set()).add(entry)
    return near


def _without_one(word: str) -> set[str]:
    return {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}


def _misspelt(word: str) -> str | None:
    """The word for a secret that one slip makes of another: a letter more, less, other, swapped."""
    if len(word) > _LONGEST_MISSPELT or not word.isascii() or not word.isalpha():
        return None
    near = _near_sure()
    return min(
        (meant for spelt in _without_one(word) for meant in near.get(spelt, ())), default=None
    )


def within_one_slip(first: str, second: str) -> bool:
    """Whether two words are the same but for one letter more, less, other or moved."""
    return abs(len(first) - len(second)) < 2 and not _without_one(first).isdisjoint(
        _without_one(second)
    )


def _unlinked(word: str) -> Iterator[str]:
    """A compound's first part, also without the letters that link it to the second."""
    yield word
    for link in ("s", "n", "en", "es"):
        if word.endswith(link):
            yield word[: -len(link)]
