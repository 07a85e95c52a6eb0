"""What a list is searched for: a row is found that holds all of the words, wherever they stand."""

from __future__ import annotations

from collections.abc import Iterable


def wanted_words(term: str) -> list[str]:
    """The words that are looked for, folded; of what holds them the order does not matter."""
    return term.casefold().split()


def has_all(words: Iterable[str], folded: str) -> bool:
    """Whether a text that is folded holds each of these words."""
    return all(word in folded for word in words)
