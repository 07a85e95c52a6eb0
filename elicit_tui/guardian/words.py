"""The lexicon: plain words in folders, and where they stand in a text.

`lexicon/LANGUAGE/*.txt` holds paragraphs. A heading at the line's beginning names a concept, the
indented lines below it are its words, with commas between them; `#` begins a remark. Words are
written as one spells them and folded as every text is. An entry of several words is found also
with small words (articles, prepositions, `your`) between them, so that `digits back card` is
found in "digits on the back of your card".

Three headings are special. `endings:` lists what is struck off the end of words of this language
before they are compared. `HEAD with:` lists companions that make a sure secret of a head: `token
with: access` stands for "access token" and "token for access". `HEAD not with:` lists those that
show another sense and make it harmless: "design token".
"""

from __future__ import annotations

import gc
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from elicit_tui.guardian.folding import fold

FOLDER: Final = Path(__file__).parent / "lexicon"
_UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
WORD: Final = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")
"""A word, or one character of a script that puts no blanks between words."""
_ONE_OF_UNSPACED: Final = re.compile(f"[{_UNSPACED}]")
_OTHER_SCRIPT: Final = re.compile("[\u0370-\u1dff\u2e80-\uffff]")
_MOST_SMALL: Final = 3
_SHORTEST_STEM: Final = 4
_SHORT: Final = 3
_SURE: Final = "sure"
_SECRETS: Final = frozenset(("sure", "maybe", "name", "contents", "harmless"))
"""What is read in every language; all else in those of the sentence, where they know the word.

The Dutch "of" joins nothing in an English sentence, and its ports are no Italian doors.
"""
_HARMLESS: Final = "harmless"


class Hit(NamedTuple):
    """A concept at a span of words."""

    concept: str
    start: int
    end: int


class _Entry(NamedTuple):
    concept: str
    rest: tuple[str, ...]
    spaced: bool


Key = tuple[str, str]
"""A language and a word as it is written or without its ending."""


class _Language:
    """One folder: its words by the first word of each entry."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.spelt: set[str] = set()
        """Every word as it is written."""
        self.listed: dict[str, list[str]] = {}
        """What stands under each heading, folded."""
        for path in sorted((FOLDER / code).glob("*.txt")):
            for heading, entries in paragraphs(fold(path.read_text("utf-8"))):
                self.listed.setdefault(heading, []).extend(entries)
        self._endings = frozenset(self.listed.get("endings", ()))
        self._lengths = tuple(sorted(set(map(len, self._endings)), reverse=True))
        self._stems: dict[str, str] = {}
        self._begun: dict[str, list[tuple[str, str]]] = {}
        """Concepts and entries by the first word of an entry: most of them are never needed."""
        self._near: dict[str, list[str]] = {}
        """First words by the letters that no ending is struck off from."""
        self._found: dict[str, tuple[_Entry, ...]] = {}
        for heading, entries in self.listed.items():
            if heading != "endings":
                self._add(heading, entries)

    def _add(self, heading: str, entries: list[str]) -> None:
        self.spelt.update(WORD.findall(",".join(entries)))
        self.spelt.update(WORD.findall(heading.rpartition(" with")[0].removesuffix(" not")))
        begun = self._begun
        for concept, entry in _entries(heading, entries):
            match = WORD.search(entry)
            if match is None:
                continue
            first = match[0]
            if first in begun:
                begun[first].append((concept, entry))
                continue
            begun[first] = [(concept, entry)]
            self.spelt.add(first)
            self._near.setdefault(first[:_SHORTEST_STEM], []).append(first)

    def begun_by(self, form: str) -> tuple[_Entry, ...]:
        """The entries whose first word is looked for in this form."""
        found = self._found.get(form)
        if found is None:
            near = self._near.get(form.rstrip(".")[:_SHORTEST_STEM], ())
            bare = form.rstrip(".")
            firsts = [one for one in near if one.startswith(bare) and form in self.forms(one)]
            found = self._found[form] = tuple(
                _entry(concept, entry) for first in firsts for concept, entry in self._begun[first]
            )
        return found

    def forms(self, word: str) -> tuple[str, ...]:
        """A word of the lexicon as it is looked for: short ones stand only for themselves."""
        if len(word) <= _SHORT:
            return (_exact(word),)
        stem = self._stems.get(word)
        if stem is None:
            stem = self._stems[word] = next(self.without_endings(word))
        return (word,) if stem == word else (word, stem)

    def without_endings(self, word: str) -> Iterator[str]:
        """What is left of a word without each of its endings, the shortest rest first."""
        for length in self._lengths:
            ending = word[-length:]
            long_enough = len(word) - length >= _SHORTEST_STEM
            if long_enough and ending in self._endings and word[-2:] != "ss":
                yield word[:-length]
        yield word

    def read_as(self, word: str) -> Iterator[str]:
        """Everything that a word of a text may stand for in the lexicon."""
        yield from self.without_endings(word)
        yield _exact(word)
        if len(word) <= _SHORT + 1 and word.endswith("s"):
            yield _exact(word[:-1])


def _entry(concept: str, entry: str) -> _Entry:
    spaced = entry.isascii() or _ONE_OF_UNSPACED.search(entry) is None
    return _Entry(concept, tuple(WORD.findall(entry)[1:]), spaced)


def paragraphs(text: str) -> Iterator[tuple[str, list[str]]]:
    """The headings of one file's text, each with its entries."""
    heading = ""
    entries: list[str] = []
    for line in text.splitlines():
        body = line.partition("#")[0]
        if not body or body.isspace():
            continue
        if not body[0].isspace():
            if heading:
                yield heading, entries
            heading, entries = body.rstrip().rstrip(":"), []
        else:
            entries += [entry for word in body.split(",") if (entry := word.strip())]
    if heading:
        yield heading, entries


