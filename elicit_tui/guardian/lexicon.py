"""The vocabularies: one file a language, joined into concepts that rules look for.

A file in `vocabulary/` holds `spaces` (whether its script puts blanks between words) and tables
of lists. Every list entry is a regular expression over folded text in which a blank stands for
any short separator or none and `…` for a few words of the same sentence; where the script has
blanks, an entry begins and ends at a word's edge. Lists of the same name in all languages are
one concept, `table.list`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from elicit_tui.guardian.folding import fold

if sys.version_info >= (3, 11):
    import tomllib
else:  # pragma: no cover - the same library under its older name
    import tomli as tomllib

_FOLDER: Final = Path(__file__).parent / "vocabulary"
_GAP: Final = r"[^.?!\n]{0,50}?"
_NARROW_GAP: Final = r"[^。？！\n]{0,14}?"
_BLANK: Final = r"[\W_]{0,3}"
_BREAK: Final = r"[\W_]{1,3}"
_WORD: Final = r"[^\W_]{1,40}"


@dataclass(frozen=True)
class Concept:
    """Everything the vocabularies say about one thing."""

    patterns: tuple[re.Pattern[str], ...]

    def matches(self, text: str) -> Iterator[tuple[int, int]]:
        """Spans in folded text, of each pattern in turn."""
        for pattern in self.patterns:
            for match in pattern.finditer(text):
                yield match.span()

    def first(self, text: str) -> tuple[int, int] | None:
        """The first span, or None."""
        return next(self.matches(text), None)

    def __contains__(self, text: str) -> bool:
        return any(pattern.search(text) for pattern in self.patterns)

    def starts(self, text: str) -> bool:
        """Whether the text begins with it."""
        return any(pattern.match(text) for pattern in self.patterns)

    def covers(self, text: str) -> bool:
        """Whether the whole text is it."""
        return any(pattern.fullmatch(text) for pattern in self.patterns)

    def mask(self, text: str) -> str:
        """The text with every occurrence struck out, each character by one."""
        for pattern in self.patterns:
            text = pattern.sub(lambda match: "\0" * len(match[0]), text)
        return text


@lru_cache(maxsize=1)
def vocabularies() -> tuple[Mapping[str, Any], ...]:
    """All language files, parsed. A file that is broken stops the guardian: it is ours."""
    parsed = (load_toml(path.name) for path in sorted(_FOLDER.glob("*.toml")))
    return tuple(vocabulary for vocabulary in parsed if "code" in vocabulary)


def load_toml(name: str) -> dict[str, Any]:
    """One data file of the vocabulary folder."""
    return tomllib.loads((_FOLDER / name).read_text("utf-8"))


def entries(table: str, name: str) -> Iterator[tuple[bool, str]]:
    """Each entry of one concept, with whether its script has blanks between words."""
    for vocabulary in vocabularies():
        for entry in vocabulary.get(table, {}).get(name, ()):
            yield bool(vocabulary["spaces"]), entry


def _spaced(entry: str) -> str:
    """An entry of a script with blanks as an expression that takes linear time.

    Between two words of any kind the separator must be there: if it could be missing, a run of
    letters could be cut into words in very many ways.
    """
    entry = re.sub(r"\[[^\]]*\]", lambda match: match[0].replace(" ", r"\s"), entry)
    entry = entry.replace(r"(?: \w+)*", r"(?: \w+){0,6}")
    entry = entry.replace(r" \w+", rf"{_BREAK}{_WORD}").replace(r"\w+ ", rf"{_WORD}{_BREAK}")
    entry = entry.replace(r"\w*", r"[^\W\d_]{0,30}").replace(r"\w+", _WORD)
    return entry.replace(" ", _BLANK).replace("…", _GAP).replace("...", _GAP)


@lru_cache(maxsize=256)
def concept(table: str, name: str) -> Concept:
    """The concept `table.name` in all languages, compiled when it is first asked for."""
    spaced: list[str] = []
    unspaced: list[str] = []
    for has_blanks, entry in entries(table, name):
        folded = fold(entry)
        if has_blanks:
            spaced.append(_spaced(folded))
        else:
            unspaced.append(
                folded.replace(" ", "").replace("…", _NARROW_GAP).replace("...", _NARROW_GAP)
            )
    patterns = []
    if spaced:
        body = "|".join(dict.fromkeys(spaced))
        patterns.append(re.compile(rf"(?<![^\W\d_])(?:{body})(?![^\W\d_])"))
    if unspaced:
        # Where a script has no blanks only the Latin words in it have edges.
        body = "|".join(dict.fromkeys(unspaced))
        edges = r"(?:(?<![a-z])|(?![a-z]))", r"(?:(?![a-z])|(?<![a-z]))"
        patterns.append(re.compile(f"{edges[0]}(?:{body}){edges[1]}"))
    return Concept(tuple(patterns))


@lru_cache(maxsize=64)
def plain_words(table: str, name: str) -> frozenset[str]:
    """The concept's entries as folded words without any blank, for search in disguised text."""
    return frozenset(re.sub(r"[\W_]+", "", fold(entry)) for _, entry in entries(table, name))


@lru_cache(maxsize=8)
def senses(table: str) -> tuple[tuple[re.Pattern[str], Concept], ...]:
    """Words of several senses, each with what in the same request shows the harmless one."""
    found = []
    for vocabulary in vocabularies():
        for entry in vocabulary.get(table, {}).get("senses", ()):
            word = re.compile(_spaced(fold(entry["word"])))
            context = re.compile(rf"(?<![^\W\d_])(?:{_spaced(fold(entry['context']))})(?![^\W\d_])")
            found.append((word, Concept((context,))))
    return tuple(found)
