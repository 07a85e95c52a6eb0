"""The lexicon: plain words in folders, and where they stand in a text.

`lexicon/LANGUAGE/*.txt` are pages (`elicit_tui.guardian.pages`); docs/guardian.md says what a
heading means. An entry of several words is found also with small words (articles, prepositions,
`your`) between them, so that `digits back card` is found in "digits on the back of your card".
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import Final, NamedTuple

from elicit_tui.garbage import no_collection
from elicit_tui.guardian.pages import paragraphs
from elicit_tui.text.folding import fold
from elicit_tui.text.letters import is_unspaced, words_of

FOLDER: Final = Path(__file__).parent / "lexicon"
NAMES: Final = "names"
"""The folder of what is written the same in every language: companies, files, commands."""
_MOST_SMALL, _SHORTEST_STEM, _SHORT = 3, 4, 3
_SECRETS: Final = frozenset(("sure", "maybe", "name", "contents", "harmless", "public"))
"""What is read in every language; all else in those of the sentence, where they know the word."""
_COMPANIONS: Final = ("with", "then")
_LIFTING: Final = {"harmless", "public", "one word"}
_APART: Final = (("apart",), ("apart", "until"))
_NEVER_HARMLESS: Final = (*_LIFTING, "attribute", "plain", "not")
"""What only `one word` lifts: in a language of syllables "người dùng" is no "đừng"."""


class Hit(NamedTuple):
    """A concept at a span of words."""

    concept: str
    start: int
    end: int


_new_hit: Final = partial(tuple.__new__, Hit)  # in half of the time: a long text has thousands


class _Language:
    """One folder: what stands under its headings, and how its words end."""

    def __init__(self, code: str) -> None:
        self.code, self.is_spoken = code, code != NAMES
        self.listed: dict[str, list[str]] = {}
        """What stands under each heading, folded."""
        told = "\n".join(it.read_text("utf-8") for it in sorted((FOLDER / code).glob("*.txt")))
        for heading, entries in paragraphs(fold(told)):
            is_one = heading.endswith(_COMPANIONS)
            for concept in [heading] if is_one else heading.split(", "):
                self.listed.setdefault(concept, []).extend(entries)
        # What asks for something has it handed over, where a language does not tell them apart.
        self.listed.setdefault("handed", self.listed.get("ask", []))
        self._endings = frozenset(self.listed.pop("endings", ()))
        self.lengths = sorted(set(map(len, self._endings)), reverse=True)
        self.begun = begun = defaultdict[str, list[tuple[str, str]]](list)
        """Every concept with one entry, by how its first word begins."""
        blank_apart: set[str] = set()
        for concept, entries in self._told():
            blank_apart.update(" ".join(entries).split())
            for entry in entries:
                near = entry[:_SHORTEST_STEM]
                if not (near.isascii() and near.isalpha()):
                    near = "".join(words_of(entry)[:1])[:_SHORTEST_STEM]
                begun[near].append((concept, entry))
        self.spelt = frozenset(words_of(" ".join(blank_apart)))
        """Every word as it is written."""

    def _told(self) -> Iterator[tuple[str, list[str]]]:
        """Every concept with its entries, each head with each of its companions among them."""
        for heading, entries in self.listed.items():
            heads, _, how = heading.rpartition(" ")
            if how not in _COMPANIONS:
                yield heading, entries
                continue
            concept = "harmless" if heads.endswith(" not") else "sure"
            for head in heads.removesuffix(" not").split(", "):
                yield concept, [f"{head} {entry}" for entry in entries]
                if how == "with":
                    yield concept, [f"{entry} {head}" for entry in entries]

    def stems(self, word: str) -> list[str]:
        """What is left of a word without each of its endings, the shortest rest first."""
        lengths = self.lengths if word[-2:] != "ss" else ()
        most, ends = len(word) - _SHORT, self._endings
        return [*[word[:-it] for it in lengths if it < most and word[-it:] in ends], word]

    @lru_cache(maxsize=50_000)  # noqa: B019 - a language lives as long as the process
    def reads(self, word: str, wanted: str) -> bool:
        """Whether a word of a text stands for one of the lexicon: short ones only as they are."""
        if word == wanted:
            return True
        if len(wanted) <= _SHORT:
            return len(wanted) > 1 and word == wanted + "s"
        stems = self.stems(word)
        # What is left of the other one begins as the shortest rest does.
        near = wanted.startswith(stems[0])
        return near and (wanted in stems or self.stems(wanted)[0] in stems)


class _Entry(NamedTuple):
    concept: str
    words: tuple[str, ...]
    language: _Language


class _Known:
    """What the lexicon has for one word of a text."""

    def __init__(self, word: str, lexicon: _Lexicon) -> None:
        self.word = word
        plural = len(word) <= _SHORT + 1 and word.endswith("s")
        self.near = (word[:_SHORTEST_STEM], *((word[:-1],) if plural else ()))
        """What words of the lexicon begin with that it may stand for, or their whole."""
        is_spelt = word in lexicon.spelt
        self._is_spoken = is_spelt and any(
            it.is_spoken and word in it.spelt for it in lexicon.spoken
        )
        entries = chain.from_iterable(map(lexicon.begun, self.near))
        begun = [entry for entry in entries if self.stands_for(entry, 0)]
        self.by_language: dict[_Language, set[str]] = {}
        """What it is by itself in each language."""
        self.longer: dict[str, list[_Entry]] = {}
        """The entries of several words that it begins, by how the second one begins."""
        for entry in begun:
            alone = self.by_language.setdefault(entry.language, set())
            if len(entry.words) == 1:
                alone.add(entry.concept)
            else:
                self.longer.setdefault(entry.words[1][:_SHORTEST_STEM], []).append(entry)
        self.concepts = frozenset().union(*self.by_language.values())
        self.languages = frozenset(self.by_language)
        self.is_small = "small" in self.concepts
        self.begins = bool(begun) or is_spelt

    def stands_for(self, entry: _Entry, number: int) -> bool:
        """Whether it is a word of an entry; what a language spells so is no ending's rest."""
        if self._is_spoken and self.word not in entry.language.spelt:
            return False
        return entry.language.reads(self.word, entry.words[number])

    def may_stand_in(self, entry: _Entry) -> bool:
        """Whether it is a small word that sets nothing apart, best of the entry's own language."""
        own = self.by_language.get(entry.language, self.concepts)
        read = own if "small" in own else self.concepts
        return "small" in read and read.isdisjoint(_APART[entry.concept in _LIFTING])


