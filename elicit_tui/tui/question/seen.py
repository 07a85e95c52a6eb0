"""What of a question was on the screen. Nothing else is accepted by one key.

Whoever is asked for a yes is shown first what they have not seen of it: the end of a long text, a
field with a default far below. That is brought into view and said once; the next key accepts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from textual.containers import VerticalScroll
from textual.geometry import Region
from textual.strip import Strip

from elicit_tui.tui.question.frame_words import count


class PartToSee(Protocol):
    """Something of a question that may be larger than the screen."""

    @property
    def unseen(self) -> bool:
        """Whether some of it was never on the screen, and nobody was told."""
        ...

    def show_unseen(self, *, briefly: bool) -> str:
        """Bring it into view, and tell what it is: `the message goes on`."""
        ...

    def see_afresh(self) -> None:
        """What stands on the screen now was seen, and nothing that stood there before."""
        ...


def shown_now(parts: Sequence[PartToSee]) -> str:
    """Bring what was never seen of these parts into view; what it was, in one sentence."""
    unseen = [part for part in parts if part.unseen]
    told = ", ".join(part.show_unseen(briefly=len(unseen) > 1) for part in unseen)
    return f"{told[:1].upper()}{told[1:]}." if told else ""


class SeenText(VerticalScroll):
    """A text that knows how far down it has been painted."""

    called = "this page"
    """In a sentence."""
    left_out = 0
    """Characters of it that stand nowhere, because it is too long."""
    _seen_to = 0
    _seen_width = 0
    _counts_as_seen = False

    def render_lines(self, crop: Region) -> list[Strip]:
        """Whatever is painted has been on the screen."""
        width = self.outer_size.width
        if width != self._seen_width:
            # All its lines are others now.
            self._seen_width, self._seen_to = width, 0
        self._seen_to = max(self._seen_to, self._bottom)
        return super().render_lines(crop)

    @property
    def _bottom(self) -> int:
        return round(self.scroll_y) + self.scrollable_content_region.height

    def see_afresh(self) -> None:
        """What stands on the screen now was seen, and nothing that stood there before."""
        self._seen_width, self._seen_to = self.outer_size.width, self._bottom

    @property
    def lines_to_see(self) -> int:
        """So many of its lines, from the first, say what is decided about."""
        return self.virtual_size.height

    @property
    def unseen(self) -> bool:
        """Whether some of it was never on the screen, and nobody was told."""
        return not self._counts_as_seen and bool(self.left_out or self._unseen_lines)

    @property
    def _unseen_lines(self) -> int:
        return max(self.lines_to_see - self._seen_to, 0)

    def show_unseen(self, *, briefly: bool) -> str:
        """Scroll to its end; what was skipped by that is counted."""
        self._counts_as_seen = True
        height = self.scrollable_content_region.height
        skipped = self._unseen_lines - height
        if self._unseen_lines:
            self.scroll_to(y=self.lines_to_see - height, animate=False, immediate=True)
        if self.left_out:
            return f"{self.left_out:,} characters of {self.called} are not shown"
        if briefly or skipped <= 0:
            return f"{self.called} goes on"
        return f"{self.called} goes on ({count(skipped, 'more line')} above)"

    def forget_seen(self) -> None:
        """It is another text now."""
        self._seen_to, self._counts_as_seen = 0, False
