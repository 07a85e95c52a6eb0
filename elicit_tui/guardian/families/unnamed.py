"""Secrets described without their name: by what they open, where they stand, when they change.

No single word gives such a question away, and no order of words either; a few signs that stand
together do: figures, a phone, just now. Each recipe names the signs that must all be there, in
one sentence or two neighbouring ones; `[unnamed]` in the vocabularies says how they are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from elicit_tui.guardian.lexicon import concept, languages

_TABLE: Final = "unnamed"
_RECIPES: Final = (
    # what is typed to get in
    ("typed", "entry"),
    # a one-time code: figures, what they came by, and when; or that they change
    ("figures", "carrier", "moment"),
    ("figures", "renewing"),
    ("figures", "generator"),
    # the figures on a payment card, and those typed where one pays with it
    ("card_figures", "card"),
    ("typed", "till", "paying"),
    ("card_figures", "till", "paying"),
    # the words that bring a wallet back
    ("words", "wallet"),
    # a key by who issued it
    ("string", "issuer", "issued"),
    # a key by its file, or by the half that is published
    ("half", "key_pair"),
    ("between", "key_file"),
    # what a browser sends, and where it ends up after a consent
    ("copied", "browser_data"),
    ("copied", "consented", "landed", "address"),
    ("address", "mail", "entry"),
    ("shown_code", "consented"),
    # ways into a network, a house, a phone
    ("typed", "joined", "network"),
    ("label", "joined", "network"),
    ("figures", "lock", "unlocked"),
    ("drawn", "lock_screen"),
    # codes kept for the day the phone is lost
    ("figures", "kept", "second_step"),
    # what a bank asks to know its customer again
    ("memory", "account_help"),
)
# Only these may be put together of a message and a field: two signs meet there by chance.
_LONG_RECIPES: Final = tuple(recipe for recipe in _RECIPES if len(recipe) > 2)
_SENTENCE: Final = re.compile(r"(?<=[.?!])\s+|[。？！\n]+")
_LONGEST: Final = 600
_SHORTEST: Final = 6


def described_secret(text: str) -> Iterator[tuple[int, int]]:
    """Where a folded text describes a secret that is wanted; linear in its length."""
    if len(text) < _SHORTEST:
        return
    for recipe in _present(text, _RECIPES):
        for start, end in _windows(text):
            if _describes(text[start:end], recipe):
                yield start, end
                break


def described_together(text: str) -> bool:
    """Whether a short folded text as a whole, a message and one field, describes a secret."""
    return _SHORTEST <= len(text) <= _LONGEST and any(
        _describes(text, recipe) for recipe in _present(text, _LONG_RECIPES)
    )


def _present(text: str, recipes: Iterable[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """The recipes whose signs all stand in a text, in any language; each is looked for once."""
    signs: dict[str, bool] = {}
    for recipe in recipes:
        for sign in recipe:
            if sign not in signs:
                signs[sign] = text in concept(_TABLE, sign)
            if not signs[sign]:
                break
        else:
            yield recipe


def _describes(window: str, recipe: tuple[str, ...]) -> bool:
    """Whether all signs are of one language, and it speaks of nothing harmless."""
    return any(
        all(window in concept(_TABLE, sign, language) for sign in recipe)
        and window not in concept(_TABLE, "unless", language)
        for language in languages()
    )


def _windows(text: str) -> Iterator[tuple[int, int]]:
    """Each two neighbouring sentences."""
    edges = [0, *(match.end() for match in _SENTENCE.finditer(text)), len(text)]
    if len(edges) == 2:
        edges.insert(1, 0)
    for first, last in zip(edges, edges[2:], strict=False):
        yield first, min(last, first + _LONGEST)
