"""Characters that a text field holds and must not draw: safe to look at, and named in words."""

from __future__ import annotations

from rich.segment import Segment
from textual.strip import Strip

from elicit_tui.text import stand_in

_SHOWN = 4


def drawn_safely(strip: Strip) -> Strip:
    """A line of an editable field with a visible character for each active one.

    The field holds the true text, because that is what is sent; drawn as it is, a server's
    default could drive the terminal.
    """
    if all(text.isascii() and text.isprintable() for text, _, control in strip if not control):
        return strip
    return Strip(
        Segment(text, style, control) if control else Segment(stand_in(text), style)
        for text, style, control in strip
    )


def unseen_in(text: str) -> str | None:
    """A sentence that counts and names the active characters in `text`; None without any."""
    if text.isascii() and text.isprintable():
        return None
    drawn = stand_in(text, keep="\n\t")
    found = [true for true, shown in zip(text, drawn, strict=False) if true != shown]
    if not found:
        return None
    names = list(dict.fromkeys(f"U+{ord(character):04X}" for character in found))
    more = ", …" if len(names) > _SHOWN else ""
    things = "1 character" if len(found) == 1 else f"{len(found)} characters"
    return f"holds {things} that cannot be seen: {', '.join(names[:_SHOWN])}{more}"
