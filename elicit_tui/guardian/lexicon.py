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


_Entry = tuple[bool, str, list[str]]
_Part = tuple[str, bool]
"""A concept, and whether the scripts of its entries put blanks between words."""


def _lists() -> Iterator[tuple[str, list[_Entry]]]:
    """Every concept by its name with its entries, also those that several languages share."""
    shared: dict[str, list[_Entry]] = {}
    for name, entries in index()["concepts"].items():
        yield name, entries
        table, _, listed = name.partition(".")
        own, _, language = table.rpartition("-")
        if own in OF_ONE_LANGUAGE and language in languages():
            shared.setdefault(f"{own}.{listed}", []).extend(entries)
    yield from shared.items()


class _Vocabulary:
    """All entries of all concepts, by number within their part, and by what they cannot miss."""

    def __init__(self) -> None:
        self.expressions: dict[_Part, list[str]] = {}
        self.always: dict[_Part, set[int]] = {}
        """The entries of which no necessary letters are known."""
        self.wanted: dict[int, dict[str, dict[str, list[tuple[_Part, int]]]]] = {}
        """By length and letters: the necessary texts that begin so, and whose they are."""
        for name, entries in _lists():
            for has_blanks, expression, necessary in entries:
                self._add((name, has_blanks), expression, necessary)

    def _add(self, part: _Part, expression: str, necessary: list[str]) -> None:
        expressions = self.expressions.setdefault(part, [])
        entry = (part, len(expressions))
        expressions.append(expression)
        if not necessary:
            self.always.setdefault(part, set()).add(entry[1])
        for needed in necessary:
            gram = needed[:GRAM]
            by_needed = self.wanted.setdefault(len(gram), {}).setdefault(gram, {})
            by_needed.setdefault(needed, []).append(entry)


@lru_cache(maxsize=1)
def _vocabulary() -> _Vocabulary:
    return _Vocabulary()


@lru_cache(maxsize=8192)
def _touched(text: str) -> dict[_Part, set[int]]:
    """The entries whose necessary letters stand in a text; each of many concepts asks for them."""
    touched: dict[_Part, set[int]] = {}
    for length, by_gram in _vocabulary().wanted.items():
        grams = {text[at : at + length] for at in range(len(text) - length + 1)}
        for gram in by_gram.keys() & grams:
            for needed, entries in by_gram[gram].items():
                if needed in text:
                    for part, number in entries:
                        if part in touched:
                            touched[part].add(number)
                        else:
                            touched[part] = {number}
    return touched


def forget_texts() -> None:
    """Free what is known of the texts of one request."""
    _touched.cache_clear()


class _Group:
    """The entries of one concept whose scripts treat blanks alike, in their order."""

    def __init__(self, name: str, has_blanks: bool) -> None:
        self.has_blanks = has_blanks
        self._part = (name, has_blanks)
        self.expressions = _vocabulary().expressions.get(self._part, [])
        self._always = _vocabulary().always.get(self._part, set())

    @cached_property
    def whole(self) -> re.Pattern[str]:
        """All entries as one expression."""
        return _compiled(self.has_blanks, "|".join(dict.fromkeys(self.expressions)))

    def patterns(self, text: str) -> list[re.Pattern[str]]:
        """What could match in a text: the entries it touches, or all as one."""
        touched = _touched(text).get(self._part) or self._always
        if not touched:
            return []
        touched = touched | self._always
        numbers = sorted(touched)
        if len(numbers) > _MANY:
            return [self.whole]
        if len(numbers) > _FEW or len(text) > _SHORT:
            return [_joined(self.has_blanks, tuple(self.expressions[n] for n in numbers))]
        return [_compiled(self.has_blanks, self.expressions[number]) for number in numbers]

    def matches(self, text: str) -> Iterator[tuple[int, int]]:
        """Spans as one expression of all entries would find them, from left to right."""
        patterns = self.patterns(text)
        if not patterns:
            return
        found = [
            (match.start(), order, match.end())
            for order, pattern in enumerate(patterns)
            for match in pattern.finditer(text)
        ]
        last = -1
        for start, _, end in sorted(found):
            if start >= last:
                yield start, end
                last = max(end, start + 1)


class Concept:
    """Everything the vocabularies say about one thing."""

    def __init__(self, name: str) -> None:
        groups = (_Group(name, has_blanks) for has_blanks in (True, False))
        self._groups = tuple(group for group in groups if group.expressions)

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
    return Concept(f"{table}.{name}" if language is None else f"{table}-{language}.{name}")


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