@lru_cache(maxsize=1)
def languages() -> tuple[str, ...]:
    """The languages of the lexicon, by their codes."""
    return tuple(sorted(path.name for path in FOLDER.iterdir() if path.is_dir()))


@lru_cache(maxsize=64)
def _language(code: str) -> _Language:
    return _Language(code)


def _entries(heading: str, entries: list[str]) -> Iterator[tuple[str, str]]:
    heads, apart, _ = heading.rpartition(" with")
    if not apart:
        for entry in entries:
            yield heading, entry
        return
    concept = _HARMLESS if heads.endswith(" not") else _SURE
    for head in heads.removesuffix(" not").split(","):
        for entry in entries:
            yield concept, f"{entry} {head.strip()}"
            yield concept, f"{head.strip()} {entry}"


def _exact(word: str) -> str:
    """A short word stands for itself: what is struck off others could leave it."""
    return word + "."


@lru_cache(maxsize=2)
def _loaded(latin_only: bool) -> tuple[_Language, ...]:
    collects = gc.isenabled()
    # Nothing of a lexicon is ever garbage; to look for it takes a fifth of the time.
    gc.disable()
    try:
        return tuple(_language(code) for code in languages() if not latin_only or _is_latin(code))
    finally:
        if collects:
            gc.enable()


def _is_latin(code: str) -> bool:
    """Whether a language is written in Latin letters, and so, maybe, in ASCII alone."""
    first = min((FOLDER / code).glob("*.txt"))
    return _OTHER_SCRIPT.search(first.read_text("utf-8")) is None


@lru_cache(maxsize=30_000)
def _keys(word: str, latin_only: bool) -> frozenset[Key]:
    """The languages in which a word begins an entry, and how it stands there."""
    return frozenset(
        (language.code, form)
        for language in _speaking(word, latin_only)
        for form in language.read_as(word)
        if language.begun_by(form)
    )


def _speaking(word: str, latin_only: bool) -> Sequence[_Language]:
    """The languages that a word may be of.

    One that a language spells so is no other one's with an ending struck off.
    """
    every = _loaded(latin_only)
    return [language for language in every if word in language.spelt] or every


@lru_cache(maxsize=30_000)
def _stands_for(word: str, code: str, wanted: str, latin_only: bool) -> bool:
    """Whether a word of a text is a further word of an entry."""
    return any(
        form in language.read_as(word)
        for language in _speaking(word, latin_only)
        if language.code == code
        for form in language.forms(wanted)
    )


def listed(heading: str, latin_only: bool = False) -> Iterator[str]:
    """What stands under a heading in all languages, folded."""
    for language in _loaded(latin_only):
        yield from language.listed.get(heading, ())


@lru_cache(maxsize=30_000)
def _is(word: str, concept: str, latin_only: bool) -> bool:
    return any(
        entry.concept == concept and not entry.rest
        for language in _loaded(latin_only)
        for code, stem in _keys(word, latin_only)
        if code == language.code
        for entry in language.begun_by(stem)
    )


