"""How keys, calls and what a server writes are spelled on every screen."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from rich.cells import cell_len
from textual.binding import Binding
from textual.content import Content
from textual.widget import Widget

# What a key is called on the screen: the one that the owner has given to an action.

_NAMES: Final = {
    "escape": "Esc",
    "shift+tab": "Shift+Tab",
    "slash": "/",
    "question_mark": "?",
    "enter": "Enter",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
}


def key_name(key: str) -> str:
    """The first of these keys as every screen spells it: `^S`, `F2`, `Esc`."""
    key = key.partition(",")[0]
    if key.startswith("ctrl+") and len(key) == 6:
        return f"^{key[-1].upper()}"
    return _NAMES.get(key, key.capitalize() if len(key) > 1 else key)


def key_of(node: Widget, binding: Binding) -> str:
    """The name of the key that this binding has in the app of `node`, also where it was changed."""
    own: Mapping[str, str] = getattr(node.app, "own_keys", {})
    return key_name(own.get(binding.id or "", binding.key))


def naming_keys(sentence: str, *keys: str, style: str = "") -> Content:
    """A sentence of ours, these keys in it as bars and buttons show them; words in `style`."""
    named = Content.styled(sentence, style)
    for key in keys:
        for found in re.finditer(rf"(?<!\S){re.escape(key)}(?![\w^])", sentence):
            named = named.stylize("bold $accent", *found.span())
    return named


# The calls that a question may belong to: up to 2025-11-25 a server does not say which it is.


def joined_by_or(calls: Sequence[str]) -> str:
    """The one call; of several `a, b or c`, each once; empty for a question outside of calls."""
    *others, last = dict.fromkeys(calls) or ("",)
    return f"{', '.join(others)} or {last}" if others else last


# A server's text cannot pass for a verdict of ours: our signs in it stand in quotation marks.
#
# What elicit-tui found, judged or chose begins with a sign (`✓ ready to send`, `▲ This acts on
# production`). A line of a message that begins with one would be taken for it, on its own line or
# wherever the text wraps.

_SIGNS: Final = "✓✔☑✅🗸✗✘✖☒❌▲△⚠■▪◼●○◉◌◐•▌▎▏█│┃"
_ALONE: Final = re.compile(rf"(?<!\S)([{_SIGNS}]\ufe0f?)(?!\S)")


def quoting_signs(text: str) -> str:
    """The text, with each sign that stands like a word in it in quotation marks."""
    return text if text.isascii() else _ALONE.sub(r"“\1”", text)


# Signs that are written as several characters, drawn as one that is as wide on every terminal.
#
# A family, a flag, a skin tone, a keycap: the library counts what a terminal takes that joins the
# characters to one picture. A terminal that joins nothing draws each for itself, and all that
# stands behind it on the line moves, up to the border. Nothing but the picture is another one: what
# is typed, sent, copied and written down stays as it is.

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
