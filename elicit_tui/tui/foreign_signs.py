"""A server's text cannot pass for a verdict of ours: our signs in it stand in quotation marks.

What elicit-tui found, judged or chose begins with a sign (`✓ ready to send`, `▲ This acts on
production`). A line of a message that begins with one would be taken for it, on its own line or
wherever the text wraps.
"""

from __future__ import annotations

import re
from typing import Final

_SIGNS: Final = "✓✔☑✅🗸✗✘✖☒❌▲△⚠■▪◼●○◉◌◐•▌▎▏█│┃"
_ALONE: Final = re.compile(rf"(?<!\S)([{_SIGNS}]\ufe0f?)(?!\S)")


def quoting_signs(text: str) -> str:
    """The text, with each sign that stands like a word in it in quotation marks."""
    return text if text.isascii() else _ALONE.sub(r"“\1”", text)
