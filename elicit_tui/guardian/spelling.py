"""Words that are not written as the lexicon has them: glued together, misspelt, shortened."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from elicit_tui.guardian.words import is_known, is_part, is_word, listed

_SHORTEST_PART, _SHORTEST_GLUED, _SURE_PART, _LONGEST_PART = 3, 6, 5, 40
_LONGEST_GLUED: Final = 2 * _LONGEST_PART
_LINKS: Final = ("", "s", "n", "en", "es")
"""The letters that link a compound's first part to the second."""
_LONG_ENOUGH, _LONGEST_MISSPELT = 7, 16
_ABBREVIATED: Final = re.compile("pa?[sz]{0,2}wo?r?d|[a-z]{2,12}p(?:wd?|sw|sswd|asswd)")
"""How "password" is shortened, alone and behind what it opens: pswrd, passwd, bindpw."""
_AS_LETTERS: Final = str.maketrans("01345", "oieas")  # within a word: c0de
_INFINITIVE: Final = re.compile(
    "^(a[bn]|auf|aus|durch|ein|her|hin|mit|nach|vor|weiter|zuruck)zu(?=[a-z]{3})"
)
"""What German puts into a verb: einzugeben."""
_UMLAUT: Final = re.compile("([aou])e")
"""How an umlaut is written where there is none: schluessel."""


@lru_cache(maxsize=20_000)
def parts(word: str, latin_only: bool) -> tuple[str, ...]:
    """The words that are glued together in one that the lexicon does not know; itself if none."""
    if is_known(word, latin_only):
        return (word,)
    if _ABBREVIATED.fullmatch(word):
        return ("password",)
    is_long = len(word) >= _SHORTEST_GLUED
    others = (word.strip("0123456789"), *_misspelt(word)) if is_long else ()
    spelt = word.translate(_AS_LETTERS) if word[:1].isalpha() and word[-1:].isalpha() else word
    for meant in (spelt, _UMLAUT.sub(r"\1", word), _INFINITIVE.sub(r"\1", word), *others):
        if is_known(meant, latin_only):
            return (meant,)
    if not is_long:
        return (word,)
    is_short = len(word) <= _LONGEST_GLUED
    for cut in range(max(1, len(word) - _LONGEST_PART), len(word) - _SURE_PART + 1):
        if any(is_word(word[cut:], concept, latin_only) for concept in ("sure", "mostly")):
            # Of a word without end the last part is enough: it is a secret.
            return (*(parts(word[:cut], latin_only) if is_short else (word[:cut],)), word[cut:])
    for cut in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 2) if is_short else ():
        if is_part(word[cut:], latin_only):
            for joined in (word[:cut].removesuffix(link) for link in _LINKS):
                if is_part(joined, latin_only):
                    return (joined, word[cut:])
    for cut in range(min(len(word) - _SHORTEST_PART + 1, _LONGEST_PART), _SURE_PART - 1, -1):
        if is_word(word[:cut], "sure", latin_only):
            rest = word[cut:]
            # An ending that the language does not list is no word of its own.
            is_ending = len(rest) <= 2 and rest.isalpha()
            is_attribute = is_word(rest, "attribute", latin_only)
            return (word[:cut],) if is_ending and not is_attribute else (word[:cut], rest)
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


def _misspelt(word: str) -> list[str]:
    """The words for secrets that one slip makes of another: a letter more, less, other, swapped."""
    if len(word) > _LONGEST_MISSPELT:
        return []
    near = _near_sure()
    return sorted({meant for spelt in _without_one(word) for meant in near.get(spelt, ())})


def within_one_slip(first: str, second: str) -> bool:
    """Whether two words are the same but for one letter more, less, other or moved."""
    return abs(len(first) - len(second)) < 2 and not _without_one(first).isdisjoint(
        _without_one(second)
    )
