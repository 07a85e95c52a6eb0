"""What a person sees of the bytes that a program writes to a terminal."""

from __future__ import annotations

import re
from typing import Final

from rich.cells import cell_len

PARTS: Final = re.compile(
    r"\x1b\[(?P<parameters>[0-?]*)[ -/]*(?P<final>[@-~])"
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"
    r"|\x1bP[^\x1b]*\x1b\\"
    r"|\x1b[ -/]*[0-~]"
    r"|(?P<control>[\x00-\x1f\x7f])"
    r"|(?P<text>[^\x00-\x1f\x7f]+)"
)
ON_BY_ITSELF: Final = {"7", "25"}
"""Private modes that a terminal has on before anything runs: wrapping, and the cursor's sight."""

ALTERNATE: Final = "1049"
WHOLE_FRAMES: Final = "2026"
"""While it is on, a terminal shows what was there before: nobody sees half a frame."""


class Screen:
    """A grid of characters: positions, erasing and private modes; colours are passed over."""

    def __init__(self, columns: int, lines: int) -> None:
        self.modes: dict[str, bool] = {}
        """Every private mode that was switched, and whether it is on."""
        self._rest = ""
        self._row = self._column = 0
        self._before: str | None = None
        self.resize(columns, lines)

    def resize(self, columns: int, lines: int) -> None:
        """Another size; what was on the screen is gone, as the program draws it anew."""
        self._columns, self._lines = columns, lines
        self._cells = [[" "] * columns for _ in range(lines)]

    @property
    def text(self) -> str:
        """All lines, without the blanks at their ends."""
        if self._before is not None:
            return self._before
        return "\n".join("".join(line).rstrip() for line in self._cells)

    @property
    def alternate(self) -> bool:
        """Whether the program has taken the whole screen."""
        return self.modes.get(ALTERNATE, False)

    @property
    def left_on(self) -> set[str]:
        """Private modes that are not as they were before the program."""
        return {mode for mode, on in self.modes.items() if on != (mode in ON_BY_ITSELF)}

    def feed(self, text: str) -> None:
        """Take in what was written; a sequence that is cut is kept for the next time."""
        text = self._rest + text
        cut = text.rfind("\x1b")
        self._rest = ""
        if cut >= 0 and len(text) - cut < 64 and not _whole(text[cut:]):
            text, self._rest = text[:cut], text[cut:]
        for part in PARTS.finditer(text):
            if part["text"]:
                self._write(part["text"])
            elif part["control"]:
                self._control(part["control"])
            elif part["final"]:
                self._sequence(part["parameters"], part["final"])

    def _write(self, text: str) -> None:
        for character in text:
            width = cell_len(character)
            if self._row >= self._lines or self._column + width > self._columns or not width:
                continue
            self._cells[self._row][self._column] = character
            for cell in range(self._column + 1, self._column + width):
                self._cells[self._row][cell] = ""
            self._column += width

    def _control(self, character: str) -> None:
        if character == "\r":
            self._column = 0
        elif character == "\b":
            self._column = max(0, self._column - 1)
        elif character == "\n":
            self._row += 1
            if self._row >= self._lines:
                self._cells = [*self._cells[1:], [" "] * self._columns]
                self._row = self._lines - 1

    def _sequence(self, parameters: str, final: str) -> None:
        if final in "hl" and parameters.startswith("?"):
            for mode in parameters[1:].split(";"):
                if mode == WHOLE_FRAMES:
                    self._before = None
                    self._before = self.text if final == "h" else None
                self.modes[mode] = final == "h"
                if mode == ALTERNATE:
                    self.resize(self._columns, self._lines)
            return
        numbers = [int(part) if part.isdecimal() else 0 for part in parameters.split(";")]
        first = numbers[0]
        if final in "Hf":
            self._row = max(1, first) - 1
            self._column = max(1, numbers[1] if len(numbers) > 1 else 1) - 1
        elif final in "AB":
            step = max(1, first) * (1 if final == "B" else -1)
            self._row = min(max(0, self._row + step), self._lines - 1)
        elif final in "CD":
            step = max(1, first) * (1 if final == "C" else -1)
            self._column = min(max(0, self._column + step), self._columns - 1)
        elif final == "G":
            self._column = max(1, first) - 1
        elif final == "K":
            self._erase(self._row, self._column)
        elif final == "J":
            if first:
                self._cells = [[" "] * self._columns for _ in range(self._lines)]
            else:
                self._erase(self._row, self._column)
                for row in range(self._row + 1, self._lines):
                    self._erase(row, 0)

    def _erase(self, row: int, column: int) -> None:
        if row < self._lines:
            for cell in range(column, self._columns):
                self._cells[row][cell] = " "


def _whole(sequence: str) -> bool:
    """Whether a sequence at the end of what was written is there to its last character."""
    if sequence.startswith("\x1b["):
        return re.match(r"\x1b\[[0-?]*[ -/]*[@-~]", sequence) is not None
    if sequence.startswith("\x1b]"):
        return re.match(r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)", sequence) is not None
    return len(sequence) > 1
