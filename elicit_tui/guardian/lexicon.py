"""The vocabularies: one file a language, joined into concepts that rules look for.

A file in `vocabulary/` holds `spaces` (whether its script puts blanks between words) and tables
of lists. Every list entry is a regular expression over folded text in which a blank stands for
any short separator or none and `…` for a few words of the same sentence; where the script has
blanks, an entry begins and ends at a word's edge. Lists of the same name in all languages are
one concept, `table.list`.

Of a concept's thousands of entries only those are compiled whose necessary letters stand in the
text at hand: one by one for a short text, whose words others will have too, and joined into one
expression for a long one. Where a text touches very many, all are tried at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import Final

from elicit_tui.guardian.index import GRAM, OF_ONE_LANGUAGE, index

_FEW: Final = 24
_MANY: Final = 400
_SHORT: Final = 1_500
_EDGES: Final = {
    True: (r"(?<![^\W\d_])(?:", r")(?![^\W\d_])"),
    # Where a script has no blanks only the Latin words in it have edges.
    False: (r"(?:(?<![a-z])|(?![a-z]))(?:", r")(?:(?![a-z])|(?<![a-z]))"),
}


@lru_cache(maxsize=8192)
def _compiled(has_blanks: bool, expression: str) -> re.Pattern[str]:
    before, after = _EDGES[has_blanks]
    return re.compile(before + expression + after)


@lru_cache(maxsize=64)
def _joined(has_blanks: bool, expressions: tuple[str, ...]) -> re.Pattern[str]:
    before, after = _EDGES[has_blanks]
    return re.compile(before + "|".join(expressions) + after)


@lru_cache(maxsize=64)
def _grams(text: str, length: int) -> frozenset[str]:
    """Every run of so many letters in a text; asked for once by each of many concepts."""
    return frozenset(text[at : at + length] for at in range(len(text) - length + 1))


class _Group:
    """The entries of one concept whose scripts treat blanks alike, in their order."""

    def __init__(self, has_blanks: bool, entries: list[tuple[str, list[str]]]) -> None:
        self.has_blanks = has_blanks
        self.expressions = [expression for expression, _ in entries]
        self._always: list[int] = []
        by_gram: dict[int, dict[str, list[tuple[str, int]]]] = {}
        for number, (_, necessary) in enumerate(entries):
            if not necessary:
                self._always.append(number)
            for text in necessary:
                gram = text[:GRAM]
                by_gram.setdefault(len(gram), {}).setdefault(gram, []).append((text, number))
        self._by_gram = by_gram

    @cached_property
    def whole(self) -> re.Pattern[str]:
        """All entries as one expression."""
        return _compiled(self.has_blanks, "|".join(dict.fromkeys(self.expressions)))

    def patterns(self, text: str) -> list[re.Pattern[str]]:
        """What could match in a text: the entries it touches, or all as one."""
        touched = set(self._always)
        for length, by_gram in self._by_gram.items():
            for gram in by_gram.keys() & _grams(text, length):
                touched.update(number for needed, number in by_gram[gram] if needed in text)
        if not touched:
            return []
        numbers = sorted(touched)
        if len(numbers) > _MANY:
            return [self.whole]
        if len(numbers) > _FEW or len(text) > _SHORT:
            return [_joined(self.has_blanks, tuple(self.expressions[n] for n in numbers))]
        return [_compiled(self.has_blanks, self.expressions[number]) for number in numbers]

    def matches(self, text: str) -> Iterator[tuple[int, int]]:
        """Spans as one expression of all entries would find them, from left to right."""
        found = [
            (match.start(), order, match.end())
            for order, pattern in enumerate(self.patterns(text))
            for match in pattern.finditer(text)
        ]
        last = -1
        for start, _, end in sorted(found):
            if start >= last:
                yield start, end
                last = max(end, start + 1)


class Concept:
    """Everything the vocabularies say about one thing."""

    def __init__(self, entries: list[tuple[bool, str, list[str]]]) -> None:
        self._groups = tuple(
            _Group(kind, [(text, need) for blanks, text, need in entries if blanks is kind])
            for kind in (True, False)
            if any(blanks is kind for blanks, _, _ in entries)
        )

    def matches(self, text: str) -> Iterator[tuple[int, int]]:
        """Spans in folded text: of scripts with blanks, then of the others."""
        for group in self._groups:
            yield from group.matches(text)

    def first(self, text: str) -> tuple[int, int] | None:
        """The first span, or None."""
        return next(self.matches(text), None)

    def _patterns(self, text: str) -> Iterator[re.Pattern[str]]:
        for group in self._groups:
            yield from group.patterns(text)

    def __contains__(self, text: str) -> bool:
        return any(pattern.search(text) for pattern in self._patterns(text))

    def starts(self, text: str) -> bool:
        """Whether the text begins with it."""
        return any(pattern.match(text) for pattern in self._patterns(text))

    def covers(self, text: str) -> bool:
        """Whether the whole text is it."""
        return any(pattern.fullmatch(text) for pattern in self._patterns(text))

    def mask(self, text: str) -> str:
        """The text with every occurrence struck out, each character by one."""
        for group in self._groups:
            for start, end in group.matches(text):
                text = text[:start] + "\0" * (end - start) + text[end:]
        return text


@lru_cache(maxsize=1024)
def concept(table: str, name: str, language: str | None = None) -> Concept:
    """The concept `table.name` in all languages, or of a table whose lists work together in one."""
    tables = [table if language is None else f"{table}-{language}"]
    if language is None and table in OF_ONE_LANGUAGE:
        tables = [f"{table}-{code}" for code in languages()]
    found = index()["concepts"]
    return Concept([entry for one in tables for entry in found.get(f"{one}.{name}", ())])


def languages() -> tuple[str, ...]:
    """The languages that have the tables whose lists work together."""
    return tuple(index()["languages"])


@lru_cache(maxsize=64)
def plain_entries(table: str, name: str) -> frozenset[str]:
    """The concept's entries as they are folded, for words that hold no expressions."""
    return frozenset(index()["plain"].get(f"{table}.{name}", ()))


@lru_cache(maxsize=64)
def plain_words(table: str, name: str) -> frozenset[str]:
    """The concept's entries as folded words without any blank, for search in disguised text."""
    return frozenset(re.sub(r"[\W_]+", "", entry) for entry in plain_entries(table, name))


def has_harmless_sense(word: str, context: str) -> bool:
    """Whether a word of several senses stands in a request that shows a harmless one."""
    return any(
        re.fullmatch(meant, word) is not None and _compiled(True, shown).search(context) is not None
        for meant, shown in index()["senses"]
    )
