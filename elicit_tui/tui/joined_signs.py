"""Signs that are written as several characters, drawn as one that is as wide on every terminal.

A family, a flag, a skin tone, a keycap: the library counts what a terminal takes that joins the
characters to one picture. A terminal that joins nothing draws each for itself, and all that stands
behind it on the line moves, up to the border. Nothing but the picture is another one: what is
typed, sent, copied and written down stays as it is.
"""

from __future__ import annotations

import re
from typing import Final

from rich.cells import cell_len
from rich.console import Console
from textual._compositor import CompositorUpdate

_LETTER_A: Final = 0x1F1E6
"""The first of the 26 letters of which flags are made."""
_FLAG_LETTERS: Final = "\U0001f1e6-\U0001f1ff"
_TONES: Final = "\U0001f3fb-\U0001f3ff"
_BEHIND: Final = f"\ufe0e\ufe0f\u20e3{_TONES}\U000e0020-\U000e007f"
"""What changes the look of the character before it: selectors, keycap, skin tones, tags."""
_PICTURE: Final = "#*0-9\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff"
_JOINED: Final = f"[{_FLAG_LETTERS}]+|[{_PICTURE}](?:[{_BEHIND}]|\u200d[{_PICTURE}])+"
"""Compiled when the first one is drawn, not before the first screen."""
_ANY: Final = re.compile("[\u200d\ufe0e\ufe0f\u20e3\U0001f1e6-\U000e007f]")
"""One of them stands in every joined sign; most of what is drawn has none."""
_PARTS: Final = f"[^\u200d{_BEHIND}]"


def drawn_alike(drawn: str) -> str:
    """The same with each joined sign as one that every terminal draws in as many cells.

    Of a family it is the first one, of a flag its two letters, of a keycap its digit, and of a hand
    the yellow one.

    Args:
        drawn: text with its escape sequences, as it goes to the terminal.
    """
    return drawn if _ANY.search(drawn) is None else re.sub(_JOINED, _alike, drawn)


def _alike(match: re.Match[str]) -> str:
    sign = match[0]
    cells = cell_len(sign)
    if _LETTER_A <= ord(sign[0]) < _LETTER_A + 26:
        return "".join(chr(ord("A") + ord(letter) - _LETTER_A) for letter in sign)
    parts: list[str] = re.findall(_PARTS, sign)
    # The widest: the first part of a rainbow flag is a white one of one cell.
    widest = max(parts, key=cell_len)
    return widest + " " * (cells - cell_len(widest))


class DrawnAlike(CompositorUpdate):
    """An update of the screen whose signs are as wide on every terminal."""

    def __init__(self, update: CompositorUpdate) -> None:
        self._update = update

    def render_segments(self, console: Console) -> str:
        """The update as it is written to the terminal."""
        return drawn_alike(self._update.render_segments(console))
