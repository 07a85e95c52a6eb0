"""What happened in this run, line by line, in constant memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import field
from datetime import datetime
from typing import Final, Literal

from rich.cells import cell_len

from elicit_tui.dataclass import dataclass
from elicit_tui.tui.console.spans import GUTTER, Line, Role, padded, text_of, wrapped
from elicit_tui.tui.console.wanted_words import has_all

KEPT_LINES: Final = 2_000
LINE_CHARACTERS: Final = 400
NARROW_INDENT: Final = 2


About = tuple[Literal["call", "question", "server"], str]
"""What a line is about, and which of these, by its id or its name."""


@dataclass(eq=False)
class Happening:
    """One line of the activity: when, of which server, what. All text is neutral already."""

    server: str
    text: str
    role: Role = "plain"
    about: About | None = None
    at: datetime = field(default_factory=datetime.now)
    _drawn_for: tuple[int, int] = (0, 0)
    _drawn: list[Line] = field(default_factory=list)

    @property
    def words(self) -> str:
        """All of it on one line, with the day: to be copied."""
        return f"{self.at:%Y-%m-%d %H:%M:%S} {self.server} {self.text}"

    def drawn(self, width: int, names: int) -> list[Line]:
        """The lines as a screen shows them, `names` cells for whose it is; laid out once."""
        if self._drawn_for != (width, names):
            self._drawn_for, self._drawn = (width, names), self._laid_out(width, names)
        return self._drawn

    def _laid_out(self, width: int, names: int) -> list[Line]:
        """The text wraps in its own column; below who and when, where it is narrow."""
        narrow = width < 60
        column = min(names, 24 if narrow else 14)
        head: Line = (
            (f"{self.at:%H:%M} " if narrow else f"{self.at:%H:%M:%S} ", "dim"),
            (f"{padded(self.server, column)} ", "accent"),
        )
        used = NARROW_INDENT if narrow else len(text_of(head))
        gutter = GUTTER if self.text.startswith(GUTTER) else ""
        text = self.text.removeprefix(gutter)
        parts = [f"{gutter}{part}" for part in wrapped(text, width - used - len(gutter))]
        first, *others = parts or [""]
        sign, blank, term = first.partition(" ")
        if len(sign) != 1 or sign.isalnum():
            sign, blank, term = "", "", first
        body: Role = "plain" if sign and not gutter else self.role
        rest: list[Line] = [((" " * used + part, body),) for part in others]
        begin: Line = ((sign + blank, self.role), (term, body))
        return (
            [head, ((" " * used, "plain"), *begin), *rest] if narrow else [(*head, *begin), *rest]
        )


class Activity:
    """The newest happenings; older ones are counted and let go."""

    def __init__(self, kept: int = KEPT_LINES) -> None:
        self._lines: deque[Happening] = deque(maxlen=kept)
        self.count = 0
        self.names = 0
        """Cells of the longest name of those whose lines there were."""

    def __iter__(self) -> Iterator[Happening]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)

    @property
    def let_go(self) -> int:
        """How many lines are no longer kept."""
        return self.count - len(self._lines)

    def add(self, server: str, text: str, role: Role = "plain", about: About | None = None) -> None:
        """Remember one line."""
        whole = len(text) <= LINE_CHARACTERS
        bounded = text if whole else f"{text[: LINE_CHARACTERS - 1]}…"
        self._lines.append(Happening(server, bounded, role, about))
        self.count += 1
        self.names = max(self.names, cell_len(server))

    def matching(self, words: Sequence[str]) -> Sequence[Happening]:
        """The lines in which all these words stand, which are folded; all for no words."""
        return [
            happening
            for happening in self._lines
            if not words or has_all(words, f"{happening.server} {happening.text}".casefold())
        ]
