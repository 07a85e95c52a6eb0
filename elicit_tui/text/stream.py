"""A server's standard error, line by line, on its way to a log or a screen."""

from __future__ import annotations

from typing import Final

from elicit_tui.text.neutral import neutral_line

LONGEST_LINE: Final = 2000
_BYTES_PER_CHARACTER: Final = 4


class LineNeutralizer:
    """Bytes in, neutral lines out; holds one line at most, however long the server makes it.

    Bytes that are not UTF-8 are shown as `\\xNN`. What a line has beyond `limit` characters is
    dropped, and the line says how much.
    """

    def __init__(self, limit: int = LONGEST_LINE) -> None:
        self._limit = limit
        self._held = bytearray()
        self._dropped = 0
        self._most = limit * _BYTES_PER_CHARACTER

    def feed(self, data: bytes) -> list[str]:
        """The lines that `data` completes, without their ends."""
        *complete, rest = data.split(b"\n")
        lines = []
        for piece in complete:
            self._hold(piece)
            lines.append(self._line())
        self._hold(rest)
        return lines

    def close(self) -> list[str]:
        """The last line, if the stream ended in the middle of one."""
        return [self._line()] if self._held else []

    def _hold(self, piece: bytes) -> None:
        room = max(self._most - len(self._held), 0)
        self._held += piece[:room]
        self._dropped += max(len(piece) - room, 0)

    def _line(self) -> str:
        text = self._held.removesuffix(b"\r").decode("utf-8", errors="backslashreplace")
        dropped, self._dropped = self._dropped, 0
        self._held.clear()
        if not dropped:
            return neutral_line(text, self._limit)
        mark = f"…⟨{dropped:,} bytes dropped⟩"
        return neutral_line(text, self._limit - len(mark)).removesuffix("…") + mark
