"""Lines to read in which what was looked for is set off."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from textual.message import Message

from elicit_tui.tui.console.diffs import CHANGES
from elicit_tui.tui.console.spans import GUTTER, Line, marked, pattern_of, text_of
from elicit_tui.tui.console.views import LineView


class FoundLines(LineView):
    """A text whose found words stand out."""

    class LaidOut(Message):
        """Its lines are others: what was found stands elsewhere."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._term = ""
        self._now = (-1, -1)

    @property
    def unfinished(self) -> bool:
        """Whether it has no lines yet: what is looked for may stand in them."""
        return not self._drawn_for

    def find(self, term: str) -> Sequence[tuple[int, int]]:
        """Each place that holds the words: its line, and where it begins there."""
        self._term, self._now = term, (-1, -1)
        self.refresh()
        if not term:
            return []
        texts, pattern = [text_of(spans) for spans in self._lines], pattern_of(term)
        following = [*texts, ""][1:]
        return [
            (number, match.start())
            for number, (text, behind) in enumerate(zip(texts, following, strict=True))
            for match in _begun_here(pattern, text, behind if " " in term else "")
        ]

    def go_to(self, place: tuple[int, int]) -> None:
        """Scroll to a line, and set off the place in it."""
        self._now = place
        top = max(0, place[0] - self.size.height // 3)
        self.scroll_to(y=top, animate=False, immediate=True, force=True)
        self.refresh()

    def line_at(self, number: int) -> Line:
        """A line as it is drawn."""
        now = self._now[1] if number == self._now[0] else -1
        return marked(self._lines[number], self._term, now)

    def _lay_out(self) -> None:
        super()._lay_out()
        if self._drawn_for:
            self.post_message(self.LaidOut())


def _begun_here(pattern: re.Pattern[str], text: str, following: str) -> Iterator[re.Match[str]]:
    """The places that begin in a line, and may end in the next one, where a line was broken."""
    before = ""
    if text.startswith(GUTTER):
        before, following = GUTTER, following.removeprefix(GUTTER)
    if following[:1] in CHANGES and following[:1] == text[len(before) :][:1]:
        following = following[1:]  # The sign of a change stands before each row of its line.
    joined = f"{text} {following.lstrip()}" if following else text
    return (match for match in pattern.finditer(joined) if match.start() < len(text))
