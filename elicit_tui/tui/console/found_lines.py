"""Lines to read in which what was looked for is set off."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final

from textual.message import Message

from elicit_tui.tui.console.diffs import CHANGES
from elicit_tui.tui.console.outcome_words import plural
from elicit_tui.tui.console.spans import GUTTER, Line, marked, pattern_of, text_of, wrapped
from elicit_tui.tui.console.views import GAP, LineView
from elicit_tui.tui.console.wanted_words import holding, wanted_words

COUNTED_CHARACTERS: Final = 1_000_000
"""Of a text whose lines are counted where some are broken: its rows are counted in longer ones."""


class FoundLines(LineView):
    """A text whose found words stand out."""

    class LaidOut(Message):
        """Its lines are others: what was found stands elsewhere."""

    class InSight(Message):
        """Other lines of it are in sight."""

    finds_each = False
    """Whether each of the words was found alone."""
    written = ""
    """The text that stands in its rows, where the lines of that are counted."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._wanted: re.Pattern[str] | None = None
        self._set_off: frozenset[int] | None = None
        """The lines in which the words stand out; None: in all."""
        self._now = (-1, -1)
        self._share = 0.0
        """How far down it begins, once it is laid out."""
        self._begins: tuple[int, Sequence[int]] = (0, ())
        """For how many cells, and in which row each line of what is written begins."""

    @property
    def place(self) -> str:
        """Which of its lines is the first in sight, or how many there are where all are."""
        begins, rows, top = self._line_begins(), len(self._lines), self.scroll_offset.y
        count = (len(begins) or rows) - self.written.endswith("\n")
        if rows <= self.size.height or not self.size.height:
            return plural(count, "line") if count > 1 else ""
        if top >= self.max_scroll_y:
            return f"end of {count:,} lines"
        first = bisect_right(begins, top) if begins else top + 1
        return f"line {first:,} of {count:,}"

    def _line_begins(self) -> Sequence[int]:
        """The row in which each written line begins; empty where that is each in its own row."""
        cells, rows = self._drawn_for, len(self._lines)
        if self._begins[0] != cells:
            self._begins = cells, ()
            if len(self.written) <= COUNTED_CHARACTERS and self.written.count("\n") + 1 < rows:
                lines = self.written.split("\n")
                counts = [sum(1 for _ in wrapped(line, max(10, cells - GAP))) for line in lines]
                begins = [0, *accumulate(counts)]
                self._begins = cells, begins[:-1] if begins[-1] == rows else ()
        return self._begins[1]

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Tell where one is now."""
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self.post_message(self.InSight())

    @property
    def unfinished(self) -> bool:
        """Whether it has no lines yet: what is looked for may stand in them."""
        return not self._drawn_for

    def find(self, term: str) -> Sequence[tuple[int, int]]:
        """Each place that holds the words: its line, and where it begins there.

        That is as they are written, or each line with all of them, where none has them so; or each
        of them alone, where no line has all.
        """
        found, words = (
            self._find(pattern_of(term) if term else None, goes_on=" " in term),
            wanted_words(term),
        )
        self.finds_each = False
        if found or len(words) < 2:
            return found
        texts = [text_of(spans).casefold() for spans in self._lines]
        numbers, self.finds_each = holding(texts, words)
        places = self.find_each(words) if numbers else []
        if self.finds_each or not places:
            return places
        lines = self._set_off = frozenset(numbers)
        firsts = {place[0]: place for place in reversed(places) if place[0] in lines}
        return sorted(firsts.values())

    def find_each(self, words: Sequence[str]) -> Sequence[tuple[int, int]]:
        """Each place that holds one of the words, in the same way."""
        return self._find(pattern_of(*words) if words else None)

    def _find(
        self, pattern: re.Pattern[str] | None, *, goes_on: bool = False
    ) -> Sequence[tuple[int, int]]:
        """`goes_on`: what is looked for may end in the line behind the one where it begins."""
        self._wanted, self._now, self._set_off = pattern, (-1, -1), None
        self.refresh()
        if pattern is None:
            return []
        texts = [text_of(spans) for spans in self._lines]
        following = [*texts, ""][1:]
        return [
            (number, match.start())
            for number, (text, behind) in enumerate(zip(texts, following, strict=True))
            for match in _begun_here(pattern, text, behind if goes_on else "")
        ]

    def go_to(self, place: tuple[int, int]) -> None:
        """Scroll to a line, and set off the place in it."""
        self._now = place
        top = max(0, place[0] - self.size.height // 3)
        self.scroll_to(y=top, animate=False, immediate=True, force=True)
        self.refresh()

    def begin_at(self, share: float) -> None:
        """Have so much of it above what is in sight at first, where nothing is looked for yet."""
        self._share = share
        self.call_after_refresh(self._to_share)

    def first_from_here(self, places: Sequence[tuple[int, int]]) -> int:
        """Which of these places is the first in sight or below; behind the end the first of all."""
        number = bisect_left(places, (self.scroll_offset.y, 0))
        return number if number < len(places) else 0

    def line_at(self, number: int) -> Line:
        """A line as it is drawn."""
        now = self._now[1] if number == self._now[0] else -1
        there = self._set_off is None or number in self._set_off
        return marked(self._lines[number], self._wanted if there else None, now)

    def _lay_out(self) -> None:
        super()._lay_out()
        if self._drawn_for:
            self.post_message(self.LaidOut())
            if self._share:
                self.call_after_refresh(self._to_share)

    def _to_share(self) -> None:
        if not self._drawn_for:
            return
        share, self._share = self._share, 0.0
        if share and self._wanted is None:
            self.scroll_to(y=share * self.max_scroll_y, animate=False, immediate=True, force=True)


def _begun_here(pattern: re.Pattern[str], text: str, following: str) -> Iterator[re.Match[str]]:
    """The places that begin in a line, and may end in the next one, where a line was broken."""
    before = ""
    if text.startswith(GUTTER):
        before, following = GUTTER, following.removeprefix(GUTTER)
    if following[:1] in CHANGES and following[:1] == text[len(before) :][:1]:
        following = following[1:]  # The sign of a change stands before each row of its line.
    joined = f"{text} {following.lstrip()}" if following else text
    return (match for match in pattern.finditer(joined) if match.start() < len(text))
