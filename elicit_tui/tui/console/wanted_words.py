"""What a list is searched for: a row is found that holds all of the words, wherever they stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final


def wanted_words(term: str) -> list[str]:
    """The words that are looked for, folded; of what holds them the order does not matter."""
    return term.casefold().split()


def has_all(words: Iterable[str], folded: str) -> bool:
    """Whether a text that is folded holds each of these words."""
    return all(word in folded for word in words)


def holding(texts: Sequence[str], words: Sequence[str]) -> tuple[list[int], bool]:
    """The numbers of the texts, folded, that hold all of these words; else of those with any.

    The latter, and True, where no text has all of them, and together they have.
    """
    found = [number for number, text in enumerate(texts) if has_all(words, text)]
    if found or len(words) < 2 or not has_all(words, "\n".join(texts)):
        return found, False
    return [n for n, text in enumerate(texts) if any(word in text for word in words)], True


FILLERS: Final = frozenset("a an the of to in on for with and or from by".split())
"""Words that tell nothing of what somebody looks for who says what it does."""
ENDS_FROM: Final = 4
"""Letters that a word has at the least before the `s` of a plural or of a verb."""


def telling_words(term: str) -> list[str]:
    """The words that tell what something does, without such an end: `reads a file` has two."""
    words = wanted_words(term)
    told = [word for word in words if word not in FILLERS] or words
    return [word[:-1] if _has_end(word) else word for word in told]


def _has_end(word: str) -> bool:
    return len(word) > ENDS_FROM and word.endswith("s") and not word.endswith("ss")
