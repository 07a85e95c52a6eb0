"""Words for characters that a text field cannot show."""

from __future__ import annotations

import unicodedata

_UNSEEN = frozenset({"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"})
_SHOWN = 4


def unseen_in(text: str) -> str | None:
    """A sentence that counts and names the invisible characters in `text`; None without any."""
    if text.isascii() and text.isprintable():
        return None
    found = [
        character
        for character in text
        if character not in "\n\t" and unicodedata.category(character) in _UNSEEN
    ]
    if not found:
        return None
    names = list(dict.fromkeys(f"U+{ord(character):04X}" for character in found))
    more = ", …" if len(names) > _SHOWN else ""
    things = "1 character" if len(found) == 1 else f"{len(found)} characters"
    return f"holds {things} that cannot be seen: {', '.join(names[:_SHOWN])}{more}"
