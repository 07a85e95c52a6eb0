"""Words hidden from a plain search: spelt apart, in leetspeak, mirrored or encoded."""

from __future__ import annotations

import base64
import binascii
import html
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate, chain
from typing import Final
from urllib.parse import unquote

from elicit_tui.guardian.folding import Folded, fold_text
from elicit_tui.guardian.reading import Place
from elicit_tui.guardian.words import find, listed, words_of

_LEET: Final = str.maketrans("013456789@$€|!+£¢l", "oieasgtbgasciitici")
_WITH_LEET: Final = re.compile(r"(?<!\S)\S*[013456789@$€|!+£¢]\S*")
_LONGEST: Final = 24
_ESCAPED: Final = re.compile(r"&#|%[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}")
_BASE64: Final = re.compile(r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{8,400}={0,2}(?![A-Za-z0-9+/=])")
_SHORTEST_MIRRORED: Final = 5
_NO_LETTER: Final = re.compile(r"[\W_]+")
_VOICE: Final = re.compile("[\u3099\u309a]")


def plain_letters(text: str) -> str:
    """Letters as leetspeak writes them, l and i as one."""
    return text.translate(_LEET)


@lru_cache(maxsize=2)
def _wanted(latin_only: bool) -> frozenset[str]:
    """Every spelling that is looked for, letters as leetspeak writes them."""
    words = {_NO_LETTER.sub("", entry) for entry in listed("disguised", latin_only)}
    words |= {word[::-1] for word in words if len(word) >= _SHORTEST_MIRRORED}
    return frozenset(plain_letters(word) for word in words if len(word) <= _LONGEST)


def _without_leet(text: str) -> str:
    """The text with plain letters for leetspeak, but in numbers and in the marks behind a word."""

    def letters(match: re.Match[str]) -> str:
        word = match[0]
        core = word.rstrip("!?.,;:)\"'")
        if len(core) == 1 or any(character.isalpha() for character in core):
            core = plain_letters(core)
        return core + word[len(core) :]

    return _WITH_LEET.sub(letters, text).replace("l", plain_letters("l"))


def disguised_secret(place: Place) -> tuple[Folded, int, int] | None:
    """A secret's name in disguise, with where it stands; work linear in the text."""
    for folded in chain((place.unsplit,), _decoded(place)):
        for found in _find(folded, also_plain=folded is not place.unsplit):
            return folded, *found
    return None


def _find(folded: Folded, *, also_plain: bool) -> Iterator[tuple[int, int]]:
    latin_only = folded.original.isascii()
    wanted, undisguised = _wanted(latin_only), _undisguised(latin_only)
    words = list(re.finditer(r"[^\W_]+", _without_leet(folded.text)))
    joined = "".join(word[0] for word in words)
    ends = list(accumulate(len(word[0]) for word in words))
    for first, word in enumerate(words):
        start = ends[first] - len(word[0])
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


def _decoded(place: Place) -> Iterator[Folded]:
    text = place.plain
    if _ESCAPED.search(text):
        plain = unquote(html.unescape(text))
        code = re.compile(r"\\[ux]([0-9a-fA-F]{4}|[0-9a-fA-F]{2})")
        yield fold_text(code.sub(lambda match: chr(int(match[1], 16)), plain))
    for match in _BASE64.finditer(text):
        try:
            decoded = base64.b64decode(match[0] + "=" * (-len(match[0]) % 4), validate=True)
            words = decoded.decode("ascii")
        except (binascii.Error, ValueError):
            continue
        folded = fold_text(words, split_camel=False)
        if "sure" in find(words_of(folded.text), latin_only=True):
            yield folded
