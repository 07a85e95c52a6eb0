"""The words in the top border: who asks, the place in the queue, the time left."""

from __future__ import annotations

from typing import Any, Final, TypeVar

from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Region

from elicit_tui.elicitation import Deadline
from elicit_tui.text import countdown
from elicit_tui.tui.question.debounce import PaintedGuard

LAST_SECONDS: Final = 60.0
"""The clock is strong from here on."""

QUIET_CLOCK_COLUMNS: Final = 50
"""On a narrower screen the clock is seen in the last minute only."""


def frame_title(
    left: str, place: str, hint: str, time_left: str, width: int, *, last: bool = False
) -> Content:
    """All in one border title `width` cells wide, with the border's line drawn in the middle.

    The hint (what brings the next question) is left out where it does not fit.
    `last`: the clock is in its last minute.
    """
    clock = (time_left, "bold $warning" if last else "$faint")
    right = _right(place + hint, clock)
    if Content(left).cell_length + right.cell_length + 3 > width:
        right = _right(place, clock)
    left_cells, right_cells = Content(left).cell_length, right.cell_length
    if not right:
        return Content.styled(left, "bold $foreground")
    line = width - left_cells - right_cells - 2
    if line < 1:
        room = max(width - right_cells - 2, 4)
        cut = Content(left).truncate(room, ellipsis=True)
        left, line = cut.plain, max(width - cut.cell_length - right_cells - 2, 0)
    return Content.assemble(
        (left, "bold $foreground"),
        (f" {'─' * line} ", "$border-blurred"),
        right,
    )


def _right(place: str, clock: tuple[str, str]) -> Content:
    parts = (Content.styled(*part) for part in ((place, "$foreground"), clock) if part[0])
    return Content.styled(" · ", "$faint").join(parts)


_Frame = TypeVar("_Frame", bound="Titled")


class Titled(PaintedGuard, Vertical):
    """A frame whose title tells who asks, the place in the queue and the time left.

    For another second its line alone is drawn, not all of it.
    """

    def __init__(
        self,
        heading: str,
        deadline: Deadline,
        queue_position: tuple[int, int],
        hint: str,
        *,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        """`queue_position` is (place from 1, how many); `hint`: what brings the next one."""
        super().__init__(id=id, classes=classes)
        self.deadline = deadline
        self._heading = heading
        self._hint = hint
        self._queue_position = queue_position
        self.ended_before = 0
        """How many questions ended in this place since it was empty last."""
        self._entitled: tuple[str, str, str, str, int, bool] | None = None
        self._entitling = False

    def place_in_queue(self, place: int, of: int) -> None:
        """Show another place in the queue."""
        self._queue_position = (place, of)
        self.retitle()

    @property
    def others_wait(self) -> bool:
        """Whether other questions stand in the queue."""
        return self._queue_position[1] > 1

    def retitle(self) -> None:
        """Tell what is so just now. The clock is quiet until the last minute."""
        place, of = self._queue_position
        left = self.deadline.remaining
        last = left is not None and left <= LAST_SECONDS
        shown = last or self.app.size.width >= QUIET_CLOCK_COLUMNS
        clock = countdown(left) if shown else ""
        place, whole = place + self.ended_before, of + self.ended_before
        queued = f"{place} of {whole}" if whole > 1 else ""
        hint = self._hint if of > 1 else ""
        self.entitle(self._heading, queued, hint, f"{clock} left" if clock else "", last)

    def entitle(self, left: str, place: str, hint: str, time_left: str, last: bool) -> None:
        """Put these words into the border, which is as wide as the screen until it is laid out."""
        width = (self.outer_size.width or self.app.size.width) - 6
        wanted = (left, place, hint, time_left, max(width, 10), last)
        if wanted != self._entitled:
            self._entitled = wanted
            self._entitling = True
            self.border_title = frame_title(*wanted[:5], last=last)
            self._entitling = False

    def refresh(self: _Frame, *regions: Region, **wanted: Any) -> _Frame:
        """Draw the frame again; for a new title only its line."""
        if self._entitling:
            line = Region(0, 0, self.outer_size.width, 1)
            regions = (line.translate((-self.content_offset.x, -self.content_offset.y)),)
        return super().refresh(*regions, **wanted)