class _Lexicon:
    """Some languages together."""

    def __init__(self, spoken: Iterable[_Language]) -> None:
        self.spoken = tuple(spoken)
        self.spelt = frozenset[str]().union(*(language.spelt for language in self.spoken))
        """Every word as one of them writes it."""
        self.longest = max(chain.from_iterable(it.lengths for it in self.spoken))

    @lru_cache(maxsize=10_000)  # noqa: B019 - there are two of them in a process
    def begun(self, near: str) -> tuple[_Entry, ...]:
        return tuple(
            _Entry(concept, tuple(words_of(entry)), language)
            for language in self.spoken
            for concept, entry in language.begun.get(near, ())
        )

    @lru_cache(maxsize=30_000)  # noqa: B019 - there are two of them in a process
    def known(self, word: str) -> _Known:
        return _Known(word, self)


@lru_cache(maxsize=1)
def languages() -> tuple[str, ...]:
    """The languages of the lexicon, by their codes."""
    return tuple(sorted(path.name for path in FOLDER.iterdir() if path.is_dir()))


_language: Final = lru_cache(maxsize=64)(_Language)


@lru_cache(maxsize=2)
def _lexicon(latin_only: bool) -> _Lexicon:
    with no_collection():
        return _Lexicon(_language(c) for c in languages() if not latin_only or is_latin(c))


def is_latin(code: str) -> bool:
    """Whether a language is written in Latin letters, and so, maybe, in ASCII alone."""
    first = min((FOLDER / code).glob("*.txt")).read_text("utf-8")
    return not any("\u0370" <= sign <= "\u1dff" or sign >= "\u2e80" for sign in set(first[:2_000]))


def known_in(word: str) -> frozenset[str]:
    """The languages in which a folded word means something."""
    known = _lexicon(latin_only=False).known(word).languages
    return frozenset(language.code for language in known if language.is_spoken)


def listed(heading: str, latin_only: bool = False) -> Iterator[str]:
    """What stands under a heading in all languages, folded."""
    for language in _lexicon(latin_only).spoken:
        yield from language.listed.get(heading, ())


def headings(code: str) -> frozenset[str]:
    """The concepts that a language has words for."""
    return frozenset(_language(code).listed)


def is_word(word: str, concept: str, latin_only: bool = False) -> bool:
    """Whether a folded word is one of a concept's, in any language."""
    return concept in _lexicon(latin_only).known(word).concepts