def is_word(word: str, concept: str, latin_only: bool = False) -> bool:
    """Whether a folded word is one of a concept's, in any language."""
    return _is(word, concept, latin_only)


def is_known(word: str, latin_only: bool) -> bool:
    """Whether a word stands anywhere in the lexicon, be it with an ending."""
    return any(
        form in language.spelt or language.begun_by(form)
        for language in _loaded(latin_only)
        for form in language.read_as(word)
    )


def is_part(word: str, latin_only: bool) -> bool:
    """Whether a word can be a part of one that is glued together."""
    if len(word) <= _SHORT:
        return _is(word, "short part", latin_only)
    return any(
        not entry.rest and entry.concept not in ("small", "joint", "which", "aside", "within")
        for language in _loaded(latin_only)
        for code, stem in _keys(word, latin_only)
        if code == language.code
        for entry in language.begun_by(stem)
    )


def find(words: Sequence[str], latin_only: bool) -> list[Hit]:
    """Every concept in a row of folded words, the longest where one holds another of its kind.

    `latin_only`: the text was ASCII before it was folded, and only such languages are looked at.
    """
    begun = [_begun(word, latin_only) for word in words]
    spoken = _most_spoken(begun)
    hits: set[Hit] = set()
    for start, (word, (codes, entries)) in enumerate(zip(words, begun, strict=True)):
        told = codes & spoken
        for code, entry in entries:
            if told and entry.spaced and code not in told and _is_chance(word, entry, told):
                continue
            if not entry.rest:
                hits.add(Hit(entry.concept, start, start + 1))
                continue
            end = _matched(words, start + 1, code, entry, latin_only)
            if end is not None:
                hits.add(Hit(entry.concept, start, end))
    return _longest(hits)


def _is_chance(word: str, entry: _Entry, told: frozenset[str]) -> bool:
    """Whether words of the sentence's own languages only look like another language's entry."""
    if not entry.rest:
        return entry.concept not in _SECRETS
    small = {one for code in told for one in _language(code).listed.get("small", ())}
    return small.issuperset((word, *entry.rest))


class _Begun(NamedTuple):
    """The entries that a word begins, with the languages that they are of."""

    codes: frozenset[str]
    entries: tuple[tuple[str, _Entry], ...]


@lru_cache(maxsize=20_000)
def _begun(word: str, latin_only: bool) -> _Begun:
    keys = _keys(word, latin_only)
    by_code = {language.code: language for language in _loaded(latin_only)} if keys else {}
    found = [(code, entry) for code, stem in keys for entry in by_code[code].begun_by(stem)]
    return _Begun(frozenset(code for code, _ in keys), tuple(found))


def _most_spoken(begun: Sequence[_Begun]) -> frozenset[str]:
    """The languages that know nearly as many of the words as the one that knows most."""
    known = Counter(code for codes, _ in begun for code in codes)
    most = max(known.values(), default=0)
    return frozenset(code for code, count in known.items() if count * 4 >= most * 3)


def _matched(
    words: Sequence[str],
    at: int,
    code: str,
    entry: _Entry,
    latin_only: bool,
) -> int | None:
    for wanted in entry.rest:
        small = 0
        while True:
            if at >= len(words):
                return None
            if _stands_for(words[at], code, wanted, latin_only):
                break
            passed = _is(words[at], "small", latin_only) and not _is(words[at], "apart", latin_only)
            if not entry.spaced or small == _MOST_SMALL or not passed:
                return None
            small += 1
            at += 1
        at += 1
    return at


def _longest(hits: Iterable[Hit]) -> list[Hit]:
    """Hits without those inside a longer one of the same concept, or inside a harmless sense."""
    kept: list[Hit] = []
    ordered = sorted(hits, key=lambda hit: (hit.start, -hit.end, hit.concept))
    harmless = [hit for hit in ordered if hit.concept == _HARMLESS]
    for hit in ordered:
        length = hit.end - hit.start
        inside = any(
            (other.start <= hit.start and hit.end <= other.end and length < other.end - other.start)
            or (other.start < hit.start < other.end and length <= other.end - other.start)
            for other in harmless
        )
        if inside and hit.concept not in (_HARMLESS, "attribute", "plain"):
            continue
        if any(
            other.concept == hit.concept and other.start <= hit.start and hit.end <= other.end
            for other in kept[-12:]
        ):
            continue
        kept.append(hit)
    return kept
