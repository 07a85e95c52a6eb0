"""What a terminal answers when it is asked: it comes among the keys, and is none."""

from __future__ import annotations

import re
from typing import Final

from textual.message import Message

ASK_BACKGROUND: Final = "\x1b]11;?\x1b\\"
"""Which colour stands behind its text (OSC 11)."""
ASK_KIND: Final = "\x1b[>c"
"""Which terminal it is (DA2)."""

_BEGINNINGS: Final = ("\x1b]11;", "\x1b[>")
_BACKGROUND: Final = "\x1b\\]11;([^\x07\x1b]*)(?:\x07|\x1b\\\\)"
"""Whatever stands in it: terminals write a colour in more than one way."""
_COLOUR: Final = "rgba?:([0-9a-fA-F]+)/([0-9a-fA-F]+)/([0-9a-fA-F]+)(?:/.*)?"
_KIND: Final = "\x1b\\[>([0-9;]*)([@-~])"
"""It ends in `c`; what ends otherwise is another answer."""
_LONGEST: Final = 60
WAIT_SECONDS: Final = 0.5
"""So long the end of an answer is waited for: what is typed meanwhile may be a part of it."""
_PASTE_BEGINS: Final = "\x1b[200~"
_NUMBERS_BEGIN: Final = "\x1b\\[[0-9][0-9;]{0,11}\\Z"
"""An answer that says where the cursor stands, or a key that begins alike; its end has not come."""


class BackgroundTold(Message):
    """The terminal said which colour stands behind its text."""

    def __init__(self, red: int, green: int, blue: int) -> None:
        super().__init__()
        self.colour = (red, green, blue)
        """0 to 255 each."""


class KindTold(Message):
    """The terminal said which one it is."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind
        """Three numbers."""


class Answers:
    """Takes the answers out of what came; one whose end has not come is kept until it does."""

    def __init__(self) -> None:
        self._begun = ""
        self._begun_at = 0.0

    def taken_from(self, data: str) -> tuple[str, list[Message]]:
        """What came but for the answers, whose characters are no keys."""
        if not self._begun:
            self._begun_at = Message().time
        data, self._begun = self._begun + data, ""
        told: list[Message] = []
        rest = ""
        while (place := _first(data)) is not None:
            rest, data = rest + data[:place], data[place:]
            answer, length = _read(data)
            if not length:
                if len(data) < _LONGEST:
                    self._begun = data
                return rest, told
            told += answer
            data = data[length:]
        place = _unfinished(data)
        data, self._begun = data[:place], data[place:]
        return rest + data, told

    def given_up(self) -> str:
        """The keys in what was kept for too long; of an answer without an end there are none."""
        if not self._begun or Message().time - self._begun_at <= WAIT_SECONDS:
            return ""
        begun, self._begun = self._begun, ""
        return "" if begun.startswith(_BEGINNINGS) else begun


def _first(data: str) -> int | None:
    places = [place for begin in _BEGINNINGS if (place := data.find(begin)) >= 0]
    return min(places, default=None)


def _read(data: str) -> tuple[list[Message], int]:
    """The answer that `data` begins with, and its length; 0: none is there in full."""
    if match := re.match(_BACKGROUND, data):
        colour = re.fullmatch(_COLOUR, match[1])
        parts = [int(part[:2].ljust(2, part[0]), 16) for part in colour.groups()] if colour else []
        return [BackgroundTold(*parts)] if parts else [], match.end()
    if match := re.match(_KIND, data):
        return [KindTold(match[1])] if match[2] == "c" else [], match.end()
    return [], 0


def _unfinished(data: str) -> int:
    """Where an answer begins whose first characters alone stand at the end of `data`."""
    numbers = re.search(_NUMBERS_BEGIN, data)
    if numbers is not None and _PASTE_BEGINS not in data:
        return numbers.start()
    for length in (4, 3, 2):
        if data.endswith(_BEGINNINGS[0][:length]):
            return len(data) - length
    return len(data)
