"""What a paste may do: it is text, whatever is in it, and no key that comes with it is obeyed.

A terminal marks where a paste begins and ends. Text that holds the end's mark itself, in a terminal
that lets it through, would go on as keys: as the one that sends, too.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable
from typing import Final

from textual import events
from textual._xterm_parser import BRACKETED_PASTE_END, BRACKETED_PASTE_START, XTermParser
from textual.message import Message

ESCAPE: Final = "\x1b"
STAND_IN: Final = "\x1a"
"""What the parser gets for an escape within a paste: a control character that begins nothing."""

PASTE_SECONDS: Final = 0.15
"""Keys that come so soon after a paste, or after one another behind it, came with it: no hand is as
fast."""

NOT_OBEYED: Final = "A key that came with the paste was not obeyed. Press it again."


class PasteParser(XTermParser):
    """The library's parser, for which an escape within a paste begins nothing.

    The library reads on behind such an escape, and gives what is no sequence as pressed keys.
    """

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._in_paste = False
        self._begun = ""
        """As much of the mark that is waited for as has come."""

    def tick(self) -> Iterable[Message]:
        """Called at intervals: an escape that nothing followed was a key."""
        yield from super().tick()
        if not self._in_paste and self._timeout_time is None:
            self._begun = ""

    def feed(self, data: str) -> Iterable[Message]:
        """Take what the terminal sent; empty at its end."""
        # What came at once happened at once, however slowly it is read.
        came = Message().time
        for event in self._events(data):
            event.time = came
            yield event

    def _events(self, data: str) -> Iterable[Message]:
        if not data:
            yield from super().feed(data)
        while data:
            mark = BRACKETED_PASTE_END if self._in_paste else BRACKETED_PASTE_START
            known = len(self._begun)
            data = self._begun + data
            place = data.find(mark)
            if place >= 0:
                self._begun = ""
                taken, data = data[: place + len(mark)], data[place + len(mark) :]
                if self._in_paste:
                    taken = taken[: -len(mark)].replace(ESCAPE, STAND_IN) + mark
                else:
                    # What was handed on before is not handed on again.
                    taken = taken[known:]
                self._in_paste = not self._in_paste
            else:
                self._begun = _begin_of(mark, data)
                if self._in_paste:
                    taken = data[: len(data) - len(self._begun)].replace(ESCAPE, STAND_IN)
                else:
                    taken = data[known:]
                data = ""
            if taken:
                yield from super().feed(taken)


def _begin_of(mark: str, data: str) -> str:
    """How much of a mark stands at the end of `data`, its rest still to come."""
    for length in range(len(mark) - 1, 0, -1):
        if data.endswith(mark[:length]):
            return mark[:length]
    return ""


def read_pastes_as_text() -> None:
    """Have the terminal's drivers read with `PasteParser`."""
    names = ("win32",) if sys.platform == "win32" else ("linux_driver", "linux_inline_driver")
    for name in names:
        driver = importlib.import_module(f"textual.drivers.{name}")
        vars(driver)["XTermParser"] = PasteParser


class PasteBurst:
    """The moment after a paste, in which a key is not the person's."""

    def __init__(self) -> None:
        self._until = float("-inf")
        self._told = True

    def drops(self, event: events.Event, is_text: bool) -> bool:
        """Whether this input came with a paste. `is_text`: the key writes a letter in a field."""
        if isinstance(event, events.Paste):
            self._until, self._told = event.time + PASTE_SECONDS, False
            return False
        if not isinstance(event, (events.Key, events.MouseDown, events.MouseUp)):
            return False
        if event.time > self._until:
            return False
        self._until = max(self._until, event.time + PASTE_SECONDS)
        return not is_text

    @property
    def is_news(self) -> bool:
        """Whether the person was not told yet that something came with this paste; True once."""
        told, self._told = self._told, True
        return not told
