"""The words in the top border: who asks, the place in the queue, the time left."""

from __future__ import annotations

from textual.content import Content


def frame_title(left: str, right: str, width: int) -> Content:
    """Both in one border title `width` cells wide, with the border's line drawn between them."""
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
