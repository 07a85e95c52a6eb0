"""A URL as a QR code of text blocks, for a phone's camera."""

from __future__ import annotations

from textual.content import Content

_STYLE = "black on white"


def qr_code(url: str, width: int, height: int) -> Content | None:
    """The code, dark on light whatever the theme; None when it does not fit into these cells."""
    import segno
    from segno.encoder import DataOverflowError

    try:
        code = segno.make(url, error="l", micro=False)
    except (DataOverflowError, ValueError):
        return None
    rows = [[bool(module) for module in row] for row in code.matrix_iter(border=2)]
    if len(rows[0]) > width or (len(rows) + 1) // 2 > height:
        return None
    if len(rows) % 2:
        rows.append([False] * len(rows[0]))
    signs = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}
    lines = [
        "".join(signs[upper, lower] for upper, lower in zip(rows[row], rows[row + 1], strict=True))
        for row in range(0, len(rows), 2)
    ]
    return Content("\n").join(Content.styled(line, _STYLE) for line in lines)
