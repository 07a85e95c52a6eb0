"""Letters that a terminal sends and Textual takes for none: joiners of emoji, other spaces."""

from __future__ import annotations

import unicodedata

from textual import events


def odd_letter(event: events.Key) -> str | None:
    """The text of a key that is text although Python does not call it printable."""
    character = event.character
    if character is None or len(character) != 1 or character.isprintable():
        return None
    return None if unicodedata.category(character) in ("Cc", "Cs") else character
