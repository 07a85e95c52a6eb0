"""The words in the top border: who asks, the place in the queue, the time left."""

from __future__ import annotations

from textual.content import Content


def frame_title(left: str, place: str, hint: str, time_left: str, width: int) -> Content:
    """All in one border title `width` cells wide, with the border's line drawn in the middle.

    The hint (what brings the next question) is left out where it does not fit.
    """
    right = _right(place + hint, time_left)
    if Content(left).cell_length + Content(right).cell_length + 3 > width:
        right = _right(place, time_left)
    left_cells, right_cells = Content(left).cell_length, Content(right).cell_length
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
        (right, "$foreground"),
    )


def _right(place: str, time_left: str) -> str:
    return " · ".join(part for part in (place, time_left) if part)
