"""Which quotation a text is in, from one word to the next."""

from __future__ import annotations

from typing import Final

_QUOTES: Final = dict(zip("'\"“„«「『‘»", "'\"”“»」』’«", strict=True))
"""What opens a quotation, and what closes it."""


def quote_after(quote: str, gap: str) -> str:
    """The mark that closes the quotation which is open behind a gap between two words."""
    for at, character in enumerate(gap):
        if quote and character == quote:
            if character != "'" or len(gap) > 1:
                quote = ""
        elif (
            not quote
            and character in _QUOTES
            and (character != "'" or (at == len(gap) - 1 and at > 0 and gap[at - 1] in " (:"))
        ):
            quote = _QUOTES[character]
    return quote