def is_known(word: str, latin_only: bool) -> bool:
    """Whether a word stands anywhere in the lexicon, be it with an ending."""
    lexicon = _lexicon(latin_only)
    if lexicon.known(word).begins:
        return True
    # Most words that nobody knows are no known one with an ending of any language.
    ends = range(max(_SHORT + 1, len(word) - lexicon.longest), len(word))
    return any(word[:end] in lexicon.spelt for end in ends) and any(
        stem in language.spelt for language in lexicon.spoken for stem in language.stems(word)
    )


def is_part(word: str, latin_only: bool) -> bool:
    """Whether a word can be a part of one that is glued together."""
    concepts = _lexicon(latin_only).known(word).concepts
    if len(word) <= _SHORT:
        return "short part" in concepts
    return not concepts <= {"small", "joint", "which", "aside", "within"}


def find(words: Sequence[str], latin_only: bool) -> dict[str, list[Hit]]:
    """The hits of each concept in a row of folded words, from left to right.

    Where one holds another of its kind the longest counts, and what stands inside a harmless sense
    counts no more. `latin_only`: the text was ASCII before it was folded, and only such languages
    are looked at.
    """
    lexicon = _lexicon(latin_only)
    row = [lexicon.known(word) for word in words]
    spoken = _most_spoken(row)
    meant = {known: _meant(known, spoken) for known in dict.fromkeys(row)}
    hits: dict[str, list[Hit]] = defaultdict(list)
    reached: dict[str, int] = {}
    harmless: list[Hit] = []
    furthest = 0
    for start, known in enumerate(row):
        longer = _longer(row, start) if known.longer else {}
        if not longer and start >= furthest:
            # As most words are: nothing of several words reaches over it.
            for concept in meant[known]:
                hits[concept].append(_new_hit((concept, start, start + 1)))
            continue
        furthest = max((furthest, *longer.values()))
        ends = dict.fromkeys(meant[known], start + 1) | longer
        for sense in _LIFTING & ends.keys():
            harmless = [thing for thing in harmless if thing.end > start]
            harmless.append(Hit(sense, start, ends[sense]))
        for concept, end in ends.items():
            hit = Hit(concept, start, end)
            if end > reached.get(concept, 0) and not any(
                _is_inside(hit, thing)
                for thing in harmless
                if thing.concept == "one word" or concept not in _NEVER_HARMLESS
            ):
                reached[concept] = end
                hits[concept].append(hit)
    return hits


@lru_cache(maxsize=30_000)
def _meant(known: _Known, spoken: frozenset[_Language]) -> frozenset[str]:
    """What a word is by itself where some languages are spoken."""
    among = known.languages & spoken
    if not any(language.is_spoken for language in among) or is_unspaced(known.word):
        return known.concepts
    return (known.concepts & _SECRETS).union(*(known.by_language[language] for language in among))


def _is_inside(hit: Hit, other: Hit) -> bool:
    """Whether a hit is a part of a longer one, reaches out of its end, or begins a public one."""
    longer = other.end - other.start - (hit.end - hit.start)
    if other.start < hit.start < other.end:
        return longer >= 0 or other.concept == "public"
    return other.start <= hit.start and hit.end <= other.end and longer > 0


def _most_spoken(row: Sequence[_Known]) -> frozenset[_Language]:
    """The languages that know nearly as many of the words as the one that knows most, and names."""
    known = Counter(chain.from_iterable(word.languages for word in row))
    most = max((count for it, count in known.items() if it.is_spoken), default=0)
    return frozenset(it for it, count in known.items() if count * 4 >= most * 3 or not it.is_spoken)


def _longer(row: Sequence[_Known], start: int) -> dict[str, int]:
    """The concepts of several words that begin at a word, each with its furthest end."""
    first = row[start]
    ends: dict[str, int] = {}
    for at in range(start + 1, min(len(row), start + 2 + _MOST_SMALL)):
        for near in row[at].near:
            for entry in first.longer.get(near, ()):
                between = row[start + 1 : at]
                owned = between and entry.concept in _LIFTING and "sure" in first.concepts
                apart = owned or not all(small.may_stand_in(entry) for small in between)
                if not apart and row[at].stands_for(entry, 1):
                    end = _end(row, at + 1, entry)
                    if end > ends.get(entry.concept, 0):
                        ends[entry.concept] = end
        if not row[at].is_small:
            break
    return ends


def _end(row: Sequence[_Known], at: int, entry: _Entry) -> int:
    """Where an entry ends whose first two words stand before a place; 0 if it does not stand."""
    for number in range(2, len(entry.words)):
        last = at + _MOST_SMALL
        while at < len(row) and not row[at].stands_for(entry, number):
            if at == last or not row[at].may_stand_in(entry):
                return 0
            at += 1
        if at == len(row):
            return 0
        at += 1
    return at
