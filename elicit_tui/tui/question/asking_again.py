"""The words for a key that shows what was never on the screen, in the place of accepting it."""

from __future__ import annotations

from typing import Final

READ_ON: Final = "Read on"
"""What its button says until then."""


def asks_again(shown: str, key: str, does: str, *, more: bool) -> str:
    """What was brought into view, as a sentence, and what the same key does the next time.

    `does`: where no `more` is to be seen then.
    """
    return f"{shown[:1].upper()}{shown[1:]}. {key} again {'reads on' if more else does}."
