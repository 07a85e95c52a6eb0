"""Words that are not written as the lexicon has them.

Glued together, misspelt, shortened; or in disguise: spelt apart, in leetspeak, mirrored, encoded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate, chain
from typing import Final

from elicit_tui.guardian.words import find, is_known, is_part, is_word, listed
from elicit_tui.text.encoded import from_base64, plain_letters, unescaped, without_leet
from elicit_tui.text.folding import Folded, fold_text
from elicit_tui.text.letters import without_one, words_of

_SHORTEST_PART, _SHORTEST_GLUED, _SURE_PART, _LONGEST_PART = 3, 6, 5, 40
_LONGEST_GLUED: Final = 2 * _LONGEST_PART
_LINKS: Final = ("", "s", "n", "en", "es")  # between the parts of a compound
_LONG_ENOUGH, _LONGEST_MISSPELT, _LONGEST, _SHORTEST_MIRRORED, _BEGINNING = 7, 16, 24, 5, 2
_ABBREVIATED: Final = re.compile("pa?[sz]{0,2}wo?r?d|[a-z]{2,12}p(?:wd?|sw|sswd|asswd)")
"""How "password" is shortened, alone and behind what it opens: pswrd, passwd, bindpw."""
_AS_LETTERS: Final = str.maketrans("01345", "oieas")  # within a word: c0de
_INFINITIVE: Final = re.compile(
    "^(a[bn]|auf|aus|durch|ein|her|hin|mit|nach|vor|weiter|zuruck)zu(?=[a-z]{3})"
)
"""What German puts into a verb: einzugeben."""
_UMLAUT: Final = re.compile("([aou])e")  # where there is none: schluessel


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
        if meant != word and is_known(meant, latin_only):
            return (meant,)
    if not is_long:
        return (word,)
    is_short = len(word) <= _LONGEST_GLUED
    for cut in range(max(1, len(word) - _LONGEST_PART), len(word) - _SURE_PART + 1):
        if any(is_word(word[cut:], concept, latin_only) for concept in ("sure", "mostly", "purse")):
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
            for spelt in without_one(entry):
                near.setdefault(spelt, set()).add(entry)
    return near


def _misspelt(word: str) -> list[str]:
    """The words for secrets that one slip makes of another: a letter more, less, other, swapped."""
    if len(word) > _LONGEST_MISSPELT:
        return []
    return sorted({meant for spelt in without_one(word) for meant in _near_sure().get(spelt, ())})


_NO_LETTER: Final = re.compile(r"[\W_]+")
_VOICE: Final = re.compile("[\u3099\u309a]")


@lru_cache(maxsize=2)
def _wanted(latin_only: bool) -> frozenset[str]:
    """Every spelling that is looked for, letters as leetspeak writes them."""
    words = {_NO_LETTER.sub("", entry) for entry in listed("disguised", latin_only)}
    words |= {word[::-1] for word in words if len(word) >= _SHORTEST_MIRRORED}
    return frozenset(plain_letters(word) for word in words if len(word) <= _LONGEST)


@lru_cache(maxsize=2)
def _beginnings(latin_only: bool) -> frozenset[str]:
    return frozenset(word[:_BEGINNING] for word in _wanted(latin_only))


def disguised_secret(unsplit: Folded, text: str) -> tuple[Folded, int, int] | None:
    """A secret's name in disguise, with where it stands; work linear in the text.

    `unsplit`: the text folded; `text`: it with nothing invisible in it.
    """
    for folded in chain((unsplit,), _decoded(text)):
        for found in _find(folded, also_plain=folded is not unsplit):
            return folded, *found
    return None


def _find(folded: Folded, *, also_plain: bool) -> Iterator[tuple[int, int]]:
    latin_only = folded.original.isascii()
    wanted, undisguised = _wanted(latin_only), _undisguised(latin_only)
    beginnings = _beginnings(latin_only)
    words = list(re.finditer(r"[^\W_]+", without_leet(folded.text)))
    joined = "".join(word[0] for word in words)
    ends = list(accumulate(len(word[0]) for word in words))
    for first, word in enumerate(words):
        start = ends[first] - len(word[0])
        if joined[start : start + _BEGINNING] not in beginnings:
            continue
        for last in range(first, len(words)):
            if ends[last] > start + _LONGEST:
                break
            if joined[start : ends[last]] in wanted:
                found = word.start(), words[last].end()
                if also_plain or _spaced(folded.text[slice(*found)]) not in undisguised:
                    yield found


@lru_cache(maxsize=2)
def _undisguised(latin_only: bool) -> frozenset[str]:
    """The words as they are: those are for the ordinary search, which knows their senses."""
    entries = frozenset(map(_spaced, listed("disguised", latin_only)))
    return entries | {entry.replace(" ", "") for entry in entries}


def _spaced(text: str) -> str:
    """The text with a blank for whatever is no letter; marks of voice are part of theirs."""
    return _NO_LETTER.sub(" ", _VOICE.sub("", text)).strip()


def _decoded(text: str) -> Iterator[Folded]:
    if (plain := unescaped(text)) is not None:
        yield fold_text(plain)
    for words in from_base64(text):
        folded = fold_text(words, split_camel=False)
        if "sure" in find(words_of(folded.text), latin_only=True):
            yield folded
